import { ListedUser } from '#services/trading/traders/trader-api.ts'
import { LINK_HEADER, TOTAL_HEADER, TOTAL_RELATION_HEADER } from '#services/framework/api/headers.ts'
import { FirmWeeks, SHOWN_DAYS, Stats } from '#services/oversight/statistics/statistics-api.ts'
import { AdminPayout, Payout } from '#services/payments/payouts/payout-api.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toDecimal } from '#services/rules/money.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import { newEmail, openPortal } from '#test-support/portal.ts'

const portal = await openPortal()
const admin = await portal.admin()
afterAll(() => portal.stop())

const users = async (query = '', who: Browser = admin) =>
  read(z.array(ListedUser), await who.get(`/api/admin/users${query}`))
const payouts = async (query = '', who: Browser = admin) =>
  read(z.array(AdminPayout), await who.get(`/api/admin/payouts${query}`))
const stats = async () => read(Stats, await admin.get('/api/admin/stats'))
const idsOf = (documents: readonly { readonly id: string }[]) => documents.map(({ id }) => id)
const total = ({ headers }: Answer) => [headers.get(TOTAL_HEADER), headers.get(TOTAL_RELATION_HEADER)]
const cents = (decimal: string) => Math.round(Number(decimal) * 100)

/** The URL in a Link header. */
function nextAddress(answer: Answer): string | undefined {
  const [, address] = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get(LINK_HEADER) ?? '') ?? []
  return address
}

/** Every page from a URL on, following the links. */
async function walk<Schema extends z.ZodType>(schema: Schema, from: string): Promise<z.output<Schema>[][]> {
  const pages: z.output<Schema>[][] = []
  for (let address: string | undefined = from; address !== undefined;) {
    const answer: Answer = await admin.get(address)
    pages.push(read(z.array(schema), answer))
    address = nextAddress(answer)
  }
  return pages
}

interface Person {
  readonly id: string
  readonly fullName: string
  readonly email: string
  readonly login: string
  readonly status: string
  readonly balance: string
  readonly profitLoss: string
}

const statuses = ['pending', 'active', 'under-review', 'breached'] as const
const names = ['Zoë Quick', 'Ada Lovelace', 'Blaise Pascal', 'Ångström Lind', 'Çelik O’Neill', 'Ada Byron']
/** Newest first. */
const people: Person[] = []
const requested: (Payout & { readonly person: Person })[] = []

beforeAll(async () => {
  for (let n = 0; n < 18; n++) {
    const email = n === 3 ? `Needle.In+Hay${n}@Example.com` : newEmail()
    const trader = await portal.trader({ fullName: names[n % names.length] ?? '', email })
    const values = {
      status: statuses[n % 4] ?? 'pending',
      balance: toDecimal(((n * 7) % 18) * 1_050 - 900),
      profitLoss: toDecimal(((n * 5) % 18) * -333 + 2_000),
      login: `MT5-${8_000 + n}`,
      payoutEnabled: true,
    }
    await admin.patch(`/api/admin/user/${trader.id}/account`, { ...values, masterPassword: `master-${n}` })
    if (n % 6 === 5) await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'For a test' })
    const { id, fullName } = { id: trader.id, fullName: names[n % names.length] ?? '' }
    const person: Person = { id, fullName, email, ...values }
    people.unshift(person)
    if (n % 6 === 5 || n % 2 === 0) continue
    for (const [index, amount] of ['20.00', '3.50', toDecimal(n * 10_000 + 1)].entries()) {
      const answer = await trader.post('/api/user/payouts', {
        amount,
        paymentMethod: 'paypal',
        paymentDetails: `${n}@paypal`,
      })
      const payout = read(Payout, answer)
      const status = index === 1 ? 'approved' : index === 2 && n % 3 === 0 ? 'rejected' : undefined
      if (status) await admin.patch(`/api/admin/payouts/${payout.id}`, { status, adminNotes: 'Decided' })
      requested.unshift({ ...payout, status: status ?? 'pending', person })
    }
  }
})

/** Sorted by a field; ties in order of creation, in the same direction. */
function sorted<Item>(
  newestFirst: readonly Item[],
  valueOf: (item: Item) => string | number,
  direction: 1 | -1,
): Item[] {
  const order = direction === 1 ? newestFirst.toReversed() : [...newestFirst]
  return order.sort((a, b) => {
    const [left, right] = [valueOf(a), valueOf(b)]
    return (left < right ? -1 : left > right ? 1 : 0) * direction
  })
}

describe('the list of users', () => {
  it('is newest first, with trading accounts but without master passwords', async () => {
    const answer = await admin.get('/api/admin/users')
    const list = read(z.array(ListedUser), answer)
    expect(idsOf(list)).toEqual(idsOf(people))
    for (const [index, { fullName, email, login, status, balance, profitLoss }] of people.entries())
      expect(list[index]).toMatchObject({
        fullName,
        email,
        tradingAccount: { login, status, balance, profitLoss, payoutEnabled: true },
      })
    expect(answer.text).not.toMatch(/masterPassword|master-\d/)
    expect(total(answer)).toEqual([String(people.length), 'exact'])
    expect(answer.headers.get(LINK_HEADER)).toBeNull()
  })

  it.each(['ada', 'ADA', 'lovelace', 'a L', 'lovel', 'ÅNGSTRÖM', 'ångström', 'zoë', 'O’Neill', 'çelik'])(
    'is searched by a part of the name in any letter case: %s',
    async (search) => {
      const found = people.filter(({ fullName }) => fullName.toLowerCase().includes(search.toLowerCase()))
      expect(found.length).toBeGreaterThan(0)
      const answer = await admin.get(`/api/admin/users?search=${encodeURIComponent(search)}`)
      expect(idsOf(read(z.array(ListedUser), answer))).toEqual(idsOf(found))
      expect(total(answer)).toEqual([String(found.length), 'exact'])
    },
  )

  it.each([
    'needle.in+hay3@example.com',
    'NEEDLE',
    'edle.in',
    '+hay3',
    'Hay3@Ex',
    'MT5-8003',
    'mt5-8003',
    '-8003',
    '5-800',
  ])('is searched by a part of email or broker login: %s', async (search) => {
    const matches = (text: string) => text.toLowerCase().includes(search.toLowerCase())
    const found = people.filter(({ email, login }) => matches(email) || matches(login))
    expect(found.length).toBeGreaterThan(0)
    expect(idsOf(await users(`?search=${encodeURIComponent(search)}`))).toEqual(idsOf(found))
  })

  it.each(['nobody at all', 'lovelace ada', '%', '_d_', "' OR 1=1 --", '"', 'master-1', '*', 'ada*', 'NEAR(ada)'])(
    'finds nothing for %s',
    async (search) => {
      const answer = await admin.get(`/api/admin/users?search=${encodeURIComponent(search)}`)
      expect(answer).toMatchObject({ status: 200, body: [] })
      expect(total(answer)).toEqual(['0', 'exact'])
    },
  )

  it('is complete with an empty search', async () => {
    for (const search of ['', '%20%20']) expect(await users(`?search=${search}`)).toHaveLength(people.length)
  })

  it.each(statuses)('is filtered by the status %s', async (status) => {
    const answer = await admin.get(`/api/admin/users?status=${status}`)
    const expected = people.filter((user) => user.status === status)
    expect(idsOf(read(z.array(ListedUser), answer))).toEqual(idsOf(expected))
    expect(total(answer)).toEqual([String(expected.length), 'exact'])
    const ada = expected.filter(({ fullName }) => fullName.startsWith('Ada'))
    expect(idsOf(await users(`?status=${status}&search=ada`))).toEqual(idsOf(ada))
  })

  it('is filtered by bans', async () => {
    const answer = await admin.get('/api/admin/users?status=banned')
    const list = read(z.array(ListedUser), answer)
    expect(list.map(({ fullName }) => fullName)).toEqual(['Ada Byron', 'Ada Byron', 'Ada Byron'])
    expect(list.every(({ banned, banReason }) => banned && banReason === 'For a test')).toBe(true)
    expect(total(answer)).toEqual(['3', 'exact'])
  })

  const orders = [
    ['createdAt', null],
    ['fullName', (user: Person) => user.fullName],
    ['email', (user: Person) => user.email],
    ['balance', (user: Person) => cents(user.balance)],
    ['profitLoss', (user: Person) => cents(user.profitLoss)],
  ] as const
  it.each(orders)('is sorted by %s in both directions, also across pages', async (field, valueOf) => {
    for (const [sort, direction] of [
      [field, 1],
      [`-${field}`, -1],
    ] as const) {
      const expected = idsOf(
        valueOf ? sorted(people, valueOf, direction) : direction === 1 ? people.toReversed() : people,
      )
      expect(idsOf(await users(`?sort=${sort}`)), sort).toEqual(expected)
      const pages = await walk(ListedUser, `/api/admin/users?sort=${sort}&limit=5`)
      expect(pages.map(({ length }) => length)).toEqual([5, 5, 5, 3])
      expect(idsOf(pages.flat()), sort).toEqual(expected)
    }
  })

  it('has every user exactly once across its pages', async () => {
    for (const limit of [1, 4, 9, 17, 18, 19]) {
      const pages = await walk(ListedUser, `/api/admin/users?limit=${limit}`)
      expect(idsOf(pages.flat()), `limit ${limit}`).toEqual(idsOf(people))
      expect(pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true)
      expect(pages.at(-1)?.length).toBeGreaterThan(0)
    }
  })

  it('keeps search, filter, order and total across pages', async () => {
    const query = `search=${encodeURIComponent('a')}&status=active&sort=-email&limit=1`
    const whole = await users(`?${query.replace('limit=1', 'limit=1000')}`)
    expect(whole.length).toBeGreaterThan(2)
    const pages = await walk(ListedUser, `/api/admin/users?${query}`)
    expect(idsOf(pages.flat())).toEqual(idsOf(whole))
    const first = await admin.get(`/api/admin/users?${query}`)
    const second = await admin.get(nextAddress(first) ?? '')
    expect(total(second)).toEqual(total(first))
    expect(total(first)).toEqual([String(whole.length), 'exact'])
  })

  it('repeats no user while users are added and deleted', async () => {
    const before = idsOf(await users())
    const first = await admin.get('/api/admin/users?limit=6')
    const extra = await portal.trader()
    const rest = (await walk(ListedUser, nextAddress(first) ?? '')).flat()
    expect([...idsOf(read(z.array(ListedUser), first)), ...idsOf(rest)]).toEqual(before)
    await admin.delete(`/api/admin/user/${extra.id}`)
    expect(idsOf(await users())).toEqual(before)
  })
})

describe('the list of payouts', () => {
  it('is a JSON array, newest first, each with its user', async () => {
    const answer = await admin.get('/api/admin/payouts')
    const list = read(z.array(AdminPayout), answer)
    expect(idsOf(list)).toEqual(idsOf(requested))
    for (const [index, { person, amount, status, paymentDetails }] of requested.entries())
      expect(list[index]).toMatchObject({
        amount,
        status,
        paymentDetails,
        userId: person.id,
        user: { fullName: person.fullName, email: person.email },
      })
    expect(total(answer)).toEqual([String(requested.length), 'exact'])
  })

  it.each(['pending', 'approved', 'rejected'])('is filtered by the status %s', async (status) => {
    const answer = await admin.get(`/api/admin/payouts?status=${status}`)
    const expected = requested.filter((payout) => payout.status === status)
    expect(expected.length).toBeGreaterThan(0)
    expect(idsOf(read(z.array(AdminPayout), answer))).toEqual(idsOf(expected))
    expect(total(answer)).toEqual([String(expected.length), 'exact'])
  })

  it.each(['lovelace', 'ADA L', 'needle.in', 'Hay3@'])(
    'is searched by name or email of its user: %s',
    async (search) => {
      const matches = (text: string) => text.toLowerCase().includes(search.toLowerCase())
      const expected = requested.filter(({ person }) => matches(person.fullName) || matches(person.email))
      expect(expected.length).toBeGreaterThan(0)
      const answer = await admin.get(`/api/admin/payouts?search=${encodeURIComponent(search)}`)
      expect(idsOf(read(z.array(AdminPayout), answer))).toEqual(idsOf(expected))
      expect(total(answer)).toEqual([String(expected.length), 'exact'])
      const pending = expected.filter(({ status }) => status === 'pending')
      expect(idsOf(await payouts(`?search=${encodeURIComponent(search)}&status=pending`))).toEqual(idsOf(pending))
      const pages = await walk(
        AdminPayout,
        `/api/admin/payouts?search=${encodeURIComponent(search)}&limit=2&sort=amount`,
      )
      expect(idsOf(pages.flat())).toEqual(idsOf(sorted(expected, ({ amount }) => cents(amount), 1)))
    },
  )

  it('is searched by request id or a part of it, in any case', async () => {
    const [payout] = requested
    if (!payout) throw new Error('No payout found')
    expect(idsOf(await payouts(`?search=${payout.id}`))).toEqual([payout.id])
    expect(idsOf(await payouts(`?search=${payout.id.toUpperCase()}`))).toEqual([payout.id])
    const own = requested.filter(({ userId }) => userId === payout.userId)
    expect(idsOf(await payouts(`?search=${payout.userId.slice(3)}`))).toEqual(idsOf(own))
    expect(await payouts('?search=no-such-request')).toEqual([])
  })

  it('ignores matching users without requests in a search', async () => {
    const [payout] = requested
    if (!payout) throw new Error('No payout found')
    const namesake = await portal.trader({ fullName: `Ms ${payout.id}` })
    const own = requested.filter(({ userId }) => userId === payout.userId)
    const [whole, part] = [await payouts(`?search=${payout.id}`), await payouts(`?search=${payout.userId}`)]
    expect([idsOf(whole), idsOf(part)]).toEqual([[payout.id], idsOf(own)])
    await admin.delete(`/api/admin/user/${namesake.id}`)
  })

  it.each(['createdAt', 'amount'])('is sorted by %s in both directions, also across pages', async (field) => {
    for (const [sort, direction] of [
      [field, 1],
      [`-${field}`, -1],
    ] as const) {
      const byAmount = sorted(requested, ({ amount }) => cents(amount), direction)
      const expected = idsOf(field === 'amount' ? byAmount : direction === 1 ? requested.toReversed() : requested)
      expect(idsOf(await payouts(`?sort=${sort}`)), sort).toEqual(expected)
      expect(idsOf((await walk(AdminPayout, `/api/admin/payouts?sort=${sort}&limit=4`)).flat()), sort).toEqual(expected)
    }
  })

  it('has an order of work: pending ones from the oldest, then verdicts from the newest, also across pages and searches', async () => {
    const all = await payouts()
    const pending = all.filter(({ status }) => status === 'pending').toReversed()
    const decided = all.filter(({ status }) => status !== 'pending')
    const expected = idsOf([...pending, ...sorted(decided, ({ decidedAt }) => Date.parse(decidedAt ?? ''), -1)])
    expect(idsOf(await payouts('?sort=queue'))).toEqual(expected)
    expect(idsOf((await walk(AdminPayout, '/api/admin/payouts?sort=queue&limit=3')).flat())).toEqual(expected)
    const found = (await walk(AdminPayout, '/api/admin/payouts?sort=queue&limit=2&search=lovelace')).flat()
    expect(found.length).toBeGreaterThan(0)
    expect(idsOf(found)).toEqual(expected.filter((id) => found.some((payout) => payout.id === id)))
    for (const { account } of all)
      expect(account).toMatchObject({ payoutEnabled: true, banned: false, balance: expect.any(String) })
  })

  it('has every payout exactly once across its pages', async () => {
    for (const limit of [1, 7, requested.length]) {
      const pages = await walk(AdminPayout, `/api/admin/payouts?limit=${limit}&status=`)
      expect(idsOf(pages.flat()), `limit ${limit}`).toEqual(idsOf(requested))
    }
  })
})

describe('the parameters of a list', () => {
  it.each([
    ['users', 'status=closed', 'status'],
    ['users', 'banned=perhaps', 'banned'],
    ['users', 'payoutEnabled=1', 'payoutEnabled'],
    ['users', `phase=${'x'.repeat(501)}`, 'phase'],
    ['payouts', `userId=${'x'.repeat(501)}`, 'userId'],
    ['users', 'status=approved', 'status'],
    ['users', 'sort=password', 'sort'],
    ['users', 'sort=-', 'sort'],
    ['users', 'limit=0', 'limit'],
    ['users', 'limit=-1', 'limit'],
    ['users', 'limit=1001', 'limit'],
    ['users', 'limit=1.5', 'limit'],
    ['users', 'limit=ten', 'limit'],
    ['users', 'limit=1&limit=2', 'limit'],
    ['users', `search=${'x'.repeat(201)}`, 'search'],
    ['users', 'search=a&search=b', 'search'],
    ['users', 'cursor=nonsense', 'cursor'],
    ['users', `cursor=${'x'.repeat(501)}`, 'cursor'],
    ['payouts', 'status=active', 'status'],
    ['payouts', 'sort=fullName', 'sort'],
    ['payouts', 'limit=many', 'limit'],
    ['payouts', 'cursor=%00%ff', 'cursor'],
    ['payouts', 'cursor=bm9uZQ', 'cursor'],
    ['payouts', 'search=ada&cursor=nonsense', 'cursor'],
  ])('of %s are validated: %s', async (list, query, field) => {
    expect(await admin.get(`/api/admin/${list}?${query}`)).toMatchObject({
      status: 400,
      body: { errors: { [field]: expect.any(String) } },
    })
  })

  it('refuse a cursor of another order or list', async () => {
    const cursorOf = async (address: string) =>
      new URL(nextAddress(await admin.get(address)) ?? '', portal.url).searchParams.get('cursor')
    const cursor = encodeURIComponent((await cursorOf('/api/admin/users?limit=3&sort=email')) ?? '')
    expect(cursor).not.toBe('')
    for (const query of [`sort=balance&cursor=${cursor}`, `cursor=${cursor}`])
      expect((await admin.get(`/api/admin/users?limit=3&${query}`)).status, query).toBe(400)
    expect((await admin.get(`/api/admin/payouts?limit=3&cursor=${cursor}`)).status).toBe(400)
  })

  it('have no effect when unknown', async () => {
    expect(await users('?page=7&deleted=true&where[id]=x')).toHaveLength(people.length)
  })
})

describe('lists and figures', () => {
  it('are for administrators and auditors only', async () => {
    const [auditor, trader] = [await portal.auditor(), await portal.trader()]
    for (const path of ['users', 'payouts', 'stats', `user/${trader.id}`]) {
      expect((await auditor.get(`/api/admin/${path}`, await portal.atEnd())).status, path).toBe(200)
      expect((await trader.get(`/api/admin/${path}`)).status, path).toBe(401)
      expect((await portal.browser().get(`/api/admin/${path}`)).status, path).toBe(401)
    }
    await admin.delete(`/api/admin/user/${trader.id}`)
  })

  it('show the five newest users first', async () => {
    const { recentUsers } = await stats()
    expect(idsOf(recentUsers)).toEqual(idsOf(people).slice(0, 5))
    const trader = await portal.trader()
    await admin.patch(`/api/admin/user/${trader.id}`, { city: 'Paris' })
    expect(idsOf((await stats()).recentUsers)).toEqual([trader.id, ...idsOf(people).slice(0, 4)])
    await admin.delete(`/api/admin/user/${trader.id}`)
    expect(idsOf((await stats()).recentUsers)).toEqual(idsOf(people).slice(0, 5))
  })

  it('show the last 84 days in weeks, today last', async () => {
    const weeks = async () => read(FirmWeeks, await admin.get('/api/admin/stats/weeks'))
    const before = await weeks()
    const trader = await eligibleTrader(portal, admin)
    const { id } = read(Payout, await trader.post('/api/user/payouts', { amount: '120.50', paymentMethod: 'crypto' }))
    await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
    const decidedAt = Date.now()
    const now = await weeks()
    expect(now.weeks).toHaveLength(SHOWN_DAYS / 7)
    expect(now.weeks.map(({ from }) => from)).toEqual(now.weeks.map(({ from }) => from).toSorted())
    // A test may run across midnight.
    expect([decidedAt, Date.now()].map((at) => new Date(at).toISOString().slice(0, 10))).toContain(now.weeks.at(-1)?.to)
    // All weeks together, for the same reason.
    const sum = (valueOf: (brought: FirmWeeks['total']) => number) => {
      const [after = 0, then = 0] = [now, before].map((all) =>
        all.weeks.reduce((total, week) => total + valueOf(week), 0),
      )
      expect([valueOf(now.total), valueOf(before.total)]).toEqual([after, then])
      return after - then
    }
    expect(sum(({ newAccounts }) => newAccounts)).toBe(1)
    expect(sum(({ approvedPayouts }) => approvedPayouts)).toBe(1)
    expect(sum(({ approvedAmount }) => cents(approvedAmount))).toBe(12_050)
    await admin.delete(`/api/admin/user/${trader.id}`)
  })

  it('agree after any sequence of changes', { timeout: 90_000 }, async () => {
    // A seeded generator, so that a failure can be repeated.
    let seed = 20_260_131
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((seed / 2 ** 32) * below)
    }
    const pick = <Item>(items: readonly Item[]): Item | undefined => items[random(items.length)]

    const people = [await portal.trader(), await portal.trader(), await portal.trader(), await portal.trader()]
    const ids: string[] = []
    const request = async () => {
      const amount = toDecimal(1 + random(1_000_000))
      const answer = await pick(people)?.post('/api/user/payouts', { amount, paymentMethod: 'crypto' })
      if (answer?.status === 201) ids.push(read(Payout, answer).id)
    }
    const steps: (() => Promise<unknown>)[] = [
      request,
      request,
      async () => people.push(await portal.trader()),
      async () =>
        admin.patch(`/api/admin/user/${pick(people)?.id}/account`, {
          status: pick(statuses),
          payoutEnabled: random(4) > 0,
        }),
      async () =>
        admin.patch(`/api/admin/user/${pick(people)?.id}/ban`, { banned: random(3) === 0, banReason: 'Because' }),
      async () =>
        admin.patch(`/api/admin/payouts/${pick(ids) ?? 'none'}`, {
          status: pick(['approved', 'rejected']),
          adminNotes: 'Decided',
        }),
    ]
    const removal = async () => {
      const [gone] = people.splice(random(people.length), 1)
      await admin.delete(`/api/admin/user/${gone?.id}`)
    }
    for (const { id } of people) await admin.patch(`/api/admin/user/${id}/account`, { payoutEnabled: true })
    for (let step = 0; step < 120; step++) {
      await (step % 23 === 22 ? removal() : pick(steps)?.())
      if (step % 10 === 9) await agree()
    }
    expect(ids.length, 'enough payouts were requested').toBeGreaterThan(5)
    for (const { id } of people) await admin.delete(`/api/admin/user/${id}`)
    await agree()
  })

  async function agree(): Promise<void> {
    const options = await portal.atEnd()
    const figures = read(Stats, await admin.get('/api/admin/stats', options))
    const [listed, requests] = [
      read(z.array(ListedUser), await admin.get('/api/admin/users', options)),
      read(z.array(AdminPayout), await admin.get('/api/admin/payouts', options)),
    ]
    const withStatus = (status: string) =>
      listed.filter(({ tradingAccount }) => tradingAccount?.status === status).length
    expect(figures.users).toEqual({
      total: listed.length,
      active: withStatus('active'),
      pending: withStatus('pending'),
      underReview: withStatus('under-review'),
      breached: withStatus('breached'),
      banned: listed.filter(({ banned }) => banned).length,
    })
    const share = (status: string) => (withStatus(status) / listed.length) * 100
    expect(figures.shares.active).toBeCloseTo(share('active'), 0)
    expect(figures.shares.pending).toBeCloseTo(share('pending'), 0)
    expect(figures.shares.underReview).toBeCloseTo(share('under-review'), 0)
    expect(figures.shares.breached).toBeCloseTo(share('breached'), 0)
    const of = (status: string) => requests.filter((payout) => payout.status === status)
    const sum = (status: string) => toDecimal(of(status).reduce((all, { amount }) => all + cents(amount), 0))
    const owed = requests.filter(({ payment }) => payment?.state === 'open')
    expect(figures.payouts).toEqual({
      total: requests.length,
      totalAmount: toDecimal(requests.reduce((all, { amount }) => all + cents(amount), 0)),
      ...{ pending: of('pending').length, approved: of('approved').length, rejected: of('rejected').length },
      ...{ pendingAmount: sum('pending'), approvedAmount: sum('approved'), rejectedAmount: sum('rejected') },
      ...{ withdrawn: of('withdrawn').length, withdrawnAmount: sum('withdrawn') },
      unpaid: owed.length,
      unpaidAmount: toDecimal(owed.reduce((all, { traderReceives }) => all + cents(traderReceives ?? ''), 0)),
      oldestUnpaidAt: owed.map(({ decidedAt }) => decidedAt).sort()[0] ?? null,
    })
    expect(idsOf(figures.recentUsers)).toEqual(idsOf(listed).slice(0, 5))
    for (const status of ['active', 'pending', 'under-review', 'breached'])
      expect(await users(`?status=${status}`)).toHaveLength(withStatus(status))
    expect(await users('?status=banned')).toHaveLength(figures.users.banned)
    for (const status of ['pending', 'approved', 'rejected'])
      expect(await payouts(`?status=${status}`)).toHaveLength(of(status).length)
  }
})

describe('filters and orders of the tables', () => {
  it('filter users by ban, eligibility and phase', async () => {
    const [one, other] = [await portal.trader(), await portal.trader()]
    await admin.patch(`/api/admin/user/${one.id}/account`, { phase: 'Funded once', status: 'active' })
    await admin.patch(`/api/admin/user/${other.id}/account`, { phase: 'Funded once', payoutEnabled: true })
    const funded = 'phase=Funded%20once'
    const answer = await admin.get(`/api/admin/users?${funded}`)
    expect(idsOf(read(z.array(ListedUser), answer))).toEqual([other.id, one.id])
    expect(total(answer)).toEqual(['2', 'exact'])
    expect(idsOf(await users(`?${funded}&payoutEnabled=true`))).toEqual([other.id])
    expect(idsOf(await users(`?${funded}&payoutEnabled=false&status=active&banned=false`))).toEqual([one.id])
    expect(await users(`?${funded}&banned=true`)).toEqual([])
    expect(await users('?status=banned&banned=false')).toEqual([])
    const whole = await users('?payoutEnabled=true')
    expect(whole.length).toBeGreaterThan(people.length / 2)
    for (const { tradingAccount } of whole) expect(tradingAccount?.payoutEnabled).toBe(true)
    for (const { id } of [one, other]) await admin.delete(`/api/admin/user/${id}`)
  })

  it.each(['login', 'status', 'phase', 'payoutEnabled'] as const)(
    'sort users by %s in both directions, also across pages',
    async (field) => {
      for (const sort of [field, `-${field}`]) {
        const whole = await users(`?sort=${sort}`)
        const values = whole.map(({ tradingAccount }) => tradingAccount?.[field] ?? null)
        const rank = (value: string | boolean | null) => (value === null ? '' : String(value))
        const ordered = [...values].sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0))
        expect(values, sort).toEqual(sort.startsWith('-') ? ordered.reverse() : ordered)
        expect(idsOf((await walk(ListedUser, `/api/admin/users?sort=${sort}&limit=4`)).flat())).toEqual(idsOf(whole))
      }
    },
  )

  it('filter payouts by any verdict', async () => {
    const answer = await admin.get('/api/admin/payouts?status=decided')
    const listed = read(z.array(AdminPayout), answer)
    expect(listed.every(({ status }) => status !== 'pending')).toBe(true)
    expect(total(answer)).toEqual([String(listed.length), 'exact'])
    const figures = (await stats()).payouts
    expect(listed).toHaveLength(figures.approved + figures.rejected)
    expect(idsOf((await walk(AdminPayout, '/api/admin/payouts?status=decided&limit=3')).flat())).toEqual(idsOf(listed))
  })

  it('find a text in names and request ids, in order across pages', async () => {
    const [payout] = requested
    if (!payout) throw new Error('No payout found')
    const namesake = await eligibleTrader(portal, admin, { fullName: `Ms ${payout.userId.slice(2, 9)}` })
    const theirs: string[] = []
    for (const amount of ['0.50', '99999.00', '4.00']) {
      const answer = await namesake.post('/api/user/payouts', { amount, paymentMethod: 'crypto' })
      theirs.unshift(read(Payout, answer).id)
    }
    const own = requested.filter(({ userId }) => userId === payout.userId)
    const search = payout.userId.slice(2, 9)
    const answer = await admin.get(`/api/admin/payouts?search=${search}`, await portal.atEnd())
    expect(idsOf(read(z.array(AdminPayout), answer))).toEqual([...theirs, ...idsOf(own)])
    expect(total(answer)).toEqual([String(own.length + 3), 'exact'])
    const byAmount = await walk(AdminPayout, `/api/admin/payouts?search=${search}&sort=amount&limit=2`)
    const amounts = byAmount.flat().map(({ amount }) => cents(amount))
    expect(new Set(idsOf(byAmount.flat()))).toEqual(new Set([...theirs, ...idsOf(own)]))
    expect(amounts).toEqual([...amounts].sort((a, b) => a - b))
    for (const id of theirs)
      await admin.patch(`/api/admin/payouts/${id}`, { status: 'rejected', adminNotes: 'For a test' })
    expect(idsOf(await payouts(`?userId=${namesake.id}`))).toEqual(theirs)
    expect(await payouts(`?userId=${namesake.id}&status=pending`)).toEqual([])
    expect(await payouts(`?userId=${payout.userId}&search=${search}&limit=1000`)).toHaveLength(own.length)
  })
})

describe('the stamp of a decision', () => {
  it("has the event's number and time, and for staff the key", async () => {
    const trader = await eligibleTrader(portal, admin)
    const { id } = read(Payout, await trader.post('/api/user/payouts', { amount: '5.00', paymentMethod: 'skrill' }))
    await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
    await admin.patch(`/api/admin/user/${trader.id}/account`, { status: 'under-review', dailyDrawdownLimit: '5%' })
    await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'For a test' })
    await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: false })
    const events = await portal.events(`account-${trader.id}-a1`)
    const stampOf = (type: string, name: string | null) => {
      const event = events.find((each) => each.type === type)
      return {
        number: Number(event?.position),
        at: new Date(event?.at ?? 0).toISOString(),
        by: name === null && type === 'PayoutRequested' ? 'trader' : 'admin',
        name,
      }
    }
    const key = 'ADMIN_ACCESS_KEY'
    const [listed] = await users(`?search=${encodeURIComponent(trader.email)}`)
    expect(listed?.tradingAccount?.stamps).toEqual({
      status: { ...stampOf('AccountStatusChanged', key), reason: null, evidence: null, corrects: null },
      limits: { ...stampOf('RiskLimitsChanged', key), reason: null },
      dailyDrawdownLimit: { ...stampOf('RiskLimitsChanged', key), reason: null },
      overallLossLimit: null,
      profitTarget: null,
      payouts: stampOf('PayoutsEnabled', key),
      phase: null,
    })
    const lifted = (await portal.userEvents(trader.id)).at(-1)
    expect(listed?.banStamp).toMatchObject({ number: Number(lifted?.position), by: 'admin', name: key })
    const [payout] = await payouts(`?userId=${trader.id}`)
    expect(payout?.stamps).toEqual({
      requested: stampOf('PayoutRequested', null),
      decided: stampOf('PayoutApproved', key),
    })
    const own = await trader.get('/api/user/payouts')
    expect(own.body).toMatchObject([
      {
        stamps: {
          requested: stampOf('PayoutRequested', null),
          decided: { ...stampOf('PayoutApproved', key), name: null },
        },
      },
    ])
    expect((await trader.get('/api/user/account')).text + own.text).not.toContain(key)
    await admin.delete(`/api/admin/user/${trader.id}`)
  })
})
