import { z } from 'zod'
import { breachRules } from '../vocabulary.ts'
import { Refused } from '../../event-sourcing/refusal.ts'

/** Why something was decided about an account: the reason, what a breach was seen by, and which fact a new one corrects. */

/** The rules that an account can break: the limits that it has (specification §3, §9), and whatever else was agreed. */
export const breachRule = z.enum(breachRules)

/** What a breach was seen by. Limit and value are texts, as the limits of an account are. */
export const breachEvidence = z.object({
  rule: breachRule,
  limit: z.string(),
  /** What broke the limit. */
  value: z.string(),
  /** Ms since 1970. */
  occurredAt: z.int(),
})

/** An earlier fact of the same stream: where it stands in it, and the number that everybody calls it by. */
export const eventReference = z.object({ revision: z.int(), number: z.int() })

export type BreachRule = z.infer<typeof breachRule>
export type BreachEvidence = z.infer<typeof breachEvidence>
export type EventReference = z.infer<typeof eventReference>

/** What somebody who decides may say with it. */
export interface DecisionReason {
  readonly reason?: string | null | undefined
  readonly evidence?: BreachEvidence | null | undefined
  /** The breach that is taken back because it was a mistake. */
  readonly corrects?: EventReference | null | undefined
}

/** Clocks of browsers may be a little ahead, in ms. */
const CLOCK_TOLERANCE = 60_000

/** What broke a rule has happened. `now` is in ms since 1970. @throws {Refused} for evidence of what is still to come. */
export function checkEvidence(evidence: BreachEvidence, now: number): void {
  if (evidence.occurredAt > now + CLOCK_TOLERANCE) throw new Refused('invalid', 'This moment is still to come', 'evidence.occurredAt')
}
