import { describe, expect, it } from 'vitest'
import { DECISION_VERSION } from '#services/rules/decision-version.ts'
import { inDollars } from '#services/rules/money.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { observation } from '#services/rules/observation.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import { arithmeticOf } from './finding-arithmetic.ts'
import { endingOf } from './found.ts'
import { beginStage, stageAfterObservations } from './stage.ts'

const terms = presetTerms('two-step', 50_000)
const [phase] = terms.stages
const withRules = (rules: ProgrammeTerms['stages'][number]['rules']): ProgrammeTerms => ({
  ...terms,
  stages: [{ ...phase, name: 'Phase 1', funded: false, rules }],
})
const trade = (at: string, profit: string, facts: object = {}) => ({
  ...{ at, kind: 'trade', id: at.slice(11, 16), profit, volume: '1.00', ...facts },
})
const transfer = (at: string, amount: string) => ({ at, kind: 'transfer', amount, why: 'fee' })

/** The lines as a person reads them. */
function linesOf(rows: readonly object[], programme = terms) {
  const begun = beginStage(programme, 0, { at: 0, decisions: DECISION_VERSION })
  const stage = stageAfterObservations(
    begun,
    rows.map((row) => observation.parse(row)),
    null,
  )
  const found = endingOf(stage)
  return found ? arithmeticOf(stage, found) : []
}
const read = (lines: ReturnType<typeof linesOf>) =>
  lines.map(({ what, amount }) => (amount === null ? what : `${what}: ${inDollars(amount)}`))

/** The amounts from the start of the day are what was measured, and that is the floor less the difference. */
function expectAddsUp(lines: ReturnType<typeof linesOf>) {
  const of = (...roles: readonly string[]) =>
    lines.reduce((sum, { role, amount }) => sum + (roles.includes(role) ? (amount ?? 0) : 0), 0)
  expect(of('start', 'part', 'rest')).toBe(of('sum'))
  expect(of('floor') - of('sum')).toBe(of('difference'))
}

describe('the arithmetic of a breach', () => {
  it('names the start of the day, each trade and transfer of it, the sum, and by how much the floor is passed', () => {
    const lines = linesOf([
      trade('2026-11-04T09:30:00Z', '586.00'),
      trade('2026-11-05T09:30:00Z', '-1135.00', { symbol: 'EURUSD', side: 'buy' }),
      transfer('2026-11-05T10:00:00Z', '-20.00'),
      trade('2026-11-05T11:30:00Z', '-1515.00'),
    ])
    expect(read(lines)).toEqual([
      'Balance at the start of 5 Nov 2026: $50,586.00',
      'Trade 09:30, EURUSD buy 1.00: -$1,135.00',
      'Transfer: fee: -$20.00',
      'Trade 11:30: -$1,515.00',
      'Balance: $47,916.00',
      'Floor of the daily loss: $48,066.00',
      'Below the floor by: $150.00',
    ])
    expect(lines.map(({ observation: number }) => number)).toEqual([null, 2, 3, 4, null, null, null])
    expectAddsUp(lines)
  })

  it('adds what was open, and the lowest equity of a day row', () => {
    const open = linesOf([
      trade('2026-11-05T09:30:00Z', '-100.00'),
      { at: '2026-11-05T10:00:00Z', kind: 'state', balance: '49900.00', equity: '47500.00', open: true },
    ])
    expect(read(open)).toEqual([
      'Balance at the start of 5 Nov 2026: $50,000.00',
      'Trade 09:30: -$100.00',
      'Open positions: -$2,400.00',
      'Equity: $47,500.00',
      'Floor of the daily loss: $47,500.00',
      'Exactly at the floor: $0.00',
    ])
    const day = linesOf([
      {
        ...{ at: '2026-11-05T20:00:00Z', kind: 'day', date: '2026-11-05', balance: '49500.00', equity: '49500.00' },
        ...{ lowestEquity: '44000.00', highestEquity: '50000.00', trades: 3 },
      },
    ])
    expect(read(day)).toContain('Lowest equity of the day, against its balance: -$5,500.00')
    for (const lines of [open, day]) expectAddsUp(lines)
  })

  it('says the first and the last of many movements, and the sum of the others', () => {
    const minute = (n: number) => new Date(Date.UTC(2026, 10, 5, 9, n)).toISOString()
    const lines = linesOf([
      ...Array.from({ length: 40 }, (_, n) => trade(minute(n), '-10.00', { id: `T${n}` })),
      trade(minute(50), '-2400.00', { id: 'last' }),
    ])
    expect(lines).toHaveLength(15)
    expect(read(lines)).toContain('31 further movements, together: -$310.00')
    expect(read(lines)[11]).toBe('Trade last: -$2,400.00')
    expectAddsUp(lines)
  })

  it('has no computed values in it', () => {
    const lines = linesOf([
      {
        ...{ at: '2026-11-05T09:00:00Z', kind: 'state', balance: '1.00', equity: '1.00', open: false },
        quality: 'computed',
      },
      trade('2026-11-05T09:30:00Z', '-2500.00'),
    ])
    expect(read(lines)).toHaveLength(5)
    expectAddsUp(lines)
  })

  it('says of a rule without a floor what it counted', () => {
    const rules = [{ kind: 'inactivity', days: 3, consequence: 'breach' }] as const
    const lines = linesOf(
      [trade('2026-11-05T09:30:00Z', '1.00'), trade('2026-11-12T09:30:00Z', '1.00')],
      withRules([...rules]),
    )
    expect(read(lines)).toEqual(['No trade in 3 days in a row'])
  })
})

it('names each goal of a stage that is passed, with its figures', () => {
  const rules = withRules([
    { kind: 'profit-target', target: { amount: '100.00' }, measures: 'balance', whileOpen: true },
    { kind: 'minimum-days', days: 2, counts: { what: 'traded', day: 'closed' }, since: 'stage' },
    { kind: 'consistency', share: '60', unit: 'day', profit: 'net', since: 'stage', effect: 'withholds' },
  ])
  expect(
    read(linesOf([trade('2026-11-05T09:30:00Z', '60.00'), trade('2026-11-06T09:30:00Z', '60.00')], rules)),
  ).toEqual([
    'Profit target: balance $50,120.00, at least $50,100.00',
    'Minimum days: 2 counted, at least 2',
    'Consistency: the best day is 50.00% of the profit, at most 60%',
  ])
})
