import { UserDetails } from '#services/trading/traders/trader-api.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, beforeEach } from 'vitest'
import { z } from 'zod'
import { AdminPayout, Payout } from '#services/payments/payouts/payout-api.ts'
import { allRoutes } from '#services/portal/routes.ts'
import { Certificate } from '#services/trading/certificates/certificate-api.ts'
import { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { SESSION_COOKIE } from '#services/framework/api/headers.ts'
import { Stats } from '#services/oversight/statistics/statistics-api.ts'
import { User } from '../user-api.ts'
import { HIDDEN } from '#services/framework/api/text.ts'
import { filesContaining } from '#test-support/files-containing.ts'
import type { Answer } from '#test-support/http-client.ts'
import { after, eligibleTrader, pdf, read, uploadCertificate } from '#test-support/http-calls.ts'
import { tokenOf } from '#test-support/mail-links.ts'
import { newEmail, openPortal, type Portal, registration, type Trader } from '#test-support/portal.ts'
import { isExternal } from '#test-support/portal-stores.ts'
import { until } from '#test-support/until.ts'

const portal = await openPortal()
const admin = await portal.admin()
afterAll(() => portal.stop())

const nobody = 'nobody0000000000'
const person = { fullName: 'Grace Hopper', country: 'us', city: 'New York', street: 'Broadway', houseNumber: '7' }

const created = async (change: object = {}) =>
  read(User, await admin.post('/api/admin/users', { ...person, email: newEmail(), ...change }))
const details = async (id: string) => read(UserDetails, await admin.get(`/api/admin/user/${id}`))
const stats = async () => read(Stats, await admin.get('/api/admin/stats'))
const userFacts = (id: string) => portal.userEvents(id)
/** The events of an account since it was opened. */
const accountEvents = async (id: string) => (await portal.events(`account-${id}-a1`)).slice(1)
const setAccount = (id: string, changes: unknown): Promise<Answer> =>
  admin.patch(`/api/admin/user/${id}/account`, changes)
const ban = (id: string, banReason?: string | null) =>
  admin.patch(`/api/admin/user/${id}/ban`, { banned: true, banReason })
const unban = (id: string) => admin.patch(`/api/admin/user/${id}/ban`, { banned: false })
const login = ({ email, password }: Pick<Trader, 'email' | 'password'>) =>
  portal.browser().post('/api/login', { email, password })

describe('a member of support', () => {
  it('sends another link to set the first password, which opens the account; others may not', async () => {
    const { id, email } = await created()
    const path = `/api/admin/user/${id}/password-link`
    expect((await (await portal.member('payouts')).post(path)).status).toBe(403)
    const support = await portal.member('support')
    expect((await support.post(path)).status).toBe(200)
    expect((await support.post('/api/admin/user/nobody00/password-link')).status).toBe(404)
    expect((await userFacts(id)).at(-1)).toMatchObject({
      ...{ type: 'PasswordResetRequested', metadata: { actor: { kind: 'admin', id: support.id } } },
    })
    const welcomes = await until(async () => {
      const mails = (await portal.mails(email)).filter(({ subject }) => subject === 'Your Proofdesk account')
      return mails.length === 2 && mails
    }, 'the second link')
    const password = 'another correct horse'
    const [first, second] = welcomes.map((mail) => tokenOf(mail))
    expect((await portal.browser().post('/api/reset-password', { token: second, password })).status).toBe(200)
    expect((await portal.browser().post('/api/reset-password', { token: first, password })).status).toBe(400)
    expect((await login({ email, password })).status).toBe(200)
  })
})

describe('creating a user', () => {
  it('answers 201 and opens an account with the defaults', async () => {
    const email = newEmail()
    const answer = await admin.post('/api/admin/users', { fullName: 'Grace Hopper', email })
    expect(answer).toMatchObject({
      status: 201,
      body: { fullName: 'Grace Hopper', email, banned: false, privacyPolicyAgreed: false },
    })
    const { id } = read(User, answer)
    expect(await details(id)).toMatchObject({
      id,
      email,
      tradingAccount: {
        balance: '0.00',
        profitLoss: '0.00',
        status: 'pending',
        payoutEnabled: false,
        phase: null,
        platform: null,
        login: null,
        masterPassword: null,
        server: null,
        dailyDrawdownLimit: null,
        overallLossLimit: null,
        profitTarget: null,
      },
    })
    expect((await portal.events(`account-${id}-a1`)).map(({ type }) => type)).toEqual(['AccountOpened'])
    const requestId = answer.headers.get('x-request-id')
    expect(await userFacts(id)).toMatchObject([
      { type: 'UserCreated', metadata: { actor: { kind: 'admin', label: 'ADMIN_ACCESS_KEY' }, requestId } },
    ])
  })

  it('mails one welcome link to set the first password', async () => {
    const { id, email } = await created()
    expect((await login({ email, password: '' })).status).toBe(400)
    expect((await login({ email, password: 'correct horse' })).status).toBe(401)
    const [mail] = await portal.mailsTo(email, 1)
    if (!mail) throw new Error('There is no welcome')
    expect(mail.subject).toBe('Your Proofdesk account')
    const token = tokenOf(mail)
    expect(mail.html).toContain(encodeURIComponent(token))
    const reset = () => portal.browser().post('/api/reset-password', { token, password: 'a first password' })
    expect((await reset()).status).toBe(200)
    expect((await reset()).status).toBe(400)
    expect(await login({ email, password: 'a first password' })).toMatchObject({ status: 200, body: { id } })
    await portal.mailed()
    expect((await portal.mails(email)).filter(({ subject }) => subject === mail.subject)).toHaveLength(1)
  })

  it('with a taken email, in any case, is a conflict', async () => {
    const trader = await portal.trader()
    // From here on the administrator sees both users.
    const { email } = await created()
    const { total } = (await stats()).users
    for (const taken of [email, email.toUpperCase(), ` ${email} `, trader.email, trader.email.toUpperCase()]) {
      const answer = await admin.post('/api/admin/users', { ...person, email: taken })
      expect(answer).toMatchObject({ status: 409, body: { errors: { email: 'This email is already registered' } } })
    }
    expect((await stats()).users.total).toBe(total)
  })

  it('twenty times at once with one email creates one user', async () => {
    const email = newEmail()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => admin.post('/api/admin/users', { ...person, email })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
    const users = (await portal.events()).filter((event) => event.type === 'UserCreated' && event.data.email === email)
    expect(users).toHaveLength(1)
    expect(await portal.mailsTo(email, 1)).toHaveLength(1)
  })

  it.each([
    [{ fullName: 'A' }, 'fullName', 'Full name must be at least 2 characters'],
    [{ fullName: undefined }, 'fullName', 'Full name must be at least 2 characters'],
    [{ email: 'no email' }, 'email', 'Please enter a valid email'],
    [{ email: undefined }, 'email', 'Please enter a valid email'],
  ])('from %j is refused', async (change, field, message) => {
    const answer = await admin.post('/api/admin/users', { ...person, email: newEmail(), ...change })
    expect(answer).toMatchObject({ status: 400, body: { message, errors: { [field]: message } } })
  })

  it('keeps an address of other letters as the network has it', async () => {
    const at = (domain: string) => `o'hara&sons.${newEmail().split('@')[0]}@${domain}`
    for (const [typed, kept] of [
      ['bücher.example', 'xn--bcher-kva.example'],
      ['xn--e1afmkfd.xn--p1ai', 'xn--e1afmkfd.xn--p1ai'],
    ] as const) {
      const email = at(typed)
      const answer = await admin.post('/api/admin/users', { ...person, email })
      expect(answer).toMatchObject({ status: 201, body: { email: email.replace(typed, kept) } })
      const same = await admin.post('/api/admin/users', { ...person, email: email.replace(typed, kept) })
      expect(same.status).toBe(409)
    }
  })

  it('ignores an id, ban or password in the body', async () => {
    const { id, email } = await created({
      id: nobody,
      banned: true,
      banReason: 'x',
      password: 'correct horse',
      payoutEnabled: true,
    })
    expect(id).not.toBe(nobody)
    expect(await details(id)).toMatchObject({ banned: false, tradingAccount: { payoutEnabled: false } })
    expect((await login({ email, password: 'correct horse' })).status).toBe(401)
  })
})

describe('editing a user', () => {
  it('changes only what is sent, and records only changes', async () => {
    const user = await created()
    const email = newEmail()
    expect((await admin.patch(`/api/admin/user/${user.id}`, { fullName: 'Grace B. Hopper' })).status).toBe(200)
    expect((await admin.patch(`/api/admin/user/${user.id}`, { email, city: user.city })).status).toBe(200)
    expect(await details(user.id)).toMatchObject({ ...person, fullName: 'Grace B. Hopper', email })
    expect((await userFacts(user.id)).slice(1)).toMatchObject([
      {
        type: 'ProfileChanged',
        data: { fields: ['fullName'], from: { fullName: 'Grace Hopper' }, to: { fullName: 'Grace B. Hopper' } },
      },
      { type: 'ProfileChanged', data: { fields: ['email'], from: { email: user.email }, to: { email } } },
      { type: 'EmailRevertOffered', data: { email: user.email } },
    ])
  })

  it('without a change records nothing', async () => {
    const { id, email } = await created()
    for (const same of [{}, { fullName: person.fullName }, { email }, { ...person, email }, { nonsense: 1 }])
      expect((await admin.patch(`/api/admin/user/${id}`, same)).status).toBe(200)
    expect(await userFacts(id)).toHaveLength(1)
  })

  it.each([
    [{ fullName: 'A' }, 'Full name must be at least 2 characters'],
    [{ fullName: '' }, 'Full name must be at least 2 characters'],
    [{ fullName: '   x   ' }, 'Full name must be at least 2 characters'],
    [{ email: 'nobody' }, 'Please enter a valid email'],
    [{ email: '' }, 'Please enter a valid email'],
    [{ city: 7 }, 'Invalid input'],
  ])('to %j is refused', async (change, message) => {
    const { id } = await created()
    expect(await admin.patch(`/api/admin/user/${id}`, change)).toMatchObject({ status: 400, body: { message } })
    expect(await userFacts(id)).toHaveLength(1)
  })

  it('refuses a taken email, and frees the previous one', async () => {
    const [one, two] = [await portal.trader(), await portal.trader()]
    expect((await admin.patch(`/api/admin/user/${one.id}`, { email: two.email.toUpperCase() })).status).toBe(409)
    expect((await admin.patch(`/api/admin/user/${one.id}`, { email: newEmail() })).status).toBe(200)
    expect((await login(one)).status).toBe(401)
    expect((await created({ email: one.email })).email).toBe(one.email)
  })

  it('can change the letter case of the email', async () => {
    const trader = await portal.trader()
    const answer = await admin.patch(`/api/admin/user/${trader.id}`, { email: trader.email.toUpperCase() })
    expect(answer.status).toBe(200)
    expect((await details(trader.id)).email).toBe(trader.email.toUpperCase())
    expect((await login(trader)).status).toBe(200)
  })

  it('cannot ban, enable payouts or change the id', async () => {
    const { id } = await created()
    await admin.patch(`/api/admin/user/${id}`, {
      id: nobody,
      banned: true,
      payoutEnabled: true,
      status: 'active',
      privacyPolicyAgreed: true,
    })
    const shown = await details(id)
    expect(shown).toMatchObject({
      banned: false,
      privacyPolicyAgreed: false,
      tradingAccount: { payoutEnabled: false, status: 'pending' },
    })
  })
})

describe('the trading account', () => {
  let logins = 800_000
  const newValues = () => ({
    balance: '10000.00',
    profitLoss: '-12.50',
    status: 'active',
    payoutEnabled: true,
    platform: 'mt5',
    login: String(++logins),
    masterPassword: 's3cret-master',
    server: 'Firm-Live',
    phase: 'Phase 1',
    dailyDrawdownLimit: '5% / $500',
    overallLossLimit: '10% / $1000',
    profitTarget: '1000',
  })
  /** A login belongs to one account. */
  let values = newValues()
  beforeEach(() => void (values = newValues()))

  it('gets its first values by POST, each recorded with old and new value', async () => {
    const { id } = await created()
    const answer = await admin.post(`/api/admin/user/${id}/account`, values)
    expect(answer.status).toBe(200)
    expect((await details(id)).tradingAccount).toMatchObject({ ...values, masterPassword: HIDDEN })
    const none = { dailyDrawdownLimit: null, overallLossLimit: null, profitTarget: null }
    const { dailyDrawdownLimit, overallLossLimit, profitTarget } = values
    const events = await accountEvents(id)
    expect(events).toHaveLength(8)
    expect(events).toEqual(
      expect.arrayContaining(
        [
          { type: 'BalanceChanged', data: { from: 0, to: 1_000_000, kind: 'deposit' } },
          { type: 'ProfitLossChanged', data: { from: 0, to: -1_250 } },
          {
            type: 'AccountStatusChanged',
            data: { from: 'pending', to: 'active', reason: null, evidence: null, corrects: null },
          },
          { type: 'PhaseChanged', data: { from: null, to: 'Phase 1' } },
          { type: 'PlatformChanged', data: { from: null, to: 'mt5' } },
          { type: 'PayoutsEnabled', data: {} },
          {
            type: 'RiskLimitsChanged',
            data: { from: none, to: { dailyDrawdownLimit, overallLossLimit, profitTarget }, reason: null },
          },
          {
            type: 'PlatformLoginAssigned',
            data: expect.objectContaining({
              from: { login: null, server: null },
              to: { login: values.login, server: 'Firm-Live' },
            }),
          },
        ].map((event) => expect.objectContaining(event)),
      ),
    )
    expect(new Set(events.map(({ metadata }) => metadata.requestId))).toEqual(
      new Set([answer.headers.get('x-request-id')]),
    )
  })

  it.each([
    [{ status: 'breached' }, ['AccountStatusChanged']],
    [{ payoutEnabled: false }, ['PayoutsDisabled']],
    [
      { login: '1', masterPassword: 'two', server: 'three', phase: 'Funded' },
      ['PlatformLoginAssigned', 'PhaseChanged'],
    ],
    [{ dailyDrawdownLimit: '4%', overallLossLimit: '8%', profitTarget: '900' }, ['RiskLimitsChanged']],
    [{ balance: '10000.01' }, ['BalanceChanged']],
    [{ profitLoss: '0' }, ['ProfitLossChanged']],
    [{ server: 'Firm-Demo' }, ['PlatformLoginAssigned']],
    [{ masterPassword: 'new master' }, ['PlatformLoginAssigned']],
    [{ platform: 'mt4' }, ['PlatformChanged']],
    [{ profitTarget: '$1,000' }, ['RiskLimitsChanged']],
  ])('is touched by PATCH %j only where it says so', async (changes, types) => {
    const { id } = await created()
    await setAccount(id, values)
    const before = (await accountEvents(id)).length
    expect((await setAccount(id, changes)).status).toBe(200)
    const expected = { ...values, ...changes, ...('profitLoss' in changes && { profitLoss: '0.00' }) }
    expect((await details(id)).tradingAccount).toMatchObject({ ...expected, masterPassword: HIDDEN })
    expect(
      (await accountEvents(id))
        .slice(before)
        .map(({ type }) => type)
        .sort(),
    ).toEqual([...types].sort())
    expect((await admin.post(`/api/admin/user/${id}/account/master-password`)).body).toEqual({
      masterPassword: expected.masterPassword,
    })
  })

  it('records nothing without a change, however money is written', async () => {
    const { id } = await created()
    await setAccount(id, values)
    const before = (await accountEvents(id)).length
    for (const same of [
      values,
      { balance: '10000' },
      { balance: 10_000 },
      { balance: '10000.0' },
      { profitTarget: 1000 },
      {},
      { login: values.login },
    ])
      expect((await setAccount(id, same)).status).toBe(200)
    expect((await admin.post(`/api/admin/user/${id}/account`, values)).status).toBe(200)
    expect(await accountEvents(id)).toHaveLength(before)
  })

  it('clears a text by null or an empty one', async () => {
    const { id } = await created()
    await setAccount(id, values)
    await setAccount(id, {
      platform: '',
      login: null,
      masterPassword: '',
      server: '  ',
      phase: null,
      dailyDrawdownLimit: '',
      overallLossLimit: null,
      profitTarget: '',
    })
    expect((await details(id)).tradingAccount).toMatchObject({
      ...{ platform: null, login: null, masterPassword: null, server: null, phase: null },
      ...{ dailyDrawdownLimit: null, overallLossLimit: null, profitTarget: null },
      ...{ balance: '10000.00', status: 'active', payoutEnabled: true },
    })
  })

  it.each([
    [{ status: 'closed' }, 'status'],
    [{ status: 'Active' }, 'status'],
    [{ status: '' }, 'status'],
    [{ status: null }, 'status'],
    [{ balance: 'abc' }, 'balance'],
    [{ balance: '' }, 'balance'],
    [{ balance: 'NaN' }, 'balance'],
    [{ balance: null }, 'balance'],
    [{ balance: '1,000' }, 'balance'],
    [{ balance: '0.001' }, 'balance'],
    [{ balance: '9'.repeat(30) }, 'balance'],
    [{ profitLoss: 'Infinity' }, 'profitLoss'],
    [{ profitLoss: '--1' }, 'profitLoss'],
    [{ profitLoss: true }, 'profitLoss'],
    [{ payoutEnabled: 'true' }, 'payoutEnabled'],
    [{ payoutEnabled: 1 }, 'payoutEnabled'],
    [{ login: 800123 }, 'login'],
    [{ login: 'x'.repeat(501) }, 'login'],
  ])('refuses %j, and with it all that came along', async (changes, field) => {
    const { id } = await created()
    for (const send of [setAccount, (to: string, body: unknown) => admin.post(`/api/admin/user/${to}/account`, body)]) {
      const answer = await send(id, { phase: 'Phase 2', dailyDrawdownLimit: '1%', ...changes })
      expect(answer).toMatchObject({ status: 400, body: { errors: { [field]: expect.any(String) } } })
    }
    expect(await accountEvents(id)).toEqual([])
  })

  it('can change between any two statuses', async () => {
    const { id } = await created()
    const all = ['pending', 'active', 'under-review', 'breached'] as const
    const wanted = all.flatMap((from) => all.filter((to) => to !== from).flatMap((to) => [from, to]))
    const expected: object[] = []
    let now: string = 'pending'
    for (const status of wanted) {
      expect((await setAccount(id, { status })).status).toBe(200)
      if (status !== now) expected.push({ type: 'AccountStatusChanged', data: { from: now, to: status } })
      now = status
      expect((await details(id)).tradingAccount?.status).toBe(status)
    }
    expect(await accountEvents(id)).toMatchObject(expected)
  })

  it('applies every one of many concurrent changes', async () => {
    const { id } = await created()
    const changes = Array.from({ length: 30 }, (_, n) => ({ balance: `${n + 1}.00` }))
    const answers = await Promise.all(changes.map((change) => setAccount(id, change)))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    const events = await accountEvents(id)
    expect(events).toHaveLength(30)
    const steps = events.flatMap((event) => (event.type === 'BalanceChanged' ? [event.data] : []))
    for (const [n, { from }] of steps.entries()) expect(from).toBe(steps[n - 1]?.to ?? 0)
  })

  it('of an unknown user is answered 404', async () => {
    for (const id of [nobody, 'x', 'NOBODY0000000000', "a' OR 1=1"]) {
      const path = `/api/admin/user/${encodeURIComponent(id)}/account`
      expect((await admin.patch(path, { status: 'active' })).status).toBe(404)
      expect((await admin.post(path, { status: 'active' })).status).toBe(404)
    }
    const { id, createdAt } = await created()
    expect(
      (await setAccount(id, { id: nobody, userId: nobody, createdAt: '2000-01-01', banned: true, fullName: 'X Y' }))
        .status,
    ).toBe(200)
    expect(await accountEvents(id)).toEqual([])
    expect(await details(id)).toMatchObject({
      id,
      createdAt,
      banned: false,
      fullName: person.fullName,
      tradingAccount: { id: `${id}-a1`, userId: id },
    })
  })

  it('is shown to its owner with all eleven fields', async () => {
    const trader = await portal.trader()
    const unset = read(OwnAccount, await trader.get('/api/user/account', await portal.atEnd()))
    expect(Object.keys(unset).sort()).toEqual(
      [...Object.keys(values), 'id', 'open', 'payout', 'programme', 'stamps'].sort(),
    )
    expect(unset).toMatchObject({
      balance: '0.00',
      profitLoss: '0.00',
      status: 'pending',
      payoutEnabled: false,
      phase: null,
    })
    const change = await setAccount(trader.id, values)
    expect((await trader.get('/api/user/account', after(change))).body).toMatchObject(values)
  })

  it('shows its master password to its owner alone', async () => {
    const masterPassword = 'nobody-else-reads-this-1'
    const [owner, other] = [await portal.trader(), await portal.trader()]
    const change = await setAccount(owner.id, { login: '4711', masterPassword, server: 'S' })
    expect(change.text).not.toContain(masterPassword)
    expect((await owner.get('/api/user/account', after(change))).text).toContain(masterPassword)
    const elsewhere = [
      ...[
        await owner.get('/api/user'),
        await owner.get('/api/user/payouts'),
        await owner.get('/api/user/certificates'),
      ],
      ...[await other.get('/api/user/account', after(change)), await other.get(`/api/admin/user/${owner.id}`)],
      ...[await admin.get(`/api/admin/user/${owner.id}`), await admin.get(`/api/audit/accounts/${owner.id}`)],
      ...[
        await admin.get('/api/admin/users'),
        await admin.get(`/api/admin/users?search=4711`),
        await admin.get('/api/admin/stats'),
      ],
      ...[await admin.get('/api/admin/payouts'), await login(owner), await admin.get('/readyz')],
    ]
    for (const { text } of elsewhere) expect(text).not.toContain(masterPassword)
    expect((await admin.get('/api/admin/users')).text).not.toContain('masterPassword')
  })

  it('stores the master password only encrypted', async () => {
    const masterPassword = 'sealed-wherever-it-lies-2'
    const trader = await portal.trader()
    const change = await setAccount(trader.id, { login: '4712', masterPassword })
    expect((await trader.get('/api/user/account', after(change))).text).toContain(masterPassword)
    for await (const events of portal.running.parts.eventStore.readStream(`account-${trader.id}-a1`))
      for (const { data, metadata } of events) expect(data + metadata).not.toContain(masterPassword)
    expect(await filesContaining(masterPassword, portal.dataDir)).toEqual([])
    if (!isExternal('eventstore'))
      expect(await filesContaining(trader.id, portal.dataDir), 'the search does find what is there').not.toEqual([])
  })
})

describe('a ban', () => {
  it.each([undefined, null, '', '   ', '\n'])('for the reason %j is refused', async (reason) => {
    const { id } = await created()
    const message = 'Please provide a reason for banning this user'
    expect(await ban(id, reason)).toMatchObject({ status: 400, body: { message, errors: { banReason: message } } })
    expect(await userFacts(id)).toHaveLength(1)
  })

  it('without the field banned is refused', async () => {
    const { id } = await created()
    for (const banned of [undefined, null, 'true', 1])
      expect((await admin.patch(`/api/admin/user/${id}/ban`, { banned, banReason: 'Because' })).status).toBe(400)
    expect(await userFacts(id)).toHaveLength(1)
  })

  it('of an unknown user is answered 404', async () => {
    expect((await ban(nobody, 'Because')).status).toBe(404)
    expect((await unban(nobody)).status).toBe(404)
  })

  it('answers every open session with 403 and the reason at once', async () => {
    const trader = await eligibleTrader(portal, admin)
    const second = portal.browser()
    await second.post('/api/login', { email: trader.email, password: trader.password })
    const upload = await uploadCertificate(admin, { userId: trader.id })
    const { fileUrl } = read(Certificate, upload)
    expect((await trader.get(fileUrl, after(upload))).status).toBe(200)

    expect((await ban(trader.id, 'Shared the account')).status).toBe(200)
    const body = {
      banned: true,
      message: 'Your account has been banned: Shared the account',
      banReason: 'Shared the account',
    }
    for (const session of [trader, second]) {
      for (const { method, path } of allRoutes.filter(({ access }) => access === 'trader'))
        expect(await session.send(method.toUpperCase(), path, undefined), path).toMatchObject({ status: 403, body })
      expect(await session.get(fileUrl)).toMatchObject({ status: 403, body })
    }
    expect((await portal.events(`account-${trader.id}-a1`)).some(({ type }) => type === 'PayoutRequested')).toBe(false)
  })

  it('prevents sign-in; only the right password shows the reason', async () => {
    const trader = await portal.trader()
    await ban(trader.id, 'Fraud')
    const answer = await login(trader)
    expect(answer).toMatchObject({
      status: 403,
      body: { banned: true, message: expect.stringContaining('Fraud'), banReason: 'Fraud' },
    })
    expect(answer.headers.getSetCookie()).toEqual([])
    const wrong = await login({ email: trader.email, password: 'wrong horse' })
    expect(wrong.status).toBe(401)
    expect(wrong.text).not.toMatch(/ban|Fraud/)
  })

  it('applies to a concurrent sign-in', async () => {
    const trader = await portal.trader()
    const browsers = Array.from({ length: 12 }, () => portal.browser())
    const credentials = { email: trader.email, password: trader.password }
    const signIns = browsers.map((browser) => browser.post('/api/login', credentials))
    await Promise.all([...signIns, ban(trader.id, 'Meanwhile')])
    for (const browser of browsers) {
      const { status } = await browser.get('/api/user')
      expect(status).toBe(browser.cookies.has(SESSION_COOKIE) ? 403 : 401)
    }
  })

  it('ends with an unban: session and sign-in work again', async () => {
    const trader = await portal.trader()
    await ban(trader.id, 'A mistake')
    expect((await trader.get('/api/user')).status).toBe(403)
    expect((await unban(trader.id)).status).toBe(200)
    expect((await trader.get('/api/user')).status).toBe(200)
    expect((await login(trader)).status).toBe(200)
    expect(await details(trader.id)).toMatchObject({ banned: false, banReason: null })
    expect((await userFacts(trader.id)).slice(1)).toMatchObject([
      { type: 'UserBanned', data: { reason: 'A mistake', from: null } },
      { type: 'UserUnbanned', data: { from: 'A mistake' } },
    ])
  })

  it('records nothing when repeated', async () => {
    const { id } = await created()
    expect((await unban(id)).status).toBe(200)
    expect(await userFacts(id)).toHaveLength(1)
    for (const reason of ['Because', ' Because ', 'Because']) expect((await ban(id, reason)).status).toBe(200)
    expect(await userFacts(id)).toHaveLength(2)
    expect((await ban(id, 'Another reason')).status).toBe(200)
    expect((await userFacts(id)).at(-1)).toMatchObject({ data: { reason: 'Another reason', from: 'Because' } })
    expect(await details(id)).toMatchObject({ banned: true, banReason: 'Another reason' })
  })

  it('and its end are mailed exactly once each', async () => {
    const trader = await portal.trader()
    await ban(trader.id, 'Used <two> accounts & more')
    await ban(trader.id, 'Used <two> accounts & more')
    await unban(trader.id)
    await unban(trader.id)
    await portal.mailed()
    const mails = await portal.mails(trader.email)
    const banned = mails.find(({ subject }) => subject === 'Your Proofdesk account was banned')
    expect(mails.map(({ subject }) => subject).sort()).toEqual([
      'Your Proofdesk account is no longer banned',
      'Your Proofdesk account was banned',
    ])
    expect(banned?.text).toContain('Used <two> accounts & more')
    expect(banned?.html).toContain('Used &lt;two&gt; accounts &amp; more')
  })
})

describe('deleting a user', () => {
  /** A deleted trader who had some of everything. */
  async function deletedTrader(of: Portal) {
    const admin = await of.admin()
    const trader = await eligibleTrader(of, admin, { ...registration, fullName: 'Mary Vanished', city: 'Vanishville' })
    const second = of.browser()
    await second.post('/api/login', { email: trader.email, password: trader.password })
    await trader.patch('/api/user/profile', { street: 'Vanishing Lane' })
    await admin.patch(`/api/admin/user/${trader.id}/account`, {
      login: '99',
      masterPassword: 'vanishing-master',
      server: 'S',
      status: 'active',
    })
    const request = { paymentMethod: 'bank', paymentDetails: 'IBAN-OF-MARY' }
    const [approved, waiting] = [
      read(Payout, await trader.post('/api/user/payouts', { ...request, amount: '11.00' })),
      read(Payout, await trader.post('/api/user/payouts', { ...request, amount: '22.00' })),
    ]
    await admin.patch(`/api/admin/payouts/${approved.id}`, { status: 'approved' })
    const upload = await uploadCertificate(admin, { userId: trader.id, name: 'For Mary Vanished', file: pdf(4_000) })
    await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'For a while' })
    await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: false })
    await of.mailed()
    const mailsBefore = await of.mails(trader.email)
    const before = read(Stats, await admin.get('/api/admin/stats'))
    const { unpaid } = read(UserDetails, await admin.get(`/api/admin/user/${trader.id}`, await of.atEnd()))
    const deletion = await admin.delete(`/api/admin/user/${trader.id}`)
    return {
      trader,
      second,
      approved,
      waiting,
      certificate: read(Certificate, upload),
      unpaid,
      mailsBefore,
      before,
      deletion,
    }
  }

  it('leaves only what auditors need', async () => {
    const { trader, second, approved, waiting, certificate, unpaid, mailsBefore, before, deletion } =
      await deletedTrader(portal)
    expect(unpaid).toEqual({ owed: { count: 1, total: '11.00' }, requested: { count: 1, total: '22.00' } })
    const { id } = trader
    expect(deletion).toMatchObject({ status: 200, body: {} })

    // The user cannot be found anywhere.
    const later = [
      await admin.get(`/api/admin/user/${id}`, after(deletion)),
      await admin.delete(`/api/admin/user/${id}`),
      await admin.patch(`/api/admin/user/${id}`, { fullName: 'New Name' }),
      await setAccount(id, { status: 'breached' }),
      await setAccount(id, {}),
      await admin.post(`/api/admin/user/${id}/account`, { balance: '1' }),
      await ban(id, 'Because'),
      await unban(id),
      await admin.patch(`/api/admin/payouts/${approved.id}`, { status: 'rejected', adminNotes: 'No' }),
      await admin.patch(`/api/admin/payouts/${waiting.id}`, { status: 'approved' }),
      await uploadCertificate(admin, { userId: id }),
      await admin.get(certificate.fileUrl),
    ]
    expect(later.map(({ status }) => status)).toEqual(later.map(() => 404))
    expect((await admin.get(`/api/admin/users?search=${encodeURIComponent(trader.email)}`)).body).toEqual([])

    // Every session has ended, and sign-in fails.
    for (const session of [trader, second]) {
      for (const { method, path } of allRoutes.filter(({ access }) => access === 'trader'))
        expect((await session.send(method.toUpperCase(), path, undefined)).status, path).toBe(401)
      expect((await session.get(certificate.fileUrl)).status).toBe(401)
    }
    expect((await login(trader)).status).toBe(401)

    // A pending payout is rejected; the figures follow.
    const ends = (await portal.events(`account-${id}-a1`)).slice(-2)
    expect(ends).toMatchObject([
      { type: 'PayoutRejected', data: { payoutId: waiting.id, from: 'pending', amount: 2_200 } },
      { type: 'AccountClosed', data: { status: 'active' } },
    ])
    const { users, payouts, recentUsers } = await stats()
    expect(users).toEqual({ ...before.users, total: before.users.total - 1, active: before.users.active - 1 })
    expect(payouts).toMatchObject({
      total: before.payouts.total,
      pending: before.payouts.pending - 1,
      rejected: before.payouts.rejected + 1,
      approved: before.payouts.approved,
      approvedAmount: before.payouts.approvedAmount,
    })
    expect(recentUsers.map((user) => user.id)).not.toContain(id)

    // The payouts remain, without the user.
    const listed = read(z.array(AdminPayout), await admin.get('/api/admin/payouts')).filter(
      ({ userId }) => userId === id,
    )
    expect(listed).toMatchObject([
      {
        id: waiting.id,
        amount: '22.00',
        status: 'rejected',
        paymentDetails: 'erased',
        user: { fullName: 'erased', email: 'erased' },
      },
      {
        id: approved.id,
        amount: '11.00',
        status: 'approved',
        paymentDetails: 'erased',
        user: { fullName: 'erased', email: 'erased' },
      },
    ])

    // In the log, personal fields read "erased"; amounts, decisions and times remain.
    const events = [...(await portal.userEvents(id)), ...(await portal.events(`account-${id}-a1`))]
    const [registered, changed] = events
    const gone = {
      fullName: 'erased',
      email: 'erased',
      country: 'erased',
      city: 'erased',
      street: 'erased',
      houseNumber: 'erased',
    }
    expect(registered).toMatchObject({
      type: 'UserRegistered',
      data: { ...gone, passwordHash: 'erased', privacyPolicyAgreed: true },
    })
    expect(changed).toMatchObject({ type: 'ProfileChanged', data: { fields: ['street'], from: {}, to: {} } })
    expect(events.find(({ type }) => type === 'PlatformLoginAssigned')).toMatchObject({
      data: { masterPassword: 'erased' },
    })
    expect(events.find(({ type }) => type === 'PayoutRequested')).toMatchObject({
      data: { amount: 1_100, details: 'erased' },
    })
    expect(events.find(({ type }) => type === 'CertificateIssued')).toMatchObject({
      data: { name: 'erased', size: 4_000 },
    })
    const text = JSON.stringify(events)
    for (const personal of ['Vanish', trader.email, 'vanishing-master', 'IBAN-OF-MARY'])
      expect(text).not.toContain(personal)

    // Files and mails are gone from the disk.
    expect(mailsBefore.length).toBeGreaterThan(3)
    await portal.mailed()
    // Mails handed to a mail server cannot be withdrawn.
    if (!isExternal('smtp')) expect(await portal.mails(trader.email)).toEqual([])
    expect((await portal.files()).filter((name) => name.includes(id))).toEqual([])
  })

  // The disks of servers cannot be searched.
  it.skipIf(isExternal('mongodb'))(
    'leaves what was personal in no file on disk, once the portal was closed',
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-erased-'))
      try {
        const own = await openPortal({ dataDir })
        const { trader } = await deletedTrader(own)
        const [kept] = [await own.trader({ fullName: 'Somebody Who Stays' })]
        expect((await kept.get('/api/user')).status).toBe(200)
        await own.mailed()
        await own.stop()
        expect(await filesContaining('Somebody Who Stays', dataDir), 'the search does find what is there').not.toEqual(
          [],
        )
        for (const personal of [trader.email, 'vanishing-master', 'IBAN-OF-MARY', 'Vanishing Lane', 'Mary Vanished'])
          expect(await filesContaining(personal, dataDir), personal).toEqual([])
      } finally {
        await rm(dataDir, { recursive: true, force: true })
      }
    },
  )

  it('frees the email, in any case, for others', async () => {
    const [one, two] = [await portal.trader(), await portal.trader()]
    await admin.delete(`/api/admin/user/${one.id}`)
    await admin.delete(`/api/admin/user/${two.id}`)
    const again = await portal.trader({ email: one.email.toUpperCase() })
    expect(again.id).not.toBe(one.id)
    expect((await created({ email: two.email })).id).not.toBe(two.id)
    expect((await again.get('/api/user')).body).toMatchObject({ id: again.id, email: one.email.toUpperCase() })
  })

  it('twenty times at once deletes once', async () => {
    const { id } = await created()
    const { total } = (await stats()).users
    const answers = await Promise.all(Array.from({ length: 20 }, () => admin.delete(`/api/admin/user/${id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(404)])
    expect((await userFacts(id)).filter(({ type }) => type === 'UserDeleted')).toHaveLength(1)
    expect((await stats()).users.total).toBe(total - 1)
  })

  it('of a banned or unknown user keeps the counts right', async () => {
    const { id } = await created()
    const before = (await stats()).users
    await ban(id, 'Because')
    expect((await stats()).users).toEqual({ ...before, banned: before.banned + 1 })
    expect((await admin.delete(`/api/admin/user/${id}`)).status).toBe(200)
    expect((await stats()).users).toEqual({ ...before, total: before.total - 1, pending: before.pending - 1 })
    expect((await admin.delete(`/api/admin/user/${nobody}`)).status).toBe(404)
  })

  it('applies to a concurrent sign-in', async () => {
    const trader = await portal.trader()
    const browsers = Array.from({ length: 12 }, () => portal.browser())
    const credentials = { email: trader.email, password: trader.password }
    const signIns = browsers.map((browser) => browser.post('/api/login', credentials))
    await Promise.all([...signIns, admin.delete(`/api/admin/user/${trader.id}`)])
    for (const browser of browsers) expect((await browser.get('/api/user/payouts')).status).toBe(401)
  })

  it('during certificate uploads leaves no file', async () => {
    const trader = await portal.trader()
    const uploads = Array.from({ length: 12 }, () => uploadCertificate(admin, { userId: trader.id }))
    const [deletion, ...answers] = await Promise.all([admin.delete(`/api/admin/user/${trader.id}`), ...uploads])
    // Where the file server refuses removals that run at once, the worker finishes the erasure.
    expect([200, 503]).toContain(deletion.status)
    for (const { status } of answers) expect([201, 404, 503]).toContain(status)
    const isGone = async () => !(await portal.files()).some((name) => name.includes(trader.id))
    await until(isGone, 'the removal of the files')
  })

  it('during payout requests leaves none pending', async () => {
    const trader = await eligibleTrader(portal, admin)
    const request = () => trader.post('/api/user/payouts', { amount: '3.00', paymentMethod: 'skrill' })
    const requests = Array.from({ length: 15 }, request)
    const [deletion, ...answers] = await Promise.all([
      admin.delete(`/api/admin/user/${trader.id}`),
      ...requests,
      ...Array.from({ length: 5 }, request),
    ])
    expect(deletion.status).toBe(200)
    for (const { status } of answers) expect([201, 401, 403, 404]).toContain(status)
    const events = await portal.events(`account-${trader.id}-a1`)
    const count = (type: string) => events.filter((event) => event.type === type).length
    expect(count('PayoutRejected')).toBe(count('PayoutRequested'))
    expect(count('PayoutRequested')).toBe(answers.filter(({ status }) => status === 201).length)
    expect(events.at(-1)?.type).toBe('AccountClosed')
  })
})

describe('user administration', () => {
  it('is for administrators only', async () => {
    const trader = await portal.trader()
    const { id } = await created()
    const callers = [
      [await portal.auditor(), 403],
      [trader, 401],
      [portal.browser(), 401],
    ] as const
    const before = await portal.events()
    for (const [caller, expected] of callers) {
      const answers = [
        await caller.post('/api/admin/users', { ...person, email: newEmail() }),
        await caller.patch(`/api/admin/user/${id}`, { fullName: 'Other Name' }),
        await caller.delete(`/api/admin/user/${id}`),
        await caller.post(`/api/admin/user/${id}/account`, { balance: '1' }),
        await caller.patch(`/api/admin/user/${id}/account`, { balance: '1' }),
        await caller.patch(`/api/admin/user/${id}/ban`, { banned: true, banReason: 'x' }),
        await uploadCertificate(caller, { userId: id }),
      ]
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => expected))
    }
    expect(await portal.events()).toHaveLength(before.length)
  })
})
