import { describe, expect, it } from 'vitest'
import { accountIdOf, importId, payoutId, userId } from '#services/framework/ids.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { toCents } from '#services/rules/money.ts'
import { observation } from '#services/rules/observation.ts'
import { begunStage } from '#test-support/begun-stage.ts'
import { givenEvents } from '#test-support/given-when-then.ts'
import { accountStateDecider, type AccountStreamEvent } from './account-aggregate.ts'
import { recordingStatementRows, recordStatementRows, takeNewContent } from './statement-rows.ts'

const statement = importId.parse('statement1')
const account = accountIdOf(userId.parse('trader01'), 1)
const enrolled = begunStage(account, presetTerms('two-step', 100_000))
const given = givenEvents(accountStateDecider)

type Stream = readonly AccountStreamEvent[]
type Rows = Parameters<typeof recordStatementRows>[1]
const transfer = (id: string, amount: string, at = '2026-11-20T09:00:00Z', why = 'withdrawal') =>
  observation.parse({ kind: 'transfer', id, at, amount, why })
const trade = (fields: object = {}) =>
  observation.parse({
    ...{ kind: 'trade', id: 'T1', at: '2026-11-02T11:00:00Z', openedAt: '2026-11-02T10:00:00Z' },
    ...{ profit: '12.50', volume: '0.10', ...fields },
  })
const outcomes = (stream: Stream, ...rows: Rows) =>
  recordStatementRows(given(...stream).state, rows, statement).results.map(({ outcome, reason }) => reason ?? outcome)
const after = (stream: Stream, ...rows: Rows): Stream => [
  ...stream,
  ...recordStatementRows(given(...stream).state, rows, statement).events,
]

const payout = (number: number) => payoutId.parse(`${account}-p${number}`)
const requested = (number: number, amount: number): AccountStreamEvent => ({
  type: 'PayoutRequested',
  data: {
    ...{ payoutId: payout(number), amount: toCents(amount), method: 'paypal', details: 'ada@example.com' },
    ...{ destination: null, idempotency: null },
  },
})
const approved = (number: number, amount: number): AccountStreamEvent => ({
  type: 'PayoutApproved',
  data: {
    ...{ payoutId: payout(number), from: 'pending', amount: toCents(amount), notes: '' },
    ...{ traderReceives: toCents(amount), firmKeeps: toCents(0) },
  },
})

it('lets others have their turn while it decides on many rows', () => {
  const many = Array.from({ length: 5_000 }, (_, n) =>
    trade({ id: String(n), at: new Date(Date.UTC(2026, 10, 2, 11) + n * 1_000).toISOString() }),
  )
  const recording = recordingStatementRows(given(...enrolled).state, many, null)
  let turns = 0
  let step = recording.next()
  for (; !step.done; step = recording.next()) turns += 1
  // Both as it reads them and as it evaluates them.
  expect(turns).toBeGreaterThanOrEqual(20)
  expect(step.value).toEqual(recordStatementRows(given(...enrolled).state, many, null))
})

describe('ledger rows of a statement', () => {
  const opened = '2026-11-01T09:00:00Z'

  it('are read among more trades than a call takes arguments', () => {
    const one = trade()
    const trades = Array.from({ length: 160_000 }, () => one)
    const rows = [transfer('D1', '100000.00', opened, 'deposit'), ...trades]
    const { results } = recordStatementRows(given(...enrolled).state, rows, null)
    expect(results[0]).toMatchObject({ outcome: 'skipped', reason: 'the opening deposit' })
  })

  it('are transfers, but for the first deposit of the size before the first trade', () => {
    const rows = [
      transfer('D1', '100000.00', opened, 'deposit'),
      transfer('D2', '100000.00', opened, 'deposit'),
      trade(),
      transfer('D3', '100000.00', '2026-11-03T09:00:00Z', 'deposit'),
    ]
    const expected = ['the opening deposit', 'transfer', 'recorded', 'transfer']
    expect(outcomes(enrolled, ...rows)).toEqual(expected)
    const stream = after(enrolled, ...rows)
    expect(recordStatementRows(given(...stream).state, rows, null).results.map(({ outcome }) => outcome)).toEqual([
      'skipped',
      'duplicate',
      'duplicate',
      'duplicate',
    ])
    // Where the account has traded before it is no opening.
    expect(outcomes(after(enrolled, trade()), transfer('D3', '100000.00', '2026-11-03T09:00:00Z'))).toEqual([
      'transfer',
    ])
  })

  it('that are approved payouts are passed over, each once, the one decided first before others', () => {
    const [first, second] = [payout(2), payout(1)]
    const requests = [requested(1, 500_00), requested(2, 500_00), requested(3, 70_00)]
    const state = [...enrolled, ...requests, approved(2, 500_00), approved(1, 500_00)]
    const [one, two, three] = [transfer('W1', '-500.00'), transfer('W2', '-500.00'), transfer('W3', '-500.00')]
    expect(outcomes(state, one, two, three, transfer('W4', '-70.00'))).toEqual([
      `the payout ${first}`,
      `the payout ${second}`,
      'transfer',
      'transfer',
    ])
    // In a later file no other row is ever the payout.
    const later = after(state, one)
    expect(outcomes(later, two)).toEqual([`the payout ${second}`])
    expect(outcomes(later, one)).toEqual([`the payout ${first}`])
    expect(outcomes(after(later, two), three)).toEqual(['transfer'])
  })

  it('conflict by their id', () => {
    const state = after(enrolled, transfer('W1', '-10.00'))
    // The same import recorded it: it goes on after a crash. To every other it is known.
    expect(outcomes(state, transfer('W1', '-10.00'))).toEqual(['transfer'])
    expect(recordStatementRows(given(...state).state, [transfer('W1', '-10.00')], null).results).toMatchObject([
      { outcome: 'duplicate' },
    ])
    expect(outcomes(state, transfer('W1', '-11.00'))).toEqual(['The ledger row W1 is known with other content'])
  })
})

describe('the new content of a conflict', () => {
  it('keeps the facts that the statement does not state, and moves the balance', () => {
    const stream = after(enrolled, trade({ symbol: 'EURUSD' }))
    const { state } = given(...stream)
    const [known] = state.stage?.known.list.toArray() ?? []
    const row = { observation: trade({ profit: '13.50' }), known: { observation: known?.now ?? null } }
    const events = takeNewContent(state, [row], 'Corrected')
    expect(events).toMatchObject([
      { type: 'ObservationCorrected', data: { to: { profit: 13_50, symbol: 'EURUSD' }, reason: 'Corrected' } },
      { type: 'BalanceChanged', data: { from: 100_012_50, to: 100_013_50 } },
    ])
    // Once more it changes nothing.
    expect(takeNewContent(given(...stream, ...events).state, [row], 'Corrected')).toEqual([])
  })
})
