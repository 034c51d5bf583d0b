import { afterAll, describe, expect, it } from 'vitest'
import { Notices } from '../notice-api.ts'
import { after, read } from '#test-support/http-calls.ts'
import { openPortal, type Trader } from '#test-support/portal.ts'

const portal = await openPortal({ environment: { SUPPORT_EMAIL: 'help@firm.example' } })
const admin = await portal.admin()
afterAll(() => portal.stop())

const set = (trader: Trader, changes: object) => admin.patch(`/api/admin/user/${trader.id}/account`, changes)
const noticesOf = async (trader: Trader, options = {}) => read(Notices, await trader.get('/api/user/notices', options))
const breach = {
  status: 'breached',
  reason: 'Lost more than a day allows',
  evidence: { rule: 'daily-drawdown', limit: '5% / $500', value: '-$612.40', occurredAt: '2026-03-03T14:07:00Z' },
}

describe('decisions about an account', () => {
  it('are mailed with what happened, why, what next, and a link to the entry', async () => {
    const trader = await portal.trader()
    await set(trader, { status: 'active', phase: 'Phase 1', dailyDrawdownLimit: '5% / $500' })
    await set(trader, { phase: 'Phase 2' })
    await set(trader, { dailyDrawdownLimit: '4% / $400', reason: 'A smaller account' })
    await set(trader, { payoutEnabled: true })
    await set(trader, { status: 'under-review', reason: 'Trades at the opening' })
    await set(trader, breach)
    const event = (await portal.events(`account-${trader.id}-a1`)).findLast(
      ({ type }) => type === 'AccountStatusChanged',
    )
    const number = Number(event?.position)
    await set(trader, { status: 'active', reason: 'The feed was wrong', corrects: number })
    await portal.mailed()
    const mails = await portal.mails(trader.email)
    expect(mails.map(({ subject }) => subject).toSorted()).toEqual([
      'The breach of your account was corrected',
      'The limits of your account were changed',
      'You can request payouts now',
      'Your Proofdesk account is under review',
      'Your Proofdesk account was breached',
      'Your account is in a new phase',
    ])
    const breached = mails.find(({ subject }) => subject?.includes('breached'))?.text ?? ''
    for (const phrase of [
      'Daily Drawdown',
      '5% / $500',
      '-$612.40',
      '3 March 2026, 14:07 UTC',
      breach.reason,
      'contact support at help@firm.example',
    ])
      expect(breached).toContain(phrase)
    expect(breached).toContain(`/history?at=${number}&account=${trader.id}-a1`)
    for (const { text } of mails) expect(text).toMatch(/\/history\?at=\d+&account=/)
  })

  it('are mailed unless their kind was muted; what concerns security always is', async () => {
    const trader = await portal.trader()
    expect((await trader.patch('/api/user/notices', { muted: ['status', 'eligibility'] })).status).toBe(200)
    await set(trader, { ...breach, payoutEnabled: true })
    await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'Account sharing' })
    await portal.mailed()
    expect((await portal.mails(trader.email)).map(({ subject }) => subject)).toEqual([
      'Your Proofdesk account was banned',
    ])
  })

  it('are new until they were seen, on every device; a look without news appends nothing', async () => {
    const trader = await portal.trader()
    expect(await noticesOf(trader)).toEqual({ muted: [], seenUpTo: 0, entries: [] })
    await set(trader, { status: 'active', balance: '5000' })
    const changed = await set(trader, { payoutEnabled: true })
    await trader.post('/api/user/payouts', { amount: '10', paymentMethod: 'paypal' })
    const { entries } = await noticesOf(trader, after(changed))
    // Neither daily balances nor what the trader did.
    expect(entries.map(({ type }) => type)).toEqual(['PayoutsEnabled', 'AccountStatusChanged'])
    for (const { actor } of entries) expect(actor.label).toMatch(/^admin [0-9a-f]{12}$/)
    const newest = entries[0]?.number
    for (let look = 0; look < 2; look++)
      expect((await trader.patch('/api/user/notices', { seenUpTo: newest })).status).toBe(200)
    const other = portal.browser()
    await other.post('/api/login', { email: trader.email, password: trader.password })
    expect(read(Notices, await other.get('/api/user/notices', await portal.atEnd())).seenUpTo).toBe(newest)
    expect(await portal.events(`notices-${trader.id}`)).toHaveLength(1)
  })

  it('refuses kinds and numbers that do not exist', async () => {
    const trader = await portal.trader()
    for (const body of [{ muted: ['passwords'] }, { muted: 'status' }, { seenUpTo: 0 }, { seenUpTo: '7' }])
      expect((await trader.patch('/api/user/notices', body)).status).toBe(400)
  })
})
