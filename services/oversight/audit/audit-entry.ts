import type { AuditActor, AuditEvent } from './audit-event-api.ts'
import { type Actor, actor } from '#services/framework/api/actor.ts'
import { describeEvent, type AnyEvent, userIdOf } from '#services/oversight/event-catalogue.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { type AccountId, accountId } from '#services/framework/ids.ts'
import { type EventContent, isoTime, saysSomething } from '#services/framework/event-description.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-decoding.ts'

/** Events as the audit shows them: who, when, what changed from what to what, why. Never a master password. */

/** How a reader sees the actors of events. */
export type ActorFormatter = (actor: Actor) => AuditActor

/** For administrators and auditors: the label of the access key. */
export const formatActorInFull: ActorFormatter = (actor) => ({
  kind: actor.kind,
  label: actor.kind === 'trader' ? actor.id : actor.label,
})

/** For traders: that an administrator decided, with a hash of the key's label that tells administrators apart. */
export function actorFormatterForTraders({
  requestDigest,
}: {
  requestDigest(content: string): string
}): ActorFormatter {
  return (actor) => {
    if (actor.kind === 'trader') return { kind: 'trader', label: actor.id }
    return {
      kind: actor.kind,
      label:
        actor.kind === 'admin'
          ? `admin ${requestDigest(`label of an access key: ${actor.label}`).slice(0, 12)}`
          : actor.kind,
    }
  }
}

export function toAuditEntry(event: RecordedEvent<AnyEvent>, format: ActorFormatter): AuditEvent {
  const { changes, content, reason, corrects } = describeEvent(event.type)
  const corrected = corrects?.(event.data)
  const seen = event.type === 'AccountStatusChanged' ? event.data.evidence : null
  return {
    number: eventNumber(event),
    at: isoTime(event.at),
    type: event.type,
    userId: userIdOf(event.stream) ?? null,
    accountId: accountIdOfStream(event.stream),
    actor: format(actor.parse(event.metadata.actor)),
    changes: (changes?.(event) ?? []).filter(saysSomething),
    ...(content && { content: contentOf(content(event.data)) }),
    reason: reason?.(event.data) ?? null,
    ...(seen && { evidence: { ...seen, occurredAt: isoTime(seen.occurredAt) } }),
    ...(corrected && { corrects: corrected }),
    requestId: event.metadata.requestId,
  }
}

function contentOf({ rows, more }: EventContent) {
  return { rows: [...rows], more }
}

/** The account whose stream this is; null for any other stream. */
export function accountIdOfStream(stream: string): AccountId | null {
  const { category, id } = parseStreamName(stream)
  return category === accountStreams.category ? (accountId.safeParse(id).data ?? null) : null
}
