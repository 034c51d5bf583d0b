import { stageIndex } from '#services/rules/programme.ts'
import { z } from 'zod'
import { defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import type { Hit } from './stage.ts'
import { accountStatuses } from './account-vocabulary.ts'
import { adminKeyId, findingId, payoutId, programmeId } from '#services/framework/ids.ts'
import { observationNumber } from './observation-events.ts'
import { cents } from '#services/rules/money.ts'
import { findingKinds, findingStates, notedConsequences } from './finding-vocabulary.ts'

/**
 * The findings of the rules about an account, and the decisions on them. The events lie in the stream of the account.
 */

/** Where it was found: at an observation, at a payout, or (both null) at a moment at which time alone decided. */
const hit = z.object({
  observation: observationNumber.nullable(),
  payoutId: payoutId.nullable(),
  /** Ms since 1970. */
  at: z.int(),
})

/** The rule by its index in the stage, with its floor (a target, for a pass) and the value that was measured. */
const found = z.object({
  rule: z.object({ index: z.int(), kind: z.string() }),
  floor: cents.nullable(),
  measured: cents.nullable(),
})

/** The observation of a trade, and the trade as its platform names it. */
const hitTrade = z.object({ observation: observationNumber, trade: z.string() })

export const findingEvents = defineEvents({
  RuleFindingRaised: {
    finding: findingId,
    kind: z.enum(findingKinds),
    ...found.shape,
    programme: z.object({ id: programmeId, version: z.int(), hash: z.string(), stage: stageIndex }),
    hit,
    /**
     * The numbers of the observations that prove it: what was measured, and what set the floor; the hit trades of a rule
     * that judges single trades, the cause last.
     */
    evidence: z.array(observationNumber),
    /** False where the programme lets the rules alone decide. */
    proposed: z.boolean(),
    /** The status of the account before the finding. */
    status: z.enum(accountStatuses),
  },
  /** The first of two members. It changes nothing yet. */
  BreachFirstConfirmed: { finding: findingId, member: adminKeyId },
  BreachConfirmed: { finding: findingId, from: z.enum(findingStates), hit },
  PassConfirmed: { finding: findingId, from: z.enum(findingStates), hit },
  /** The rules pass over what they found there; a limit shows it as a warning. */
  FindingDismissed: { finding: findingId, from: z.enum(findingStates), hit, reason: z.string() },
  /**
   * An observation behind it was corrected. `found` is what the rules find there now, null for nothing. Of a rule that
   * judges single trades it says where that is, and what proves it: the hit can have moved to another trade.
   */
  FindingReopened: {
    finding: findingId,
    from: z.enum(findingStates),
    found: found.extend({ hit: hit.exactOptional(), evidence: z.array(observationNumber).exactOptional() }).nullable(),
  },
  /** When time alone decides something next, ms since 1970; null for never. */
  TimeDecisionMoved: { from: z.int().nullable(), to: z.int().nullable() },
  /** At most a fifth of a limit was left on a trading day. `limit` is null where its amount moves with the account. */
  LimitNeared: {
    rule: found.shape.rule,
    /** The local date on which the trading day starts. */
    day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
    ...{ limit: cents.nullable(), floor: cents, room: cents },
  },
  /**
   * Trades hit a rule whose consequence needs no decision; `gone` do no longer, after a correction. `excluded` is the
   * profit that does not count because of the rule, and `at` the close of the last trade that was found.
   */
  HitsNoted: {
    rule: found.shape.rule,
    consequence: z.enum(notedConsequences),
    ...{ found: z.array(hitTrade), gone: z.array(hitTrade) },
    excluded: z.object({ from: cents, to: cents }),
    /** Ms since 1970; null where none was found. */
    at: z.int().nullable(),
  },
})

/** Where an event says that something was found. */
export function hitIn({ observation, payoutId: payout, at }: FindingHit): Hit {
  return { source: observation ?? payout, at }
}

export type FindingEvent = EventOf<typeof findingEvents>
export type FindingHit = z.infer<typeof hit>
