import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import { faultsOf } from '#services/framework/api/faults.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { receiveUpload } from '#services/framework/http/receive-upload.ts'
import { accountId, importId } from '#services/framework/ids.ts'
import type { Commands } from '#services/framework/module.ts'
import { newId } from '#services/identity/authentication/random-id.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { LargeStatement, UnreadableStatement } from '#services/trading/statements/server/unreadable-statement.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import {
  type importRoutes,
  STATEMENT_FIELD,
  statementMessages,
  type StatementUpload,
  type UnreadStatement,
} from '../import-api.ts'
import { confirmImport, importStreams } from '../import.ts'
import { LARGEST_STATEMENT, type MappedKind } from '../import-vocabulary.ts'
import { type Mapping, mapping, mappingFaults } from '../mapping-api.ts'
import { decideConflictsOf } from './import-conflicts.ts'
import { answerOfStream } from './import-answer.ts'
import { previewedImport } from './previewed-import.ts'
import { accountWithLogin, isSame, type Owner } from './statement-owners.ts'
import { readInThread, UnreadFile } from './statement-reading.ts'
import type { SourceStatement } from './statement-source.ts'

/** Reads statements, confirms their imports, and decides conflicts. */
export function importCommands(parts: TradingParts['commands']): Commands<typeof importRoutes> {
  const { repositories } = parts
  const repository = repositories.of(importStreams)

  /** The account that all rows are said to be of. @throws {HttpError} 400 */
  const ownerWith = async (account: string, server: string | undefined): Promise<Owner> => {
    const id = accountId.safeParse(account).data ?? (await accountWithLogin(parts.logins, account, server ?? null))
    if (typeof id === 'object' && id) throw new HttpError(400, fieldFailure('account', id.reason))
    const found = id && (await repositories.of(accountStreams).load(id)).state.account
    if (!found?.id) throw new HttpError(400, fieldFailure('account', 'There is no such account'))
    return { id: found.id, login: found.login, server: found.server }
  }

  return {
    previewImport: {
      receive: receiveUpload(STATEMENT_FIELD, {
        ...{ fileSize: LARGEST_STATEMENT, fields: 10, fieldSize: 20_000, parts: 15 },
        tooLarge: statementMessages.tooLarge,
      }),
      handle: async ({ body, context, request }) => {
        const { file } = request
        if (!file) throw new HttpError(400, fieldFailure(STATEMENT_FIELD, statementMessages.required))
        const mapped = body.mapping === undefined ? null : mappedIn(body, body.mapping)
        const id = importId.parse(newId(context, 'import'))
        const before = await repository.firstDecision(id, context)
        if (before) return { status: 201, body: answerOfStream(id, before.state), position: before.position }
        const owner = body.account === undefined ? null : await ownerWith(body.account, body.server)
        const read = await namingFaults(() => readInThread({ bytes: file.buffer, mapped, options: body }))
        const statement = { ...read, server: body.server ?? read.server }
        if (owner) assertOf(owner, read)
        else if (!mapped) assertNamesAccounts(statement)
        const data = await previewedImport(parts, id, statement, { owner, mapping: mapped?.mapping ?? null })
        const { state, position } = await repository.decide(id, context, () => [{ type: 'ImportPreviewed', data }])
        return { status: 201, body: answerOfStream(id, state), position }
      },
    },

    confirmImport: async ({ params, body: { acceptDisagreement }, context }) => {
      const { id } = params
      const { state, position } = await repository.decide(id, context, (current) =>
        confirmImport(current, acceptDisagreement),
      )
      return { status: 202, body: answerOfStream(id, { ...state, state: 'running' }), position }
    },

    decideImportConflicts: ({ params, body, context }) => decideConflictsOf(parts, params.id, body, context),
  }
}

/** @throws {HttpError} 400 with each fault at its place */
function mappedIn({ kind, account }: StatementUpload, text: string): { kind: MappedKind; mapping: Mapping } {
  if (kind === undefined) throw new HttpError(400, fieldFailure('kind', 'Please say what a row is'))
  const { data, error } = mapping.safeParse(jsonIn(text))
  if (!data) throw mappingFailure([...faultsOf(error)])
  const faults = [...mappingFaults(data, kind, account !== undefined)]
  if (faults.length > 0) throw mappingFailure(faults)
  return { kind, mapping: data }
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

/** @throws {HttpError} 400, where a file is of another login or server than the account. */
function assertOf({ login, server }: Owner, { file }: SourceStatement): void {
  const of = file?.account
  const isOther = (one: string | null | undefined, other: string | null) =>
    Boolean(one) && other !== null && !isSame(one ?? '', other)
  if (isOther(of?.login, login))
    throw new HttpError(
      400,
      fieldFailure('account', `This file is of the login ${of?.login}, and the account has ${login}`),
    )
  if (isOther(of?.server, server))
    throw new HttpError(400, fieldFailure('account', `This file is of ${of?.server}, and the account is on ${server}`))
}

/** @throws {HttpError} 400, where neither the file nor its rows say a login. */
function assertNamesAccounts({ file, rows }: SourceStatement): void {
  const hasLogin = Boolean(file?.account.login) || rows.some(({ row }) => 'login' in row && row.login !== null)
  if (hasLogin) return
  throw new HttpError(400, fieldFailure('account', 'The file does not say whose it is: please choose the account'))
}

async function namingFaults<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LargeStatement)
      throw new HttpError(413, fieldFailure(STATEMENT_FIELD, statementMessages.tooLarge))
    if (!(error instanceof UnreadableStatement)) throw error
    const errors = Object.fromEntries(error.faults.map(({ field, message }) => [field, message]))
    const body: UnreadStatement = {
      message: Object.values(errors)[0] ?? 'The file cannot be read',
      errors,
      ...(error.recognised && { recognised: error.recognised }),
      ...(error instanceof UnreadFile && error.columns && { columns: error.columns }),
    }
    throw new HttpError(400, body)
  }
}
