import { UserDetails } from '#services/trading/traders/trader-api.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AccountHistory, OwnAccount } from '../account-api.ts'
import { AuditState } from '#services/oversight/audit/audit-api.ts'
import { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import { after, read } from '#test-support/http-calls.ts'
import { openPortal, type Trader } from '#test-support/portal.ts'

const portal = await openPortal()
const admin = await portal.admin()
const auditor = await portal.auditor()
afterAll(() => portal.stop())

const set = (id: string, body: object) => admin.patch(`/api/admin/user/${id}/account`, body)
const eventsOf = async (id: string) =>
  (await portal.events(`account-${id}-a1`)).filter(({ type }) => type !== 'AccountOpened')
const AuditEvents = z.array(AuditEvent)

const occurredAt = '2026-03-03T14:07:00.000Z'
const evidence = { rule: 'daily-drawdown', limit: '5% / $500', value: '-$512.40', occurredAt }
const breach = { status: 'breached', reason: '  The daily drawdown was exceeded ', evidence }

/** The account that its owner sees after this change. */
const shown = async (trader: Trader, change: Awaited<ReturnType<typeof set>>) =>
  read(OwnAccount, await trader.get('/api/user/account', after(change)))

/** A trader with a breached account, and the number of the breach event. */
async function breached() {
  const trader = await portal.trader()
  await set(trader.id, { status: 'active', balance: '9487.60', dailyDrawdownLimit: '5% / $500' })
  const change = await set(trader.id, breach)
  const { stamps } = await shown(trader, change)
  return { trader, number: stamps.status?.number ?? 0 }
}

describe('a breach with evidence', () => {
  it('is one event with reason and evidence, shown to its trader', async () => {
    const { trader, number } = await breached()
    const event = (await eventsOf(trader.id)).at(-1)
    expect(event).toMatchObject({
      type: 'AccountStatusChanged',
      data: {
        from: 'active',
        to: 'breached',
        reason: 'The daily drawdown was exceeded',
        evidence: { ...evidence, occurredAt: Date.parse(occurredAt) },
        corrects: null,
      },
      metadata: { version: 1 },
    })
    expect(number).toBe(Number(event?.position))
    const own = read(OwnAccount, await trader.get('/api/user/account'))
    expect(own.stamps.status).toEqual({
      number,
      at: new Date(event?.at ?? 0).toISOString(),
      by: 'admin',
      name: null,
      reason: 'The daily drawdown was exceeded',
      evidence,
      corrects: null,
    })
    expect(
      read(AuditState, await trader.get(`/api/user/history/state?at=${number}`)).accounts[0]?.account,
    ).toMatchObject({
      status: 'breached',
      balance: '9487.60',
      dailyDrawdownLimit: '5% / $500',
    })
    const { tradingAccount } = read(UserDetails, await admin.get(`/api/admin/user/${trader.id}`))
    expect(tradingAccount?.stamps.status).toMatchObject({ number, name: 'ADMIN_ACCESS_KEY', evidence })
  })

  it('appears in audit, history, export and curve', async () => {
    const { trader, number } = await breached()
    const expected = {
      number,
      type: 'AccountStatusChanged',
      changes: [{ field: 'account.status', from: 'active', to: 'breached' }],
      reason: 'The daily drawdown was exceeded',
      evidence,
    }
    expect(
      read(AuditEvents, await auditor.get(`/api/audit/accounts/${trader.id}/events?from=${number}`)),
    ).toMatchObject([expected])
    expect(
      read(AuditEvents, await auditor.get(`/api/audit/events?from=${number}&to=${number}`, await portal.atEnd())),
    ).toMatchObject([expected])
    expect(read(AuditEvents, await trader.get(`/api/user/history?from=${number}`))).toMatchObject([expected])
    const { text } = await auditor.get(`/api/audit/accounts/${trader.id}/export?format=csv`)
    expect(text).toContain(',The daily drawdown was exceeded,')
    expect(text).toContain(",Daily Drawdown,5% / $500,'-$512.40,2026-03-03T14:07:00.000Z,")
    expect(read(AccountHistory, await trader.get('/api/user/account/history')).markers.at(-1)).toMatchObject({
      label: 'Status: Active to Breached',
      why: 'The daily drawdown was exceeded',
    })
  })

  it('respects the time zone of its evidence', async () => {
    const { id } = await portal.trader()
    await set(id, { status: 'breached', evidence: { ...evidence, occurredAt: '2026-03-03T15:07:00+01:00' } })
    expect((await eventsOf(id)).at(-1)?.data).toMatchObject({
      reason: null,
      evidence: { occurredAt: Date.parse(occurredAt) },
    })
  })

  it('is compared with what the account traded, unless staff say that the record does not show it', async () => {
    const trader = await portal.trader()
    await set(trader.id, {
      ...{ status: 'active', balance: '50000.00', phase: 'Phase 1' },
      ...{ dailyDrawdownLimit: '5% / $2,500', overallLossLimit: '10% / $5,000' },
    })
    const typed = { rule: 'daily-drawdown', limit: '5% / $2,500', value: '-$2,510.00 on the day' }
    const breachOf = (of: object) =>
      set(trader.id, { status: 'breached', evidence: { ...typed, occurredAt: new Date().toISOString(), ...of } })
    const refusal = (says: string) => ({
      status: 409,
      body: { message: expect.stringContaining(says), errors: { 'evidence.value': expect.stringContaining(says) } },
    })
    await set(trader.id, { balance: '47850.00' })
    const events = (await eventsOf(trader.id)).length
    expect(await breachOf({})).toMatchObject(
      refusal('The record says $2,150.00 lost on that day (UTC), of a limit of $2,500.00.'),
    )
    expect(await breachOf({ value: 'far too much' })).toMatchObject(refusal('$2,150.00 lost'))
    expect(await breachOf({ rule: 'overall-loss', value: '-$2,150.00' })).toMatchObject(
      refusal('$2,150.00 lost in this phase, of a limit of $5,000.00'),
    )
    expect(await eventsOf(trader.id)).toHaveLength(events)
    expect((await breachOf({ offRecord: true })).status).toBe(200)
    expect((await eventsOf(trader.id)).at(-1)?.data).toMatchObject({ to: 'breached', evidence: { value: typed.value } })

    await set(trader.id, { status: 'active', balance: '47490.00' })
    expect((await breachOf({ value: '-$2,600.00' })).status).toBe(409)
    expect((await breachOf({})).status).toBe(200)
    await set(trader.id, { status: 'active' })
    expect((await breachOf({ rule: 'other', value: '-$9,000.00' })).status).toBe(200)
    await set(trader.id, { status: 'active' })
    // Nothing was traded on that day.
    const none = refusal('The record says $0.00 lost on that day (UTC), of a limit of $2,500.00.')
    expect(await breachOf({ occurredAt, offRecord: false })).toMatchObject(none)
    expect((await breachOf({ occurredAt })).status).toBe(200)
  })

  it('is refused without a limit, too, where staff say that a record of nothing shows it', async () => {
    const { id } = await portal.trader()
    await set(id, { status: 'active', balance: '10000.00' })
    const lost = (value: string) => ({ ...evidence, limit: 'As agreed', value, offRecord: false })
    for (const value of ['-$510.00', 'far too much']) {
      const answer = await set(id, { status: 'breached', evidence: lost(value) })
      expect(answer).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining('$0.00 lost on that day') },
      })
    }
  })

  it.each([
    [{ status: 'breached', evidence: { ...evidence, rule: 'luck' } }, 'evidence.rule', 'Please select the rule'],
    [{ status: 'breached', evidence: { ...evidence, limit: ' ' } }, 'evidence.limit', 'Please enter the limit'],
    [
      { status: 'breached', evidence: { ...evidence, occurredAt: '2999-01-01T00:00:00Z' } },
      'evidence.occurredAt',
      'This moment is still to come',
    ],
    [{ status: 'active', evidence }, 'evidence', 'Evidence belongs to a breach'],
    [{ profitTarget: '5', evidence }, 'evidence', 'Evidence belongs to a breach'],
    [{ status: 'breached', reason: 'x'.repeat(2001) }, 'reason', 'Must be at most 2000 characters'],
  ])('is refused where it says %j', async (body, field, message) => {
    const { id } = await portal.trader()
    expect(await set(id, { phase: 'Phase 1', ...body })).toMatchObject({
      status: 400,
      body: { message, errors: { [field]: message } },
    })
    expect(await eventsOf(id)).toEqual([])
  })
})

describe('a reason', () => {
  it('is recorded with a review and with new limits', async () => {
    const trader = await portal.trader()
    const change = await set(trader.id, {
      status: 'under-review',
      overallLossLimit: '8%',
      payoutEnabled: true,
      reason: 'Trades of two accounts are alike',
    })
    const { stamps } = await shown(trader, change)
    expect([stamps.status?.reason, stamps.limits?.reason]).toEqual([
      'Trades of two accounts are alike',
      'Trades of two accounts are alike',
    ])
    expect(await eventsOf(trader.id)).toHaveLength(3)
  })

  it('is optional, and ignored when blank', async () => {
    const trader = await portal.trader()
    for (const body of [
      { status: 'breached' },
      { status: 'active', reason: null },
      { status: 'breached', reason: '  ', evidence: null, corrects: null },
    ]) {
      const { stamps } = await shown(trader, await set(trader.id, body))
      expect(stamps.status).toMatchObject({ reason: null, evidence: null, corrects: null })
    }
  })

  it('without a change records nothing', async () => {
    const { trader } = await breached()
    const before = await eventsOf(trader.id)
    for (const body of [
      breach,
      { status: 'breached', reason: 'Another' },
      { reason: 'Alone' },
      { dailyDrawdownLimit: '5% / $500', reason: 'The same' },
    ])
      expect((await set(trader.id, body)).status).toBe(200)
    expect(await eventsOf(trader.id)).toEqual(before)
  })
})

describe('a mistaken breach', () => {
  it('is corrected by a new event that names it', async () => {
    const { trader, number } = await breached()
    const before = await eventsOf(trader.id)
    const change = await set(trader.id, {
      status: 'active',
      reason: 'The price came from a broken feed',
      corrects: number,
    })
    const { status, stamps } = await shown(trader, change)
    expect(status).toBe('active')
    expect(stamps.status).toMatchObject({
      reason: 'The price came from a broken feed',
      evidence: null,
      corrects: number,
    })
    const events = await eventsOf(trader.id)
    expect(events.slice(0, -1)).toEqual(before)
    const old = before.at(-1)
    expect(events.at(-1)?.data).toMatchObject({
      from: 'breached',
      to: 'active',
      corrects: { number, revision: old?.revision },
    })
    const entries = read(AuditEvents, await trader.get(`/api/user/history?from=${number}`))
    expect(entries).toMatchObject([
      { number, evidence },
      { corrects: number, reason: 'The price came from a broken feed' },
    ])
    expect((await auditor.get(`/api/audit/accounts/${trader.id}/export?format=csv`)).text).toContain(`,${number},`)
    expect(read(AccountHistory, await trader.get('/api/user/account/history')).markers.at(-1)?.label).toBe(
      `Status: Breached to Active, corrects #${number}`,
    )
  })

  it.each([
    ['ends the holds that it put on payouts', false, null],
    ['leaves them to the ban of a trader who is banned', true, 'The trader was banned.'],
  ])('once corrected %s', async (_what, isBanned, left) => {
    const trader = await portal.trader()
    await set(trader.id, { status: 'active', balance: '10512.40', profitLoss: '512.40', payoutEnabled: true })
    const payout = { amount: '100.00', paymentMethod: 'paypal', paymentDetails: 'ada@example.com' }
    expect((await trader.post('/api/user/payouts', payout)).status).toBe(201)
    const number = (await shown(trader, await set(trader.id, { status: 'breached' }))).stamps.status?.number ?? 0
    if (isBanned) await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'Asks the bank' })
    const corrected = await set(trader.id, { status: 'active', reason: 'A mistake', corrects: number })
    expect(corrected.status).toBe(200)
    const holds = (await eventsOf(trader.id)).filter(({ type }) => type === 'PayoutHoldChanged')
    expect(holds).toMatchObject([{ data: { to: 'The account was breached.' } }, { data: { to: left } }])
    const listed = await admin.get(`/api/admin/payouts?userId=${trader.id}`, after(corrected))
    expect(listed.body).toMatchObject([{ hold: left === null ? null : { reason: left } }])
  })

  it('is corrected once, however often requested', async () => {
    const { trader, number } = await breached()
    const before = await eventsOf(trader.id)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => set(trader.id, { status: 'active', reason: 'A mistake', corrects: number })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await eventsOf(trader.id)).toHaveLength(before.length + 1)
  })

  it("must be the account's current breach, with a reason", async () => {
    const { trader, number } = await breached()
    const other = await breached()
    const events = await eventsOf(trader.id)
    const correct = (corrects: number, reason?: string) =>
      set(trader.id, { status: 'active', corrects, ...(reason && { reason }) })
    const activated = Number(events.find(({ type }) => type === 'AccountStatusChanged')?.position)
    expect(await correct(activated, 'A mistake')).toMatchObject({
      status: 409,
      body: { errors: { corrects: `Event #${activated} is not the current breach of this account` } },
    })
    for (const foreign of [other.number, 9_999_999])
      expect(await correct(foreign, 'A mistake')).toMatchObject({
        status: 404,
        body: { errors: { corrects: `This account has no event ${foreign}` } },
      })
    expect(await correct(number)).toMatchObject({
      status: 400,
      body: { errors: { reason: 'Please say why the breach was a mistake' } },
    })
    expect(await set(trader.id, { phase: 'Phase 2', corrects: number, reason: 'A mistake' })).toMatchObject({
      status: 400,
    })
    expect(await eventsOf(trader.id)).toEqual(events)
    // After another breach only the new one can be corrected.
    await correct(number, 'A mistake')
    const again = read(OwnAccount, await trader.get('/api/user/account', after(await set(trader.id, breach))))
    expect((await correct(number, 'A mistake')).status).toBe(409)
    expect((await correct(again.stamps.status?.number ?? 0, 'A mistake')).status).toBe(200)
  })
})
