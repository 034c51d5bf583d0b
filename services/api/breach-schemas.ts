import { z } from 'zod'
import { component, described, namedObject } from './openapi-component.ts'
import { ReasonedStamp } from './stamp-schemas.ts'
import { INVALID, LONGEST_TEXT, namedRequest, requiredText } from './text.ts'
import { breachRules } from './vocabulary.ts'

/** The evidence of a breach, and the event that corrects a mistaken one. */

export const BreachRule = component('BreachRule', z.enum(breachRules, { error: 'Please select the rule' }))

/** The recorded evidence of a breach. */
export const BreachEvidence = namedObject('BreachEvidence', {
  rule: BreachRule,
  limit: z.string(),
  /** What broke the limit. */
  value: z.string(),
  occurredAt: z.iso.datetime(),
})
export type BreachEvidence = z.infer<typeof BreachEvidence>

const WHEN = 'Please enter when it happened'

/** Evidence in a request. The server refuses times in the future by its own clock. */
export const EvidenceGiven = namedRequest('EvidenceGiven', {
  rule: BreachRule,
  limit: requiredText(LONGEST_TEXT, 'Please enter the limit'),
  value: requiredText(LONGEST_TEXT, 'Please enter the value that broke it'),
  occurredAt: described(
    'A time with its zone, not in the future',
    z
      .string({ error: WHEN })
      .max(40, { error: WHEN, abort: true })
      .check(z.iso.datetime({ offset: true, error: WHEN, abort: true }))
      .transform((time) => Date.parse(time)),
  ),
})

/** The number of an event in a request. */
export const EventNumber = z.int({ error: INVALID }).positive(INVALID)

/** The stamp of a status: its reason, the evidence of a breach, and the mistaken breach it corrects. */
export const StatusStamp = namedObject('StatusStamp', {
  ...ReasonedStamp.shape,
  evidence: BreachEvidence.nullable(),
  /** The number of the event that this one corrects. */
  corrects: z.int().positive().nullable(),
})
