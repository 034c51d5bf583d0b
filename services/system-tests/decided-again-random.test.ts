import { expect, it } from 'vitest'
import { toPosition } from '#infra/event-store/event-store.ts'
import {
  accountIdOf,
  adminKeyId,
  enrolmentIdOf,
  findingIdOf,
  payoutId,
  programmeId,
  userId,
} from '#services/framework/ids.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { hashedTerms } from '#services/programmes/programmes/server/terms-hash.ts'
import { DECISION_VERSION } from '#services/rules/decision-version.ts'
import { toCents } from '#services/rules/money.ts'
import { observation } from '#services/rules/observation.ts'
import { beginStageIn, openAccount } from '#services/trading/stream/account.ts'
import {
  accountStateDecider,
  type AccountState,
  type AccountStreamEvent,
  changeByStaff,
  closeByStaff,
} from '#services/trading/stream/account-aggregate.ts'
import { warnOfLimits } from '#services/trading/stream/limit-warning.ts'
import { confirmFinding, dismissFinding, reviewFindings } from '#services/trading/stream/finding.ts'
import { correctObservation, recordObservations } from '#services/trading/stream/observation.ts'
import type { PaymentMove } from '#services/trading/stream/payment.ts'
import {
  approvePayout,
  movePayoutPayment,
  rejectPayout,
  requestPayout,
  withdrawPayout,
} from '#services/trading/stream/payout.ts'
import { beginnings, forgeriesOf, type ForgeryTrial, type Recorded, tryForgery } from '#test-support/decided-again.ts'
import { seededRandom, sampled, triesAll } from '#test-support/random-seed.ts'

const owner = userId.parse('ada00000')
const id = accountIdOf(owner, 1)
const START = Date.UTC(2026, 5, 1)
const terms = presetTerms('two-step', 100_000)
const { hash } = hashedTerms(terms)
const moves: readonly PaymentMove[] = [
  { kind: 'enter-batch', batch: 'b1' },
  { kind: 'leave-batch' },
  { kind: 'send' },
  { kind: 'send-by-hand' },
  { kind: 'confirm' },
  { kind: 'fail', reason: 'Closed' },
  { kind: 'return', reason: 'Refused' },
  { kind: 'pay-by-hand', reference: 'r1' },
]

type Random = ReturnType<typeof seededRandom>
type Decide = (state: AccountState, now: number) => readonly AccountStreamEvent[]

/** A decision on an account, drawn by chance; most are possible. */
function someDecision(random: Random, isUnderProgramme: boolean): Decide {
  const payout = payoutId.parse(`${id}-p${random.whole(1, 2)}`)
  const finding = findingIdOf(id, random.whole(1, 3))
  const row = (now: number, kept = random.whole(90, 112)) =>
    observation.parse({
      at: new Date(now - 1_000).toISOString(),
      ...{ kind: 'state', balance: `${kept}000.00`, equity: `${kept}000.00`, open: false },
    })
  const observe: Decide = (state, now) => recordObservations(state, [row(now)], 'feed').events
  const decisions: readonly Decide[] = [
    observe,
    observe,
    (state, now) => recordObservations(state, [row(now, random.whole(98, 104))], 'feed').events,
    (state) => {
      const number = random.whole(1, 6)
      const known = state.stage?.known.list.get(number - 1)?.now
      return correctObservation(
        state,
        number,
        known && random.whole(0, 2) > 0 ? row(known.at.ms + 1_000) : null,
        'A wrong price',
      )
    },
    (state) =>
      confirmFinding(state, finding, {
        member: adminKeyId.parse('one'),
        needsTwo: random.whole(0, 1) > 0,
        lapsed: null,
      }),
    (state) => dismissFinding(state, finding, 'A wrong price'),
    (state) => changeByStaff(state, { payoutEnabled: random.whole(0, 3) > 0 }, {}, null, START),
    (state) =>
      changeByStaff(
        state,
        isUnderProgramme ? { status: 'active' } : { balance: toCents(random.whole(1, 9) * 100_000), status: 'active' },
        {},
        null,
        START,
      ),
    (state, now) =>
      requestPayout(
        state,
        {
          amount: toCents(random.whole(1, 300) * 100),
          method: 'paypal',
          details: 'a@b.example',
          destination: null,
          idempotency: null,
        },
        now,
      ),
    (state, now) => approvePayout(state, payout, { notes: 'Fine', deduct: random.whole(0, 1) > 0, now }),
    (state) => rejectPayout(state, payout, 'Not now'),
    (state) => withdrawPayout(state, payout),
    (state) => movePayoutPayment(state, payout, random.pick(moves)),
    (state) => movePayoutPayment(state, payout, random.pick(moves)),
    (state) => movePayoutPayment(state, payout, random.pick(moves)),
    (state) => (random.whole(0, 7) === 0 ? closeByStaff(state, 'Left') : []),
  ]
  return random.pick(decisions)
}

/** A random history of an account, by the portal's own decisions; under a programme, funded or not, or without one. */
function someHistory(random: Random): readonly Recorded[] {
  const stage = random.pick([null, 0, terms.stages.length - 1])
  const events: Recorded[] = []
  let [state, now] = [accountStateDecider.initial, START]
  const decide = (by: Decide): void => {
    now += random.whole(61_000, 86_400_000)
    try {
      for (const event of by(state, now)) {
        const revision = events.length
        const recorded: Recorded = {
          ...event,
          ...{ at: now, revision, decisions: DECISION_VERSION, id: `e${revision}`, stream: `account-${id}` },
          ...{ position: toPosition(String(revision)), personId: owner, ciphertext: null, personalFields: null },
          metadata: {
            ...{ version: 1, at: now, actor: { kind: 'system', label: 'test' }, previous: null },
            ...{ requestId: 'r', causationId: 'r', correlationId: 'r' },
          },
        }
        events.push(recorded)
        state = accountStateDecider.evolve(state, recorded)
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
    }
  }
  decide((before) => openAccount(before.account, id))
  if (stage !== null) {
    const version = { programme: programmeId.parse('two-step-100000'), version: 1, hash }
    const beginning = { enrolmentId: enrolmentIdOf(owner, 1), ...version, stage, terms, enablesPayouts: true as const }
    decide((before) => beginStageIn(before.account, id, beginning))
  } else
    decide((before) =>
      changeByStaff(before, { status: 'active', balance: toCents(5_000_000), payoutEnabled: true }, {}, null, START),
    )
  for (let n = 0; n < 50; n++) {
    decide(someDecision(random, stage !== null))
    decide((before, at) => reviewFindings(before, at))
    decide((before, at) => warnOfLimits(before, at))
  }
  return events
}

it('tells whatever is changed in one event of a random history, but for what its command says freely', () => {
  const random = seededRandom()
  const histories = Array.from({ length: triesAll ? 400 : 60 }, () => someHistory(random))
  expect(histories.flatMap((events) => beginnings(events).fault ?? [])).toEqual([])
  const trial: ForgeryTrial = { told: 0, untold: new Set() }
  for (const forgery of sampled(histories.flatMap(forgeriesOf), 3_000)) tryForgery(trial, forgery)
  expect(trial.told).toBeGreaterThan(200)
  expect([...trial.untold]).toEqual([])
  // Most types of events come up in each run.
  expect(new Set(histories.flatMap((events) => events.map(({ type }) => type))).size).toBeGreaterThan(15)
}, 600_000)
