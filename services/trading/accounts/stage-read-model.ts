import { z } from 'zod'
import type { Json } from '#infra/read-model-store/read-model-store.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-decoding.ts'
import type { AppendedEvent, DomainEvent, EventDefinitions } from '#services/event-sourcing/event-definitions.ts'
import { onEach, projection } from '#services/event-sourcing/read-models/projection.ts'
import { stamp, stampOf } from '#services/framework/decision-stamp.ts'
import { staffBehind, staffMember } from '#services/framework/api/actor.ts'
import { isStageEvent, stageDefinitions, type StageEvent } from '#services/trading/stream/stage-events.ts'

const document = z.object({
  accountId: z.string(),
  /** The programme whose stage it begins; null for all else. */
  programme: z.string().nullable(),
  number: z.int(),
  at: z.int(),
  revision: z.int(),
  type: z.string(),
  /** The version of the decisions: 1 where the event does not name it. */
  decisions: z.int(),
  /** As the event keeps it: it is read by {@link stageEventIn}. */
  data: z.custom<Json>(),
  /** The member of staff who caused it; null where none did. */
  staff: staffMember.nullable(),
  /** Who caused it, as answers name them. */
  by: stamp.pick({ by: true, name: true }),
})
export type StageEventDocument = z.infer<typeof document>

/** One document per event that the stage of an account follows from: a query folds them as the stream's reader does. */
export const stageEvents = projection(stageDefinitions, {
  name: 'stage-events',
  version: 7,
  document,
  filters: ['accountId', 'programme'],
  sorts: ['accountId'],
  // In the order of the log, as in balance-read-model.ts.
  documentId: ({ position }) => position,
  on: onEach(stageDefinitions, documentOf),
})

function documentOf(_: unknown, event: RecordedEvent<StageEvent>): StageEventDocument {
  const { type, at, revision, stream, decisions = 1 } = event
  const data = document.shape.data.parse(z.encode(schemaOf(type), event.data))
  const programme = event.type === 'StageBegun' ? event.data.programme : null
  const of = { accountId: parseStreamName(stream).id, programme, number: eventNumber(event), staff: staffBehind(event) }
  const { by, name } = stampOf(event)
  return { ...of, at, revision, type, decisions, data, by: { by, name } }
}

/** The event of a document. */
export function stageEventIn({ type, data, at, revision, decisions }: StageEventDocument): AppendedEvent<StageEvent> {
  const event = { type, data: schemaOf(type).parse(data), at, revision, decisions }
  if (!isKept(event)) throw new Error(`No stage follows from ${type}`)
  return event
}

/** Its data was parsed by the schema of its type. */
function isKept(event: AppendedEvent<DomainEvent>): event is AppendedEvent<StageEvent> {
  return isStageEvent(event)
}

const definitions: EventDefinitions = stageDefinitions

function schemaOf(type: string): z.ZodType {
  return definitions[type]?.schema ?? z.never()
}
