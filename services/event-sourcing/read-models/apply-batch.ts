import { comparePositions, type StoredEvent, start } from '#infra/event-store/event-store.ts'
import type { DocumentWrite, StoredDocument } from '#infra/read-model-store/read-model-store.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import type { BatchEvent } from '#services/event-sourcing/subscriptions/batch-event.ts'
import type { Projection } from './projection.ts'

/** How a batch of events becomes writes of documents. Pure: read-model-writer.ts reads and writes. */

/**
 * The events of a batch that concern a projection, in order, and those that cannot be read; and the ids of the
 * documents touched.
 */
export type RoutedBatch = ReturnType<typeof routeBatch>

type Step =
  | { readonly stored: StoredEvent; readonly id: string; readonly event: RecordedEvent }
  | { readonly stored: StoredEvent; readonly error: unknown }

/**
 * Finds the documents of a projection that a batch touches.
 *
 * An event that cannot be decoded concerns the projections that handle its type. One of an unknown type may concern
 * every projection: a newer program wrote it.
 */
export function routeBatch(projection: Projection, events: readonly BatchEvent[]) {
  const steps: Step[] = []
  const ids = new Set<string>()
  for (const batchEvent of events) {
    const { stored } = batchEvent
    if (!projection.eventTypes.has(stored.type) && batchEvent.isKnownType) continue
    try {
      const event = batchEvent.decode()
      const id = projection.documentIdOf(event)
      if (id === undefined) continue
      ids.add(id)
      steps.push({ stored, id, event })
    } catch (error) {
      steps.push({ stored, error })
    }
  }
  return { steps, ids }
}

/**
 * For each blocked stream, the revision of its dead letter. Neither that event nor later ones of the stream are
 * applied.
 */
export type BlockedStreams = ReadonlyMap<string, number>

/**
 * Applies a batch to the documents it touches. Events that a document has already are skipped, so the same batch twice,
 * or batches cut differently, change nothing more.
 *
 * @param documents The documents as they were read, without those never written.
 * @param only Applies events to these documents only, for a second try.
 * @returns The writes, and the events that could not be applied, each the first of its stream.
 */
export function applyEventBatch(
  projection: Projection,
  { steps }: RoutedBatch,
  documents: ReadonlyMap<string, StoredDocument>,
  blocked: BlockedStreams,
  only?: ReadonlySet<string>,
) {
  const changed = new Map<string, Pick<StoredDocument, 'document' | 'position'>>()
  const newlyBlocked = new Map<string, number>()
  const deadLetters: { stored: StoredEvent; error: unknown }[] = []

  for (const step of steps) {
    const { stream, revision } = step.stored
    if (revision >= (blocked.get(stream) ?? newlyBlocked.get(stream) ?? Number.POSITIVE_INFINITY)) continue
    try {
      if ('error' in step) throw step.error
      if (only && !only.has(step.id)) continue
      const { document, position = start } = changed.get(step.id) ?? documents.get(step.id) ?? {}
      if (comparePositions(step.event.position, position) <= 0) continue
      const after = projection.apply(document, step.event)
      if (after !== document) changed.set(step.id, { document: after ?? null, position: step.event.position })
    } catch (error) {
      newlyBlocked.set(stream, revision)
      deadLetters.push({ stored: step.stored, error })
    }
  }
  const writes = [...changed].map(([id, write]): DocumentWrite => ({
    id,
    ...write,
    expected: documents.get(id)?.position ?? null,
  }))
  return { writes, deadLetters }
}
