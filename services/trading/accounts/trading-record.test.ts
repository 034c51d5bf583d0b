import { describe, expect, it } from 'vitest'
import { DECISION_VERSION } from '#services/rules/decision-version.ts'
import { observation } from '#services/rules/observation.ts'
import { programmeTerms } from '#services/rules/programme.ts'
import { dateOf } from '#services/rules/day-terms.ts'
import { beginStage, type Stage, stageAfterObservations } from '#services/trading/stream/stage.ts'
import { recordRows, type RecordedRows, tradingRecord } from './trading-record.ts'

const limit = { measures: 'equity', touch: 'breach' } as const

/** In New York a trading day begins at 17:00: 22:00 UTC in winter. */
const terms = programmeTerms.parse({
  name: 'Evaluation',
  currency: 'USD',
  accountSize: '10000.00',
  day: { zone: 'America/New_York', startsAt: '17:00' },
  breaches: 'proposed',
  stages: [
    {
      name: 'Phase 1',
      funded: false,
      rules: [
        {
          kind: 'maximum-loss',
          limit: { amount: '1000.00' },
          follows: { value: 'balance', at: 'day-close' },
          locksAbove: null,
          checked: 'every-change',
          consequence: 'breach',
          ...limit,
        },
        {
          kind: 'daily-loss',
          limit: { amount: '300.00' },
          from: 'day-start-balance',
          checked: 'every-change',
          consequence: 'pause',
          ...limit,
        },
        {
          kind: 'daily-loss',
          limit: { amount: '200.00' },
          from: 'day-start-balance',
          checked: 'day-close',
          consequence: 'warning',
          ...limit,
        },
        {
          kind: 'minimum-days',
          days: 3,
          counts: { what: 'profit', atLeast: { amount: '50.00' }, of: 'closed' },
          since: 'stage',
        },
        { kind: 'consistency', share: '50', unit: 'day', profit: 'net', since: 'stage', effect: 'withholds' },
      ],
    },
  ],
})

const trade = (id: string, at: string, profit: string) =>
  observation.parse({ kind: 'trade', id, at, openedAt: at, profit, volume: '1.00' })

const later = Date.parse('2026-02-01T00:00:00Z')

/** Each observation has an event of its own: 101, 102, and so on. */
const recorded = (stage: Stage, earlier?: RecordedRows) =>
  recordRows(
    stage,
    stage.timeline.rows.toArray().map(({ source }) => (typeof source === 'number' ? 100 + source : null)),
    earlier,
  )

function recordOf(rows: readonly ReturnType<typeof trade>[], now = later) {
  const stage: Stage = stageAfterObservations(beginStage(terms, 0, { at: 0, decisions: DECISION_VERSION }), rows, null)
  const { days, ...record } = tradingRecord(stage, recorded(stage), now)
  return { ...record, days: days.map(({ day, ...figures }) => ({ date: dateOf(day), ...figures })) }
}

describe('the record of what an account traded under a programme', () => {
  it('follows the instants of the observations and the trading days of the zone, whatever their order', () => {
    const rows = [
      trade('T3', '2026-01-06T22:30:00Z', '-40.00'),
      trade('T1', '2026-01-05T22:30:00Z', '60.00'),
      trade('T2', '2026-01-06T21:59:59Z', '10.00'),
    ]
    const { days, trades, steps } = recordOf(rows)
    expect(days).toMatchObject([
      { date: '2026-01-05', closing: 1_007_000, result: 7_000, counts: true, trades: 2, hits: [], event: 103 },
      { date: '2026-01-06', closing: 1_003_000, result: -4_000, counts: false, trades: 1, hits: [], event: 101 },
    ])
    expect(trades.map(({ id, balance, event }) => [id, balance, event])).toEqual([
      ['T1', 1_006_000, 102],
      ['T2', 1_007_000, 103],
      ['T3', 1_003_000, 101],
    ])
    expect(steps.map(({ at, change, kind }) => [new Date(at).toISOString(), change, kind])).toEqual([
      ['2026-01-05T22:30:00.000Z', 6_000, 'trade-result'],
      ['2026-01-06T21:59:59.000Z', 1_000, 'trade-result'],
      ['2026-01-06T22:30:00.000Z', -4_000, 'trade-result'],
    ])
  })

  it('takes a transfer for no result', () => {
    const deposit = observation.parse({
      kind: 'transfer',
      at: '2026-01-06T10:00:00Z',
      amount: '500.00',
      why: 'deposit',
    })
    const { days, steps } = recordOf([trade('T1', '2026-01-06T09:00:00Z', '60.00'), deposit])
    expect(days).toMatchObject([{ closing: 1_056_000, result: 6_000, trades: 1 }])
    expect(steps.map(({ change, kind }) => [change, kind])).toEqual([
      [6_000, 'trade-result'],
      [50_000, 'correction'],
    ])
  })

  it('says which limit was reached on which day, also where the end of a day finds it', () => {
    const rows = [
      trade('T1', '2026-01-06T10:00:00Z', '-250.00'),
      trade('T2', '2026-01-07T10:00:00Z', '-310.00'),
      trade('T3', '2026-01-07T11:00:00Z', '120.00'),
      trade('T4', '2026-01-08T11:00:00Z', '-600.00'),
      trade('T5', '2026-01-09T11:00:00Z', '-600.00'),
    ]
    expect(recordOf(rows).days.map(({ date, hits }) => [date, hits])).toEqual([
      ['2026-01-05', [{ rule: 2, state: 'warned', event: 101 }]],
      ['2026-01-06', [{ rule: 1, state: 'paused', event: 102 }]],
      [
        '2026-01-07',
        [
          { rule: 0, state: 'breached', event: 104 },
          { rule: 1, state: 'paused', event: 104 },
        ],
      ],
      ['2026-01-08', []],
    ])
  })

  it('shows what the end of the last day finds once it is over', () => {
    const rows = [trade('T1', '2026-01-06T10:00:00Z', '-250.00')]
    const end = Date.parse('2026-01-06T22:00:00Z')
    const hits = (now: number) => recordOf(rows, now).days.flatMap(({ hits: found }) => found)
    expect(hits(end - 1)).toEqual([])
    expect(hits(end)).toEqual([{ rule: 2, state: 'warned', event: 101 }])
  })

  it('is the same one row after the other as all at once, also for rows that come late', () => {
    const rows = [
      trade('T1', '2026-01-06T10:00:00Z', '60.00'),
      trade('T2', '2026-01-07T10:00:00Z', '-310.00'),
      trade('T4', '2026-01-09T10:00:00Z', '80.00'),
      trade('T3', '2026-01-08T10:00:00Z', '-250.00'),
      trade('T5', '2026-01-10T10:00:00Z', '20.00'),
    ]
    let stage = beginStage(terms, 0, { at: 0, decisions: DECISION_VERSION })
    let earlier = recorded(stage)
    for (const row of rows) {
      stage = stageAfterObservations(stage, [row], null)
      earlier = recorded(stage, earlier)
      expect(earlier).toEqual(recorded(stage))
    }
    expect(earlier.steps).toHaveLength(5)
  })

  it('names the event that each figure follows from', () => {
    const rows = [
      trade('T1', '2026-01-06T10:00:00Z', '100.00'),
      trade('T2', '2026-01-07T10:00:00Z', '40.00'),
      trade('T3', '2026-01-07T11:00:00Z', '-60.00'),
    ]
    // The floors follow the end of the first day; its result is the best and the only one that counts.
    const [first, dayEnd] = [Date.parse('2026-01-06T10:00:00Z'), Date.parse('2026-01-06T22:00:00Z')]
    expect(recordOf(rows).proofs).toEqual([dayEnd, dayEnd, dayEnd, first, first].map((at) => ({ event: 101, at })))
    expect(recordOf([trade('T1', '2026-01-06T10:00:00Z', '-10.00')]).proofs).toEqual([null, null, null, null, null])
    expect(recordOf([])).toEqual({ steps: [], days: [], trades: [], proofs: [null, null, null, null, null] })
  })
})
