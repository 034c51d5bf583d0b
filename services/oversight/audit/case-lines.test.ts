import { describe, expect, it } from 'vitest'
import { fold } from '#services/event-sourcing/decider.ts'
import { accountIdOf, adminKeyId, caseIdOf, payoutId, userId } from '#services/framework/ids.ts'
import { DECISION_VERSION } from '#services/rules/decision-version.ts'
import { toCents } from '#services/rules/money.ts'
import {
  type AccountState,
  accountStateDecider,
  type AccountStreamEvent,
} from '#services/trading/stream/account-aggregate.ts'
import { missDeadlines, openCase, withdrawCase, writeInCase } from '#services/trading/stream/case.ts'
import { decideCase } from '#services/trading/stream/case-decision.ts'
import { rejectPayout, requestPayout } from '#services/trading/stream/payout.ts'
import { caseLines } from './case-lines.ts'
import { type JudgedEvent, verdictsOn } from './verdicts.ts'

const account = accountIdOf(userId.parse('trader01'), 1)
const payout = payoutId.parse(`${account}-p1`)
const id = caseIdOf(account, 1)
const START = Date.UTC(2026, 10, 2, 9, 10)
const HOUR = 3_600_000
const clocks = { answer: 72 * HOUR, appeal: 14 * 24 * HOUR }
const text = 'This payout follows from the terms.'

interface Step {
  readonly hours: number
  readonly staff?: string
  readonly decide: (state: AccountState, now: number) => readonly AccountStreamEvent[]
}

const opened: Step = {
  hours: 0,
  decide: () => [
    { type: 'AccountOpened', data: { accountId: account } },
    { type: 'PayoutsEnabled', data: {} },
  ],
}
const requested: Step = {
  hours: 0,
  decide: (state, now) => {
    const amount = toCents(250_00)
    const request = { amount, method: 'paypal', details: 'a@b.example', destination: null, idempotency: null } as const
    return requestPayout(state, request, now)
  },
}
const rejected: Step = { hours: 0, staff: 'Dana', decide: (state) => rejectPayout(state, payout, 'Not now') }
const objected: Step = {
  hours: 0,
  decide: (state, now) =>
    openCase(state, { about: { payout }, decision: { revision: 3, number: 103 }, text }, now, clocks),
}
const begun = [opened, requested, rejected, objected]
const answer = (hours: number, staff = 'Ben'): Step => ({
  ...{ hours, staff },
  decide: (state, now) => writeInCase(state, id, { from: 'staff', text: 'Which trade?' }, now, clocks),
})
const overdue = (hours: number): Step => ({ hours, decide: (state, now) => missDeadlines(state, now) })
const changed = (hours: number): Step => ({
  ...{ hours, staff: 'Ada' },
  decide: (state, now) => {
    const member = adminKeyId.parse('ada')
    const approver = { member, secondApprovalAbove: null, lapsed: null }
    const decider = { approver, confirmer: { member, needsTwo: false, lapsed: null }, breach: null, isBanned: false }
    return decideCase(state, id, { outcome: 'changed', text: 'Yes', change: { payout: 'approved' } }, decider, now)
  },
})

/** The history of these steps, as the verifier reads it. */
function historyOf(...steps: readonly Step[]) {
  const events: JudgedEvent[] = []
  for (const { hours, staff = null, decide } of steps) {
    const state = fold(
      accountStateDecider,
      events.map(({ event }) => event),
    )
    const at = START + hours * HOUR
    for (const event of decide(state, at)) {
      const revision = events.length
      events.push({ event: { ...event, at, revision, decisions: DECISION_VERSION }, number: 100 + revision, staff })
    }
  }
  return {
    events,
    state: fold(
      accountStateDecider,
      events.map(({ event }) => event),
    ),
  }
}

function line(endsAt: number, ...steps: readonly Step[]): string | undefined {
  const { events, state } = historyOf(...steps)
  // What the portal decided follows from what was recorded.
  const wrong = verdictsOn(account, events, START + endsAt * HOUR).filter(
    ({ outcome }) => outcome === 'does-not-follow',
  )
  expect(wrong).toEqual([])
  return caseLines(state, events, START + endsAt * HOUR)[0]
}

const OPENED = `Case ${id}: opened 2 Nov 2026, 09:10 UTC`

describe('the line of a case', () => {
  it('"opened …; answered …; decided …, changed; by 2 members; every deadline was kept"', () => {
    expect(line(90, ...begun, answer(24), changed(48))).toBe(
      `${OPENED}; answered 3 Nov 2026, 09:10 UTC; decided 4 Nov 2026, 09:10 UTC, changed; by 2 members; every deadline was kept.`,
    )
  })

  it('says that it is open, and how many deadlines were missed', () => {
    expect(line(1, ...begun)).toBe(`${OPENED}; open; every deadline was kept.`)
    expect(line(73, ...begun, overdue(73))).toBe(`${OPENED}; open; 1 deadline was missed.`)
    expect(line(80, ...begun, answer(80))).toBe(
      `${OPENED}; answered 5 Nov 2026, 17:10 UTC; by 1 member; 1 deadline was missed.`,
    )
    const written: Step = {
      hours: 80,
      decide: (state, now) => writeInCase(state, id, { from: 'trader', text: 'Hello?' }, now, clocks),
    }
    expect(line(200, ...begun, overdue(73), written, overdue(153))).toContain('2 deadlines were missed.')
  })

  it('counts a deadline of which no entry tells', () => {
    const { events, state } = historyOf(...begun)
    expect(caseLines(state, events, START + 73 * HOUR)).toEqual([`${OPENED}; open; 1 deadline was missed.`])
  })

  it('says that it was withdrawn', () => {
    const withdrawn: Step = { hours: 5, decide: (state, now) => withdrawCase(state, id, now) }
    expect(line(9, ...begun, withdrawn)).toBe(`${OPENED}; withdrawn 2 Nov 2026, 14:10 UTC; every deadline was kept.`)
  })
})

describe('what no decision gives', () => {
  const forged = (data: Partial<Extract<AccountStreamEvent, { type: 'CaseDecided' }>['data']>): Step => ({
    ...{ hours: 10, staff: 'Ada' },
    decide: () => [
      {
        type: 'CaseDecided',
        data: {
          case: id,
          outcome: 'changed',
          change: { payout: 'approved' },
          text: 'Yes',
          made: 1,
          before: null,
          ...data,
        },
      },
    ],
  })

  it('is told: a change that was not made, a deadline that had not passed, an answer after the end', () => {
    const early: Step = { hours: 1, decide: () => [{ type: 'CaseOverdue', data: { case: id, due: START + HOUR } }] }
    const late: Step = {
      ...{ hours: 20, staff: 'Ben' },
      decide: () => [{ type: 'CaseMessageWritten', data: { case: id, from: 'staff', text: 'Late', answerBy: null } }],
    }
    for (const steps of [
      [...begun, forged({})],
      [...begun, early],
      [...begun, changed(5), late],
    ]) {
      const { events } = historyOf(...steps)
      const verdicts = verdictsOn(account, events, START + 30 * HOUR)
      expect(verdicts.some(({ outcome }) => outcome === 'does-not-follow')).toBe(true)
    }
  })
})
