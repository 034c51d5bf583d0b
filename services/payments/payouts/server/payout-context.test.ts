import { afterAll, describe, expect, it } from 'vitest'
import { Payout, PayoutContext, PayoutSummary } from '../payout-api.ts'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Answer } from '#test-support/http-client.ts'
import { openPortal, type Trader } from '#test-support/portal.ts'
import { OpenedAccount } from '#services/trading/accounts/account-change-api.ts'

const portal = await openPortal()
const admin = await portal.admin()
afterAll(() => portal.stop())

let newest: Answer | undefined

const requested = async (trader: Trader, amount: string, details = 'ada@example.com', account?: string) => {
  const query = account === undefined ? '' : `?account=${account}`
  const body = { amount, paymentMethod: 'paypal', paymentDetails: details }
  newest = await trader.post(`/api/user/payouts${query}`, body)
  return read(Payout, newest).id
}
const approved = (id: string) => admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
/** The context of a payout once the newest request is visible: staff do not wait for what traders do. */
const contextOf = async (id: string) =>
  read(PayoutContext, await admin.get(`/api/admin/payouts/${id}/context`, newest && after(newest)))

async function traderInProfit(): Promise<Trader> {
  const trader = await eligibleTrader(portal, admin)
  const set = (changes: object) => admin.patch(`/api/admin/user/${trader.id}/account`, changes)
  await set({ status: 'active', balance: '10000.00', overallLossLimit: '$1,000' })
  await set({ balance: '10600.00', profitLoss: '600.00' })
  return trader
}

const UNCONFIRMED = 'The email address of the trader is not confirmed.'
const UNCHECKED =
  'Where the money goes is in the words of the trader, and was not checked: most batches do not take it.'

describe('the context of a payout', () => {
  it('is where the account stands, what was paid, and what makes one look twice', async () => {
    const trader = await traderInProfit()
    const first = await requested(trader, '100.00', 'old@example.com')
    await approved(first)
    const rejected = await requested(trader, '20.00')
    await admin.patch(`/api/admin/payouts/${rejected}`, { status: 'rejected', adminNotes: 'A duplicate' })
    const waiting = await requested(trader, '300.00')
    const request = await requested(trader, '400.00')
    const { payout, warnings, standing, others } = await contextOf(request)
    expect(payout).toMatchObject({ id: request, user: { fullName: 'Ada Lovelace' }, account: { balance: '10600.00' } })
    expect(warnings).toEqual([
      'All 2 open requests together, $700.00, are above the $500.00 of profit that is not approved yet.',
      UNCONFIRMED,
      UNCHECKED,
      'The payment details differ from the last payout.',
    ])
    expect(standing).toMatchObject({
      began: { balance: '10000.00' },
      result: { phase: '600.00' },
      rules: [{ kind: 'maximum-loss', room: '1600.00' }],
    })
    expect(others).toMatchObject({
      count: 3,
      approved: { count: 1, total: '100.00' },
      lastApproved: { id: first, paymentDetails: 'old@example.com' },
    })
    expect(others.recent.map(({ id }) => id)).toEqual([waiting, rejected, first])
  })

  it('counts all payouts of the trader, and lists the newest', async () => {
    const trader = await traderInProfit()
    const ids: string[] = []
    for (let number = 0; number < 6; number += 1) ids.push(await requested(trader, '10.00'))
    for (const id of ids.slice(0, 5)) await approved(id)
    const { others } = await contextOf(ids[5] ?? '')
    expect(others).toMatchObject({ count: 5, approved: { count: 5, total: '50.00' }, lastApproved: { id: ids[4] } })
    expect(others.recent).toHaveLength(4)
  })

  it('looks at the account that is asked, and says where money went from any', async () => {
    const trader = await traderInProfit()
    const opened = await admin.post(`/api/admin/user/${trader.id}/accounts`, { status: 'active', balance: '5000.00' })
    const { id: other } = read(OpenedAccount, opened)
    await admin.patch(`/api/admin/accounts/${other}`, { balance: '5100.00', profitLoss: '100.00', payoutEnabled: true })
    await requested(trader, '590.00', 'ada@example.com', `${trader.id}-a1`)
    const request = await requested(trader, '90.00', 'ada@example.com', other)
    const { warnings, standing } = await contextOf(request)
    expect([warnings, standing?.account]).toEqual([[UNCONFIRMED, UNCHECKED], other])
  })

  it('is left of a deleted user', async () => {
    const trader = await traderInProfit()
    const request = await requested(trader, '90.00')
    const deleted = await admin.delete(`/api/admin/user/${trader.id}`)
    const answer = await admin.get(`/api/admin/payouts/${request}/context`, after(deleted))
    expect(read(PayoutContext, answer)).toMatchObject({ warnings: ['The user was deleted.'], standing: null })
    expect(answer.text).not.toMatch(/ada@example|Lovelace/)
  })

  it('is read by staff alone, and there is none of an unknown payout', async () => {
    const trader = await traderInProfit()
    const id = await requested(trader, '90.00')
    await contextOf(id)
    const path = `/api/admin/payouts/${id}/context`
    expect((await trader.get(path)).status).toBe(401)
    expect((await (await portal.auditor()).get(path)).status).toBe(200)
    for (const unknown of ['nobody00-a1-p1', 'made-up', '__proto__'])
      expect((await admin.get(`/api/admin/payouts/${unknown}/context`)).status).toBe(404)
  })
})

describe('the sums behind a request', () => {
  const summaryOf = async (trader: Trader, account?: string, change = newest) =>
    read(
      PayoutSummary,
      await trader.get(
        `/api/user/payouts/summary${account === undefined ? '' : `?account=${account}`}`,
        change && after(change),
      ),
    )
  const nothing = { count: 0, total: '0.00' }

  it('are what the account earned, what waits, what is owed and what the profit still covers', async () => {
    const trader = await traderInProfit()
    const first = await requested(trader, '100.00')
    await requested(trader, '250.50')
    const verdict = await approved(first)
    expect(await summaryOf(trader, undefined, verdict)).toEqual({
      profitLoss: '600.00',
      open: { count: 1, total: '250.50' },
      toBePaid: { count: 1, total: '100.00' },
      paid: nothing,
      lastPaid: null,
      covered: '249.50',
    })
    const transfer = { state: 'paid', reference: 'Transfer 7' }
    expect(
      await summaryOf(trader, undefined, await admin.patch(`/api/admin/payouts/${first}/payment`, transfer)),
    ).toEqual({
      profitLoss: '600.00',
      open: { count: 1, total: '250.50' },
      toBePaid: nothing,
      paid: { count: 1, total: '100.00' },
      lastPaid: { amount: '100.00', paidAt: expect.any(String) },
      covered: '249.50',
    })
  })

  it('are those of one account, and of nobody else', async () => {
    const [trader, stranger] = [await traderInProfit(), await portal.trader()]
    await requested(trader, '90.00')
    const opened = await admin.post(`/api/admin/user/${trader.id}/accounts`, { profitLoss: '-5.00' })
    const { id: other } = read(OpenedAccount, opened)
    expect(await summaryOf(trader, other, opened)).toEqual({
      ...{ profitLoss: '-5.00', open: nothing, toBePaid: nothing, paid: nothing },
      ...{ lastPaid: null, covered: '0.00' },
    })
    expect((await summaryOf(trader, `${trader.id}-a1`, opened)).open).toEqual({ count: 1, total: '90.00' })
    expect((await stranger.get(`/api/user/payouts/summary?account=${other}`)).status).toBe(404)
  })
})
