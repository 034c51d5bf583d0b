import { setPaginationHeaders } from '#services/framework/http/pagination.ts'
import { exactTotal } from '#services/framework/http/list-total.ts'
import { stampOrNoneResponse, stampResponse } from '#services/framework/decision-stamp.ts'
import { refusedFile } from '#services/process/forged-rows.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { importId, observationIdOf, ownerOf } from '#services/framework/ids.ts'
import { type UserDocument, users } from '#services/trading/accounts/user-read-model.ts'
import { AccountObservation } from '#services/trading/observations/observation-api.ts'
import { toDecimal } from '#services/rules/money.ts'
import { writtenObservation } from '#services/rules/observation.ts'
import type { Queries } from '#services/framework/module.ts'
import type { ImportAccount, ImportRow, importRoutes, StatementImport } from '../import-api.ts'
import type { ConflictDecision } from '../import-vocabulary.ts'
import { allCounts, importNotFound, importStreams } from '../import.ts'
import { type ImportDocument, importDocuments } from '../import-read-model.ts'
import { importAnswer } from './import-answer.ts'
import { type AccountSummary, createImportFiles, type RowOutcomeOfLine } from './import-files.ts'

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
      handle: async ({ params, query: { outcome: wanted, limit, cursor }, request, response }) => {
        const id = importId.parse((await existing(params.id)).id)
        // The log says what became of the rows: who writes to the file store must not make staff believe otherwise.
        const { state } = await repositories.of(importStreams).load(id)
        const page = await files.outcomesFrom(id, state, { start: Number(cursor ?? 0), limit, wanted })
        if (!page) throw refusedFile(`import ${id}`, 'became of these rows', parts.reportForgedRow)
        const counts = allCounts(state.counts)
        const total = state.state === 'lost' ? 0 : wanted ? counts[wanted] : sumOf(Object.values(counts))
        setPaginationHeaders(request, response, { next: page.next?.toString() }, exactTotal(total))
        return { body: page.rows.map((row) => rowResponse(row, state.decisions)) }
      },
    },

    importAccounts: {
      needs: [importDocuments, users],
      handle: async ({ params, query: { limit, cursor }, request, response }) => {
        const { id, accountsSha256 } = await existing(params.id)
        const all = accountsSha256 === null ? [] : await files.accounts(importId.parse(id), accountsSha256)
        if (!all) throw refusedFile(`import ${id}`, 'its preview said', parts.reportForgedRow)
        const start = Number(cursor ?? 0)
        const page = all.slice(start, start + limit)
        const next = all.length > start + limit ? String(start + limit) : undefined
        setPaginationHeaders(request, response, { next }, exactTotal(all.length))
        const owners = await readModels.getMany(users, [...new Set(page.map(({ account }) => ownerOf(account)))])
        return { body: page.map((summary) => accountResponse(summary, owners.get(ownerOf(summary.account)))) }
      },
    },
  }
}

function rowResponse(
  { index, line, outcome, reason, account, row, known }: RowOutcomeOfLine & { readonly index: number },
  decisions: ReadonlyMap<number, ConflictDecision>,
): ImportRow {
  return {
    ...{ index, line, outcome, reason, account, row, taken: decisions.get(index) ?? null },
    known:
      known && account
        ? {
            id: observationIdOf(account, known.number),
            observation:
              known.observation && AccountObservation.shape.observation.parse(writtenObservation(known.observation)),
          }
        : null,
  }
}

function accountResponse(
  { account, rows, trades, net, transfers, first, last, ...balances }: AccountSummary,
  owner: UserDocument | undefined,
): ImportAccount {
  return {
    ...{ account, rows, trades, net: toDecimal(net), transfers: toDecimal(transfers) },
    login: owner?.accounts.find(({ id }) => id === account)?.login ?? null,
    trader: owner?.fullName ?? null,
    first: first === null ? null : isoTime(first),
    last: last === null ? null : isoTime(last),
    balanceBefore: toDecimal(balances.balanceBefore),
    balanceAfter: toDecimal(balances.balanceAfter),
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}

function importResponse({
  previewed,
  confirmed,
  acceptedDisagreement,
  completedAt,
  ...one
}: ImportDocument): StatementImport {
  return {
    ...importAnswer(one),
    mapping: one.mapping,
    sha256: one.sha256,
    previewed: stampResponse(previewed, 'admin'),
    confirmed: stampOrNoneResponse(confirmed, 'admin'),
    acceptedDisagreement,
    completedAt: completedAt === null ? null : isoTime(completedAt),
  }
}
