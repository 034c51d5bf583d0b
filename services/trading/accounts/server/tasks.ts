import { z } from 'zod'
import type { PersonKey } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { personalFields } from '#services/event-sourcing/read-models/personal-fields.ts'
import { done } from '#services/framework/http/serve-route.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import { COUNT_LIMIT, countUpTo, totalOf } from '#services/framework/http/list-total.ts'
import { setPaginationHeaders } from '#services/framework/http/pagination.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { closeOnPlatform } from '#services/trading/stream/account.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { ownerOf, type UserId } from '#services/framework/ids.ts'
import { emailClaims } from '#services/identity/users/email-claim.ts'
import { userStreams } from '#services/identity/users/user.ts'
import type { Commands, Queries } from '#services/framework/module.ts'
import { type UserDocument, users } from '#services/trading/accounts/user-read-model.ts'
import { sameOrder } from '#services/trading/orders/order-vocabulary.ts'
import { untakenOrderEvents } from '#services/trading/orders/untaken-order.ts'
import type { Task, taskRoutes } from '../task-api.ts'
import { type AccountTask, missingOf, type OrderTask, tasks } from '../task-read-model.ts'
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

const buyer = z.object({ orderNumber: z.string(), email: z.string(), fullName: z.string() })

/** What staff have to do, oldest first. */
export function taskQueries(parts: TradingParts['queries']): Queries<typeof taskRoutes> {
  const { readModels, personKeys, secrets, repositories } = parts
  /** A number is searched by its keyed hash: version 0.2.0 hashed its exact text. */
  const searched = (search: string) =>
    search.includes('@')
      ? { emailHash: secrets.emailHash(search) }
      : { order: [sameOrder(search), search].map(secrets.orderHash) }

  /** Whether the last who used an address was deleted; nobody uses it now. */
  const isOfDeletedUser = async ({ emailHash, settled }: OrderTask): Promise<boolean> => {
    if (settled) return false
    let last: UserId | undefined
    for await (const { data } of repositories.of(emailClaims).readEvents(emailHash)) last = data.holder
    return last !== undefined && (await repositories.of(userStreams).load(last)).state.deleted
  }

  return {
    tasks: {
      needs: [tasks, users],
      handle: async ({ query: { kind, search, limit, cursor }, request, response }) => {
        const text = search?.trim()
        const where = { ...(text && searched(text)), ...((kind ?? !text) && { kind: kind ?? taskKinds }) }
        const page = await readModels.find(tasks, {
          where,
          limit,
          sort: { by: 'since', direction: 1 },
          ...(cursor && { cursor }),
        })
        const count = () => countUpTo(COUNT_LIMIT, (most) => readModels.count(tasks, { where }, most))
        setPaginationHeaders(request, response, page, await totalOf(page, { cursor }, count))
        const owners = page.documents.flatMap(({ account }) => (account === null ? [] : ownerOf(account)))
        const persons = await readModels.getMany(users, [...new Set(owners)])
        const keys = await personKeys.get(page.documents.flatMap((task) => (task.account === null ? task.id : [])))
        const personOf = ({ account }: AccountTask) => persons.get(ownerOf(account))
        const orders = page.documents.filter((task) => task.account === null)
        const deleted = await Promise.all(orders.map(isOfDeletedUser))
        const body = page.documents.flatMap((task) => {
          if (task.account === null) return orderTask(task, keys.get(task.id), deleted[orders.indexOf(task)] ?? false)
          return task.kind ? taskResponse(task, task.kind, personOf(task)) : []
        })
        return { body }
      },
    },
  }
}

type Person = Pick<UserDocument, 'fullName' | 'email'>

function taskResponse(task: AccountTask, kind: TaskKind, person: Person | undefined): Task {
  const { account, since } = task
  const { programme, stage, platform, login, server } = task
  const missing = kind === 'platform-login' ? missingOf(task) : []
  return {
    ...{ id: `${account}-${kind}`, kind, account, since: isoTime(since), userId: ownerOf(account) },
    ...{ userName: person?.fullName ?? ERASED, email: person?.email ?? null },
    ...{ programme, stage, missing, platform, login, server, order: null },
  }
}

function orderTask(
  { id, since, programme, reason, settled, ...task }: OrderTask,
  key: PersonKey | undefined,
  buyerDeleted: boolean,
): Task {
  const personal = settled ? 'destroyed' : key
  const {
    orderNumber: number,
    email,
    fullName: userName,
  } = buyer.parse(personalFields(untakenOrderEvents.OrderNotTaken, task.buyer, personal))
  const ended = settled && { ...settled, at: isoTime(settled.at) }
  return {
    ...{
      id: `order-${id}`,
      kind: 'order-not-taken',
      account: null,
      since: isoTime(since),
      userId: null,
      userName,
      email,
    },
    ...{ programme, stage: '', missing: [], platform: null, login: null, server: null },
    order: { id, number, email, reason, buyerDeleted, settled: ended },
  }
}
