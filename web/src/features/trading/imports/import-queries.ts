import { mutationOptions } from '@tanstack/react-query'
import {
  type ConflictDecisionRequest,
  importRoutes,
  STATEMENT_FIELD,
  type StatementUpload,
} from '#services/trading/imports/import-api.ts'
import type { ImportOutcome } from '#services/trading/imports/import-outcome-vocabulary.ts'
import type { Mapping } from '#services/trading/imports/mapping-api.ts'
import { sendAndParse, sendForm } from '@/api/api.ts'
import { pageQuery, refetchSubjects, routeQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'
import { counted } from '@/format/counts.ts'

/** Imports of statements. */

const subjects = ['imports'] as const

export const importsQuery = routeQuery(importRoutes.imports, { subjects })

export const importQuery = (id: string) => routeQuery(importRoutes.statementImport, { params: { id }, subjects })

export const importRowsQuery = (id: string, outcome: ImportOutcome | undefined) =>
  pageQuery(importRoutes.importRows, { params: { id }, query: { ...(outcome && { outcome }), limit: '200' }, subjects })

export const importAccountsQuery = (id: string) =>
  pageQuery(importRoutes.importAccounts, { params: { id }, query: { limit: '200' }, subjects })

/** What a person says about a file, beside the file. Empty texts are not said. */
export interface StatementSaid extends Omit<StatementUpload, 'mapping'> {
  readonly mapping?: Mapping | undefined
}

/** The form shows what a refusal asks for, so no toast does. */
export const previewImport = mutationOptions({
  mutationFn: ({ said: { mapping, ...said }, file }: { readonly said: StatementSaid; readonly file: File }) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(said)) if (value) form.append(name, value)
    if (mapping) form.append('mapping', JSON.stringify(mapping))
    form.append(STATEMENT_FIELD, file)
    return sendForm(importRoutes.previewImport, form)
  },
  onSettled: (_answer, _error, _input, _before, { client }) => refetchSubjects(client, 'admin'),
  meta: { session: 'admin' },
})

export const confirmImport = staffChange({
  send: ({ id, acceptDisagreement }: { readonly id: string; readonly acceptDisagreement?: string }) =>
    sendAndParse(importRoutes.confirmImport, { params: { id }, body: { acceptDisagreement } }),
  done: () => ['Import confirmed', 'Its rows are being recorded.'],
  failed: () => 'The import was not confirmed',
})

export const decideConflicts = staffChange({
  send: ({ id, ...body }: ConflictDecisionRequest & { readonly id: string }) =>
    sendAndParse(importRoutes.decideImportConflicts, { params: { id }, body }),
  done: (_, { decided, refused: [first, ...others] }) => [
    `${counted(decided, 'conflict')} decided`,
    first ? `${others.length + 1} could not be decided: ${first.reason}` : '',
  ],
  failed: () => 'The conflicts were not decided',
})
