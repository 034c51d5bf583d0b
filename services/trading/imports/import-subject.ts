import { subject, type Subject } from '#services/framework/subject.ts'
import { importRoutes } from './import-api.ts'
import { type ImportEvent, importEvents, importStreams, type OutcomeCounts } from './import.ts'
import { change, type EventDescriptions } from '#services/framework/event-description.ts'
import { importKindLabels } from './import-vocabulary.ts'

const category = 'imports'

const counted = ({ recorded, duplicate, refused, conflict }: OutcomeCounts) => [
  change('import.recorded', null, recorded),
  change('import.duplicate', null, duplicate),
  change('import.refused', null, refused),
  change('import.conflict', null, conflict),
]

export const importDescriptions = {
  ImportPreviewed: {
    title: 'Statement read',
    category,
    changes: ({ data: { kind, account, sha256, counts } }) => [
      change('import.kind', null, kind),
      ...(account ? [change('import.account', null, account)] : []),
      change('import.sha256', null, sha256),
      ...counted(counts),
    ],
  },
  ImportConfirmed: { title: 'Import confirmed', category },
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
      recorded: { label: 'Recorded', kind: 'text', ofAction: true },
      duplicate: { label: 'Duplicates', kind: 'text', ofAction: true },
      refused: { label: 'Refused', kind: 'text', ofAction: true },
      conflict: { label: 'Conflicts', kind: 'text', ofAction: true },
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
  categories: { imports: { label: 'Imports of statements', staffOnly: true, isDecision: true } },
  routes: importRoutes,
})
