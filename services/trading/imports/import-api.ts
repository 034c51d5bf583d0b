import { importId } from '#services/framework/ids.ts'
import { z } from 'zod'
import { ErrorAnswer } from '#services/framework/api/error-schemas.ts'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { pageCursor, pageLimit, parameter } from '#services/framework/api/pagination-schemas.ts'
import { answer, conflict, get, post, pathOf } from '#services/framework/api/route.ts'
import { Stamp } from '#services/framework/api/stamp-schemas.ts'
import {
  INVALID,
  LONGEST_NOTE,
  missingOrInvalid,
  namedRequest,
  note,
  request,
  requiredNote,
  requiredText,
} from '#services/framework/api/text.ts'
import { AccountObservation } from '#services/trading/observations/observation-api.ts'
import { MOST_FILE_ROWS, statementCheck, statementFile } from '#services/trading/statements/statement-vocabulary.ts'
import { importOutcomes } from './import-outcome-vocabulary.ts'
import { conflictDecisions, importKinds, importStates, LARGEST_STATEMENT, mappedKinds } from './import-vocabulary.ts'
import { mapping } from './mapping-api.ts'
import { importedRow } from './statement-row-api.ts'

/** Imports of statements of accounts under a programme. */

export const STATEMENT_FIELD = 'statementFile'
export const statementMessages = {
  required: 'Please choose the statement',
  tooLarge: 'The statement must be at most 40 MB with 100,000 rows',
} as const

const optionalText = requiredText(100).optional()

/** POST /api/admin/imports: the fields beside the file. Without a mapping its format is recognised. */
export const StatementUpload = namedRequest('StatementUpload', {
  kind: described('With a mapping: what a row is', z.enum(mappedKinds, { error: missingOrInvalid }).optional()),
  account: described(
    'Account of all rows, by its id or its login; without it each row or the file names its own',
    optionalText,
  ),
  server: described('Server of all logins, where the file does not name it', optionalText),
  format: described('Where several formats fit', optionalText),
  zone: described('Time zone of the file, where it says none', optionalText),
  decimal: described('Decimal mark, where the file does not show it', optionalText),
  dates: described('`day-first` or `month-first`, where the file does not show it', optionalText),
  mapping: described(
    'JSON of `{delimiter, decimal, zone, dates, columns: {field: heading | [headings, summed]}}`, for a file that no format fits',
    note(20_000).optional(),
  ),
})
export type StatementUpload = z.infer<typeof StatementUpload>

const Counts = namedObject('ImportCounts', {
  recorded: z.int().nonnegative(),
  transfer: described('Ledger rows that are recorded', z.int().nonnegative()),
  duplicate: z.int().nonnegative(),
  skipped: z.int().nonnegative(),
  refused: z.int().nonnegative(),
  conflict: z.int().nonnegative(),
})

/** An import as the calls that change it answer. */
export const ImportAnswer = namedObject('ImportAnswer', {
  id: z.string(),
  state: z.enum(importStates),
  kind: z.enum(importKinds),
  format: described('Null with a mapping', z.string().nullable()),
  zone: described('Null where no time needs one', statementFile.shape.zone.nullable()),
  account: described('That all rows are of; null for several', z.string().nullable()),
  ...statementFile.shape.account.shape,
  checks: z.array(statementCheck),
  hints: z.array(z.string()),
  says: described('One line about the file', z.string()),
  counts: Counts,
  conflictsDecided: described('Conflicts that staff decided', z.int().nonnegative()),
})
export type ImportAnswer = z.infer<typeof ImportAnswer>

export const StatementImport = namedObject('StatementImport', {
  ...ImportAnswer.shape,
  mapping: described('Null for a file of a known format', mapping.nullable()),
  sha256: described('SHA-256 of the file in hex, which is all that is kept of it', z.string()),
  previewed: Stamp,
  confirmed: Stamp.nullable(),
  acceptedDisagreement: described(
    'Why a file that disagrees with itself was recorded all the same',
    z.string().nullable(),
  ),
  completedAt: z.iso.datetime().nullable(),
})
export type StatementImport = z.infer<typeof StatementImport>

/** 400 of POST /api/admin/imports: the dialog asks for what is missing. */
export const UnreadStatement = namedObject('UnreadStatement', {
  ...ErrorAnswer.shape,
  columns: described(
    'The columns of a file that no format fits',
    z.object({ delimiter: z.string(), headings: z.array(z.string()) }).optional(),
  ),
  recognised: described(
    'What is known of a file before it can be read',
    z.object({ format: z.string(), ...statementFile.shape.account.shape }).optional(),
  ),
})
export type UnreadStatement = z.infer<typeof UnreadStatement>

export const ImportRow = namedObject('ImportRow', {
  index: described('Its place among the rows of the file, from 0', z.int().nonnegative()),
  line: described('Line in the file, from 1, or the row of the sheet', z.int().positive()),
  outcome: z.enum(importOutcomes),
  reason: z.string().nullable(),
  account: z.string().nullable(),
  row: described('As `proofdesk statement read` prints it; null in imports of 0.2.0', importedRow.nullable()),
  known: described(
    'The observation that a conflict is with',
    AccountObservation.pick({ id: true })
      .extend({
        observation: AccountObservation.shape.observation.nullable(),
      })
      .nullable(),
  ),
  taken: described('What staff decided about a conflict; null before', z.enum(conflictDecisions).nullable()),
})
export type ImportRow = z.infer<typeof ImportRow>

/** What the preview says of one account. */
export const ImportAccount = namedObject('ImportAccount', {
  account: z.string(),
  login: z.string().nullable(),
  trader: described('Null once the trader was deleted', z.string().nullable()),
  rows: z.int().nonnegative(),
  trades: described('Trades that are new', z.int().nonnegative()),
  net: described('Of these trades', z.string()),
  transfers: described('Of the ledger rows that are new', z.string()),
  first: z.iso.datetime().nullable(),
  last: z.iso.datetime().nullable(),
  balanceBefore: z.string(),
  balanceAfter: z.string(),
})
export type ImportAccount = z.infer<typeof ImportAccount>

/** POST /api/admin/imports/:id/confirm */
export const ImportConfirmation = namedRequest('ImportConfirmation', {
  acceptDisagreement: described(
    'For a file that disagrees with itself: why it is recorded all the same',
    requiredNote(1_000, 'Please say why this file is recorded all the same').optional(),
  ),
})

const INDEX = 'expected the index of a row'

/** POST /api/admin/imports/:id/conflicts */
export const ConflictDecisionRequest = namedRequest('ImportConflictDecision', {
  take: described(
    "'new' corrects what is known by what the file says, 'known' leaves it as it is",
    z.enum(conflictDecisions, { error: missingOrInvalid }),
  ),
  rows: described(
    'The `index` of each conflict; null for all that are not decided yet',
    z
      .array(z.int(INDEX).nonnegative(INDEX), 'expected a list of rows')
      .min(1, 'expected at least one row')
      .max(MOST_FILE_ROWS, `expected at most ${MOST_FILE_ROWS} rows`)
      .nullable(),
  ),
  reason: requiredNote(LONGEST_NOTE, 'Please say why'),
})
export type ConflictDecisionRequest = z.infer<typeof ConflictDecisionRequest>

export const ConflictsDecided = namedObject('ImportConflictsDecided', {
  decided: z.int().nonnegative(),
  refused: described(
    'Conflicts that could not be decided',
    z.array(z.object({ index: z.int().nonnegative(), reason: z.string() })),
  ),
})
export type ConflictsDecided = z.infer<typeof ConflictsDecided>

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
      outcome: described(
        'Only rows with this outcome',
        parameter(z.enum(importOutcomes, { error: INVALID }).optional()),
      ),
      limit: pageLimit(),
      cursor: pageCursor(),
    }),
    position: 'waits',
    paged: true,
    answer: answer('The rows, in the order of the file', z.array(ImportRow)),
  }),
  importAccounts: get('/api/admin/imports/:id/accounts', 'read', {
    summary: 'What an import brings each account, as its preview said',
    params: importPath,
    query: request({ limit: pageLimit(), cursor: pageCursor() }),
    position: 'waits',
    paged: true,
    answer: answer('The accounts, in the order of the file', z.array(ImportAccount)),
  }),
  previewImport: post('/api/admin/imports', 'import-statements', {
    summary: 'Read a statement and say what each row would do; nothing is recorded yet',
    body: StatementUpload,
    upload: { field: STATEMENT_FIELD, type: 'application/octet-stream', largest: LARGEST_STATEMENT },
    status: 201,
    answer: answer('The preview', ImportAnswer),
    refuses: { 400: answer('The file cannot be read, or not without more being said about it', UnreadStatement) },
  }),
  confirmImport: post('/api/admin/imports/:id/confirm', 'import-statements', {
    summary: 'Record the rows of a previewed statement; it goes on after a restart',
    params: importPath,
    body: ImportConfirmation,
    status: 202,
    answer: answer('The import, which runs', ImportAnswer),
    refuses: conflict,
  }),
  decideImportConflicts: post('/api/admin/imports/:id/conflicts', 'import-statements', {
    summary: 'Decide conflicts of an import: what the file says replaces what is known, or not',
    params: importPath,
    body: ConflictDecisionRequest,
    answer: answer('What was decided', ConflictsDecided),
    refuses: conflict,
  }),
}
