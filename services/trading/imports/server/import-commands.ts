import { newId } from '#services/identity/authentication/random-id.ts'
import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import { faultsOf } from '#services/framework/api/faults.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { receiveUpload } from '#services/framework/http/receive-upload.ts'
import { importId } from '#services/framework/ids.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { Commands } from '#services/framework/module.ts'
import { type ImportAnswer, type importRoutes, STATEMENT_FIELD, statementMessages } from '../import-api.ts'
import { confirmImport, importStreams } from '../import.ts'
import { LARGEST_STATEMENT } from '../import-vocabulary.ts'
import { type Mapping, mapping, mappingFaults } from '../mapping-api.ts'
import { countsOf, createImportFiles, sha256 } from './import-files.ts'
import { createPreview } from './import-preview.ts'
import { LargeStatement, readStatement, UnreadableStatement } from './statement-file.ts'

/** Reads statements, and confirms their imports. */
export function importCommands(parts: TradingParts['commands']): Commands<typeof importRoutes> {
  const { repositories, fileStore } = parts
  const repository = repositories.of(importStreams)
  const files = createImportFiles(fileStore)
  const preview = createPreview(parts)

  return {
    previewImport: {
      receive: receiveUpload(STATEMENT_FIELD, {
        ...{ fileSize: LARGEST_STATEMENT, fields: 5, fieldSize: 20_000, parts: 10 },
        tooLarge: statementMessages.tooLarge,
      }),
      handle: async ({ body, context, request }) => {
        const { file } = request
        if (!file) throw new HttpError(400, fieldFailure(STATEMENT_FIELD, statementMessages.required))
        const { kind, account } = body
        const read = mappingIn(body.mapping)
        const faults = [...mappingFaults(read, kind, account !== undefined)]
        if (faults.length > 0) throw mappingFailure(faults)
        const id = importId.parse(newId(context, 'import'))
        const before = await repository.firstDecision(id, context)
        if (before) {
          const answer: ImportAnswer = { id, state: 'preview', counts: before.state.counts }
          return { status: 201, body: answer, position: before.position }
        }
        const { rows, ofAccount } = await namingFaults(async () =>
          preview(await readStatement(file.buffer, kind, read, account), account),
        )
        const rowsSha256 = await files.putRows(id, rows)
        const counts = countsOf(rows)
        const previewed = { kind, account: ofAccount, mapping: read, sha256: sha256(file.buffer), rowsSha256, counts }
        const { position } = await repository.decide(id, context, () => [{ type: 'ImportPreviewed', data: previewed }])
        const answer: ImportAnswer = { id, state: 'preview', counts }
        return { status: 201, body: answer, position }
      },
    },

    confirmImport: async ({ params, context }) => {
      const { id } = params
      const { state, position } = await repository.decide(id, context, confirmImport)
      const answer: ImportAnswer = { id, state: 'running', counts: state.counts }
      return { status: 202, body: answer, position }
    },
  }
}

/** @throws {HttpError} 400 with each fault at its place */
function mappingIn(text: string): Mapping {
  const { data, error } = mapping.safeParse(jsonIn(text))
  if (data) return data
  throw mappingFailure([...faultsOf(error)])
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new HttpError(400, fieldFailure('mapping', 'expected JSON'))
  }
}

function mappingFailure(faults: readonly (readonly [place: string, message: string])[]): HttpError {
  const errors = Object.fromEntries(
    faults.map(([place, message]) => [place === '' ? 'mapping' : `mapping.${place}`, message]),
  )
  return new HttpError(400, { message: Object.values(errors)[0] ?? 'The mapping is not valid', errors })
}

async function namingFaults<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LargeStatement)
      throw new HttpError(413, fieldFailure(STATEMENT_FIELD, statementMessages.tooLarge))
    if (!(error instanceof UnreadableStatement)) throw error
    throw new HttpError(400, fieldFailure(error.field ?? STATEMENT_FIELD, error.message))
  }
}
