import { z } from 'zod'
import { actor, actorKinds } from '#services/framework/api/actor.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-decoding.ts'
import { definitions } from '#services/oversight/event-catalogue.ts'
import { formatActorInFull } from './audit-entry.ts'
import { onEach, projection } from '#services/event-sourcing/read-models/projection.ts'

const document = z.object({
  number: z.int(),
  at: z.int(),
  type: z.string(),
  /** The actor, as staff see it. */
  kind: z.enum(actorKinds),
  label: z.string(),
  /** Where the event is in the log. */
  stream: z.string(),
  revision: z.int(),
})

export type ActivityDocument = z.infer<typeof document>

/**
 * The activity of the whole firm: one document per event, with what it is found by and where it is. What it says stays
 * in the log alone, so no personal data is copied and an erasure has nothing to do here.
 */
export const activity = projection(definitions, {
  name: 'activity',
  version: 1,
  document,
  filters: ['type', 'kind', 'label', 'number', 'at'],
  sorts: ['number', 'at'],
  // In the order of the log, as in balance-read-model.ts.
  documentId: ({ position }) => position,
  on: onEach(definitions, (_: ActivityDocument | undefined, event: RecordedEvent): ActivityDocument => {
    const { at, type, stream, revision, metadata } = event
    const { kind, label } = formatActorInFull(actor.parse(metadata.actor))
    return { number: eventNumber(event), at, type, kind, label, stream, revision }
  }),
})
