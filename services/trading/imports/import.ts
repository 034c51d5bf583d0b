import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { accountId } from '#services/framework/ids.ts'
import { importKinds, type ImportState } from './import-vocabulary.ts'
import { mapping } from './mapping-api.ts'

/**
 * An import of a statement: what its file was, and how it ended. The rows that it records lie in the streams of their
 * accounts, each event with the import's id.
 */

export const outcomeCounts = z.object({
  recorded: z.int(),
  duplicate: z.int(),
  refused: z.int(),
  conflict: z.int(),
})
export type OutcomeCounts = z.infer<typeof outcomeCounts>

export const importEvents = defineEvents({
  /** A file was read. Nothing is recorded yet. */
  ImportPreviewed: {
    kind: z.enum(importKinds),
    /** That all its rows are of; null where each row names its own. */
    account: accountId.nullable(),
    mapping,
    /** SHA-256 of the file, in hex: all that is kept of it. */
    sha256: z.string(),
    /** SHA-256 of the rows that were read from it, which are kept until they are recorded. */
    rowsSha256: z.string(),
    counts: outcomeCounts,
  },
  ImportConfirmed: {},
  ImportCompleted: {
    counts: outcomeCounts,
    /** SHA-256 of what became of each row. 0.2.0 recorded none. */
    outcomesSha256: z.string().optional(),
  },
  /** Its rows are gone or were altered before all were recorded: a backup holds none, and a preview keeps them for days. */
  ImportLost: {},
})
export type ImportEvent = EventOf<typeof importEvents>

export interface Import {
  /** Null before its file was read. */
  readonly state: ImportState | null
  readonly rowsSha256: string
  /** Of the preview; once it is done, of the recording. */
  readonly counts: OutcomeCounts
  /** Undefined before it is done, and where 0.2.0 ended it. */
  readonly outcomesSha256?: string | undefined
}

export const importDecider: Decider<Import, ImportEvent> = {
  initial: { state: null, rowsSha256: '', counts: { recorded: 0, duplicate: 0, refused: 0, conflict: 0 } },
  evolve(before, { type, data }) {
    switch (type) {
      case 'ImportPreviewed':
        return { state: 'preview', rowsSha256: data.rowsSha256, counts: data.counts }
      case 'ImportConfirmed':
        return { ...before, state: 'running' }
      case 'ImportCompleted':
        return { ...before, ...data, state: 'done' }
      case 'ImportLost':
        return { ...before, state: 'lost' }
    }
  },
}

export const importStreams = aggregate('import', importDecider, importEvents, null)

/** Starts an import that was previewed; once. */
export function confirmImport({ state }: Import): ImportEvent[] {
  if (state === null) throw importNotFound()
  if (state === 'lost') throw new Refused('conflict', 'The rows of this import are gone. Please import the file again.')
  if (state !== 'preview') throw new Refused('conflict', 'This import was confirmed already')
  return [{ type: 'ImportConfirmed', data: {} }]
}

/** Ends an import that runs: with what became of its rows, or null where they are lost. */
export function endImport(
  { state }: Import,
  data: { readonly counts: OutcomeCounts; readonly outcomesSha256: string } | null,
): ImportEvent[] {
  if (state !== 'running') return []
  return [data ? { type: 'ImportCompleted', data } : { type: 'ImportLost', data: {} }]
}

/** Ends a preview that nobody confirmed. */
export function expireImport({ state }: Import): ImportEvent[] {
  return state === 'preview' ? [{ type: 'ImportLost', data: {} }] : []
}

export function importNotFound(): Refused {
  return new Refused('not-found', 'Import not found')
}
