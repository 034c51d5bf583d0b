import { ListedUser, UserDetails } from '#services/trading/traders/trader-api.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AuditState } from '#services/oversight/audit/audit-api.ts'
import { Certificate } from '#services/trading/certificates/certificate-api.ts'
import { ListedPayout, Payout } from '#services/payments/payouts/payout-api.ts'
import { after, read } from '#test-support/http-calls.ts'
import type { Answer } from '#test-support/http-client.ts'
import { openPortal, type Trader } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'
import { AccountHistory, ListedOwnAccount, OwnAccount } from '../account-api.ts'
import { OpenedAccount } from '../account-change-api.ts'

const portal = await openPortal()
const admin = await portal.admin()
afterAll(() => portal.stop())

let logins = 50_000_000
const newLogin = () => ({ login: String(++logins), server: 'Broker-MT5' })

const open = (trader: Pick<Trader, 'id'>, fields: object = {}): Promise<Answer> =>
  admin.post(`/api/admin/user/${trader.id}/accounts`, fields)
const opened = async (trader: Trader, fields: object = {}) => read(OpenedAccount, await open(trader, fields)).id
const accountsOf = async (trader: Trader, change?: Answer) =>
  read(z.array(ListedOwnAccount), await trader.get('/api/user/accounts', change && after(change)))
const typesOf = async (stream: string) => (await portal.events(stream)).map(({ type }) => type)

/** Breached, in Phase 2, and funded with payouts enabled. */
async function traderWithThree() {
  const trader = await portal.trader()
  const first = `${trader.id}-a1`
  await admin.patch(`/api/admin/accounts/${first}`, { ...newLogin(), status: 'breached', phase: 'Phase 1' })
  const second = await opened(trader, { ...newLogin(), status: 'active', phase: 'Phase 2' })
  const funded = { ...newLogin(), status: 'active', phase: 'Funded', payoutEnabled: true, balance: '50000.00' }
  const answer = await open(trader, funded)
  const third = read(OpenedAccount, answer).id
  await accountsOf(trader, answer)
  return { trader, first, second, third, funded }
}

describe('a further account', () => {
  it('is opened by staff with its first values, and counted in the stream of its user', async () => {
    const trader = await portal.trader()
    const login = newLogin()
    const answer = await open(trader, {
      ...{ ...login, platform: 'mt4', status: 'active' },
      ...{ phase: 'Phase 1', balance: '10000.00' },
    })
    expect(answer).toMatchObject({ status: 201, body: { id: `${trader.id}-a2` } })
    expect(await typesOf(`account-${trader.id}-a2`)).toEqual([
      'AccountOpened',
      'BalanceChanged',
      'PlatformChanged',
      'PlatformLoginAssigned',
      'PhaseChanged',
      'AccountStatusChanged',
    ])
    expect((await portal.userEvents(trader.id)).at(-1)).toMatchObject({
      type: 'AccountAssigned',
      data: { accountId: `${trader.id}-a2` },
      metadata: { actor: { kind: 'admin' } },
    })
    expect(await accountsOf(trader, answer)).toMatchObject([
      { id: `${trader.id}-a2`, ...login, platform: 'mt4', phase: 'Phase 1', status: 'active', balance: '10000.00' },
      { id: `${trader.id}-a1`, login: null, status: 'pending', open: true, current: false },
    ])
  })

  it.each([
    ['an unknown status', { status: 'rich' }, 400],
    ['a balance that is no amount', { balance: 'much' }, 400],
  ])('is not opened with %s', async (_what, fields, status) => {
    const trader = await portal.trader()
    expect((await open(trader, fields)).status).toBe(status)
    expect(await accountsOf(trader)).toHaveLength(1)
  })

  it('is not opened for an unknown or deleted user, nor by another role or a trader', async () => {
    const trader = await portal.trader()
    expect((await open({ id: 'nobody00' })).status).toBe(404)
    const auditor = await portal.auditor()
    expect((await auditor.post(`/api/admin/user/${trader.id}/accounts`, {})).status).toBe(403)
    expect((await trader.post(`/api/admin/user/${trader.id}/accounts`, {})).status).toBe(401)
    expect(await accountsOf(trader)).toHaveLength(1)
    await admin.delete(`/api/admin/user/${trader.id}`)
    expect((await open(trader)).status).toBe(404)
  })
})

describe('a login on a server', () => {
  const taken = {
    status: 409,
    body: { message: 'Another account has this login on this server' },
  }

  it('belongs to one account, of whichever trader, in any letter case', async () => {
    const [ada, bob] = [await portal.trader(), await portal.trader()]
    const { login, server } = newLogin()
    await opened(ada, { login, server })
    for (const wanted of [
      { login, server },
      { login: ` ${login} `, server: server.toUpperCase() },
    ]) {
      expect(await open(bob, wanted)).toMatchObject(taken)
      expect(await open(ada, wanted)).toMatchObject(taken)
      expect(await admin.patch(`/api/admin/user/${bob.id}/account`, wanted)).toMatchObject(taken)
    }
    expect(await typesOf(`account-${bob.id}-a1`)).toEqual(['AccountOpened'])
    expect(await accountsOf(bob)).toHaveLength(1)
    // Elsewhere it is another one.
    expect((await open(bob, { login, server: 'Other-MT4' })).status).toBe(201)
  })

  it('makes one account of forty parallel openings', async () => {
    const traders = await Promise.all(Array.from({ length: 4 }, () => portal.trader()))
    const login = newLogin()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => open(traders[n % 4] ?? { id: 'nobody00' }, login)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(39)
    const streams = (await portal.events()).filter(
      ({ type, data }) =>
        type === 'PlatformLoginAssigned' && 'to' in data && JSON.stringify(data.to).includes(login.login),
    )
    expect(streams).toHaveLength(1)
    const made = answers.find(({ status }) => status === 201)
    const listed = await Promise.all(traders.map((trader) => accountsOf(trader, made)))
    expect(listed.flat().filter(({ login: one }) => one === login.login)).toHaveLength(1)
  })

  it('can be tried again at once after another account of the user took the number', async () => {
    const trader = await portal.trader()
    const wanted = Array.from({ length: 6 }, newLogin)
    let waiting = wanted
    for (let round = 0; waiting.length > 0 && round < 20; round++) {
      const answers = await Promise.all(waiting.map((login) => open(trader, login)))
      for (const { status, body } of answers)
        if (status !== 201) expect([status, body]).toMatchObject([409, { message: /at the same moment/ }])
      waiting = waiting.filter((_, n) => answers[n]?.status !== 201)
    }
    expect(waiting).toEqual([])
    const listed = await until(async () => {
      const accounts = await accountsOf(trader)
      return accounts.length > wanted.length && accounts
    }, 'all accounts to be listed')
    expect(listed.flatMap(({ login }) => login ?? []).toSorted()).toEqual(wanted.map(({ login }) => login))
  })

  it('is free again once its account has another one, or is closed', async () => {
    const [ada, bob] = [await portal.trader(), await portal.trader()]
    const [one, two] = [newLogin(), newLogin()]
    const id = await opened(ada, one)
    await admin.patch(`/api/admin/accounts/${id}`, two)
    await until(async () => (await open(bob, one)).status === 201, 'the first login to be free')
    await admin.post(`/api/admin/accounts/${id}/close`, { reason: 'Moved to another broker' })
    await until(async () => (await open(bob, two)).status === 201, 'the second login to be free')
    // And back: a login that was left for a moment is claimed anew.
    const back = await opened(ada, newLogin())
    const three = newLogin()
    for (const login of [three, newLogin(), three])
      expect((await admin.patch(`/api/admin/accounts/${back}`, login)).status).toBe(200)
    expect(await open(bob, three)).toMatchObject(taken)
  })
})

describe('a trader with three accounts', () => {
  it('means the funded one by default, and any by its id', async () => {
    const { trader, first, second, third } = await traderWithThree()
    const accounts = await accountsOf(trader)
    expect(accounts.map(({ id, current }) => [id, current])).toEqual([
      [third, true],
      [second, false],
      [first, false],
    ])
    expect(read(OwnAccount, await trader.get('/api/user/account'))).toMatchObject({ id: third, phase: 'Funded' })
    for (const [id, status] of [
      [first, 'breached'],
      [second, 'active'],
    ] as const)
      expect(read(OwnAccount, await trader.get(`/api/user/account?account=${id}`))).toMatchObject({ id, status })
    const details = read(UserDetails, await admin.get(`/api/admin/user/${trader.id}`))
    expect(details.tradingAccount?.id).toBe(third)
    expect(details.tradingAccounts.map(({ id }) => id)).toEqual([third, second, first])
  })

  it('falls back to the newest that is not breached, then to the newest', async () => {
    const { trader, second, third } = await traderWithThree()
    const change = await admin.patch(`/api/admin/accounts/${third}`, { status: 'breached' })
    expect(read(OwnAccount, await trader.get('/api/user/account', after(change))).id).toBe(second)
    const last = await admin.patch(`/api/admin/accounts/${second}`, { status: 'breached' })
    expect(read(OwnAccount, await trader.get('/api/user/account', after(last))).id).toBe(third)
  })

  it('asks for payouts from one account, which alone decides on them', async () => {
    const { trader, second, third } = await traderWithThree()
    const wanted = { amount: '250.00', paymentMethod: 'bank', paymentDetails: 'IBAN' }
    expect((await trader.post(`/api/user/payouts?account=${second}`, wanted)).status).toBe(403)
    const answer = await trader.post('/api/user/payouts', wanted)
    expect(read(Payout, answer)).toMatchObject({ id: `${third}-p1`, accountId: third, userId: trader.id })
    const listed = async (path: string) =>
      read(z.array(ListedPayout), await trader.get(path, after(answer))).map(({ id }) => id)
    expect(await listed('/api/user/payouts')).toEqual([`${third}-p1`])
    expect(await listed(`/api/user/payouts?account=${third}`)).toEqual([`${third}-p1`])
    expect(await listed(`/api/user/payouts?account=${second}`)).toEqual([])
    const verdict = await admin.patch(`/api/admin/payouts/${third}-p1`, { status: 'approved' })
    expect(verdict.status).toBe(200)
    expect(await typesOf(`account-${third}`)).toContain('PayoutApproved')
  })

  it('gets the first answer for a repeated request, also after another account became the current one', async () => {
    const { trader, third } = await traderWithThree()
    const wanted = { amount: '250.00', paymentMethod: 'bank', paymentDetails: 'IBAN' }
    const ask = () => trader.post('/api/user/payouts', wanted, { headers: { 'idempotency-key': 'once' } })
    const first = await ask()
    const opening = await open(trader, { ...newLogin(), status: 'active', phase: 'Funded', payoutEnabled: true })
    expect(read(OwnAccount, await trader.get('/api/user/account', after(opening))).id).not.toBe(third)
    expect((await ask()).body).toEqual(first.body)
    const listed = read(z.array(ListedPayout), await trader.get('/api/user/payouts', after(first)))
    expect(listed.map(({ id }) => id)).toEqual([`${third}-p1`])
  })

  it('has a history of each account, on which a ban is marked too', async () => {
    const { trader, first, third } = await traderWithThree()
    await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'Checks' })
    const lifted = await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: false })
    const labels = async (id: string) =>
      read(
        AccountHistory,
        await admin.get(`/api/admin/user/${trader.id}/account/history?account=${id}`, after(lifted)),
      ).markers.map(({ label }) => label)
    expect(await labels(first)).toEqual(
      expect.arrayContaining(['Account opened', 'Status: Pending to Breached', 'Banned', 'Ban lifted']),
    )
    expect(await labels(third)).not.toContain('Status: Pending to Breached')
    expect(await labels(third)).toEqual(expect.arrayContaining(['Phase: none to Funded', 'Banned']))
  })

  it('is found by any login, and counts once', async () => {
    const { trader, funded } = await traderWithThree()
    const other = (await accountsOf(trader)).find(({ status }) => status === 'breached')
    for (const login of [funded.login, other?.login]) {
      const found = read(z.array(ListedUser), await admin.get(`/api/admin/users?search=${login}`))
      expect(found.map(({ id, accountCount }) => [id, accountCount])).toEqual([[trader.id, 3]])
    }
    const breached = read(z.array(ListedUser), await admin.get('/api/admin/users?status=breached&limit=100'))
    expect(breached.map(({ id }) => id)).not.toContain(trader.id)
  })

  it('gets a certificate for one account', async () => {
    const { trader, second } = await traderWithThree()
    const form = new FormData()
    form.set('userId', trader.id)
    form.set('accountId', second)
    form.set('name', 'Phase 1 passed')
    form.set('certificateFile', new File(['%PDF-1.7'], 'c.pdf', { type: 'application/pdf' }))
    const answer = await admin.send('POST', '/api/admin/certificates', form)
    expect(read(Certificate, answer)).toMatchObject({ id: `${second}-c1`, accountId: second })
    form.set('accountId', `${(await portal.trader()).id}-a1`)
    expect((await admin.send('POST', '/api/admin/certificates', form)).status).toBe(404)
  })
})

describe('an account that is not the caller’s', () => {
  it('answers like none, a made-up one, and one of a deleted user', async () => {
    const [trader, other, deleted] = [await portal.trader(), await portal.trader(), await portal.trader()]
    await admin.delete(`/api/admin/user/${deleted.id}`)
    const paths = [
      'account',
      'account/history',
      'payouts',
      'payouts/summary',
      'certificates',
      'history',
      'history/state',
      'history/moments',
    ]
    const ids = [`${other.id}-a1`, `${trader.id}-a2`, `${deleted.id}-a1`, 'made-up', `${trader.id}-a0`, trader.id]
    for (const path of paths) {
      const answers = await Promise.all(ids.map((id) => trader.get(`/api/user/${path}?account=${id}`)))
      for (const { status, body } of answers)
        expect([path, status, body]).toEqual([path, 404, { message: 'Account not found' }])
    }
    const wanted = { amount: '1.00', paymentMethod: 'bank' }
    for (const id of ids)
      expect(await trader.post(`/api/user/payouts?account=${id}`, wanted)).toMatchObject({
        status: 404,
        body: { message: 'Account not found' },
      })
    for (const id of [`${deleted.id}-a1`, `${trader.id}-a9`, 'made-up'])
      expect(await admin.patch(`/api/admin/accounts/${id}`, { balance: '1.00' })).toMatchObject({
        status: 404,
        body: { message: 'Account not found' },
      })
  })
})

describe('closing an account', () => {
  it('needs a reason, and is for good', async () => {
    const { trader, second } = await traderWithThree()
    for (const body of [{}, { reason: ' ' }])
      expect((await admin.post(`/api/admin/accounts/${second}/close`, body)).status).toBe(400)
    const closed = await admin.post(`/api/admin/accounts/${second}/close`, { reason: 'Passed' })
    expect(closed.status).toBe(200)
    expect((await portal.events(`account-${second}`)).at(-1)).toMatchObject({
      type: 'AccountClosed',
      data: { status: 'active', reason: 'Passed', cause: 'staff' },
    })
    expect((await accountsOf(trader, closed)).find(({ id }) => id === second)).toMatchObject({ open: false })
    const refused = { status: 409, body: { message: 'This account is closed' } }
    expect(await admin.post(`/api/admin/accounts/${second}/close`, { reason: 'Again' })).toMatchObject(refused)
    expect(await admin.patch(`/api/admin/accounts/${second}`, { balance: '1.00' })).toMatchObject(refused)
    // What it was can still be read.
    expect(read(OwnAccount, await trader.get(`/api/user/account?account=${second}`))).toMatchObject({
      phase: 'Phase 2',
    })
  })

  it('disables its payouts, at that moment', async () => {
    const { trader, second, third } = await traderWithThree()
    const stampOf = async (id: string, answer?: Answer) =>
      read(OwnAccount, await trader.get(`/api/user/account?account=${id}`, answer && after(answer))).stamps.payouts
    expect(await stampOf(second)).toBeNull()
    const enabled = await stampOf(third)
    await admin.post(`/api/admin/accounts/${second}/close`, { reason: 'Passed' })
    const closed = await admin.post(`/api/admin/accounts/${third}/close`, { reason: 'Moved to another broker' })
    expect(await stampOf(second, closed)).toBeNull()
    const number = Number((await portal.events(`account-${third}`)).at(-1)?.position)
    expect(number).toBeGreaterThan(enabled?.number ?? Infinity)
    expect(await stampOf(third)).toMatchObject({ number, by: 'admin' })
  })

  it('waits for verdicts on its payouts', async () => {
    const { trader, third } = await traderWithThree()
    const request = await trader.post('/api/user/payouts', { amount: '5.00', paymentMethod: 'bank' })
    const close = () => admin.post(`/api/admin/accounts/${third}/close`, { reason: 'Done' })
    expect(await close()).toMatchObject({ status: 409, body: { message: /pending payouts/ } })
    await admin.patch(`/api/admin/payouts/${read(Payout, request).id}`, { status: 'rejected', adminNotes: 'No' })
    expect((await close()).status).toBe(200)
  })
})

it('erasing the trader leaves none of the accounts readable', async () => {
  const { trader, first, second, third } = await traderWithThree()
  await trader.post('/api/user/payouts', { amount: '5.00', paymentMethod: 'bank', paymentDetails: 'Sort 12-34-56' })
  const deletion = await admin.delete(`/api/admin/user/${trader.id}`)
  expect(deletion.status).toBe(200)
  for (const id of [first, second, third]) {
    expect((await typesOf(`account-${id}`)).at(-1)).toBe('AccountClosed')
    const { body } = await admin.get(`/api/audit/accounts/${id}`, after(deletion))
    const state = AuditState.parse(body)
    expect(state.accounts.map(({ id: shown, account }) => [shown, account.open])).toEqual([[id, false]])
    expect(JSON.stringify(body)).not.toMatch(/Lovelace|Sort 12-34-56|@example/)
  }
  expect((await trader.get(`/api/user/account?account=${third}`)).status).toBe(401)
})
