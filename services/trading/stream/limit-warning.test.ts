import { describe, expect, it } from 'vitest'
import { fold } from '#services/event-sourcing/decider.ts'
import { accountIdOf, userId } from '#services/framework/ids.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { toCents } from '#services/rules/money.ts'
import { observation } from '#services/rules/observation.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import { begunStage } from '#test-support/begun-stage.ts'
import { appendedEvents, givenEvents, statusChanged } from '#test-support/given-when-then.ts'
import { type AccountState, accountStateDecider, type AccountStreamEvent } from './account-aggregate.ts'
import { warnOfLimits } from './limit-warning.ts'
import { recordObservations } from './observation.ts'
import { reviewFindings } from './finding.ts'

const given = givenEvents(accountStateDecider)
const account = accountIdOf(userId.parse('trader01'), 1)
const DAY = '2026-03-02'
const noon = (day = DAY) => Date.parse(`${day}T12:00:00Z`)

/** Phase 1 of $100,000.00: at most $5,000.00 a day and $10,000.00 in all. Its days begin at midnight in Prague. */
const terms = presetTerms('two-step', 100_000)
const begun = (of: ProgrammeTerms = terms) => [...begunStage(account, of), statusChanged('pending', 'active')]
const stateAt = (at: string, balance: string, equity = balance) =>
  observation.parse({ at, kind: 'state', balance, equity, open: balance !== equity })

/** The stream once more was observed and reviewed. */
const observed = (stream: readonly AccountStreamEvent[], ...rows: readonly ReturnType<typeof stateAt>[]) => {
  const state = (events: readonly AccountStreamEvent[]) => fold(accountStateDecider, appendedEvents(events))
  const recorded = [...stream, ...recordObservations(state(stream), rows, 'feed').events]
  return [...recorded, ...reviewFindings(state(recorded), noon())]
}
const warn =
  (now = noon()) =>
  (state: AccountState) =>
    warnOfLimits(state, now)

const neared = (index: number, kind: string, floor: number, room: number, limit: number | null, day = DAY) => ({
  type: 'LimitNeared' as const,
  data: {
    ...{ rule: { index, kind }, day, room: toCents(room), floor: toCents(floor) },
    limit: limit === null ? null : toCents(limit),
  },
})

describe('a warning of a limit', () => {
  const near = observed(begun(), stateAt(`${DAY}T09:00:00Z`, '100000.00', '96000.00'))

  it('comes once a fifth of the limit is left, to the cent', () => {
    given(...near)
      .when(warn())
      .then([neared(1, 'daily-loss', 95_000_00, 1_000_00, 5_000_00)])
    given(...observed(begun(), stateAt(`${DAY}T09:00:00Z`, '100000.00', '96000.01')))
      .when(warn())
      .thenNothing()
  })

  it('comes once a day for a limit, whatever is observed later, and again on another day', () => {
    const warned = [...near, neared(1, 'daily-loss', 95_000_00, 1_000_00, 5_000_00)]
    given(...warned)
      .when(warn())
      .thenNothing()
    given(...observed(warned, stateAt(`${DAY}T10:00:00Z`, '100000.00', '95500.00')))
      .when(warn())
      .thenNothing()
    given(...observed(warned, stateAt('2026-03-03T10:00:00Z', '100000.00', '95800.00')))
      .when(warn(noon('2026-03-03')))
      .then([neared(1, 'daily-loss', 95_000_00, 800_00, 5_000_00, '2026-03-03')])
  })

  it('names each limit that is close, of those that the day has left', () => {
    const before = observed(begun(), stateAt('2026-03-01T09:00:00Z', '96000.00'))
    given(...observed(before, stateAt(`${DAY}T09:00:00Z`, '96000.00', '91500.00')))
      .when(warn())
      .then([
        neared(0, 'maximum-loss', 90_000_00, 1_500_00, 10_000_00),
        neared(1, 'daily-loss', 91_000_00, 500_00, 5_000_00),
      ])
  })

  it('does not come for observations of days that are over', () => {
    given(...near)
      .when(warn(noon('2026-03-03')))
      .thenNothing()
  })

  it('does not come where the limit is reached, staff look at the account, or it is over', () => {
    given(...observed(begun(), stateAt(`${DAY}T09:00:00Z`, '100000.00', '94000.00')))
      .when(warn())
      .thenNothing()
    for (const status of ['under-review', 'breached'] as const)
      given(...near, statusChanged('active', status))
        .when(warn())
        .thenNothing()
  })

  it('does not come without a programme, or before anything was observed', () => {
    given(...begun())
      .when(warn())
      .thenNothing()
    given().when(warn()).thenNothing()
  })

  it('names no amount of a limit that is a part of the highest value', () => {
    const rule = {
      ...{ kind: 'maximum-loss' as const, limit: { percent: '10', of: 'high' as const }, locksAbove: null },
      follows: { value: 'balance' as const, at: 'every-change' as const },
      ...{ measures: 'equity' as const, checked: 'every-change' as const, touch: 'breach' as const },
      consequence: 'breach' as const,
    }
    const trailing = { ...terms, stages: terms.stages.map((stage) => ({ ...stage, rules: [rule] })) }
    const stream = observed(begun(trailing), stateAt(`${DAY}T09:00:00Z`, '110000.00'))
    given(...observed(stream, stateAt(`${DAY}T10:00:00Z`, '110000.00', '101000.00')))
      .when(warn())
      .then([neared(0, 'maximum-loss', 99_000_00, 2_000_00, null)])
    expect(given(...stream).state.findings.warned.size).toBe(0)
  })
})
