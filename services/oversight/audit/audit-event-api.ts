import { actorKinds } from '#services/framework/api/actor.ts'
import { fieldChange } from '#services/framework/api/stamp-schemas.ts'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { BreachEvidence } from '#services/trading/accounts/account-api.ts'
import { z } from 'zod'

/**
 * An event as the audit shows it: apart from the states of an account, for the bell of every page shows events, without
 * the contracts of all that an account consists of.
 */

/** One field that changed: 'account.status', 'user.email', 'payouts.<id>.status', or a whole 'payouts.<id>'. */
export const AuditChange = namedObject('AuditChange', {
  ...fieldChange.shape,
  /** The account that it is about, in a difference between two moments. */
  accountId: z.string().exactOptional(),
})
export type AuditChange = z.infer<typeof AuditChange>

/** The actor. Traders get a stable hash of an access key's label instead of the label. */
export const AuditActor = namedObject('AuditActor', { kind: z.enum(actorKinds), label: z.string() })
export type AuditActor = z.infer<typeof AuditActor>

/** An event of the log. */
export const AuditEvent = namedObject('AuditEvent', {
  /** Its position in the log: unique, and higher for later events. */
  number: z.int().positive(),
  at: z.iso.datetime(),
  type: z.string(),
  /** The user it is about, if any. */
  userId: z.string().nullable(),
  /** The account it is about, if any. */
  accountId: z.string().nullable(),
  /** The name of that user, in the list of the whole firm; 'erased' after a deletion. */
  userName: z.string().optional(),
  actor: AuditActor,
  changes: z.array(AuditChange),
  content: described(
    'The rows of an event that can hold many, such as observations: the first of them, and how many more there are',
    z.object({ rows: z.array(z.string()), more: z.int().nonnegative() }).exactOptional(),
  ),
  judgement: described(
    'Of a request of a payout, and of a verdict on one: what the terms said at that moment, with all figures',
    z.string().exactOptional(),
  ),
  /** The reason, as the decider entered it. */
  reason: z.string().nullable(),
  /** The evidence of a breach, if recorded. */
  evidence: BreachEvidence.optional(),
  /** The number of the mistaken breach that this event corrects. */
  corrects: z.int().positive().optional(),
  /** The request that caused it. */
  requestId: z.string(),
})
export type AuditEvent = z.infer<typeof AuditEvent>
