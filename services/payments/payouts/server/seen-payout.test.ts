import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AdminPayout, Payout } from '#services/payments/payouts/payout-api.ts'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'

/** Staff decide on what a page shows: a verdict names it, and is refused where the log says something else. */

let portal: Portal
let admin: Browser
let ada: Trader
let thief: Trader

beforeAll(async () => {
  portal = await openPortal({ environment: { METRICS_PORT: '0' } })
  admin = await portal.admin()
  ada = await eligibleTrader(portal, admin)
  thief = await eligibleTrader(portal, admin)
})
afterAll(() => portal.stop())

const NEVER = /^The page showed something that was never recorded, so nothing was decided\./
const CHANGED = 'What the page showed has changed meanwhile. Look at it again before you decide.'

async function requested(trader = ada, email = 'ada@example.com'): Promise<string> {
  const paypal = { paymentMethod: 'paypal', destination: { email } }
  return read(Payout, await trader.post('/api/user/payouts', { amount: '50.00', ...paypal })).id
}

/** What the page shows of a payout now, as its dialog names it. */
async function seen(id: string) {
  const [payout] = read(z.array(AdminPayout), await admin.get(`/api/admin/payouts?search=${id}`, await portal.atEnd()))
  return { amount: payout?.amount, destination: payout?.destinationDigest, name: payout?.user.fullName }
}

const approve = (id: string, shown?: object) =>
  admin.patch(`/api/admin/payouts/${id}`, { status: 'approved', ...(shown && { seen: shown }) })

/** Those of all processes. */
const alarmsOf = async (): Promise<number> => {
  const metrics = await Promise.all(portal.running.each.map(({ meters }) => meters?.forgedRows.get()))
  const values = metrics.flatMap((metric) => metric?.values ?? [])
  return values.reduce((sum, { labels, value }) => sum + (labels.store === 'read models' ? value : 0), 0)
}

describe('a verdict names what the page showed', () => {
  it('and is given where the log says the same, or where it names nothing', async () => {
    const first = await requested()
    expect((await approve(first, await seen(first))).status).toBe(200)
    expect((await approve(await requested())).status).toBe(200)
    expect(await alarmsOf()).toBe(0)
  })

  it.each([
    ['the amount', { amount: '500.00' }],
    ['a tenth of the amount', { amount: '5.00' }],
    ['the trader', { name: 'A Thief' }],
    ['the destination', { destination: '0'.repeat(64) }],
  ])('is refused where %s was never that, with the alarm', async (_, change) => {
    const before = await alarmsOf()
    const id = await requested()
    const answer = await approve(id, { ...(await seen(id)), ...change })
    expect([answer.status, z.object({ message: z.string() }).parse(answer.body).message]).toEqual([
      409,
      expect.stringMatching(NEVER),
    ])
    expect(await alarmsOf()).toBe(before + 1)
    expect((await portal.events(`account-${ada.id}-a1`)).at(-1)?.type).toBe('PayoutRequested')
  })

  it('is refused where the destination is that of another payout', async () => {
    const [id, theirs] = [await requested(), await requested(thief, 'thief@example.com')]
    const { destination } = await seen(theirs)
    expect((await approve(id, { ...(await seen(id)), destination })).status).toBe(409)
  })

  it('is refused without the alarm where the trader had that name before', async () => {
    const before = await alarmsOf()
    const id = await requested()
    const shown = await seen(id)
    expect((await admin.patch(`/api/admin/user/${ada.id}`, { fullName: 'Ada King' })).status).toBe(200)
    const answer = await approve(id, shown)
    expect([answer.status, answer.body]).toEqual([409, { message: CHANGED }])
    expect(await alarmsOf()).toBe(before)
    expect((await approve(id, await seen(id))).status).toBe(200)
  })

  it('also for a payment by hand', async () => {
    const id = await requested()
    const approved = await approve(id, await seen(id))
    const pay = async (shown: object) =>
      admin.patch(`/api/admin/payouts/${id}/payment`, { state: 'paid', reference: 'T-1', seen: shown })
    const shown = await seen(id)
    await admin.get('/api/admin/payouts', after(approved))
    expect((await pay({ ...shown, amount: '500.00' })).status).toBe(409)
    expect((await pay({ ...shown, name: 'A Thief' })).status).toBe(409)
    expect((await pay(shown)).status).toBe(200)
  })
})
