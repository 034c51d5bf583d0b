import { z } from 'zod'
import { breachRules } from './account-vocabulary.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/** Why a decision about an account was made: the reason, the evidence of a breach, and the event that it corrects. */

/**
 * The rules that an account can break: the limits that it has (specification §3, §9), and anything else that was
 * agreed.
 */
export const breachRule = z.enum(breachRules)

/** The evidence of a breach. Limit and value are texts, as the limits of an account are. */
export const breachEvidence = z.object({
  rule: breachRule,
  limit: z.string(),
  /** This value broke the limit. */
  value: z.string(),
  /** Ms since 1970. */
  occurredAt: z.int(),
})

/** An earlier event of the same stream: its revision, and the number by which people call it. */
export const eventReference = z.object({ revision: z.int(), number: z.int() })

export type BreachRule = z.infer<typeof breachRule>
export type BreachEvidence = z.infer<typeof breachEvidence>
export type EventReference = z.infer<typeof eventReference>

/** A decision may have a reason, evidence, and the event that it corrects. */
export interface DecisionReason {
  readonly reason?: string | null | undefined
  readonly evidence?: BreachEvidence | null | undefined
  /** The breach that is revoked because it was a mistake. */
  readonly corrects?: EventReference | null | undefined
}

/** Clocks of browsers may be a little ahead, in ms. */
const CLOCK_TOLERANCE = 60_000

/** `now` is in ms since 1970. @throws {Refused} for evidence in the future. */
export function checkEvidence(evidence: BreachEvidence, now: number): void {
  if (evidence.occurredAt > now + CLOCK_TOLERANCE)
    throw new Refused('invalid', 'This moment is still to come', 'evidence.occurredAt')
}
