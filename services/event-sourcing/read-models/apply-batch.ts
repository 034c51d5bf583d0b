import { comparePositions, type StoredEvent, start } from '../../../infra/event-store/event-store.ts'
import type { DocumentWrite, StoredDocument } from '../../../infra/read-model-store/read-model-store.ts'
import type { RecordedEvent } from '../codec/event-codec.ts'
import type { BatchEvent } from '../subscriptions/batch-event.ts'
import type { DocumentFold, Projection } from './projection.ts'

/** How a batch of events becomes writes of documents. Pure: read-model-writer.ts reads and writes. */

/** The events of a batch that concern a projection, in order, and those that cannot be read; and the ids of the documents touched. */
export type RoutedBatch = ReturnType<typeof routeBatch>

type Step = { readonly stored: StoredEvent; readonly id: string; readonly event: RecordedEvent } | { readonly stored: StoredEvent; readonly error: unknown }

/**
 * Finds the documents of a projection that a batch touches.
 *
 * An event that cannot be decoded concerns the projections that handle its type. One of an unknown type may concern every
 * projection: a newer program wrote it.
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

/** For each blocked stream, the revision of its dead letter. Neither that event nor later ones of the stream are applied. */
export type BlockedStreams = ReadonlyMap<string, number>

/**
 * Applies a batch to the documents it touches. Events that a document has already are skipped, so the same batch twice, or
 * batches cut differently, change nothing more.
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
  const targets = new Map<string, ReturnType<typeof targetOf>>()
  const newlyBlocked = new Map<string, number>()
  const deadLetters: { stored: StoredEvent; error: unknown }[] = []

  for (const step of steps) {
    const { stream, revision } = step.stored
    if (revision >= (blocked.get(stream) ?? newlyBlocked.get(stream) ?? Number.POSITIVE_INFINITY)) continue
    try {
      if ('error' in step) throw step.error
      if (only && !only.has(step.id)) continue
      let target = targets.get(step.id)
      if (!target) {
        target = targetOf(projection, step.id, documents.get(step.id))
        targets.set(step.id, target)
      }
      target.apply(step.event)
    } catch (error) {
      newlyBlocked.set(stream, revision)
      deadLetters.push({ stored: step.stored, error })
    }
  }
  return { writes: [...targets.values()].flatMap((target) => target.write() ?? []), deadLetters }
}

/** A document that the batch touches. */
function targetOf(projection: Projection, id: string, stored: StoredDocument | undefined) {
  let folding: DocumentFold | undefined
  let position = stored?.position ?? start
  let changed = false
  return {
    apply(event: RecordedEvent): void {
      // Deletes are final; later events never resurrect a document.
      if (stored?.document === null || comparePositions(event.position, position) <= 0) return
      folding ??= projection.resume(stored?.document)
      const before = folding.document
      folding.apply(event)
      if (folding.document === before) return
      position = event.position
      changed = true
    },
    /** Undefined when nothing has changed. */
    write(): DocumentWrite | undefined {
      if (!changed) return undefined
      return { id, document: folding?.document ?? null, position, expected: stored?.position ?? null }
    },
  }
}
