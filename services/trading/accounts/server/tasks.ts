import { done } from '#services/framework/http/serve-route.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import { COUNT_LIMIT, countUpTo, totalOf } from '#services/framework/http/list-total.ts'
import { setPaginationHeaders } from '#services/framework/http/pagination.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { closeOnPlatform } from '#services/trading/stream/account.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { ownerOf } from '#services/framework/ids.ts'
import type { Commands, Queries } from '#services/framework/module.ts'
import { type UserDocument, users } from '#services/trading/accounts/user-read-model.ts'
import type { Task, taskRoutes } from '../task-api.ts'
import { missingOf, type TaskDocument, tasks } from '../task-read-model.ts'
import { type TaskKind, taskKinds } from '../task-vocabulary.ts'

/** Staff say what they have done on the trading platform. */
export function taskCommands({ repositories }: TradingParts['commands']): Commands<typeof taskRoutes> {
  return {
    closedOnPlatform: async ({ params, context }) => {
      const { position } = await repositories
        .of(accountStreams)
        .decide(params.id, context, ({ account }) => closeOnPlatform(account))
      return done(position)
    },
  }
}

/** What staff have to do on the trading platform, oldest first. */
export function taskQueries({ readModels }: TradingParts['queries']): Queries<typeof taskRoutes> {
  return {
    tasks: {
      needs: [tasks, users],
      handle: async ({ query: { kind, limit, cursor }, request, response }) => {
        const where = { kind: kind ?? taskKinds }
        const page = await readModels.find(tasks, {
          where,
          limit,
          sort: { by: 'since', direction: 1 },
          ...(cursor && { cursor }),
        })
        const count = () => countUpTo(COUNT_LIMIT, (most) => readModels.count(tasks, { where }, most))
        setPaginationHeaders(request, response, page, await totalOf(page, { cursor }, count))
        const owners = page.documents.map(({ account }) => ownerOf(account))
        const persons = await readModels.getMany(users, [...new Set(owners)])
        const personOf = (task: TaskDocument) => persons.get(ownerOf(task.account))
        return {
          body: page.documents.flatMap((task) => (task.kind ? taskResponse(task, task.kind, personOf(task)) : [])),
        }
      },
    },
  }
}

type Person = Pick<UserDocument, 'fullName' | 'email'>

function taskResponse(task: TaskDocument, kind: TaskKind, person: Person | undefined): Task {
  const { account, since } = task
  const { programme, stage, platform, login, server } = task
  const missing = kind === 'platform-login' ? missingOf(task) : []
  return {
    ...{ id: `${account}-${kind}`, kind, account, since: isoTime(since), userId: ownerOf(account) },
    ...{ userName: person?.fullName ?? ERASED, email: person?.email ?? null },
    ...{ programme, stage, missing, platform, login, server },
  }
}
