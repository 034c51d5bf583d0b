import { importId } from '#services/framework/ids.ts'
import { z } from 'zod'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { pageCursor, pageLimit, parameter } from '#services/framework/api/pagination-schemas.ts'
import { answer, conflict, get, post, pathOf } from '#services/framework/api/route.ts'
import { Stamp } from '#services/framework/api/stamp-schemas.ts'
import { INVALID, missingOrInvalid, namedRequest, note, request, requiredText } from '#services/framework/api/text.ts'
import { rowOutcomes } from '#services/trading/stream/observation-vocabulary.ts'
import { importKinds, importStates, LARGEST_STATEMENT } from './import-vocabulary.ts'
import { mapping } from './mapping-api.ts'

/** Imports of statements: days or trades of accounts under a programme. */

export const STATEMENT_FIELD = 'statementFile'
export const statementMessages = {
  required: 'Please choose the statement',
  tooLarge: 'The statement must be at most 20 MB with 100,000 rows',
} as const

/** POST /api/admin/imports: the fields beside the file. */
export const StatementUpload = namedRequest('StatementUpload', {
  kind: z.enum(importKinds, { error: missingOrInvalid }),
  account: described('Account of all rows; without it each row names its own', requiredText(100).optional()),
  mapping: described(
    'JSON of `{delimiter, decimal, zone, dates, columns: {field: heading | [headings, summed]}}`',
    note(20_000),
  ),
})

const Counts = namedObject('ImportCounts', {
  recorded: z.int().nonnegative(),
  duplicate: z.int().nonnegative(),
  refused: z.int().nonnegative(),
  conflict: z.int().nonnegative(),
})

/** An import as the calls that change it answer. */
export const ImportAnswer = namedObject('ImportAnswer', {
  id: z.string(),
  state: z.enum(importStates),
  counts: Counts,
})
export type ImportAnswer = z.infer<typeof ImportAnswer>

export const StatementImport = namedObject('StatementImport', {
  ...ImportAnswer.shape,
  kind: z.enum(importKinds),
  account: z.string().nullable(),
  mapping,
  sha256: described('SHA-256 of the file in hex, which is all that is kept of it', z.string()),
  previewed: Stamp,
  confirmed: Stamp.nullable(),
  completedAt: z.iso.datetime().nullable(),
})
export type StatementImport = z.infer<typeof StatementImport>

export const ImportRow = namedObject('ImportRow', {
  line: described('Line in the file; the header is line 1', z.int().positive()),
  outcome: z.enum(rowOutcomes),
  reason: z.string().nullable(),
})
export type ImportRow = z.infer<typeof ImportRow>

const importPath = pathOf("The import's id", importId, 'Import not found')

export const importRoutes = {
  imports: get('/api/admin/imports', 'read', {
    summary: 'The imports of statements, the newest first',
    position: 'waits',
    answer: answer('The imports', z.array(StatementImport)),
  }),
  statementImport: get('/api/admin/imports/:id', 'read', {
    summary: 'An import of a statement',
    params: importPath,
    position: 'waits',
    answer: answer('The import', StatementImport),
  }),
  importRows: get('/api/admin/imports/:id/rows', 'read', {
    summary: 'What becomes of each row of an import: of a preview what would, of one that is done what did',
    params: importPath,
    query: request({
      outcome: described('Only rows with this outcome', parameter(z.enum(rowOutcomes, { error: INVALID }).optional())),
      limit: pageLimit(),
      cursor: pageCursor(),
    }),
    position: 'waits',
    paged: true,
    answer: answer('The rows, in the order of the file', z.array(ImportRow)),
  }),
  previewImport: post('/api/admin/imports', 'import-statements', {
    summary: 'Read a statement and say what each row would do; nothing is recorded yet',
    body: StatementUpload,
    upload: { field: STATEMENT_FIELD, type: 'text/csv', largest: LARGEST_STATEMENT },
    status: 201,
    answer: answer('The preview', ImportAnswer),
  }),
  confirmImport: post('/api/admin/imports/:id/confirm', 'import-statements', {
    summary: 'Record the rows of a previewed statement; it goes on after a restart',
    params: importPath,
    status: 202,
    answer: answer('The import, which runs', ImportAnswer),
    refuses: conflict,
  }),
}
