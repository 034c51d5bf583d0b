import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRepositories } from '#services/event-sourcing/aggregate-repository.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { accountIdOf, userId } from '#services/framework/ids.ts'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { toCents } from '#services/rules/money.ts'
import { after, read } from '#test-support/http-calls.ts'
import type { Answer, RequestOptions } from '#test-support/http-client.ts'
import { openPortal, type Trader } from '#test-support/portal.ts'
import { AccountHistory, OwnAccount } from '../account-api.ts'
import { OpenedAccount } from '../account-change-api.ts'
import { changeAccount } from '#services/trading/stream/account.ts'
import { Standing } from '../standing-api.ts'

const portal = await openPortal()
const admin = await portal.admin()
afterAll(() => portal.stop())

const OWN = '/api/user/account/standing'
const firstAccount = (trader: Trader) => accountIdOf(userId.parse(trader.id), 1)
const set = (trader: Trader, changes: object) => admin.patch(`/api/admin/user/${trader.id}/account`, changes)
const standing = async (trader: Trader, options?: RequestOptions) =>
  read(Standing, await trader.get(OWN, options ?? (await portal.atEnd())))
const limit = ({ rules }: Standing, kind: string) => rules.find((rule) => rule.kind === kind)

const limits = { dailyDrawdownLimit: '5% / $500', overallLossLimit: '10%', profitTarget: '1000' }
const funded = { status: 'active', phase: 'Phase 1', balance: '10000.00', profitLoss: '0.00', ...limits }

/** A trader whose account began with $10,000.00. */
async function fundedTrader(changes: object = funded): Promise<Trader> {
  const trader = await portal.trader()
  await set(trader, changes)
  return trader
}

/** Changes the balance of a trader's first account at an earlier moment. */
async function balanceAt(trader: Trader, at: number, dollars: number): Promise<void> {
  const { eventStore, personKeys, secrets } = portal.running.parts
  await createRepositories(eventRegistry, eventStore, personKeys, { now: () => at, secrets })
    .of(accountStreams)
    .decide(firstAccount(trader), systemContext('test', 'test'), ({ account }) =>
      changeAccount(account, { balance: toCents(dollars * 100) }),
    )
}

async function paidOut(trader: Trader, amount: string): Promise<string> {
  const request = { amount, paymentMethod: 'paypal', paymentDetails: 'ada@example.com' }
  const { id } = read(Payout, await trader.post('/api/user/payouts', request))
  await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved', deduct: true })
  return id
}

describe('the standing of an account', () => {
  it('is a line of the rules now, with the event that set each limit', async () => {
    const trader = await fundedTrader()
    await set(trader, { overallLossLimit: '12%', reason: 'Scaling plan' })
    const change = await set(trader, { balance: '9880.00', profitLoss: '-120.00' })
    const stands = await standing(trader, after(change))
    const set1 = (await portal.events()).filter(
      ({ type, stream }) => type === 'RiskLimitsChanged' && stream === `account-${firstAccount(trader)}`,
    )
    const [first, second] = set1.map(({ position }) => Number(position))
    expect(stands).toMatchObject({
      account: firstAccount(trader),
      balance: '9880.00',
      equity: '9880.00',
      status: 'in-progress',
      nearest: 'daily-loss',
      cause: null,
      payout: null,
      programme: null,
      stage: null,
      terms: null,
      person: null,
      began: { balance: '10000.00' },
      result: { today: '-120.00', phase: '-120.00', total: '-120.00' },
      progress: { target: '1000.00', percent: 0, remaining: '1120.00' },
      agrees: true,
    })
    expect(stands.rules).toEqual([
      {
        kind: 'maximum-loss',
        state: 'kept',
        floor: '8800.00',
        room: '1080.00',
        locked: false,
        amount: '1200.00',
        lost: '120.00',
        event: second,
        percent: 10,
        terms: null,
      },
      {
        kind: 'daily-loss',
        state: 'kept',
        floor: '9500.00',
        room: '380.00',
        amount: '500.00',
        lost: '120.00',
        event: first,
        percent: 24,
        terms: null,
      },
      {
        kind: 'profit-target',
        state: 'open',
        target: '11000.00',
        missing: '1120.00',
        amount: '1000.00',
        lost: '0.00',
        event: first,
        percent: 0,
        terms: null,
      },
    ])
    // Nothing but a balance is known, and that of when it was typed.
    expect(stands.reported).toBeNull()
    expect(Date.parse(stands.at) - Date.parse(stands.asOf ?? '')).toBeLessThan(60_000)
    expect(stands.day).toBe(stands.at.slice(0, 10))
    expect(Date.parse(stands.resetsAt)).toBe(Date.parse(stands.day) + 86_400_000)
    const staff = read(Standing, await admin.get(`/api/admin/accounts/${firstAccount(trader)}/standing`))
    expect({ ...staff, at: stands.at }).toEqual(stands)
  })

  it('stamps each limit with the decision that last changed this one', async () => {
    const trader = await fundedTrader()
    const change = await set(trader, { overallLossLimit: '12%', reason: 'Scaling plan' })
    const { stamps } = read(OwnAccount, await trader.get('/api/user/account', after(change)))
    expect(stamps.overallLossLimit?.reason).toBe('Scaling plan')
    expect(stamps.limits).toEqual(stamps.overallLossLimit)
    expect(stamps.dailyDrawdownLimit).toMatchObject({ reason: null, by: 'admin', name: null })
    expect(stamps.profitTarget?.number).toBe(stamps.dailyDrawdownLimit?.number)
    expect(stamps.dailyDrawdownLimit?.number).toBeLessThan(stamps.overallLossLimit?.number ?? 0)
  })

  it('begins its day at midnight UTC', async () => {
    const trader = await fundedTrader({})
    const midnight = Date.parse((await standing(trader)).day)
    await balanceAt(trader, midnight - 86_400_000, 10_000)
    await balanceAt(trader, midnight - 1, 9_700)
    await balanceAt(trader, midnight, 9_600)
    const stands = await standing(trader, after(await set(trader, { ...limits, balance: '9550.00' })))
    expect(stands.result).toEqual({ today: '-150.00', phase: '-450.00', total: '-450.00' })
    expect(limit(stands, 'daily-loss')).toMatchObject({ floor: '9200.00', room: '350.00', lost: '150.00' })
  })

  it('takes a deducted payout for no loss, and a fall by its amount for one', async () => {
    const trader = await fundedTrader({ ...funded, payoutEnabled: true })
    await set(trader, { balance: '10600.00', profitLoss: '600.00' })
    const payout = await paidOut(trader, '250.00')
    const paid = await standing(trader, after(await set(trader, { profitLoss: '350.00' })))
    expect(paid.result).toEqual({ today: '600.00', phase: '600.00', total: '600.00' })
    expect(limit(paid, 'maximum-loss')).toMatchObject({ floor: '9000.00', room: '1350.00', lost: '0.00' })
    expect(limit(paid, 'daily-loss')).toMatchObject({ floor: '9250.00', lost: '0.00' })
    const rejection = { status: 'rejected', adminNotes: 'Returned by the bank' }
    const back = await standing(trader, after(await admin.patch(`/api/admin/payouts/${payout}`, rejection)))
    expect(back.balance).toBe('10600.00')
    expect(back.result).toEqual(paid.result)
    const lost = await standing(trader, after(await set(trader, { balance: '10350.00' })))
    expect(lost.result.today).toBe('350.00')
  })

  it('loses nothing by a payout of the profit that staff typed with the first balance', async () => {
    const typed = { status: 'active', payoutEnabled: true, balance: '10500.00', profitLoss: '500.00' }
    const trader = await fundedTrader({ ...typed, overallLossLimit: '$1,000', profitTarget: '1000' })
    await paidOut(trader, '400.00')
    const paid = await standing(trader)
    expect(paid).toMatchObject({ balance: '10100.00', began: { balance: '10000.00' } })
    expect(limit(paid, 'maximum-loss')).toMatchObject({ floor: '9000.00', room: '1100.00', lost: '0.00', percent: 0 })
    expect(limit(paid, 'profit-target')).toMatchObject({ target: '10600.00', missing: '500.00' })
    expect(paid.progress).toMatchObject({ remaining: '500.00' })
  })

  it('has no rule for a text that is not understood, nor before the first money', async () => {
    const trader = await fundedTrader({ ...funded, dailyDrawdownLimit: 'As agreed', profitTarget: 'Much' })
    const stands = await standing(trader, await portal.atEnd())
    expect(stands.rules.map(({ kind }) => kind)).toEqual(['maximum-loss'])
    expect([stands.nearest, stands.progress]).toEqual(['maximum-loss', null])
    const poor = await standing(await fundedTrader(limits))
    expect(poor).toMatchObject({ rules: [], nearest: null, began: null, balance: '0.00' })
    expect(poor.progress).toEqual({ target: '1000.00', percent: 0, remaining: '1000.00' })
  })

  it('shows a recorded breach', async () => {
    const trader = await fundedTrader()
    expect(await standing(trader, after(await set(trader, { status: 'breached' })))).toMatchObject({
      status: 'breached',
    })
  })

  it('is of the account that is asked for, else of the current one', async () => {
    const trader = await fundedTrader()
    const opened = await admin.post(`/api/admin/user/${trader.id}/accounts`, { ...funded, balance: '50000.00' })
    const { id } = read(OpenedAccount, opened)
    const balanceOf = async (query: string) => read(Standing, await trader.get(OWN + query, after(opened))).balance
    expect(await balanceOf('')).toBe('50000.00')
    expect(await balanceOf(`?account=${id}`)).toBe('50000.00')
    expect(await balanceOf(`?account=${firstAccount(trader)}`)).toBe('10000.00')
    const staff = await admin.get(`/api/admin/accounts/${id}/standing`, after(opened))
    expect(read(Standing, staff)).toMatchObject({ account: id, balance: '50000.00' })
  })

  it("answers the same 404 for another trader's account, for none, and for one that is made up", async () => {
    const [trader, other] = [await fundedTrader(), await fundedTrader()]
    const strange = [
      firstAccount(other),
      accountIdOf(userId.parse(trader.id), 9),
      'made-up',
      '__proto__',
      'x'.repeat(400),
    ]
    const answers: Answer[] = []
    for (const id of strange) answers.push(await trader.get(`${OWN}?account=${id}`))
    for (const id of strange.slice(1)) answers.push(await admin.get(`/api/admin/accounts/${id}/standing`))
    expect(
      new Set(
        answers.map(
          ({ status, text }) => `${status} ${z.object({ message: z.string() }).parse(JSON.parse(text)).message}`,
        ),
      ),
    ).toEqual(new Set(['404 Account not found']))
  })

  it('is read by its trader, and by staff with any role', async () => {
    const trader = await fundedTrader()
    const path = `/api/admin/accounts/${firstAccount(trader)}/standing`
    expect((await portal.browser().get(OWN)).status).toBe(401)
    expect((await trader.get(path)).status).toBe(401)
    expect((await admin.get(OWN)).status).toBe(401)
    expect((await (await portal.auditor()).get(path, await portal.atEnd())).status).toBe(200)
  })
})

describe('the history of an account', () => {
  it('says what was traded, each day and in each period', async () => {
    const trader = await fundedTrader({ payoutEnabled: true })
    const midnight = Date.parse((await standing(trader)).day)
    const daysAgo = (days: number) => midnight - days * 86_400_000
    const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10)
    await balanceAt(trader, daysAgo(40), 10_000)
    await balanceAt(trader, daysAgo(39), 10_800)
    await balanceAt(trader, daysAgo(3), 10_500)
    await paidOut(trader, '250.00')
    const change = await set(trader, { profitLoss: '250.00' })
    const { points, days, periods } = read(AccountHistory, await trader.get('/api/user/account/history', after(change)))
    expect(points.slice(-5, -1).map(({ balance, traded }) => [balance, traded])).toEqual([
      ['10000.00', '0.00'],
      ['10800.00', '800.00'],
      ['10500.00', '500.00'],
      ['10250.00', '500.00'],
    ])
    expect(days).toEqual([
      { date: dateOf(daysAgo(40)), closing: '10000.00', result: '0.00' },
      { date: dateOf(daysAgo(39)), closing: '10800.00', result: '800.00' },
      { date: dateOf(daysAgo(3)), closing: '10500.00', result: '-300.00' },
      { date: dateOf(midnight), closing: '10250.00', result: '0.00' },
    ])
    expect(periods['7d']).toEqual({
      result: '-300.00',
      best: null,
      worst: { date: dateOf(daysAgo(3)), result: '-300.00' },
      winningDays: 0,
      losingDays: 1,
      deepestFall: '300.00',
      curve: {
        from: expect.any(String),
        ...{ balance: '10800.00', index: points.length - 3, movedOtherwise: true },
        traded: ['-300.00', '-300.00', '-300.00'],
      },
    })
    expect(periods.all).toMatchObject({ result: '500.00', best: { result: '800.00' }, winningDays: 1 })
    expect([periods['30d'].result, periods['90d'].result]).toEqual(['-300.00', '500.00'])
  })
})
