import { z } from 'zod'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { updateExisting, projection } from '#services/event-sourcing/read-models/projection.ts'
import { stamp, stampOf } from '#services/framework/decision-stamp.ts'
import { accountId } from '#services/framework/ids.ts'
import { importKinds, importStates } from './import-vocabulary.ts'
import { importEvents, outcomeCounts } from './import.ts'
import { mapping } from './mapping-api.ts'

const document = z.object({
  id: z.string(),
  state: z.enum(importStates),
  kind: z.enum(importKinds),
  account: accountId.nullable(),
  mapping,
  sha256: z.string(),
  /** The outcomes of the preview; once the import is done, of the recording. */
  counts: outcomeCounts,
  previewed: stamp,
  confirmed: stamp.nullable(),
  completedAt: z.int().nullable(),
})
export type ImportDocument = z.infer<typeof document>

/** One document per import. */
export const importDocuments = projection(importEvents, {
  name: 'imports',
  version: 2,
  document,
  filters: ['state', 'previewed.at'],
  documentId: ({ stream }) => parseStreamName(stream).id,
  on: {
    ImportPreviewed: (_, event): ImportDocument => {
      const { rowsSha256: _rows, ...previewed } = event.data
      return {
        id: parseStreamName(event.stream).id,
        state: 'preview',
        ...previewed,
        previewed: stampOf(event),
        confirmed: null,
        completedAt: null,
      }
    },
    ImportConfirmed: updateExisting((one, event) => ({ ...one, state: 'running', confirmed: stampOf(event) })),
    ImportCompleted: updateExisting((one, { at, data: { counts } }) => ({
      ...one,
      state: 'done',
      counts,
      completedAt: at,
    })),
    ImportLost: updateExisting((one, { at }) => ({ ...one, state: 'lost', completedAt: at })),
  },
})
