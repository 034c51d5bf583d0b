import { describe, expect, it } from 'vitest'
import { fold } from '#services/event-sourcing/decider.ts'
import { accountIdOf, payoutId, userId } from '#services/framework/ids.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { toCents } from '#services/rules/money.ts'
import { observation } from '#services/rules/observation.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import { begunStage } from '#test-support/begun-stage.ts'
import { accountStateDecider, type AccountState, type AccountStreamEvent } from './account-aggregate.ts'
import { decideAgain } from './decide-again.ts'
import {
  approvePayout,
  holdPayout,
  movePayoutPayment,
  overduePayouts,
  type PayoutRequest,
  rejectPayout,
  requestPayout,
  withdrawPayout,
} from './payout.ts'
import { deadlineOf, overdueOf } from './payout-promise.ts'

/** "Clocks" of cases.md, on an account whose requests are promised 24 and 48 hours. */

const account = accountIdOf(userId.parse('trader01'), 1)
const id = payoutId.parse(`${account}-p1`)
const START = Date.parse('2026-03-20T00:00:00Z')
const HOUR = 3_600_000
const promised = { decidedWithinHours: 24, sentWithinHours: 48 }
const request: PayoutRequest = {
  ...{ amount: toCents(1_000_00), method: 'paypal', details: '', destination: null, idempotency: null },
}

type Decide = (state: AccountState, now: number) => readonly AccountStreamEvent[]
/** What is decided, so many hours after the beginning. */
type Step = readonly [hours: number, decide: Decide]

const ask: Decide = (state, now) => requestPayout(state, request, now, null, promised)
const approve: Decide = (state, now) => approvePayout(state, id, { now })
const reject: Decide = (state, now) => rejectPayout(state, id, 'No', {}, undefined, now)
const hold =
  (reason: string | null): Decide =>
  (state) =>
    holdPayout(state, id, reason)
const pay: Decide = (state, now) => movePayoutPayment(state, id, { kind: 'pay-by-hand', reference: 'T1' }, now)
const comeBack: Decide = (state, now) => movePayoutPayment(state, id, { kind: 'return', reason: 'closed' }, now)
const tick: Decide = (state, now) => overduePayouts(state, now)

const opened: AccountStreamEvent[] = [
  { type: 'AccountOpened', data: { accountId: account } },
  { type: 'PayoutsEnabled', data: {} },
]

/** The events of these steps; each is also decided again, as a verifier does. */
function recorded(steps: readonly Step[], before: readonly AccountStreamEvent[] = opened) {
  const events = before.map((event, revision) => ({ ...event, at: START, revision }))
  for (const [hours, decide] of steps) {
    const at = START + Math.round(hours * HOUR)
    const state = fold(accountStateDecider, events)
    const from = events.length
    for (const event of decide(state, at)) events.push({ ...event, at, revision: events.length })
    if (events.length > from)
      expect(decideAgain(state, events, from)).toEqual({ events: events.length - from, refusal: null })
  }
  return events
}

function after(...steps: readonly Step[]) {
  const events = recorded(steps)
  const payout = fold(accountStateDecider, events).payouts.list.get(id)
  if (!payout) throw new Error('Nothing was requested')
  return {
    payout,
    deadline: deadlineOf(payout),
    overdue: overdueOf(payout),
    missed: payout.promise?.missed,
    told: events.flatMap(({ type, data }) => (type === 'PayoutOverdue' ? [data] : [])),
  }
}

describe('a promise', () => {
  it('is counted from the request, and then from the approval in force', () => {
    expect(after([0, ask]).deadline).toEqual({ of: 'decision', due: START + 24 * HOUR })
    expect(after([0, ask], [10, approve]).deadline).toEqual({ of: 'sending', due: START + 58 * HOUR })
    expect(after([0, ask], [10, approve], [11, reject]).payout.promise?.sendBy).toBeNull()
    expect(after([0, ask], [10, approve], [11, reject], [20, approve]).deadline?.due).toBe(START + 68 * HOUR)
  })

  it('is that of the terms, and nothing where they promise nothing', () => {
    const preset = presetTerms('two-step', 100_000)
    const stages = (more: object): ProgrammeTerms['stages'] =>
      preset.stages.map((stage) => (stage.funded ? { ...stage, ...more } : stage))
    const won: AccountStreamEvent = {
      type: 'ObservationsRecorded',
      data: {
        ...{ first: 1, source: 'feed', importId: null },
        observations: [
          observation.parse({ at: '2026-03-02T20:00:00Z', kind: 'trade', id: 'W', profit: '4000.00', volume: '1.00' }),
        ],
      },
    }
    const asked = (more: object) => {
      const begun = begunStage(account, { ...preset, stages: stages(more) }, preset.stages.length - 1)
      const events = recorded([[0, ask]], [...begun, { type: 'PayoutsEnabled', data: {} }, won])
      return fold(accountStateDecider, events).payouts.list.get(id)?.promise?.hours
    }
    expect(asked({ promises: { decidedWithinHours: 1, sentWithinHours: 2 } })).toEqual({
      ...{ decidedWithinHours: 1, sentWithinHours: 2 },
    })
    expect(asked({})).toBeUndefined()
  })

  it('that is kept says nothing', () => {
    expect(after([0, ask], [24, approve], [72, pay], [100, tick])).toMatchObject({
      overdue: null,
      missed: [],
      told: [],
    })
  })

  it('is overdue once an entry says so, once for each, until it is done', () => {
    const told = { payoutId: id, of: 'decision', due: START + 24 * HOUR }
    expect(after([0, ask], [24, tick])).toMatchObject({ overdue: null, told: [] })
    expect(after([0, ask], [24.01, tick], [30, tick])).toMatchObject({ overdue: 'decision', told: [told], missed: [] })
    expect(after([0, ask], [24.01, tick], [30, reject], [90, tick])).toMatchObject({
      ...{ overdue: null, told: [told], missed: [{ of: 'decision', seconds: 6 * 3600 }] },
    })
  })

  it('that is done late is recorded in the append that does it, in seconds rounded up', () => {
    const late = 24 + 0.5 / 3600
    expect(after([0, ask], [late, approve])).toMatchObject({ missed: [{ of: 'decision', seconds: 1 }] })
    expect(after([0, ask], [10, approve], [60, pay])).toMatchObject({
      ...{ overdue: null, missed: [{ of: 'sending', seconds: 2 * 3600 }] },
      told: [{ payoutId: id, of: 'sending', due: START + 58 * HOUR }],
    })
  })

  it('is not asked of a verdict that overrules the first, nor of a payment that comes back', () => {
    expect(after([0, ask], [10, reject], [100, approve]).told).toEqual([])
    expect(after([0, ask], [10, approve], [20, pay], [30, comeBack], [200, tick])).toMatchObject({
      told: [],
      missed: [],
    })
  })

  it('ends with a withdrawal', () => {
    expect(after([0, ask], [10, (state) => withdrawPayout(state, id)], [100, tick])).toMatchObject({
      ...{ deadline: null, told: [] },
    })
  })

  it('is stopped by a hold, whose length is added when it ends', () => {
    expect(after([0, ask], [20, hold('Asks')], [30, tick])).toMatchObject({ deadline: null, told: [] })
    expect(after([0, ask], [20, hold('Asks')], [25, hold('Still')], [30, hold(null)]).deadline?.due).toBe(
      START + 34 * HOUR,
    )
    expect(after([0, ask], [25, tick], [26, hold('Asks')]).overdue).toBeNull()
    expect(after([0, ask], [20, hold('Asks')], [60, approve])).toMatchObject({ missed: [], told: [] })
    expect(after([0, ask], [20, hold('Asks')], [60, approve], [70, hold(null)]).deadline?.due).toBe(START + 118 * HOUR)
  })

  it('is not missed by a clock that was set forward and back', () => {
    expect(after([0, ask], [50, tick], [10, approve])).toMatchObject({ overdue: null, missed: [] })
  })

  it('can not be moved, nor missed before its time, by who has all keys', () => {
    const events = recorded([[0, ask]])
    const state = fold(accountStateDecider, events)
    for (const [hours, due] of [
      [30, START + 20 * HOUR],
      [20, START + 24 * HOUR],
    ] as const) {
      const at = START + hours * HOUR
      const forged = { type: 'PayoutOverdue', data: { payoutId: id, of: 'decision', due }, at, revision: 3 } as const
      expect(decideAgain(state, [...events, forged], events.length).events).toBe(0)
    }
  })
})
