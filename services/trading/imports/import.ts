import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { accountId } from '#services/framework/ids.ts'
import { statementCheck, statementFile } from '#services/trading/statements/statement-vocabulary.ts'
import { type ConflictDecision, conflictDecisions, importKinds, type ImportState } from './import-vocabulary.ts'
import { mapping } from './mapping-api.ts'

/**
 * An import of a statement: what its file was, what was decided about it, and how it ended. The rows that it records lie
 * in the streams of their accounts, each event with the import's id.
 */

export const outcomeCounts = z.object({
  recorded: z.int(),
  /** 0.2.0 knew neither ledger rows nor rows that are skipped. */
  transfer: z.int().optional(),
  duplicate: z.int(),
  skipped: z.int().optional(),
  refused: z.int(),
  conflict: z.int(),
})
export type OutcomeCounts = z.infer<typeof outcomeCounts>

/** The counts, also of an import of 0.2.0. */
export function allCounts({ recorded, transfer, duplicate, skipped, refused, conflict }: OutcomeCounts) {
  return { recorded, transfer: transfer ?? 0, duplicate, skipped: skipped ?? 0, refused, conflict }
}

/** The line is null where a check is not about a row. */
const keptCheck = statementCheck.extend({ line: z.int().nullable() })

/** What a file of a known format says of itself. */
export const readStatement = z.object({
  format: z.string(),
  zone: statementFile.shape.zone,
  ...statementFile.shape.account.shape,
  /** Checks that disagree are counted; the first of them are kept. */
  checks: z.array(keptCheck),
  disagreements: z.int(),
  hints: z.array(z.string()),
})
export type ReadStatement = z.infer<typeof readStatement>

export const importEvents = defineEvents({
  /** A file was read. Nothing is recorded yet. */
  ImportPreviewed: {
    kind: z.enum(importKinds),
    /** That all its rows are of; null where each row names its own. */
    account: accountId.nullable(),
    /** Null for a file of a known format. */
    mapping: mapping.nullable(),
    /** Of a file of a known format. */
    statement: readStatement.optional(),
    /** One line about the file. 0.2.0 wrote none. */
    says: z.string().optional(),
    /** SHA-256 of the file, in hex: all that is kept of it. */
    sha256: z.string(),
    /** SHA-256 of the rows that were read from it, which are kept until they are recorded. */
    rowsSha256: z.string(),
    /** SHA-256 of what it brings each account. 0.2.0 wrote none. */
    accountsSha256: z.string().optional(),
    counts: outcomeCounts,
  },
  /** The reason says why a file that disagrees with itself is recorded all the same. */
  ImportConfirmed: { acceptedDisagreement: z.string().optional() },
  /** Staff decided conflicts of these rows, which are counted from 0. Corrections lie in the streams of the accounts. */
  ImportConflictsDecided: { rows: z.array(z.int()), take: z.enum(conflictDecisions), reason: z.string() },
  ImportCompleted: {
    counts: outcomeCounts,
    /** SHA-256 of what became of each row. 0.2.0 recorded none. */
    outcomesSha256: z.string().optional(),
  },
  /** Its rows are gone or were altered before all were recorded: a backup holds none, and a preview keeps them for days. */
  ImportLost: {},
})
export type ImportEvent = EventOf<typeof importEvents>

export type PreviewedImport = Extract<ImportEvent, { type: 'ImportPreviewed' }>['data']

export interface Import {
  /** Null before its file was read, as is `previewed`. */
  readonly state: ImportState | null
  readonly previewed: PreviewedImport | null
  /** Of the preview; once it is done, of the recording. */
  readonly counts: OutcomeCounts
  /** By the rows of the conflicts that were decided. */
  readonly decisions: ReadonlyMap<number, ConflictDecision>
  /** Undefined before it is done, and where 0.2.0 ended it. */
  readonly outcomesSha256?: string | undefined
}

export const importDecider: Decider<Import, ImportEvent> = {
  initial: {
    state: null,
    previewed: null,
    counts: { recorded: 0, duplicate: 0, refused: 0, conflict: 0 },
    decisions: new Map(),
  },
  evolve(before, { type, data }) {
    switch (type) {
      case 'ImportPreviewed':
        return { ...before, state: 'preview', previewed: data, counts: data.counts }
      case 'ImportConfirmed':
        return { ...before, state: 'running' }
      case 'ImportConflictsDecided':
        return {
          ...before,
          decisions: new Map([...before.decisions, ...data.rows.map((row) => [row, data.take] as const)]),
        }
      case 'ImportCompleted':
        return { ...before, ...data, state: 'done' }
      case 'ImportLost':
        return { ...before, state: 'lost' }
    }
  },
}

export const importStreams = aggregate('import', importDecider, importEvents, null)

/** Starts an import that was previewed; once. A file that disagrees with itself needs a reason. */
export function confirmImport({ state, previewed }: Import, acceptDisagreement?: string): ImportEvent[] {
  if (state === null) throw importNotFound()
  if (state === 'lost') throw importLost()
  if (state !== 'preview') throw new Refused('conflict', 'This import was confirmed already')
  if (!previewed?.statement?.disagreements) return [{ type: 'ImportConfirmed', data: {} }]
  if (acceptDisagreement === undefined)
    throw new Refused(
      'invalid',
      'This file disagrees with itself. Please say why it is recorded all the same.',
      'acceptDisagreement',
    )
  return [{ type: 'ImportConfirmed', data: { acceptedDisagreement: acceptDisagreement } }]
}

/** Conflicts that one event decides at most. */
const MOST_IN_EVENT = 5_000

/**
 * Keeps what was decided about conflicts. A row is decided once.
 *
 * @param conflicts The rows that are conflicts.
 */
export function decideConflicts(
  { state, decisions }: Import,
  conflicts: readonly number[],
  take: ConflictDecision,
  reason: string,
): ImportEvent[] {
  if (state === null) throw importNotFound()
  if (state === 'lost') throw importLost()
  if (state === 'running') throw new Refused('conflict', 'The rows of this import are being recorded. Please wait.')
  const rows = conflicts.filter((row) => !decisions.has(row))
  return Array.from({ length: Math.ceil(rows.length / MOST_IN_EVENT) }, (_, part) => {
    const some = rows.slice(part * MOST_IN_EVENT, (part + 1) * MOST_IN_EVENT)
    return { type: 'ImportConflictsDecided', data: { rows: some, take, reason } }
  })
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

function importLost(): Refused {
  return new Refused('conflict', 'The rows of this import are gone. Please import the file again.')
}
