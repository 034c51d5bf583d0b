import { comparePositions, type StoredEvent, start } from '../../../infra/event-store/event-store.ts'
import type { DocumentWrite, StoredDocument } from '../../../infra/read-model-store/read-model-store.ts'
import type { RecordedEvent } from '../codec/event-codec.ts'
import type { BatchEvent } from '../subscriptions/batch-event.ts'
import type { DocumentFold, Projection } from './projection.ts'

/** How a batch of events becomes writes of a view's documents. Pure: what reads and writes is projector-view.ts. */

/** What a batch means to a view: the facts that touch its documents, in order, and what can't be read. */
export interface RoutedBatch {
  readonly steps: readonly Step[]
  /** The documents touched. */
  readonly ids: ReadonlySet<string>
}

type Step = { readonly stored: StoredEvent; readonly id: string; readonly event: RecordedEvent } | { readonly stored: StoredEvent; readonly error: unknown }

/**
 * Finds out which documents of a view a batch touches.
 *
 * An event that can't be decoded concerns the views that fold its type; one of a type that nobody knows may concern
 * every view, for a newer program wrote it.
 */
export function routeBatch(view: Projection, entries: readonly BatchEvent[]): RoutedBatch {
  const steps: Step[] = []
  const ids = new Set<string>()
  for (const entry of entries) {
    const { stored } = entry
    if (!view.eventTypes.has(stored.type) && entry.isKnownType) continue
    try {
      const fact = entry.decode()
      const id = view.documentIdOf(fact)
      if (id === undefined) continue
      ids.add(id)
      steps.push({ stored, id, event: fact })
    } catch (error) {
      steps.push({ stored, error })
    }
  }
  return { steps, ids }
}

/** For each stream that an event holds up: the event's revision. It and what follows it in the stream are not folded. */
export type BlockedStreams = ReadonlyMap<string, number>

export interface AppliedBatch {
  readonly writes: readonly DocumentWrite[]
  /** Events that could not be folded, each the first of its stream. */
  readonly deadLetters: readonly { readonly stored: StoredEvent; readonly error: unknown }[]
}

/**
 * Folds a batch onto the documents it touches. What a document has already is skipped, so the same batch twice, or
 * batches cut differently, change nothing more.
 *
 * @param documents What was read of the documents to fold onto; an id that was never written is missing.
 * @param only Folds just these documents, for a second try.
 */
export function applyEventBatch(
  view: Projection,
  { steps }: RoutedBatch,
  documents: ReadonlyMap<string, StoredDocument>,
  heldUp: BlockedStreams,
  only?: ReadonlySet<string>,
): AppliedBatch {
  const targets = new Map<string, Target>()
  const newlyHeldUp = new Map<string, number>()
  const poison: { stored: StoredEvent; error: unknown }[] = []

  for (const step of steps) {
    const { stream, revision } = step.stored
    if (revision >= (heldUp.get(stream) ?? newlyHeldUp.get(stream) ?? Number.POSITIVE_INFINITY)) continue
    try {
      if ('error' in step) throw step.error
      if (only && !only.has(step.id)) continue
      let target = targets.get(step.id)
      if (!target) {
        target = targetOf(view, step.id, documents.get(step.id))
        targets.set(step.id, target)
      }
      target.apply(step.event)
    } catch (error) {
      newlyHeldUp.set(stream, revision)
      poison.push({ stored: step.stored, error })
    }
  }
  return { writes: [...targets.values()].flatMap((target) => target.write() ?? []), deadLetters: poison }
}

/** A document that the batch touches. */
interface Target {
  apply(fact: RecordedEvent): void
  /** Undefined when nothing new came. */
  write(): DocumentWrite | undefined
}

function targetOf(view: Projection, id: string, stored: StoredDocument | undefined): Target {
  let folding: DocumentFold | undefined
  let position = stored?.position ?? start
  let changed = false
  return {
    apply(fact) {
      // A tombstone stays: what comes late does not bring a deleted document back.
      if (stored?.document === null || comparePositions(fact.position, position) <= 0) return
      folding ??= view.resume(stored?.document)
      const before = folding.document
      folding.apply(fact)
      if (folding.document === before) return
      position = fact.position
      changed = true
    },
    write() {
      if (!changed) return undefined
      return { id, document: folding?.document ?? null, position, expected: stored?.position ?? null }
    },
  }
}
