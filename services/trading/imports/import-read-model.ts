import { z } from 'zod'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { updateExisting, projection } from '#services/event-sourcing/read-models/projection.ts'
import { stamp, stampOf } from '#services/framework/decision-stamp.ts'
import { accountId } from '#services/framework/ids.ts'
import { importKinds, importStates } from './import-vocabulary.ts'
import { allCounts, importEvents, outcomeCounts, readStatement } from './import.ts'
import { mapping } from './mapping-api.ts'

const document = z.object({
  id: z.string(),
  state: z.enum(importStates),
  kind: z.enum(importKinds),
  account: accountId.nullable(),
  mapping: mapping.nullable(),
  statement: readStatement.nullable(),
  says: z.string(),
  accountsSha256: z.string().nullable(),
  sha256: z.string(),
  /** The outcomes of the preview; once the import is done, of the recording. */
  counts: outcomeCounts.required(),
  previewed: stamp,
  confirmed: stamp.nullable(),
  acceptedDisagreement: z.string().nullable(),
  conflictsDecided: z.int(),
  completedAt: z.int().nullable(),
})
export type ImportDocument = z.infer<typeof document>

/** One document per import. */
export const importDocuments = projection(importEvents, {
  name: 'imports',
  version: 3,
  document,
  filters: ['state', 'previewed.at'],
  documentId: ({ stream }) => parseStreamName(stream).id,
  on: {
    ImportPreviewed: (_, event): ImportDocument => {
      const { rowsSha256: _rows, statement, says, accountsSha256, counts, ...previewed } = event.data
      return {
        id: parseStreamName(event.stream).id,
        state: 'preview',
        ...previewed,
        statement: statement ?? null,
        says: says ?? '',
        accountsSha256: accountsSha256 ?? null,
        counts: allCounts(counts),
        previewed: stampOf(event),
        confirmed: null,
        acceptedDisagreement: null,
        conflictsDecided: 0,
        completedAt: null,
      }
    },
    ImportConfirmed: updateExisting((one, event) => ({
      ...one,
      state: 'running',
      confirmed: stampOf(event),
      acceptedDisagreement: event.data.acceptedDisagreement ?? null,
    })),
    ImportConflictsDecided: updateExisting((one, { data: { rows } }) => ({
      ...one,
      conflictsDecided: one.conflictsDecided + rows.length,
    })),
    ImportCompleted: updateExisting((one, { at, data: { counts } }) => ({
      ...one,
      state: 'done',
      counts: allCounts(counts),
      completedAt: at,
    })),
    ImportLost: updateExisting((one, { at }) => ({ ...one, state: 'lost', completedAt: at })),
  },
})
