import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { type AccountId, accountOf, type CaseId, ownerOf } from '#services/framework/ids.ts'
import type { Module, Queries } from '#services/framework/module.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { accountStreams, type AccountStreamEvent } from '#services/trading/stream/account-aggregate.ts'
import { caseNotFound } from '#services/trading/stream/case.ts'
import type { Case, caseRoutes, ObjectableDecision } from '../case-api.ts'
import { type CaseDocument, cases } from '../case-read-model.ts'
import { caseSubject } from '../case-subject.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { userStreams } from '#services/identity/users/user.ts'
import { numberAt, readCase } from './case-answer.ts'
import { caseFilesPrefix, sendCaseFile } from './case-files.ts'
import { caseMails } from './case-mails.ts'
import { caseCommands } from './case-commands.ts'

export const caseModule: Module<typeof caseSubject, TradingParts, AccountStreamEvent> = {
  subject: caseSubject,
  commands: caseCommands,
  queries: caseQueries,
  mails: caseMails,
  readModels: [cases],
  // The account of a deleted user withdraws them, and texts and files are encrypted with the user's key, which is destroyed.
  erase: async (owner, _context, { files }) => {
    await files.removeAll(caseFilesPrefix(owner))
    return undefined
  },
}

const DAY = 86_400_000
/** Cases that a list answers with at once. */
const MOST_LISTED = 200

function caseQueries(parts: TradingParts['queries']): Queries<typeof caseRoutes> {
  const { repositories, readModels } = parts
  const accounts = repositories.of(accountStreams)
  const fileOf = async (id: CaseId, number: string) => {
    const { state } = await accounts.load(accountOf(id))
    const found = state.account.erased ? undefined : state.cases.list.get(id)
    const file = found?.files.find((each) => String(each.number) === number)
    if (!file) throw new HttpError(404, { message: 'File not found' })
    return file
  }
  const objectableOn = async (account: AccountId): Promise<ObjectableDecision[]> => {
    const { state } = await accounts.load(account)
    const found: ObjectableDecision[] = []
    for (const [revision, { subject: kind, at, payout, undoneBy }] of state.cases.decisions) {
      const until = at + parts.config.appealDays * DAY
      if (state.account.erased || undoneBy !== null || until < parts.now()) continue
      const existing = [...state.cases.list.values()].find(
        ({ decision, state: of }) => decision.revision === revision && of !== 'withdrawn',
      )
      const event = await numberAt(accounts, account, revision)
      found.push({ account, kind, event, payout, at: isoTime(at), until: isoTime(until), case: existing?.id ?? null })
    }
    return found
  }
  const all = async (documents: readonly Pick<CaseDocument, 'id'>[]): Promise<Case[]> => {
    const found: Case[] = []
    for (const { id } of documents) found.push(await readCase(accounts, id))
    return found
  }
  return {
    ownCases: {
      needs: [cases],
      handle: async ({ caller: { userId } }) => ({ body: await all(await listed(readModels, { where: { userId } })) }),
    },
    ownCase: {
      needs: [cases],
      handle: async ({ caller: { userId }, params: { id } }) => {
        if (ownerOf(accountOf(id)) !== userId) throw caseNotFound()
        return { body: await readCase(accounts, id) }
      },
    },
    objectable: {
      needs: [],
      handle: async ({ caller: { userId } }) => {
        const { accounts: ids } = (await repositories.of(userStreams).load(userId)).state
        const found: ObjectableDecision[] = []
        for (const id of ids) found.push(...(await objectableOn(id)))
        return { body: found.toSorted((one, other) => other.at.localeCompare(one.at)) }
      },
    },
    ownCaseFile: {
      needs: [],
      handle: async ({ caller: { userId }, params: { id, file }, response }) => {
        if (ownerOf(accountOf(id)) !== userId) throw caseNotFound()
        await sendCaseFile(response, await fileOf(id, file), userId, parts)
        return undefined
      },
    },
    caseFile: {
      needs: [],
      handle: async ({ params: { id, file }, response }) => {
        await sendCaseFile(response, await fileOf(id, file), ownerOf(accountOf(id)), parts)
        return undefined
      },
    },
    cases: {
      needs: [cases],
      handle: async ({ query: { state, overdue, about } }) => {
        const where = { ...(state && { state }), ...(overdue && { overdue }), ...(about && { named: about }) }
        return { body: await all(await listed(readModels, { where, sort: { by: 'queue', direction: 1 } })) }
      },
    },
    case: { needs: [cases], handle: async ({ params: { id } }) => ({ body: await readCase(accounts, id) }) },
  }
}

type Query = Omit<Parameters<ReadModels['find']>[1], 'limit'>

/** Newest first, unless it is sorted. */
async function listed(readModels: Pick<ReadModels, 'find'>, query: Query): Promise<readonly CaseDocument[]> {
  return (await readModels.find(cases, { ...query, limit: MOST_LISTED })).documents
}
