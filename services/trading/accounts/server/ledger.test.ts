import { afterAll, describe, expect, it } from 'vitest'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { z } from 'zod'
import { ErrorAnswer } from '#services/framework/api/error-schemas.ts'
import { verifyExport } from '#services/oversight/audit/export-verification.ts'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { openPortal, type Trader } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'
import { LedgerEntry } from '../ledger-api.ts'

const portal = await openPortal({ environment: { SEAL_SECONDS: '1' } })
const admin = await portal.admin()
afterAll(() => portal.stop())

const accountOf = ({ id }: Pick<Trader, 'id'>) => `${id}-a1`
const set = (trader: Trader, changes: object) => admin.patch(`/api/admin/accounts/${accountOf(trader)}`, changes)
const decide = (id: string, verdict: object) => admin.patch(`/api/admin/payouts/${id}`, verdict)

const entriesOf = async (who: Browser, path: string, change: Answer) =>
  read(LedgerEntry.array(), await who.get(path, after(change)))

async function traderInProfit(): Promise<Trader> {
  const trader = await eligibleTrader(portal, admin)
  await set(trader, { status: 'active', balance: '10000.00' })
  await set(trader, { balance: '10600.00' })
  return trader
}

const requested = async (trader: Trader, amount: string) => {
  const body = { amount, paymentMethod: 'paypal', paymentDetails: 'ada@example.com' }
  return read(Payout, await trader.post('/api/user/payouts', body)).id
}

describe('the ledger of an account', () => {
  it('has every cent with its event, oldest first, for its trader and for staff', async () => {
    const trader = await traderInProfit()
    const id = await requested(trader, '250.00')
    await decide(id, { status: 'approved', deduct: true })
    await set(trader, { balance: '10600.00' })
    const change = await decide(id, { status: 'rejected', adminNotes: 'Returned' })
    const entries = await entriesOf(trader, `/api/user/ledger?account=${accountOf(trader)}`, change)
    expect(entries.map(({ kind, amount, balance, payoutId }) => [kind, amount, balance, payoutId])).toEqual([
      ['deposit', '10000.00', '10000.00', null],
      ['trade-result', '600.00', '10600.00', null],
      ['payout', '-250.00', '10350.00', id],
      ['trade-result', '250.00', '10600.00', null],
      ['payout-reversed', '250.00', '10850.00', id],
    ])
    expect(entries.map(({ explained, unexplained }) => [explained, unexplained])).toEqual([
      [null, null],
      ['0.00', '600.00'],
      [null, null],
      ['250.00', '0.00'],
      [null, null],
    ])
    const events = (await portal.events()).filter(({ stream }) => stream === `account-${accountOf(trader)}`)
    const types = new Map(events.map(({ position, type }) => [Number(position), type]))
    expect(entries.map(({ event }) => types.get(event))).toEqual([
      'BalanceChanged',
      'BalanceChanged',
      'PayoutDeducted',
      'BalanceChanged',
      'PayoutBookedBack',
    ])
    expect(await entriesOf(trader, '/api/user/ledger', change)).toEqual(entries)
    expect(await entriesOf(admin, `/api/admin/accounts/${accountOf(trader)}/ledger`, change)).toEqual(entries)
  })

  it('is a file as well', async () => {
    const trader = await traderInProfit()
    const change = await set(trader, { balance: '10550.00' })
    const own = await trader.get('/api/user/ledger.csv', after(change))
    const lines = own.text.trim().split('\r\n')
    expect(lines[0]).toBe('Event,Time,Kind,Amount,Currency,Balance,Payout,Reference,Reason,Explained,Unexplained')
    expect(lines.slice(1).map((line) => line.split(',').slice(2, 6))).toEqual([
      ['deposit', '10000.00', 'USD', '10000.00'],
      ['trade-result', '600.00', 'USD', '10600.00'],
      ['trade-result', '-50.00', 'USD', '10550.00'],
    ])
    const staff = await admin.get(`/api/admin/accounts/${accountOf(trader)}/ledger.csv`, after(change))
    expect(staff.text).toBe(own.text)
    expect((await portal.events(`account-${accountOf(trader)}`)).at(-1)).toMatchObject({
      type: 'HistoryDownloaded',
      data: { format: 'csv' },
      metadata: { actor: { kind: 'admin' } },
    })
  })

  it('is of nobody else, and none is there of an account that is made up', async () => {
    const [trader, stranger] = [await traderInProfit(), await portal.trader()]
    for (const file of ['', '.csv']) {
      expect((await stranger.get(`/api/user/ledger${file}?account=${accountOf(trader)}`)).status).toBe(404)
      expect((await stranger.get(`/api/admin/accounts/${accountOf(trader)}/ledger${file}`)).status).toBe(401)
      expect((await admin.get(`/api/admin/accounts/made-up/ledger${file}`)).status).toBe(404)
    }
  })

  it('adds up in the account at a moment', async () => {
    const trader = await traderInProfit()
    const id = await requested(trader, '250.00')
    const change = await decide(id, { status: 'approved', deduct: true })
    expect((await trader.get('/api/user/history/state', after(change))).body).toMatchObject({
      accounts: [
        {
          account: { balance: '10350.00' },
          ledger: { entries: 3, deposits: '10000.00', tradeResults: '600.00', payouts: '-250.00', sum: '10350.00' },
          payouts: [{ id, status: 'approved', deducted: true, traderReceives: '250.00', firmKeeps: '0.00' }],
        },
      ],
    })
  })
})

describe('a balance that staff type', () => {
  it('that already holds a payout makes no entry, and books it no second time', async () => {
    const trader = await traderInProfit()
    const id = await requested(trader, '250.00')
    await decide(id, { status: 'approved', deduct: true })
    const change = await set(trader, { balance: '10350.00' })
    const entries = await entriesOf(trader, '/api/user/ledger', change)
    expect(entries.map(({ kind }) => kind)).toEqual(['deposit', 'trade-result', 'payout'])
    expect(entries.at(-1)?.balance).toBe('10350.00')
  })
})

describe('an entry that staff book', () => {
  const fee = { kind: 'fee', amount: '-50.00', reference: 'D-7', reason: 'Platform fee of November' }
  const book = (trader: Trader, change: object = {}, who: Browser = admin) =>
    who.post(`/api/admin/accounts/${accountOf(trader)}/ledger`, { ...fee, ...change })

  it('moves the balance, and is shown with reference and reason to trader and staff', async () => {
    const trader = await traderInProfit()
    const answer = await book(trader)
    expect([answer.status, answer.body]).toEqual([
      201,
      { kind: 'fee', amount: '-50.00', balance: '10550.00', reference: 'D-7' },
    ])
    const change = await book(trader, { kind: 'credit', amount: 12.5, reference: 'C-1', reason: 'For the outage' })
    const entries = await entriesOf(trader, '/api/user/ledger', change)
    expect(entries.slice(-2)).toMatchObject([
      { kind: 'fee', amount: '-50.00', balance: '10550.00', reference: 'D-7', reason: fee.reason, explained: null },
      { kind: 'credit', amount: '12.50', balance: '10562.50', reference: 'C-1', reason: 'For the outage' },
    ])
    expect((await trader.get('/api/user/account')).body).toMatchObject({ balance: '10562.50', profitLoss: '0.00' })
    const [, ...lines] = (await trader.get('/api/user/ledger.csv')).text.trim().split('\r\n')
    expect(lines.map((line) => line.split(',').slice(2, 9)).at(-2)).toEqual([
      ...['fee', '-50.00', 'USD', '10550.00', '', 'D-7', fee.reason],
    ])
    const history = read(
      z.array(z.looseObject({ type: z.string() })),
      await admin.get(`/api/audit/accounts/${trader.id}/events`, after(change)),
    )
    expect(history.findLast(({ type }) => type === 'EntryBooked')).toMatchObject({
      changes: [
        { field: 'ledger.kind', to: 'credit' },
        { field: 'ledger.amount', to: '12.50' },
        { field: 'ledger.reference', to: 'C-1' },
        { field: 'account.balance', from: '10550.00', to: '10562.50' },
      ],
      reason: 'For the outage',
    })
    expect((await trader.get('/api/user/history/state')).body).toMatchObject({
      accounts: [{ ledger: { entries: 4, fees: '-50.00', credits: '12.50', sum: '10562.50' } }],
    })
  })

  it('is booked once under its reference, of many requests at the same moment', async () => {
    const trader = await traderInProfit()
    const answers = await Promise.all(Array.from({ length: 8 }, () => book(trader)))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    const events = await portal.events(`account-${accountOf(trader)}`)
    expect(events.filter(({ type }) => type === 'EntryBooked')).toMatchObject([
      { data: { from: 1_060_000, to: 1_055_000, kind: 'fee', reference: 'D-7', reason: fee.reason } },
    ])
    const other = await book(trader, { amount: '-51.00' })
    expect(other).toMatchObject({ status: 409, body: { message: 'Another entry of this account has this reference' } })
  })

  it('is refused with every fault, and to everyone who may not change accounts', async () => {
    const trader = await traderInProfit()
    const faulty = await book(trader, { kind: 'payout', amount: '1.234', reference: ' ', reason: '' })
    expect(faulty.status).toBe(400)
    expect(Object.keys(read(ErrorAnswer, faulty).errors ?? {})).toEqual(['kind', 'amount', 'reference', 'reason'])
    expect(await book(trader, { amount: '50.00' })).toMatchObject({
      status: 400,
      body: { errors: { amount: 'A fee takes money: please enter an amount below 0' } },
    })
    for (const role of ['support', 'payouts', 'auditor'] as const)
      expect((await book(trader, {}, await portal.member(role))).status).toBe(403)
    expect((await book(trader, {}, trader)).status).toBe(401)
    expect((await admin.post('/api/admin/accounts/made-up/ledger', fee)).status).toBe(404)
    expect((await admin.post(`/api/admin/accounts/${trader.id}-a9/ledger`, fee)).status).toBe(404)
  })

  it('is in the export, which the verifier adds up', async () => {
    const trader = await traderInProfit()
    await book(trader)
    const verified = await until(async () => {
      const file = await admin.get(`/api/audit/accounts/${trader.id}/export`)
      const verification = await verifyExport(file.text)
      if (verification.outcome !== 'genuine') return undefined
      const isProven = verification.entries.slice(0, verification.proven).some(({ type }) => type === 'EntryBooked')
      return isProven ? verification : undefined
    }, 'the entry to be proven')
    expect(verified.stateAfter(verified.entries.length)).toMatchObject({
      accounts: [{ ledger: { fees: '-50.00', sum: '10550.00' } }],
    })
  })
})

describe('approving with a deduction', () => {
  const events = async (trader: Trader) =>
    (await portal.events(`account-${accountOf(trader)}`)).slice(-2).map(({ type, data }) => ({ type, data }))

  it('takes the amount off the balance in the same append', async () => {
    const trader = await traderInProfit()
    const id = await requested(trader, '250.00')
    await decide(id, { status: 'approved', deduct: true })
    expect(await events(trader)).toMatchObject([
      { type: 'PayoutApproved', data: { payoutId: id, traderReceives: 25_000, firmKeeps: 0 } },
      { type: 'PayoutDeducted', data: { payoutId: id, from: 1_060_000, to: 1_035_000 } },
    ])
  })

  it('is refused where the balance does not cover it; without a deduction any amount is approved', async () => {
    const trader = await traderInProfit()
    const id = await requested(trader, '10600.01')
    expect(await decide(id, { status: 'approved', deduct: true })).toMatchObject({
      status: 409,
      body: { message: 'The balance of $10,600.00 does not cover this payout' },
    })
    expect(await decide(id, { status: 'approved' })).toMatchObject({ status: 200, body: { status: 'approved' } })
    expect(await events(trader)).toMatchObject([{ type: 'PayoutRequested' }, { type: 'PayoutApproved' }])
  })

  it('is done once, by one of two approvals at the same moment', async () => {
    const trader = await traderInProfit()
    const id = await requested(trader, '250.00')
    const verdicts = await Promise.all([1, 2].map(() => decide(id, { status: 'approved', deduct: true })))
    expect(verdicts.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const types = (await portal.events(`account-${accountOf(trader)}`)).map(({ type }) => type)
    expect(types.filter((type) => type === 'PayoutDeducted')).toHaveLength(1)
  })
})
