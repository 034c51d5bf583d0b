import { setPaginationHeaders } from '#services/framework/http/pagination.ts'
import { exactTotal } from '#services/framework/http/list-total.ts'
import { stampOrNoneResponse, stampResponse } from '#services/framework/decision-stamp.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { importId } from '#services/framework/ids.ts'
import type { Queries } from '#services/framework/module.ts'
import type { importRoutes, StatementImport } from '../import-api.ts'
import { importNotFound } from '../import.ts'
import { type ImportDocument, importDocuments } from '../import-read-model.ts'
import { createImportFiles } from './import-files.ts'

/** The newest imports of the list. */
const MOST = 200

/** Imports of statements, and what became of their rows. */
export function importQueries({ readModels, fileStore }: TradingParts['queries']): Queries<typeof importRoutes> {
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
        const { id } = await existing(params.id)
        const all = await files.outcomes(importId.parse(id))
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
