import { z } from 'zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { LedgerEntry } from '#services/trading/accounts/ledger-api.ts'
import { IssuedAccessKey } from '#services/identity/staff/staff-api.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { AccountObservation } from '#services/trading/observations/observation-api.ts'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { type Member, openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { publishedProgramme, tradeAt, watchedTrader } from '#test-support/programme-account.ts'
import { AdminPayout, ListedPayout, Payout } from '../payout-api.ts'

/** Reasons of rejections over HTTP (cases.md, "Reasons"). */

let portal: Portal
let admin: Browser
let dana: Member
let robin: Member
let programme: string

beforeAll(async () => {
  portal = await openPortal({ environment: { SECOND_APPROVAL_ABOVE: '1000.00' } })
  admin = await portal.admin()
  dana = await portal.member('payouts', { name: 'Dana' })
  robin = await portal.member('payouts', { name: 'Robin' })
  const terms = presetTerms('one-step', 100_000)
  const [stage] = terms.stages.filter(({ funded }) => funded)
  if (!stage?.funded) throw new Error('The preset has no funded stage')
  const payouts = { ...stage.payouts, firstAfterDays: 0, everyDays: 0 }
  programme = await publishedProgramme(admin, { ...terms, name: 'Instant 100K', stages: [{ ...stage, payouts }] })
})
afterAll(() => portal.stop())

const ask = async (trader: Trader, amount: string) =>
  read(Payout, await trader.post('/api/user/payouts', { amount, paymentMethod: 'paypal' })).id
const reject = (id: string, reasons: object = {}, who: Browser = dana): Promise<Answer> =>
  who.patch(`/api/admin/payouts/${id}`, { status: 'rejected', adminNotes: 'Copied trades', ...reasons })
const approve = (id: string, who: Browser = dana) => who.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
const ownPayout = async (trader: Trader, change: Answer) =>
  read(z.array(ListedPayout), await trader.get('/api/user/payouts', after(change)))[0]
const listed = async (id: string, change: Answer) =>
  read(z.array(AdminPayout), await admin.get(`/api/admin/payouts?search=${id}`, after(change)))[0]

/** A trader under a programme who won $4,000.00 and asks for some of it. */
async function wonTrader(amount = '1000.00') {
  const { trader, account, observe } = await watchedTrader(portal, admin, programme)
  const at = new Date(Date.now() - 1000).toISOString()
  expect(await observe([tradeAt('W1', at, '4000.00')])).toMatchObject({ body: [{ outcome: 'recorded' }] })
  const observed = read(z.array(AccountObservation), await admin.get(`/api/admin/accounts/${account}/observations`))
  const [won] = observed
  if (!won) throw new Error('Nothing was observed')
  return { trader, account, won, id: await ask(trader, amount) }
}

describe('a rejection', () => {
  it('without a reason is for another one, and leaves the money', async () => {
    const trader = await eligibleTrader(portal, admin)
    const asked = await trader.post('/api/user/payouts', { amount: '50.00', paymentMethod: 'paypal' })
    const { id, ...undecided } = read(Payout, asked)
    expect(undecided).toMatchObject({ code: null, money: null, evidence: [] })
    const done = await reject(id)
    expect([done.status, done.body]).toEqual([200, { status: 'rejected' }])
    for (const payout of [await ownPayout(trader, done), await listed(id, done)])
      expect(payout).toMatchObject({ code: 'other', money: 'stays', evidence: [] })
  })

  it('for a rule names what shows it, with its entry, to trader and staff', async () => {
    const { trader, account, won, id } = await wonTrader()
    const refused = await reject(id, { code: 'rule' })
    expect(refused).toMatchObject({ status: 400, body: { errors: { evidence: expect.any(String) } } })
    const done = await reject(id, { code: 'rule', evidence: [{ observation: won.id }] })
    expect(done.status).toBe(200)
    const evidence = [{ observation: `${account}-o1`, event: won.event }]
    for (const payout of [await ownPayout(trader, done), await listed(id, done)])
      expect(payout).toMatchObject({ code: 'rule', money: 'stays', evidence })
    const entry = (await portal.events()).find(({ position }) => Number(position) === won.event)
    expect(entry?.type).toBe('ObservationsRecorded')
  })

  it.each<[what: string, reasons: object, path: string]>([
    ['a code that is none', { code: 'luck' }, 'code'],
    ['the code that only the portal gives', { code: 'order-refunded' }, 'code'],
    [
      'an observation that was not recorded',
      { evidence: [{ observation: 'trader01-a1-o9' }] },
      'evidence[0].observation',
    ],
    ['a finding that was not raised', { evidence: [{ finding: 'trader01-a1-f1' }] }, 'evidence[0].finding'],
    ['neither a finding nor an observation', { evidence: [{}] }, 'evidence[0]'],
    ['both', { evidence: [{ finding: 'trader01-a1-f1', observation: 'trader01-a1-o1' }] }, 'evidence[0]'],
    ['another fate of the money', { money: 'kept' }, 'money'],
    ['a forfeit without a code', { money: 'forfeited' }, 'money'],
    ['a forfeit for a mistake', { code: 'mistake', money: 'forfeited' }, 'money'],
    ['an approval', { status: 'approved', code: 'identity' }, 'code'],
  ])('is refused with %s, and nothing is recorded', async (_, reasons, path) => {
    const trader = await eligibleTrader(portal, admin)
    const id = await ask(trader, '50.00')
    expect(await reject(id, reasons)).toMatchObject({ status: 400, body: { errors: { [path]: expect.any(String) } } })
    expect((await portal.events(`account-${trader.id}-a1`)).at(-1)?.type).toBe('PayoutRequested')
  })

  it("does not name another trader's observation", async () => {
    const [one, other] = [await wonTrader(), await wonTrader()]
    expect(await reject(one.id, { code: 'identity', evidence: [{ observation: other.won.id }] })).toMatchObject({
      ...{ status: 400, body: { errors: { 'evidence[0].observation': expect.any(String) } } },
    })
  })
})

describe('a forfeit', () => {
  it('leaves the account in the append of its rejection, and comes back with the approval', async () => {
    const { trader, account, id } = await wonTrader()
    const done = await reject(id, { code: 'identity', money: 'forfeited' })
    expect(done.body).toEqual({ status: 'rejected' })
    expect(await ownPayout(trader, done)).toMatchObject({ code: 'identity', money: 'forfeited' })
    const own = read(OwnAccount, await trader.get('/api/user/account', after(done)))
    expect([own.balance, own.payout?.profit]).toEqual(['103000.00', '3000.00'])
    const [rejection, forfeit] = (await portal.events(`account-${account}`)).slice(-2)
    expect([rejection?.type, forfeit?.type]).toEqual(['PayoutRejected', 'PayoutForfeited'])
    const back = await approve(id)
    expect(back.body).toEqual({ status: 'approved' })
    expect(await ownPayout(trader, back)).toMatchObject({ code: null, money: null, evidence: [], status: 'approved' })
    const entries = read(z.array(LedgerEntry), await trader.get(`/api/user/ledger?account=${account}`, after(back)))
    expect(entries.slice(-3).map(({ kind, amount, payoutId }) => [kind, amount, payoutId])).toEqual([
      ['forfeit', '-1000.00', id],
      ['forfeit-reversed', '1000.00', id],
      ['payout', '-1000.00', id],
    ])
  })

  it('is refused where the balance does not cover it', async () => {
    const trader = await eligibleTrader(portal, admin)
    const id = await ask(trader, '50.00')
    expect((await admin.patch(`/api/admin/accounts/${trader.id}-a1`, { balance: '49.99' })).status).toBe(200)
    expect((await reject(id, { code: 'identity', money: 'forfeited' })).status).toBe(409)
  })

  it('above SECOND_APPROVAL_ABOVE needs a second member; the trader does not hear of the first', async () => {
    const { trader, account, id } = await wonTrader('2000.00')
    const reasons = { code: 'identity', money: 'forfeited' }
    const first = await reject(id, reasons)
    expect([first.status, first.body]).toEqual([200, { status: 'pending' }])
    expect(await listed(id, first)).toMatchObject({
      ...{ status: 'pending', code: null, firstForfeit: { name: 'Dana', member: dana.id }, firstApproval: null },
    })
    for (const path of ['/api/user/payouts', `/api/user/history?account=${account}`])
      expect((await trader.get(path, after(first))).text).not.toMatch(/FirstForfeited|firstForfeit|Dana/)
    expect((await reject(id, reasons)).status).toBe(409)
    expect((await reject(id, reasons, robin)).body).toEqual({ status: 'rejected' })
    expect((await portal.events(`account-${account}`)).slice(-3).map(({ type }) => type)).toEqual([
      'PayoutFirstForfeited',
      'PayoutRejected',
      'PayoutForfeited',
    ])
  })

  it('is not given by a member with a key of the first, and ended by any other verdict', async () => {
    const { id } = await wonTrader('2000.00')
    const reasons = { code: 'identity', money: 'forfeited' }
    expect((await reject(id, reasons, admin)).body).toEqual({ status: 'pending' })
    const issued = await admin.post('/api/admin/staff', { name: 'A helper', role: 'payouts' })
    const helper = portal.browser()
    await helper.post('/api/admin/login', { accessKey: read(IssuedAccessKey.required(), issued).accessKey })
    expect(await reject(id, reasons, helper)).toMatchObject({ status: 409 })
    const approved = await approve(id)
    expect(approved.body).toEqual({ status: 'pending' })
    expect(await listed(id, approved)).toMatchObject({ firstForfeit: null, firstApproval: { name: 'Dana' } })
    const rejected = await reject(id, {}, robin)
    expect(await listed(id, rejected)).toMatchObject({ status: 'rejected', money: 'stays' })
  })
})
