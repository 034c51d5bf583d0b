import { importRoutes, STATEMENT_FIELD } from '#services/trading/imports/import-api.ts'
import type { ImportKind } from '#services/trading/imports/import-vocabulary.ts'
import type { Mapping } from '#services/trading/imports/mapping-api.ts'
import type { RowOutcome } from '#services/trading/stream/observation-vocabulary.ts'
import { sendAndParse, sendForm } from '@/api/api.ts'
import { pageQuery, routeQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'
import { counted } from '@/format/counts.ts'

/** Imports of statements. */

const subjects = ['imports'] as const

export const importsQuery = routeQuery(importRoutes.imports, { subjects })

export const importQuery = (id: string) => routeQuery(importRoutes.statementImport, { params: { id }, subjects })

export const importRowsQuery = (id: string, outcome: RowOutcome | undefined) =>
  pageQuery(importRoutes.importRows, { params: { id }, query: { ...(outcome && { outcome }), limit: '200' }, subjects })

interface Statement {
  readonly kind: ImportKind
  readonly account: string
  readonly mapping: Mapping
  readonly file: File
}

export const previewImport = staffChange({
  send: ({ kind, account, mapping, file }: Statement) => {
    const form = new FormData()
    form.append('kind', kind)
    if (account !== '') form.append('account', account)
    form.append('mapping', JSON.stringify(mapping))
    form.append(STATEMENT_FIELD, file)
    return sendForm(importRoutes.previewImport, form)
  },
  done: (_, { counts }) => ['Statement read', `${counted(counts.recorded, 'row')} would be recorded.`],
  failed: () => 'The statement was not read',
})

export const confirmImport = staffChange({
  send: (id: string) => sendAndParse(importRoutes.confirmImport, { params: { id } }),
  done: () => ['Import confirmed', 'Its rows are being recorded.'],
  failed: () => 'The import was not confirmed',
})
