import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ErrorAnswer } from '#services/framework/api/error-schemas.ts'
import { createRepositories } from '#services/event-sourcing/aggregate-repository.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { AccountPayoutTerms, OwnAccount } from '#services/trading/accounts/account-api.ts'
import { accountIdOf, payoutId, userId } from '#services/framework/ids.ts'
import { LedgerEntry } from '#services/trading/accounts/ledger-api.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import type { PayoutTerms } from '#services/rules/payouts.ts'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Answer } from '#test-support/http-client.ts'
import { openPortal, type Trader } from '#test-support/portal.ts'
import { publishedProgramme, watchedTrader } from '#test-support/programme-account.ts'
import { sampleTerms } from '#test-support/terms.ts'
import { Payout, PayoutContext } from '../payout-api.ts'
import { approvePayout } from '#services/trading/stream/payout.ts'

const portal = await openPortal()
const admin = await portal.admin()
afterAll(() => portal.stop())

const accountOf = ({ id }: Pick<Trader, 'id'>) => accountIdOf(userId.parse(id), 1)
const set = (trader: Trader, changes: object) => admin.patch(`/api/admin/accounts/${accountOf(trader)}`, changes)
const decide = (id: string, verdict: object) => admin.patch(`/api/admin/payouts/${id}`, verdict)
const ask = (trader: Trader, amount: string) =>
  trader.post('/api/user/payouts', { amount, paymentMethod: 'paypal', paymentDetails: 'ada@example.com' })
const requested = async (trader: Trader, amount: string) => read(Payout, await ask(trader, amount)).id
const payoutOf = async (trader: Trader, change: Answer) =>
  read(OwnAccount, await trader.get('/api/user/account', after(change))).payout
const eventsOf = async (trader: Trader) => portal.events(`account-${accountOf(trader)}`)

async function fundedTrader(balance: string, payouts: Partial<PayoutTerms> = {}): Promise<Trader> {
  const trader = await eligibleTrader(portal, admin)
  expect((await set(trader, { balance, terms: sampleTerms(payouts) })).status).toBe(200)
  return trader
}

describe('the terms of an account', () => {
  it('are those of its own stage, where a programme has several funded ones', async () => {
    const preset = presetTerms('one-step', 100_000)
    const funded = preset.stages.filter((stage) => stage.funded)
    const scaled = funded.map((stage) => ({ ...stage, name: 'Scaled', payouts: { ...stage.payouts, split: '90' } }))
    const terms = { ...preset, name: 'Instant 100K', stages: [...funded, ...scaled] }
    const { account } = await watchedTrader(portal, admin, await publishedProgramme(admin, terms))
    const { words } = read(AccountPayoutTerms, await admin.get(`/api/admin/accounts/${account}/payout-terms`))
    expect(words.filter(({ title }) => title === "Trader's share")).toEqual([
      { title: "Trader's share", text: '80% of the profit' },
    ])
  })

  it('are set with the balance of that moment, and taken away', async () => {
    const trader = await fundedTrader('104000.00')
    expect((await eventsOf(trader)).slice(-2).map(({ type }) => type)).toEqual(['BalanceChanged', 'TermsSet'])
    const change = await set(trader, { balance: '104500.00' })
    const payout = await payoutOf(trader, change)
    expect(payout).toMatchObject({
      profit: '4500.00',
      available: '4500.00',
      split: '80',
      traderReceives: '3600.00',
      from: null,
      missing: [],
      waiting: '0.00',
      terms: { name: 'Funded 100K', takes: 'request', minimum: '0.00', cap: null },
      events: { payout: null },
    })
    const numbers = new Map((await portal.events()).map(({ position, type }) => [Number(position), type]))
    expect([payout?.events.terms, payout?.events.balance].map((each) => numbers.get(each ?? 0))).toEqual([
      'TermsSet',
      'BalanceChanged',
    ])
    const staffRead = (since: Answer) =>
      admin.get(`/api/admin/accounts/${accountOf(trader)}/payout-terms`, after(since))
    expect(read(AccountPayoutTerms, await staffRead(change))).toMatchObject({
      words: expect.arrayContaining([{ title: "Trader's share", text: '80% of the profit' }]),
      set: { number: payout?.events.terms, by: 'admin' },
      payout,
    })
    const taken = await set(trader, { terms: null })
    expect(await payoutOf(trader, taken)).toBeNull()
    expect(read(AccountPayoutTerms, await staffRead(taken))).toEqual({ set: null, words: [], payout: null })
  })

  it('are absent by default, and change no phase, limit or profit', async () => {
    const trader = await eligibleTrader(portal, admin)
    const before = read(OwnAccount, await trader.get('/api/user/account', await portal.atEnd()))
    expect(before.payout).toBeNull()
    const change = await set(trader, { terms: sampleTerms() })
    const { payout, ...account } = read(OwnAccount, await trader.get('/api/user/account', after(change)))
    expect({ ...account, payout: null }).toEqual(before)
    expect(payout).toMatchObject({ available: '0.00', missing: ['profit', 'breached'] })
  })

  it('are refused with every fault by its place, and nothing is stored', async () => {
    const trader = await eligibleTrader(portal, admin)
    const known = (await eventsOf(trader)).length
    const terms = sampleTerms()
    const [stage] = terms.stages
    const { split: _split, ...payouts } = stage?.payouts ?? {}
    const faulty = { ...terms, currency: 'EUR', stages: [{ ...stage, payouts: { ...payouts, cap: '5', more: 1 } }] }
    const answer = await set(trader, { balance: '1.00', terms: faulty })
    expect(answer.status).toBe(400)
    expect(read(ErrorAnswer, answer).errors).toEqual({
      'terms.currency': 'expected "USD"',
      'terms.stages[0].payouts.split': expect.stringMatching(/^expected a percentage/),
      'terms.stages[0].payouts.cap': expect.stringMatching(/^expected \{ "amount"/),
      'terms.stages[0].payouts.more': 'expected no such field',
    })
    for (const stages of [
      [],
      [stage, stage],
      [{ ...stage, funded: false }],
      [{ name: 'S', funded: false, rules: [] }],
    ]) {
      const refused = await set(trader, { terms: { ...terms, stages } })
      expect([refused.status, Object.keys(read(ErrorAnswer, refused).errors ?? {})[0]]).toEqual([
        400,
        expect.stringMatching(/^terms\.stages/),
      ])
    }
    expect(await eventsOf(trader)).toHaveLength(known)
  })

  it('begin anew when they are set again', async () => {
    const trader = await fundedTrader('104000.00')
    await set(trader, { balance: '10400.00' })
    expect(await payoutOf(trader, await set(trader, { balance: '104000.00' }))).toMatchObject({ missing: ['breached'] })
    expect(await payoutOf(trader, await set(trader, { terms: sampleTerms() }))).toMatchObject({
      available: '4000.00',
      missing: [],
    })
  })

  it('are shown in the account at a moment, with the event that set them', async () => {
    const trader = await fundedTrader('104000.00')
    const story = z.array(z.object({ type: z.string(), changes: z.array(z.unknown()) }))
    const entries = read(story, await trader.get('/api/user/history'))
    expect(entries.find(({ type }) => type === 'TermsSet')?.changes).toEqual([
      { field: 'stage.terms', from: null, to: 'Funded 100K' },
    ])
  })
})

describe('a request under terms', () => {
  it('is refused with what is available, but first where payouts are disabled', async () => {
    const trader = await fundedTrader('104000.00')
    const first = await requested(trader, '3000.00')
    const refused = await ask(trader, '1000.01')
    expect(refused).toMatchObject({
      status: 409,
      body: {
        message: 'The amount is above the $1,000.00 that is available now.',
        payout: { available: '1000.00', traderReceives: '800.00', waiting: '3000.00', missing: [] },
      },
    })
    expect((await eventsOf(trader)).filter(({ type }) => type === 'PayoutRequested')).toHaveLength(1)
    await set(trader, { payoutEnabled: false })
    expect((await ask(trader, '1000.01')).status).toBe(403)
    expect(first).toBe(`${accountOf(trader)}-p1`)
  })

  it.each([
    [
      'below the minimum',
      { minimum: { amount: '100.00' } },
      [],
      '124.99',
      'The amount is below the minimum of the terms.',
    ],
    [
      'of a part, where all is taken',
      { takes: 'everything' as const },
      [],
      '3999.99',
      'The terms allow only the whole available amount: $4,000.00.',
    ],
    [
      'of which nothing is for the trader',
      {},
      [],
      '0.01',
      expect.stringMatching(/^Nothing of this amount would be yours/),
    ],
    [
      'beside another, where days lie between payouts',
      { everyDays: 14 },
      ['1.00'],
      '1.00',
      expect.stringMatching(/^A request waits already/),
    ],
    ['while days are missing', { firstAfterDays: 14 }, [], '1.00', 'Nothing is available for a payout now.'],
  ])('%s is refused with the figures', async (_what, terms, before, amount, message) => {
    const trader = await fundedTrader('104000.00', terms)
    for (const earlier of before) await requested(trader, earlier)
    const refused = await ask(trader, amount)
    expect(refused).toMatchObject({ status: 409, body: { message, payout: { available: expect.any(String) } } })
    expect((await eventsOf(trader)).filter(({ type }) => type === 'PayoutRequested')).toHaveLength(before.length)
  })

  it('reserves what it asks for until it is withdrawn', async () => {
    const trader = await fundedTrader('104000.00')
    const id = await requested(trader, '4000.00')
    const whole = await ask(trader, '1.00')
    expect(whole).toMatchObject({ status: 409, body: { payout: { available: '0.00', missing: ['minimum'] } } })
    const withdrawn = await trader.post(`/api/user/payouts/${id}/withdraw`, {})
    expect([withdrawn.status, withdrawn.body]).toEqual([200, { status: 'withdrawn' }])
    expect((await eventsOf(trader)).at(-1)).toMatchObject({ type: 'PayoutWithdrawn', data: { payoutId: id } })
    expect(await payoutOf(trader, withdrawn)).toMatchObject({ available: '4000.00', waiting: '0.00' })
  })
})

describe('withdrawing a request', () => {
  it('is final, and possible while it waits, for its trader alone', async () => {
    const [trader, stranger] = [await eligibleTrader(portal, admin), await portal.trader()]
    const [id, other] = [await requested(trader, '10.00'), await requested(trader, '20.00')]
    const path = (payout: string) => `/api/user/payouts/${payout}/withdraw`
    expect((await stranger.post(path(id), {})).status).toBe(404)
    expect((await trader.post(path('made-up'), {})).status).toBe(404)
    expect((await trader.post(path(`${accountOf(trader)}-p9`), {})).status).toBe(404)
    expect((await trader.post(path(id), {})).status).toBe(200)
    const WITHDRAWN = { status: 409, body: { message: 'This payout is already withdrawn' } }
    expect(await trader.post(path(id), {})).toMatchObject(WITHDRAWN)
    expect(await decide(id, { status: 'approved' })).toMatchObject(WITHDRAWN)
    expect(await decide(id, { status: 'rejected', adminNotes: 'No' })).toMatchObject(WITHDRAWN)
    const verdict = await decide(other, { status: 'approved' })
    expect(await trader.post(path(other), {})).toMatchObject({
      status: 409,
      body: { message: 'This payout is already approved' },
    })
    const list = await trader.get('/api/user/payouts', after(verdict))
    expect(read(z.array(Payout), list).map(({ status }) => status)).toEqual(['approved', 'withdrawn'])
    const decided = await admin.get(`/api/admin/payouts?status=decided&userId=${trader.id}`)
    expect(read(z.array(z.object({ id: z.string() })), decided)).toHaveLength(2)
  })
})

describe('an approval under terms', () => {
  it('deducts the gross amount, and fixes the parts of trader and firm', async () => {
    const trader = await fundedTrader('104000.01')
    const id = await requested(trader, '4000.01')
    const verdict = await decide(id, { status: 'approved', deduct: false })
    expect((await eventsOf(trader)).slice(-2)).toMatchObject([
      { type: 'PayoutApproved', data: { traderReceives: 320_000, firmKeeps: 80_001 } },
      { type: 'PayoutDeducted', data: { from: 10_400_001, to: 10_000_000 } },
    ])
    const [payout] = read(z.array(Payout), await trader.get('/api/user/payouts', after(verdict)))
    expect(payout).toMatchObject({ traderReceives: '3200.00', firmKeeps: '800.01', deducted: true })
    expect(await payoutOf(trader, verdict)).toMatchObject({ profit: '0.00', events: { payout: expect.any(Number) } })
  })

  it('is reckoned anew at that moment: what fell since is refused, and stays pending', async () => {
    const trader = await fundedTrader('104000.00')
    const id = await requested(trader, '4000.00')
    await set(trader, { balance: '102500.00' })
    const refused = await decide(id, { status: 'approved' })
    expect(refused).toMatchObject({
      status: 409,
      body: { payout: { available: '2500.00', traderReceives: '2000.00', waiting: '0.00' } },
    })
    const list = read(z.array(Payout), await trader.get('/api/user/payouts'))
    expect(list).toMatchObject([{ status: 'pending', traderReceives: null, firmKeeps: null, deducted: false }])
  })

  it('counts by the terms that the account has at that moment', async () => {
    const trader = await fundedTrader('104000.00')
    const id = await requested(trader, '1000.00')
    await set(trader, { terms: sampleTerms({ split: '90' }) })
    const verdict = await decide(id, { status: 'approved' })
    const [payout] = read(z.array(Payout), await trader.get('/api/user/payouts', after(verdict)))
    expect(payout).toMatchObject({ traderReceives: '900.00', firmKeeps: '100.00' })
    const other = await requested(trader, '1000.00')
    await set(trader, { terms: sampleTerms({ cap: { amount: '999.99' } }) })
    expect(await decide(other, { status: 'approved' })).toMatchObject({
      status: 409,
      body: { payout: { available: '999.99' } },
    })
  })

  it('does not subtract other requests that wait', async () => {
    const trader = await fundedTrader('104000.00')
    const [first] = [await requested(trader, '3000.00'), await requested(trader, '1000.00')]
    expect((await decide(first, { status: 'approved' })).status).toBe(200)
  })

  it('that is taken back is for the engine as if never paid', async () => {
    const trader = await fundedTrader('104000.00', { everyDays: 14 })
    const id = await requested(trader, '3000.00')
    const paid = await payoutOf(trader, await decide(id, { status: 'approved' }))
    expect(paid).toMatchObject({ available: '0.00', missing: ['every-days'] })
    await set(trader, { balance: '101500.00' })
    const back = await decide(id, { status: 'rejected', adminNotes: 'Returned' })
    expect(await payoutOf(trader, back)).toMatchObject({
      profit: '4500.00',
      available: '4500.00',
      from: null,
      events: { payout: null },
    })
    const entries = read(LedgerEntry.array(), await trader.get('/api/user/ledger', after(back)))
    expect(entries.map(({ kind, balance }) => [kind, balance])).toEqual([
      ['deposit', '104000.00'],
      ['payout', '101000.00'],
      ['trade-result', '101500.00'],
      ['payout-reversed', '104500.00'],
    ])
  })

  it('of one that was rejected is refused where its profit was paid since', async () => {
    const trader = await fundedTrader('104000.00')
    const first = await requested(trader, '4000.00')
    await decide(first, { status: 'rejected', adminNotes: 'Not now' })
    const second = await requested(trader, '4000.00')
    await decide(second, { status: 'approved' })
    expect(await decide(first, { status: 'approved' })).toMatchObject({
      status: 409,
      body: { payout: { available: '0.00', missing: ['profit'] } },
    })
  })

  it('takes effect for one of two requests over one profit, approved by two processes at the same moment', async () => {
    const trader = await fundedTrader('104000.00')
    const ids = [await requested(trader, '2500.00'), await requested(trader, '1500.00')]
    await set(trader, { balance: '103000.00' })
    const { eventStore, personKeys, secrets } = portal.running.parts
    const processes = ids.map((id) => ({
      id: payoutId.parse(id),
      accounts: createRepositories(eventRegistry, eventStore, personKeys, { secrets }).of(accountStreams),
    }))
    // Both have the same state in memory before either decides.
    for (const each of processes) await each.accounts.load(accountOf(trader))
    const outcomes = await Promise.allSettled(
      processes.map((each) =>
        each.accounts.decide(accountOf(trader), systemContext('test', 'test'), (state) =>
          approvePayout(state, each.id, { now: Date.now() }),
        ),
      ),
    )
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const types = (await eventsOf(trader)).map(({ type }) => type)
    expect(types.filter((type) => type === 'PayoutApproved')).toHaveLength(1)
    expect(types.filter((type) => type === 'PayoutDeducted')).toHaveLength(1)
  })
})

describe('what an approval does', () => {
  const effectOf = async (id: string, change: Answer) =>
    read(PayoutContext, await admin.get(`/api/admin/payouts/${id}/context`, after(change))).effect

  it('is one answer with terms: balance, profit, available, floor, shares and other requests', async () => {
    const trader = await fundedTrader('104000.00')
    const [, id] = [await requested(trader, '1000.00'), await requested(trader, '2500.00')]
    expect(await effectOf(id, await set(trader, { balance: '104200.00' }))).toEqual({
      deducts: 'always',
      balance: { before: '104200.00', after: '101700.00' },
      profit: { before: '4200.00', after: '1700.00' },
      available: '4200.00',
      floor: { before: '90000.00', after: '90000.00' },
      traderReceives: '2000.00',
      firmKeeps: '500.00',
      waiting: { count: 1, total: '1000.00' },
    })
  })

  it('without terms offers the deduction where the balance covers it', async () => {
    const trader = await eligibleTrader(portal, admin)
    await set(trader, { balance: '10600.00', profitLoss: '600.00' })
    const [first, id] = [await requested(trader, '100.00'), await requested(trader, '550.00')]
    const change = await decide(first, { status: 'approved', deduct: true })
    expect(await effectOf(id, change)).toMatchObject({
      deducts: 'possible',
      balance: { before: '10500.00', after: '9950.00' },
      profit: { before: '500.00', after: '-50.00' },
      available: null,
      floor: null,
      traderReceives: '550.00',
      firmKeeps: '0.00',
    })
    expect(await effectOf(first, change)).toBeNull()
    expect(await effectOf(id, await set(trader, { balance: '549.99' }))).toMatchObject({ deducts: 'not-covered' })
  })
})

describe('a hold', () => {
  it('is put on the first payout after a new email, shown with its reason, and released by staff', async () => {
    const trader = await eligibleTrader(portal, admin)
    await trader.patch('/api/user/profile', { email: `new.${trader.email}` })
    const request = await ask(trader, '10.00')
    const { id } = read(Payout, request)
    expect((await eventsOf(trader)).slice(-2).map(({ type }) => type)).toEqual(['PayoutRequested', 'PayoutHoldChanged'])
    const context = read(PayoutContext, await admin.get(`/api/admin/payouts/${id}/context`, after(request)))
    expect(context.payout.hold?.reason).toMatch(/^The email was changed/)
    expect(context.warnings.join()).toContain('On hold: The email was changed')
    const payment = `/api/admin/payouts/${id}/payment`
    expect((await trader.patch(payment, { hold: null })).status).toBe(401)
    expect((await (await portal.auditor()).patch(payment, { hold: null })).status).toBe(403)
    expect((await admin.patch(payment, { hold: ' ' })).status).toBe(400)
    const released = await admin.patch(payment, { hold: null })
    expect([released.status, released.body]).toEqual([200, { payment: null, hold: null }])
    const [payout] = read(z.array(Payout), await trader.get('/api/user/payouts', after(released)))
    expect(payout?.hold).toBeNull()
    expect(await admin.patch(payment, { hold: 'Again' })).toMatchObject({
      status: 200,
      body: { hold: { reason: 'Again' } },
    })
    await decide(id, { status: 'rejected', adminNotes: 'No' })
    expect((await admin.patch(payment, { hold: 'Again' })).status).toBe(409)
  })
})
