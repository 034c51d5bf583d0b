import { afterAll, describe, expect, it } from 'vitest'
import { POSITION_HEADER } from '#services/framework/api/headers.ts'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { AccountHistory } from '../account-api.ts'
import { accountIdOf, userId } from '#services/framework/ids.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { after, eligibleTrader, read, uploadCertificate } from '#test-support/http-calls.ts'
import { openPortal } from '#test-support/portal.ts'
import { firstEventAt } from '#test-support/recorded-events.ts'
import { until } from '#test-support/until.ts'
import { balanceCurve, MAX_POINTS } from './balance-curve.ts'
import { MAX_MARKERS } from './performance-queries.ts'

const portal = await openPortal()
const admin = await portal.admin()
afterAll(() => portal.stop())

describe('the history of an account', () => {
  it('is the balance over time with numbered decisions', async () => {
    const trader = await eligibleTrader(portal, admin)
    const set = (changes: object) => admin.patch(`/api/admin/user/${trader.id}/account`, changes)
    await set({
      balance: '5000.00',
      profitLoss: '0.00',
      status: 'active',
      phase: 'Phase 1',
      masterPassword: 'not-for-history',
    })
    await set({ balance: '5120.50', profitLoss: '120.50' })
    await set({ dailyDrawdownLimit: '5% / $250' })
    const { id } = read(
      Payout,
      await trader.post('/api/user/payouts', {
        amount: '50.00',
        paymentMethod: 'bank',
        paymentDetails: 'IBAN-NOT-FOR-HISTORY',
      }),
    )
    await admin.patch(`/api/admin/payouts/${id}`, { status: 'rejected', adminNotes: 'Proof of address is missing' })
    await uploadCertificate(admin, { userId: trader.id })
    await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'For a test' })
    const change = await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: false })

    const answer = await admin.get(`/api/admin/user/${trader.id}/account/history`, after(change))
    const { points, markers, olderMarkers } = read(AccountHistory, answer)
    expect(points.map(({ balance, profitLoss }) => [balance, profitLoss])).toEqual([
      ['0.00', '0.00'],
      ['5000.00', '0.00'],
      ['5120.50', '120.50'],
    ])
    expect(points.map(({ number }) => number)).toEqual([...points.map(({ number }) => number)].sort((a, b) => a - b))
    expect(markers.map(({ label, why, stream }) => [label, why, stream])).toEqual([
      ['Account opened', null, 'account'],
      ['Payouts enabled', null, 'account'],
      ['Platform login assigned', null, 'account'],
      ['Phase: none to Phase 1', null, 'account'],
      ['Status: Pending to Active', null, 'account'],
      ['Daily drawdown limit: none to 5% / $250', null, 'account'],
      ['Payout requested: $50.00', null, 'account'],
      ['Payout rejected: $50.00', 'Proof of address is missing', 'account'],
      ['Certificate issued', null, 'account'],
      ['Banned', 'For a test', 'user'],
      ['Ban lifted', null, 'user'],
    ])
    expect(olderMarkers).toBe(0)
    expect(markers.find(({ type }) => type === 'PayoutRejected')).toMatchObject({
      by: 'admin',
      name: 'ADMIN_ACCESS_KEY',
      amount: '50.00',
    })
    expect(answer.text).not.toMatch(/not-for-history|IBAN/i)
    const events = await portal.events()
    for (const { number, type } of markers)
      expect(events.find(({ position }) => Number(position) === number)?.type).toBe(type)
  })

  it('hides from its trader whose key decided', async () => {
    const trader = await portal.trader()
    const change = await admin.patch(`/api/admin/user/${trader.id}/account`, { status: 'active', balance: '10.00' })
    const answer = await trader.get('/api/user/account/history', after(change))
    expect(read(AccountHistory, answer).markers.at(-1)).toMatchObject({
      label: 'Status: Pending to Active',
      to: 'active',
      by: 'admin',
      name: null,
    })
    expect(answer.text).not.toContain('ADMIN_ACCESS_KEY')
  })

  it('includes new events on each request', async () => {
    const trader = await portal.trader()
    for (const balance of ['1.00', '2.00', '3.00']) {
      const change = await admin.patch(`/api/admin/user/${trader.id}/account`, { balance })
      const answers = await Promise.all([1, 2, 3].map(() => trader.get('/api/user/account/history', after(change))))
      for (const answer of answers) expect(read(AccountHistory, answer).points.at(-1)).toMatchObject({ balance })
    }
    expect(read(AccountHistory, await trader.get('/api/user/account/history')).points).toHaveLength(4)
  })

  it("is only its own trader's, and 404 for unknown users", async () => {
    const [trader, other] = [await portal.trader(), await portal.trader()]
    expect((await other.get(`/api/admin/user/${trader.id}/account/history`)).status).toBe(401)
    expect((await admin.get('/api/admin/user/nobody00000/account/history')).status).toBe(404)
    const [auditor, reached] = [await portal.auditor(), await portal.atEnd()]
    expect((await auditor.get(`/api/admin/user/${trader.id}/account/history`, reached)).status).toBe(200)
  })
})

describe('a very long history', () => {
  it('has a bounded curve that keeps its lowest, highest and last point', () => {
    const balanceAt = (n: number) => (n === 7_777 ? -5_000_000 : n === 12_345 ? 9_000_000 : 1_000 + (n % 50))
    const changes = Array.from({ length: 20_000 }, (_, n) => ({
      number: (n + 1) * 10,
      at: firstEventAt + n * 60_000,
      balance: balanceAt(n),
      profitLoss: null,
    }))
    const points = balanceCurve(changes)
    expect(points.length).toBeLessThanOrEqual(MAX_POINTS)
    expect(points.length).toBeGreaterThan(MAX_POINTS / 10)
    expect(Math.min(...points.map(({ balance }) => balance))).toBe(-5_000_000)
    expect(Math.max(...points.map(({ balance }) => balance))).toBe(9_000_000)
    expect(points.at(-1)).toMatchObject({ number: 200_000, balance: 1_000 + (19_999 % 50) })
    const times = points.map(({ at }) => at)
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })

  it('keeps the newest markers and counts the others', async () => {
    const trader = await portal.trader()
    const toggles = Array.from(
      { length: MAX_MARKERS + 29 },
      (_, n) => ({ type: n % 2 === 0 ? 'PayoutsEnabled' : 'PayoutsDisabled', data: {} }) as const,
    )
    // With the opening of the account, there are 30 more than are shown.
    const { position } = await portal.running.parts.repositories
      .of(accountStreams)
      .decide(accountIdOf(userId.parse(trader.id), 1), systemContext('test', 'test'), () => toggles)
    // A slow server needs longer for so many than a request waits: as a browser does, ask again.
    const answer = await until(async () => {
      const answer = await trader.get('/api/user/account/history', { headers: { [POSITION_HEADER]: position } })
      return answer.status !== 503 && answer
    }, 'all markers')
    const { markers, olderMarkers } = read(AccountHistory, answer)
    expect([markers.length, olderMarkers]).toEqual([MAX_MARKERS, 30])
    expect(markers.at(-1)?.number).toBe(Number(position))
  })
})
