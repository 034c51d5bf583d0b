import { Secret, TOTP } from 'otpauth'
import { z } from 'zod'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { CERTIFICATE_FIELD, CERTIFICATE_TYPE } from '#services/trading/certificates/certificate-api.ts'
import { eligibleTrader, pdf, programOf, tryDraft, uploadCertificate } from './http-calls.ts'
import { wholeLogin } from './programme-account.ts'
import type { Answer, Browser } from './http-client.ts'
import { revertTokenOf, tokenOf } from './mail-links.ts'
import { newEmail, type Portal, registration, type Trader } from './portal.ts'
import { statementForm } from './statement-form.ts'

/** A change by a person, with what it needs made before. */
export interface OnceOnlyRequest {
  readonly who: Browser
  readonly path: string
  readonly body?: object
  readonly form?: () => FormData
  /** Another request under the same key; null where the call has no body. */
  readonly another: object | (() => FormData) | null
}

/** One request of each call that takes an Idempotency-Key, by the call's name. */
export function onceOnlyRequests(
  portal: Portal,
  admin: Browser,
): Readonly<Record<string, () => Promise<OnceOnlyRequest>>> {
  const idIn = ({ body, text }: Answer): string => {
    const { data } = z.looseObject({ id: z.union([z.string(), z.number()]) }).safeParse(body)
    if (!data) throw new Error(`An answer has no id: ${text}`)
    return String(data.id)
  }
  const confirmTokenOf = (text: string) =>
    decodeURIComponent(/\/confirm-email\?token=([^\s"&<]+)/.exec(text)?.[1] ?? '')
  /** A new key of an authenticator app, and the first code. */
  const appOf = async (who: Browser, path: string) => {
    const { body } = await who.get(`${path}/authenticator`)
    const { key, setup } = z.object({ key: z.string(), setup: z.string() }).parse(body)
    return { setup, code: new TOTP({ secret: Secret.fromBase32(key) }).generate() }
  }
  const withApp = async <Who extends Browser>(who: Who, path: string): Promise<Who> => {
    await who.post(`${path}/authenticator`, await appOf(who, path))
    return who
  }
  const OWN = '/api/user/factors'
  const removalAsked = async () => {
    const path = `/api/admin/user/${(await withApp(await portal.trader(), OWN)).id}/factors/removal`
    await admin.post(path, { question: 'order-number' })
    return path
  }
  const STAFF = '/api/admin/auth/factors'
  const accountOf = ({ id }: Pick<Trader, 'id'>) => `${id}-a1`
  const PROGRAMME = 'two-step-100000'
  const inAYear = new Date(Date.now() + 365 * 86_400_000).toISOString()
  let logins = 70_000_000
  const calendarEntry = (title: string) => ({ at: inAYear, currency: 'USD', impact: 'high', title })

  const asked = async (amount = '100.00'): Promise<{ trader: Trader; payout: string }> => {
    const trader = await eligibleTrader(portal, admin)
    await admin.patch(`/api/admin/accounts/${accountOf(trader)}`, { balance: '20000.00' })
    const request = { amount, paymentMethod: 'paypal', destination: { email: 'jo@mail.example' } }
    return { trader, payout: idIn(await trader.post('/api/user/payouts', request)) }
  }
  const unchecked = async (): Promise<{ trader: Trader; payout: string }> => {
    const trader = await eligibleTrader(portal, admin)
    const request = { amount: '100.00', paymentMethod: 'paypal', paymentDetails: 'as always' }
    return { trader, payout: idIn(await trader.post('/api/user/payouts', request)) }
  }
  const savedDestination = (name: string) => ({ name, destination: { email: `${name}@mail.example` } })
  const view = (name: string) => ({ list: 'payouts', name, query: 'status=approved' })
  const OBJECTION = 'This payout follows from the terms.'
  const refused = async () => {
    const request = await asked()
    await admin.patch(`/api/admin/payouts/${request.payout}`, { status: 'rejected', adminNotes: 'No' })
    return request
  }
  const objected = async (): Promise<{ trader: Trader; id: string }> => {
    const { trader, payout } = await refused()
    const body = { account: accountOf(trader), about: { payout }, text: OBJECTION }
    return { trader, id: idIn(await trader.post('/api/user/cases', body)) }
  }
  const approved = async (): Promise<{ trader: Trader; payout: string }> => {
    const made = await asked()
    await admin.patch(`/api/admin/payouts/${made.payout}`, { status: 'approved' })
    return made
  }
  const batch = async () => {
    const payouts = [(await approved()).payout]
    return idIn(await admin.post('/api/admin/batches', { format: 'csv', currency: 'USD', payouts }))
  }
  const enrolled = async (): Promise<Trader> => {
    const trader = await portal.trader()
    await admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme: PROGRAMME })
    await admin.patch(`/api/admin/accounts/${accountOf(trader)}`, wholeLogin(String(++logins)))
    return trader
  }
  const bridge = () => programOf(portal, admin, { name: 'Bridge', scopes: ['feed'] })
  const stateRow = (trader: Trader, balance: string, minutesAgo: number) => ({
    ...{ account: accountOf(trader), at: new Date(Date.now() - minutesAgo * 60_000).toISOString(), kind: 'state' },
    ...{ balance, equity: balance, open: false },
  })
  const found = async (): Promise<string> => {
    const trader = await enrolled()
    const rows = [stateRow(trader, '100000.00', 3), stateRow(trader, '89000.00', 2)]
    await (await bridge()).post('/api/feed/observations', { rows })
    return `${accountOf(trader)}-f1`
  }
  const untakenOrder = async (): Promise<string> => {
    const shop = await programOf(portal, admin, { name: 'Shop', scopes: ['enrolments'] })
    const order = `untaken-${++logins}`
    await shop.post('/api/enrolments', { order, email: newEmail(), fullName: 'Grace Hopper', programme: 'no-such' })
    const { body } = await admin.get(`/api/admin/tasks?search=${order}`, await portal.atEnd())
    const [task] = z.array(z.object({ order: z.object({ id: z.string() }) })).parse(body)
    return `/api/admin/orders/${task?.order.id}`
  }
  const draft = async (): Promise<string> =>
    `/api/admin/programmes/${idIn(await admin.post('/api/admin/programmes', { terms: presetTerms('one-step', 5_000) }))}/versions/1`
  const tried = async () => {
    const path = await draft()
    return { path, hash: (await tryDraft(admin, path)).hash }
  }
  const certificate = async (name = 'Phase 1') => {
    const trader = await portal.trader()
    return { trader, id: idIn(await uploadCertificate(admin, { userId: trader.id, name })) }
  }
  const member = async () => idIn(await admin.post('/api/admin/staff', { name: 'Kim', role: 'support' }))
  const mapping = {
    ...{ delimiter: ',', decimal: '.', zone: 'UTC' },
    columns: { at: 'Close', id: 'Ticket', openedAt: 'Open', profit: 'Profit', volume: 'Volume' },
  }
  const statement = (ticket: string) =>
    `Ticket,Open,Close,Profit,Volume\n${ticket},2026-11-20T10:00:00Z,2026-11-20T11:00:00Z,10.00,1.00\n`
  const logo = (path: string) =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><path d="${path}"/></svg>`).toString(
      'base64',
    )
  const firm = { name: 'Northgate Capital', iban: 'NL91ABNA0417164300', bic: 'ABNANL2A' }

  return {
    register: async () => {
      const body = { ...registration, email: newEmail() }
      return { who: portal.browser(), path: '/api/register', body, another: { ...body, email: newEmail() } }
    },
    forgotPassword: async () => {
      const { email } = await portal.trader()
      return { who: portal.browser(), path: '/api/forgot-password', body: { email }, another: null }
    },
    resetPassword: async () => {
      const { email } = await portal.trader()
      await portal.browser().post('/api/forgot-password', { email })
      const token = tokenOf(await portal.mailWith(email, ({ subject }) => subject?.startsWith('Reset') ?? false))
      const body = { token, password: 'another correct horse' }
      return {
        who: portal.browser(),
        path: '/api/reset-password',
        body,
        another: { ...body, password: 'yet another horse' },
      }
    },
    revertEmail: async () => {
      const trader = await portal.trader()
      await trader.patch('/api/user/profile', { email: newEmail(), currentPassword: trader.password })
      const mail = await portal.mailWith(trader.email, ({ text }) => text?.includes('/revert-email') ?? false)
      return { who: portal.browser(), path: '/api/revert-email', body: { token: revertTokenOf(mail) }, another: null }
    },
    confirmEmail: async () => {
      const trader = await portal.trader()
      const mail = await portal.mailWith(
        trader.email,
        ({ subject }) => subject?.startsWith('Confirm your email') ?? false,
      )
      return {
        who: portal.browser(),
        path: '/api/confirm-email',
        body: { token: confirmTokenOf(mail.text ?? '') },
        another: null,
      }
    },
    changePassword: async () => {
      const who = await portal.trader()
      const body = {
        currentPassword: who.password,
        newPassword: 'newer horse battery',
        confirmPassword: 'newer horse battery',
      }
      const another = { ...body, newPassword: 'other horse battery', confirmPassword: 'other horse battery' }
      return { who, path: '/api/user/change-password', body, another }
    },
    endOwnSessions: async () => ({ who: await portal.trader(), path: '/api/user/sessions', another: null }),
    endStaffSessions: async () => ({
      who: await portal.member('support'),
      path: '/api/admin/auth/sessions',
      another: null,
    }),
    endUserSessions: async () => ({
      who: admin,
      path: `/api/admin/user/${(await portal.trader()).id}/sessions`,
      another: null,
    }),
    changeProfile: async () => ({
      ...{ who: await portal.trader(), path: '/api/user/profile' },
      ...{ body: { city: 'Paris' }, another: { city: 'Rome' } },
    }),
    requestEmailConfirmation: async () => ({
      who: await portal.trader(),
      path: '/api/user/confirm-email',
      another: null,
    }),
    createUser: async () => {
      const body = { fullName: 'Jo Doe', email: newEmail() }
      return { who: admin, path: '/api/admin/users', body, another: { ...body, email: newEmail() } }
    },
    changeUser: async () => ({
      ...{ who: admin, path: `/api/admin/user/${(await portal.trader()).id}` },
      ...{ body: { fullName: 'Al Other' }, another: { fullName: 'Al Third' } },
    }),
    deleteUser: async () => ({ who: admin, path: `/api/admin/user/${(await portal.trader()).id}`, another: null }),
    banUser: async () => ({
      ...{ who: admin, path: `/api/admin/user/${(await portal.trader()).id}/ban` },
      ...{ body: { banned: true, banReason: 'Copied trades' }, another: { banned: true, banReason: 'Other' } },
    }),
    assignLogin: async () => ({
      ...{ who: admin, path: `/api/admin/accounts/${accountOf(await portal.trader())}/login` },
      ...{ body: { login: '4711' }, another: { login: '4712' } },
    }),
    enablePayouts: async () => ({
      ...{ who: admin, path: `/api/admin/accounts/${accountOf(await portal.trader())}/payouts-enabled`, another: null },
    }),
    sendPasswordLink: async () => ({
      ...{ who: admin, path: `/api/admin/user/${(await portal.trader()).id}/password-link`, another: null },
    }),
    requestFactorRemoval: async () => ({
      who: admin,
      path: `/api/admin/user/${(await withApp(await portal.trader(), OWN)).id}/factors/removal`,
      body: { question: 'order-number' },
      another: { question: 'last-payout' },
    }),
    stopFactorRemoval: async () => ({ who: admin, path: await removalAsked(), another: null }),
    stopOwnFactorRemoval: async () => {
      const who = await withApp(await portal.trader(), OWN)
      await admin.post(`/api/admin/user/${who.id}/factors/removal`, { question: 'order-number' })
      return { who, path: `${OWN}/removal`, another: null }
    },
    removeUserFactors: async () => ({
      who: admin,
      path: `/api/admin/user/${(await portal.trader()).id}/factors`,
      another: null,
    }),
    turnOnOwnAuthenticator: async () => {
      const who = await portal.trader()
      return { who, path: `${OWN}/authenticator`, body: await appOf(who, OWN), another: null }
    },
    turnOnStaffAuthenticator: async () => {
      const who = await portal.member('support')
      return { who, path: `${STAFF}/authenticator`, body: await appOf(who, STAFF), another: null }
    },
    turnOffOwnAuthenticator: async () => ({
      ...{ who: await withApp(await portal.trader(), OWN), path: `${OWN}/authenticator`, another: null },
    }),
    turnOffStaffAuthenticator: async () => ({
      ...{ who: await withApp(await portal.member('support'), STAFF), path: `${STAFF}/authenticator`, another: null },
    }),
    issueOwnRecoveryCodes: async () => ({
      ...{ who: await withApp(await portal.trader(), OWN), path: `${OWN}/recovery-codes`, another: null },
    }),
    issueStaffRecoveryCodes: async () => ({
      ...{ who: await withApp(await portal.member('support'), STAFF), path: `${STAFF}/recovery-codes`, another: null },
    }),
    setAccount: async () => ({
      ...{ who: admin, path: `/api/admin/user/${(await portal.trader()).id}/account` },
      ...{ body: { balance: '500.00' }, another: { balance: '600.00' } },
    }),
    changeCurrentAccount: async () => ({
      ...{ who: admin, path: `/api/admin/user/${(await portal.trader()).id}/account` },
      ...{ body: { balance: '500.00' }, another: { balance: '600.00' } },
    }),
    openAccount: async () => ({
      ...{ who: admin, path: `/api/admin/user/${(await portal.trader()).id}/accounts` },
      ...{ body: { phase: 'One' }, another: { phase: 'Two' } },
    }),
    changeAccount: async () => ({
      ...{ who: admin, path: `/api/admin/accounts/${accountOf(await portal.trader())}` },
      ...{ body: { balance: '500.00' }, another: { balance: '600.00' } },
    }),
    closeAccount: async () => ({
      who: admin,
      path: `/api/admin/accounts/${accountOf(await portal.trader())}/close`,
      body: { reason: 'Moved away' },
      another: { reason: 'Other' },
    }),
    showMasterPassword: async () => {
      const { id } = await portal.trader()
      await admin.patch(`/api/admin/user/${id}/account`, { masterPassword: 'hush' })
      return { who: admin, path: `/api/admin/user/${id}/account/master-password`, another: null }
    },
    bookEntry: async () => ({
      ...{ who: admin, path: `/api/admin/accounts/${accountOf(await portal.trader())}/ledger` },
      ...{
        body: { kind: 'fee', amount: '-10.00', reference: 'R1', reason: 'Data' },
        another: { kind: 'fee', amount: '-11.00', reference: 'R2', reason: 'Data' },
      },
    }),
    closedOnPlatform: async () => {
      const finding = await found()
      await admin.post(`/api/admin/findings/${finding}/confirm`, {})
      return {
        who: admin,
        path: `/api/admin/accounts/${finding.replace(/-f1$/, '')}/closed-on-platform`,
        another: null,
      }
    },
    correctObservation: async () => {
      const trader = await enrolled()
      await (await bridge()).post('/api/feed/observations', { rows: [stateRow(trader, '100500.00', 2)] })
      const path = `/api/admin/accounts/${accountOf(trader)}/observations/${accountOf(trader)}-o1/correction`
      return {
        who: admin,
        path,
        body: { observation: null, reason: 'A typo' },
        another: { observation: null, reason: 'Other' },
      }
    },
    previewImport: async () => {
      const account = accountOf(await enrolled())
      const form = (ticket: string) => () => statementForm(statement(ticket), { kind: 'trades', account, mapping })
      return { who: admin, path: '/api/admin/imports', form: form('1'), another: form('2') }
    },
    confirmImport: async () => {
      const account = accountOf(await enrolled())
      const form = statementForm(statement('3'), { kind: 'trades', account, mapping })
      const id = idIn(await admin.send('POST', '/api/admin/imports', form))
      return { who: admin, path: `/api/admin/imports/${id}/confirm`, another: null }
    },
    decideImportConflicts: async () => {
      const account = accountOf(await enrolled())
      const trade = { kind: 'trade', id: '4', at: '2026-11-20T11:00:00Z', openedAt: '2026-11-20T10:00:00Z' }
      const rows = [{ account, ...trade, profit: '11.00', volume: '1.00' }]
      await (await bridge()).post('/api/feed/observations', { rows })
      const form = statementForm(statement('4'), { kind: 'trades', account, mapping })
      const id = idIn(await admin.send('POST', '/api/admin/imports', form))
      return {
        ...{ who: admin, path: `/api/admin/imports/${id}/conflicts` },
        body: { take: 'new', rows: null, reason: 'Corrected' },
        another: { take: 'known', rows: null, reason: 'Wrong' },
      }
    },
    confirmFinding: async () => ({
      who: admin,
      path: `/api/admin/findings/${await found()}/confirm`,
      body: { reason: 'Moved' },
      another: { reason: 'Other' },
    }),
    dismissFinding: async () => ({
      ...{ who: admin, path: `/api/admin/findings/${await found()}/dismiss` },
      ...{ body: { reason: 'A wrong price' }, another: { reason: 'Another' } },
    }),
    withdrawPayout: async () => {
      const { trader, payout } = await asked()
      return { who: trader, path: `/api/user/payouts/${payout}/withdraw`, another: null }
    },
    openCase: async () => {
      const { trader, payout } = await refused()
      const body = { account: accountOf(trader), about: { payout }, text: OBJECTION }
      return { who: trader, path: '/api/user/cases', body, another: { ...body, text: `${OBJECTION} Again.` } }
    },
    writeInOwnCase: async () => {
      const { trader, id } = await objected()
      return { who: trader, path: `/api/user/cases/${id}/messages`, body: { text: 'One' }, another: { text: 'Two' } }
    },
    addCaseFile: async () => {
      const { trader, id } = await objected()
      const form = (text: string) => () => {
        const sent = new FormData()
        sent.append('caseFile', new Blob([text], { type: 'text/csv' }), 'trades.csv')
        return sent
      }
      return { who: trader, path: `/api/user/cases/${id}/files`, form: form('a;b'), another: form('c;d') }
    },
    withdrawCase: async () => {
      const { trader, id } = await objected()
      return { who: trader, path: `/api/user/cases/${id}/withdraw`, another: null }
    },
    writeInCase: async () => ({
      ...{ who: admin, path: `/api/admin/cases/${(await objected()).id}/messages` },
      ...{ body: { text: 'One' }, another: { text: 'Two' } },
    }),
    decideCase: async () => ({
      ...{ who: await portal.member('admin'), path: `/api/admin/cases/${(await objected()).id}/decision` },
      ...{ body: { outcome: 'upheld', text: 'One' }, another: { outcome: 'upheld', text: 'Two' } },
    }),
    changePayment: async () => ({
      ...{ who: admin, path: `/api/admin/payouts/${(await approved()).payout}/payment` },
      ...{ body: { state: 'paid', reference: 'R1' }, another: { state: 'paid', reference: 'R2' } },
    }),
    decidePayout: async () => ({
      ...{ who: admin, path: `/api/admin/payouts/${(await asked()).payout}` },
      ...{ body: { status: 'approved' }, another: { status: 'rejected', adminNotes: 'No' } },
    }),
    changeFirmAccount: async () => ({
      ...{ who: admin, path: '/api/admin/system/firm-account', body: firm, another: { ...firm, name: 'Other' } },
    }),
    makeBatch: async () => {
      const [one, two] = [(await approved()).payout, (await approved()).payout]
      const body = { format: 'csv', currency: 'USD', payouts: [one] }
      return { who: admin, path: '/api/admin/batches', body, another: { ...body, payouts: [two] } }
    },
    releaseBatch: async () => ({ who: admin, path: `/api/admin/batches/${await batch()}/release`, another: null }),
    cancelBatch: async () => ({ who: admin, path: `/api/admin/batches/${await batch()}/cancel`, another: null }),
    recordAnswers: async () => {
      const id = await batch()
      const { body } = await admin.post(`/api/admin/batches/${id}/release`)
      const reference = z.object({ items: z.array(z.object({ reference: z.string() })) }).parse(body)
        .items[0]?.reference
      const form = (state: string) => () => {
        const data = new FormData()
        data.append('format', 'csv')
        const rows = `reference,amount,currency,state,reason\n${reference},100.00,USD,${state},\n`
        data.append('answerFile', new Blob([rows], { type: 'text/csv' }), 'answers.csv')
        return data
      }
      return { who: admin, path: '/api/admin/payments/answers', form: form('paid'), another: form('failed') }
    },
    giveDestination: async () => {
      const { trader, payout } = await unchecked()
      const to = (email: string) => ({ destination: { email } })
      const path = `/api/user/payouts/${payout}/destination`
      return { who: trader, path, body: to('new@mail.example'), another: to('other@mail.example') }
    },
    changeDestination: async () => {
      const { payout } = await unchecked()
      const to = (email: string) => ({ destination: { email }, reason: 'The trader called' })
      const path = `/api/admin/payouts/${payout}/destination`
      return { who: admin, path, body: to('new@mail.example'), another: to('other@mail.example') }
    },
    saveDestination: async () => ({
      ...{ who: await portal.trader(), path: '/api/user/destinations' },
      ...{ body: savedDestination('jo'), another: savedDestination('other') },
    }),
    removeDestination: async () => {
      const who = await portal.trader()
      const id = idIn(await who.post('/api/user/destinations', savedDestination('jo')))
      return { who, path: `/api/user/destinations/${id}`, another: null }
    },
    confirmDestination: async () => {
      const who = await portal.trader()
      await who.post('/api/user/destinations', savedDestination('jo'))
      const pattern = /\/confirm-destination\?token=([^\s"&<]+)/
      const { text = '' } = await portal.mailWith(who.email, (mail) => pattern.test(mail.text ?? ''))
      const token = decodeURIComponent(pattern.exec(text)?.[1] ?? '')
      return { who: portal.browser(), path: '/api/confirm-destination', body: { token }, another: null }
    },
    changeFirm: async () => ({
      ...{ who: admin, path: '/api/admin/system/firm' },
      ...{ body: { name: 'Northgate' }, another: { name: 'Southgate' } },
    }),
    dismissSetup: async () => ({ who: admin, path: '/api/admin/setup/dismiss', another: null }),
    testMail: async () => ({
      ...{ who: admin, path: '/api/admin/setup/test-mail' },
      ...{ body: { address: 'jo@mail.example' }, another: { address: 'kim@mail.example' } },
    }),
    changeLogo: async () => ({
      ...{ who: admin, path: '/api/admin/system/firm/logo' },
      ...{ body: { content: logo('M0 0') }, another: { content: logo('M1 1') } },
    }),
    removeLogo: async () => {
      await admin.post('/api/admin/system/firm/logo', { content: logo('M2 2') })
      return { who: admin, method: 'delete', path: '/api/admin/system/firm/logo', another: null }
    },
    changeCoinCodes: async () => ({
      ...{ who: admin, path: '/api/admin/system/coin-codes' },
      ...{ body: { USDT_TRC20: 'USDTTRX' }, another: { USDT_TRC20: 'USDT.TRON' } },
    }),
    writeUserNote: async () => ({
      ...{ who: admin, path: `/api/admin/user/${(await portal.trader()).id}/notes` },
      ...{ body: { text: 'Called about a payout' }, another: { text: 'Another call' } },
    }),
    removeUserNote: async () => {
      const path = `/api/admin/user/${(await portal.trader()).id}/notes`
      await admin.post(path, { text: 'Called about a payout' })
      return { who: admin, method: 'delete', path: `${path}/n1`, another: null }
    },
    saveReplyTemplate: async () => ({
      ...{ who: admin, path: '/api/admin/reply-templates' },
      ...{ body: { name: 'Wallet', text: 'Send another' }, another: { name: 'Other', text: 'Send it' } },
    }),
    removeReplyTemplate: async () => {
      await admin.post('/api/admin/reply-templates', { name: 'To be deleted', text: 'Send another' })
      const { body } = await admin.get('/api/admin/reply-templates')
      const last = z
        .array(z.object({ id: z.string() }))
        .parse(body)
        .at(-1)
      return { who: admin, method: 'delete', path: `/api/admin/reply-templates/${last?.id}`, another: null }
    },
    saveView: async () => ({
      ...{ who: await portal.member('payouts'), path: '/api/admin/auth/views' },
      ...{ body: view('Owed'), another: view('Other') },
    }),
    renameView: async () => {
      const who = await portal.member('payouts')
      const id = idIn(await who.post('/api/admin/auth/views', view('Owed')))
      return { who, path: `/api/admin/auth/views/${id}`, body: { name: 'Due' }, another: { name: 'Other' } }
    },
    removeView: async () => {
      const who = await portal.member('payouts')
      const id = idIn(await who.post('/api/admin/auth/views', view('Owed')))
      return { who, path: `/api/admin/auth/views/${id}`, another: null }
    },
    shareCertificate: async () => {
      const { trader, id } = await certificate()
      const path = `/api/user/certificates/${id}/share`
      return { who: trader, path, body: { showsName: true }, another: { showsName: false } }
    },
    endCertificateSharing: async () => {
      const { trader, id } = await certificate()
      await trader.post(`/api/user/certificates/${id}/share`, { showsName: true })
      return { who: trader, path: `/api/user/certificates/${id}/share`, another: null }
    },
    revokeCertificate: async () => ({
      ...{ who: admin, path: `/api/admin/certificates/${(await certificate()).id}/revoke` },
      ...{ body: { reason: 'A mistake' }, another: { reason: 'Another' } },
    }),
    issueCertificate: async () => {
      const { id } = await portal.trader()
      const form = (size: number) => () => {
        const data = new FormData()
        data.append('name', 'Phase 1')
        data.append('userId', id)
        data.append(CERTIFICATE_FIELD, new Blob([pdf(size)], { type: CERTIFICATE_TYPE }), 'certificate.pdf')
        return data
      }
      return { who: admin, path: '/api/admin/certificates', form: form(1_000), another: form(2_000) }
    },
    changeNotices: async () => ({
      ...{ who: await portal.trader(), path: '/api/user/notices' },
      ...{ body: { muted: ['limits'] }, another: { muted: ['phase'] } },
    }),
    draftProgramme: async () => ({
      ...{ who: admin, path: '/api/admin/programmes' },
      ...{ body: { terms: presetTerms('one-step', 5_000) }, another: { terms: presetTerms('one-step', 10_000) } },
    }),
    draftProgrammeVersion: async () => {
      const { path, hash } = await tried()
      await admin.post(`${path}/publish`, { hash })
      return {
        ...{ who: admin, path: path.replace(/\/1$/, '') },
        ...{ body: { terms: presetTerms('one-step', 10_000) }, another: { terms: presetTerms('one-step', 25_000) } },
      }
    },
    changeProgrammeDraft: async () => ({
      ...{ who: admin, path: await draft() },
      ...{ body: { terms: presetTerms('one-step', 10_000) }, another: { terms: presetTerms('one-step', 25_000) } },
    }),
    tryProgrammeDraft: async () => ({ who: admin, path: `${await draft()}/what-if`, another: null }),
    publishProgramme: async () => {
      const { path, hash } = await tried()
      return { who: admin, path: `${path}/publish`, body: { hash }, another: null }
    },
    retireProgramme: async () => {
      const { path, hash } = await tried()
      await admin.post(`${path}/publish`, { hash })
      return { who: admin, path: `${path}/retire`, another: null }
    },
    addOffers: async () => ({
      ...{ who: admin, path: '/api/admin/offers' },
      ...{ body: { programmes: ['one-step-5000'] }, another: { programmes: ['two-step-5000'] } },
    }),
    changeOffer: async () => {
      await admin.post('/api/admin/offers', { programmes: ['one-step-10000'] })
      return { who: admin, path: '/api/admin/offers/one-step-10000', body: { price: '$1' }, another: { price: '$2' } }
    },
    removeOffer: async () => {
      await admin.post('/api/admin/offers', { programmes: ['one-step-25000'] })
      return { who: admin, path: '/api/admin/offers/one-step-25000', another: null }
    },
    publishCalendar: async () => ({
      ...{ who: admin, path: '/api/admin/calendar', body: { entries: [calendarEntry('Rates')] } },
      another: { entries: [calendarEntry('Jobs')] },
    }),
    withdrawCalendarEntry: async () => {
      await admin.post('/api/admin/calendar', { entries: [{ ...calendarEntry('Prices'), id: 'withdrawn' }] })
      return { who: admin, path: '/api/admin/calendar/withdrawn', another: null }
    },
    enrolTrader: async () => ({
      ...{ who: admin, path: `/api/admin/user/${(await portal.trader()).id}/enrolments` },
      ...{ body: { programme: PROGRAMME }, another: { programme: 'one-step-5000' } },
    }),
    enrolUntakenOrder: async () => ({
      ...{ who: admin, path: `${await untakenOrder()}/enrolment` },
      ...{ body: { programme: PROGRAMME }, another: { programme: 'one-step-50000' } },
    }),
    dismissUntakenOrder: async () => ({
      ...{ who: admin, path: `${await untakenOrder()}/dismissal` },
      ...{ body: { reason: 'Refunded' }, another: { reason: 'A mistake' } },
    }),
    acceptTerms: async () => {
      const trader = await enrolled()
      const { body } = await trader.get('/api/user/enrolments')
      const [first] = z.array(z.looseObject({ id: z.string(), hash: z.string() })).parse(body)
      return {
        who: trader,
        path: `/api/user/enrolments/${first?.id}/acceptance`,
        body: { hash: first?.hash },
        another: null,
      }
    },
    addStaffMember: async () => ({
      ...{ who: admin, path: '/api/admin/staff' },
      ...{ body: { name: 'Lee', role: 'support' }, another: { name: 'Lee', role: 'auditor' } },
    }),
    changeStaffMember: async () => ({
      ...{ who: admin, path: `/api/admin/staff/${await member()}` },
      ...{ body: { role: 'auditor' }, another: { role: 'admin' } },
    }),
    replaceStaffKey: async () => ({
      ...{ who: admin, path: `/api/admin/staff/${await member()}/key` },
      ...{ body: {}, another: { expiresAt: inAYear } },
    }),
    revokeStaffMember: async () => ({ who: admin, path: `/api/admin/staff/${await member()}`, another: null }),
    makeApiKey: async () => {
      const body = { name: 'Shop', scopes: ['enrolments'], expiresAt: inAYear }
      return { who: admin, path: '/api/admin/keys', body, another: { ...body, name: 'Other' } }
    },
    revokeApiKey: async () => {
      const id = idIn(await admin.post('/api/admin/keys', { name: 'Shop', scopes: ['feed'], expiresAt: inAYear }))
      return { who: admin, path: `/api/admin/keys/${id}`, another: null }
    },
  }
}

/** Only the first answer has these fields. */
export const secretFields = ['accessKey', 'key', 'codes']

/** An answer as it is when its request is sent again. */
export const withoutSecrets = ({ status, body }: Answer) => ({
  status,
  body:
    body !== null && typeof body === 'object' && !Array.isArray(body)
      ? Object.fromEntries(Object.entries(body).filter(([name]) => !secretFields.includes(name)))
      : body,
})
