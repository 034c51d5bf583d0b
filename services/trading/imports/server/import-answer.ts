import type { ImportId } from '#services/framework/ids.ts'
import type { ImportAnswer } from '../import-api.ts'
import { allCounts, type Import, type OutcomeCounts, type PreviewedImport } from '../import.ts'
import type { ImportState } from '../import-vocabulary.ts'

/** What of an import both its document and its stream know. */
export interface AnsweredImport extends Pick<PreviewedImport, 'kind' | 'account' | 'mapping'> {
  readonly statement?: PreviewedImport['statement'] | null
  readonly says?: string | undefined
  readonly id: string
  readonly state: ImportState
  readonly counts: OutcomeCounts
  readonly conflictsDecided: number
}

/** An import as calls answer it. */
export function importAnswer({ statement, mapping, says, counts, ...one }: AnsweredImport): ImportAnswer {
  const { id, state, kind, account, conflictsDecided } = one
  const { format = null, login = null, server = mapping?.server ?? null, currency = null } = statement ?? {}
  const checks = (statement?.checks ?? []).map(({ line, ...check }) => (line === null ? check : { line, ...check }))
  const zone = mapping?.zone ? { name: mapping.zone, from: 'given' as const } : null
  return {
    ...{ id, state, kind, format, zone: statement?.zone ?? zone, account, login, server, currency },
    ...{ checks, hints: statement?.hints ?? [] },
    says: says ?? '',
    counts: allCounts(counts),
    conflictsDecided,
  }
}

/** An import as its stream says. */
export function answerOfStream(id: ImportId, { state, previewed, counts, decisions }: Import): ImportAnswer {
  if (!state || !previewed) throw new TypeError(`The import ${id} was not read`)
  return importAnswer({ ...previewed, id, state, counts, conflictsDecided: decisions.size })
}
