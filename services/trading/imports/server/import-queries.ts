import { setPaginationHeaders } from '#services/framework/http/pagination.ts'
import { exactTotal } from '#services/framework/http/list-total.ts'
import { stampOrNoneResponse, stampResponse } from '#services/framework/decision-stamp.ts'
import { refusedFile } from '#services/process/forged-rows.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { importId } from '#services/framework/ids.ts'
import type { Queries } from '#services/framework/module.ts'
import type { importRoutes, StatementImport } from '../import-api.ts'
import { importNotFound, importStreams } from '../import.ts'
import { type ImportDocument, importDocuments } from '../import-read-model.ts'
import { createImportFiles } from './import-files.ts'

/** The newest imports of the list. */
const MOST = 200

/** Imports of statements, and what became of their rows. */
export function importQueries(parts: TradingParts['queries']): Queries<typeof importRoutes> {
  const { readModels, fileStore, repositories } = parts
  const files = createImportFiles(fileStore)
  const existing = async (id: string) => {
    const found = await readModels.get(importDocuments, id)
    if (!found) throw importNotFound()
    return found
  }

  return {
    imports: {
      needs: [importDocuments],
      handle: async () => ({
        body: (await readModels.find(importDocuments, { limit: MOST })).documents.map(importResponse),
      }),
    },

    statementImport: {
      needs: [importDocuments],
      handle: async ({ params }) => ({ body: importResponse(await existing(params.id)) }),
    },

    importRows: {
      needs: [importDocuments],
      handle: async ({ params, query: { outcome, limit, cursor }, request, response }) => {
        const id = importId.parse((await existing(params.id)).id)
        // The log says what became of the rows: who writes to the file store must not make staff believe otherwise.
        const all = await files.outcomes(id, (await repositories.of(importStreams).load(id)).state)
        if (!all) throw refusedFile(`import ${id}`, 'became of these rows', parts.reportForgedRow)
        const rows = outcome === undefined ? all : all.filter((row) => row.outcome === outcome)
        const start = Number(cursor ?? 0)
        const next = rows.length > start + limit ? String(start + limit) : undefined
        setPaginationHeaders(request, response, { next }, exactTotal(rows.length))
        return { body: rows.slice(start, start + limit) }
      },
    },
  }
}

function importResponse({ previewed, confirmed, completedAt, ...one }: ImportDocument): StatementImport {
  return {
    ...one,
    previewed: stampResponse(previewed, 'admin'),
    confirmed: stampOrNoneResponse(confirmed, 'admin'),
    completedAt: completedAt === null ? null : isoTime(completedAt),
  }
}
