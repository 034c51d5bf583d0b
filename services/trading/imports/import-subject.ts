import { subject, type Subject } from '#services/framework/subject.ts'
import { importRoutes } from './import-api.ts'
import { type ImportEvent, importEvents, importStreams, type OutcomeCounts, type ReadStatement } from './import.ts'
import { change, type EventDescriptions } from '#services/framework/event-description.ts'
import { conflictDecisionLabels, importKindLabels } from './import-vocabulary.ts'

const category = 'imports'

const counted = ({ recorded, transfer, duplicate, skipped, refused, conflict }: OutcomeCounts) => [
  change('import.recorded', null, recorded),
  ...(transfer === undefined ? [] : [change('import.transfer', null, transfer)]),
  change('import.duplicate', null, duplicate),
  ...(skipped === undefined ? [] : [change('import.skipped', null, skipped)]),
  change('import.refused', null, refused),
  change('import.conflict', null, conflict),
]

/** Most checks of a file are about its totals: those about single rows are counted. */
const disagreeing = ({ checks, disagreements }: ReadStatement) => {
  const first = checks
    .filter(({ agrees }) => !agrees)
    .slice(0, 3)
    .map(({ name }) => name)
  const others = disagreements - first.length
  return disagreements === 0
    ? []
    : [change('import.disagrees', null, [...first, ...(others > 0 ? [`${others} more`] : [])].join(', '))]
}

export const importDescriptions = {
  ImportPreviewed: {
    title: 'Statement read',
    category,
    changes: ({ data: { kind, account, sha256, counts, says, statement } }) => [
      change('import.kind', null, kind),
      ...(says === undefined ? [] : [change('import.says', null, says)]),
      ...(statement ? [change('import.format', null, statement.format), ...disagreeing(statement)] : []),
      ...(account ? [change('import.account', null, account)] : []),
      change('import.sha256', null, sha256),
      ...counted(counts),
    ],
  },
  ImportConfirmed: {
    title: 'Import confirmed',
    category,
    reason: ({ acceptedDisagreement }) => acceptedDisagreement ?? null,
  },
  ImportConflictsDecided: {
    title: 'Conflicts of an import decided',
    category,
    changes: ({ data: { rows, take } }) => [
      change('import.decided', null, rows.length),
      change('import.taken', null, take),
    ],
    reason: ({ reason }) => reason,
  },
  ImportCompleted: { title: 'Import completed', category, changes: ({ data: { counts } }) => counted(counts) },
  ImportLost: { title: 'Rows of an import gone', category },
} as const satisfies EventDescriptions<ImportEvent>

/** The fields that these events name. */
export const importShown = {
  import: {
    fields: {
      kind: { label: 'Rows', kind: 'choice', words: importKindLabels, ofAction: true },
      account: { label: 'Account', kind: 'text', ofAction: true },
      sha256: { label: 'SHA-256 of the file', kind: 'text', ofAction: true },
      says: { label: 'File', kind: 'text', ofAction: true },
      format: { label: 'Format', kind: 'text', ofAction: true },
      disagrees: { label: 'Disagrees with itself', kind: 'text', ofAction: true },
      recorded: { label: 'Recorded', kind: 'text', ofAction: true },
      transfer: { label: 'Ledger rows', kind: 'text', ofAction: true },
      duplicate: { label: 'Duplicates', kind: 'text', ofAction: true },
      skipped: { label: 'Skipped', kind: 'text', ofAction: true },
      refused: { label: 'Refused', kind: 'text', ofAction: true },
      conflict: { label: 'Conflicts', kind: 'text', ofAction: true },
      decided: { label: 'Conflicts decided', kind: 'text', ofAction: true },
      taken: { label: 'Decision', kind: 'choice', words: conflictDecisionLabels, ofAction: true },
    },
  },
} as const satisfies Subject['shown']

/** Imports of statements: the half that runs anywhere. */
export const importSubject = subject({
  title: 'Imports',
  about: 'Statement files whose rows become observations',
  events: importEvents,
  aggregates: [importStreams],
  descriptions: importDescriptions,
  shown: importShown,
  categories: { imports: { label: 'Imports of statements', group: 'trading', staffOnly: true, isDecision: true } },
  routes: importRoutes,
})
