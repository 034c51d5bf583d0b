import { z } from 'zod'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import {
  accountStatus,
  isSameLogin,
  accountEvents,
  missingOfLogin,
  platform,
} from '#services/trading/stream/account.ts'
import { stageTermsOf } from '#services/trading/stream/programme-stage.ts'
import { accountId, orderId } from '#services/framework/ids.ts'
import { settlements, untakenReasons } from '#services/trading/orders/order-vocabulary.ts'
import { untakenOrderEvents } from '#services/trading/orders/untaken-order.ts'
import { taskKinds } from './task-vocabulary.ts'
import { encryptedFields, encryptedFieldsOf, projection } from '#services/event-sourcing/read-models/projection.ts'

const ofOrder = z.object({
  kind: z.enum(['order-not-taken']).nullable(),
  since: z.int(),
  account: z.null(),
  /** A keyed hash of the shop's number, by which lists search. */
  order: orderId,
  /** The same of the email. */
  emailHash: z.string(),
  id: z.string(),
  reason: z.enum(untakenReasons),
  /** As the shop sent it. */
  programme: z.string(),
  /** Who has bought what, encrypted. */
  buyer: encryptedFields,
  settled: z.object({ how: z.enum(settlements), reason: z.string().nullable(), at: z.int() }).nullable(),
})
export type OrderTask = z.infer<typeof ofOrder>

const ofAccount = z.object({
  account: accountId,
  /** The kind of the task; null for none. */
  kind: z.enum(taskKinds).exclude(['order-not-taken']).nullable(),
  /** Since when, ms since 1970. */
  since: z.int(),
  programme: z.string(),
  stage: z.string(),
  open: z.boolean(),
  status: accountStatus,
  platform: platform.nullable(),
  login: z.string().nullable(),
  server: z.string().nullable(),
  hasPassword: z.boolean(),
  /** Staff closed it on the platform since it got its login. */
  closedOnPlatform: z.boolean(),
  /** Its funded stage opened without payouts, and nobody has enabled or disabled them since. */
  waitsForPayouts: z.boolean(),
})

export type AccountTask = z.infer<typeof ofAccount>

const document = z.union([ofAccount, ofOrder])
export type TaskDocument = z.infer<typeof document>

/**
 * What staff have to do: one document per account of a programme, and one for each time that an order was not taken, also
 * once it is settled: support finds it by the number of the order.
 */
export const tasks = projection(
  { ...accountEvents, ...untakenOrderEvents },
  {
    name: 'tasks',
    version: 4,
    document,
    filters: ['kind', 'order', 'emailHash'],
    selective: ['order', 'emailHash'],
    sorts: ['since'],
    documentId: ({ stream }) => parseStreamName(stream).id,
    on: {
      StageBegun: (_, { stream, at, data: { terms, stage, enablesPayouts } }): AccountTask => ({
        account: accountId.parse(parseStreamName(stream).id),
        kind: 'platform-login',
        since: at,
        programme: terms.name,
        stage: stageTermsOf(terms, stage).name,
        open: true,
        status: 'pending',
        platform: null,
        login: null,
        server: null,
        hasPassword: false,
        closedOnPlatform: false,
        waitsForPayouts: stageTermsOf(terms, stage).funded && !enablesPayouts,
      }),
      PayoutsEnabled: (task, { at }) => changed(task, at, { waitsForPayouts: false }),
      PayoutsDisabled: (task, { at }) => changed(task, at, { waitsForPayouts: false }),
      PlatformChanged: (task, { at, data: { to } }) => changed(task, at, { platform: to }),
      PlatformLoginAssigned: (task, { at, data: { from, to, masterPassword } }) =>
        changed(task, at, {
          ...to,
          hasPassword: masterPassword !== null,
          ...(!isSameLogin(from, to) && { closedOnPlatform: false }),
        }),
      AccountStatusChanged: (task, { at, data: { to } }) => changed(task, at, { status: to }),
      AccountClosed: (task, { at }) => changed(task, at, { open: false }),
      ClosedOnPlatform: (task, { at }) => changed(task, at, { closedOnPlatform: true }),
      OrderNotTaken: (before, event): OrderTask => ({
        ...{ kind: 'order-not-taken', since: before?.since ?? event.at, account: null },
        ...{ order: event.data.order, emailHash: event.data.emailHash, id: parseStreamName(event.stream).id },
        ...{ reason: event.data.reason, programme: event.data.programme },
        ...{ buyer: encryptedFieldsOf(event), settled: null },
      }),
      OrderSettled: (task, { at, data: { how, reason } }) => settled(task, { how, reason, at }),
    },
  },
)

function settled(task: TaskDocument | undefined, how: OrderTask['settled']): TaskDocument | undefined {
  return task?.account === null ? { ...task, kind: null, settled: how } : task
}

/** An account without a programme has no document. */
function changed(before: TaskDocument | undefined, at: number, change: Partial<AccountTask>): AccountTask | undefined {
  if (!before || before.account === null) return undefined
  const task = { ...before, ...change }
  const kind = kindOf(task)
  return { ...task, kind, since: kind === before.kind ? before.since : at }
}

/** Who trades needs a whole login, then payouts in a funded stage; nobody trades on a breached or closed account. */
function kindOf(task: AccountTask): AccountTask['kind'] {
  const { open, status, login, closedOnPlatform, waitsForPayouts } = task
  const trades = open && status !== 'breached'
  if (trades) return missingOf(task).length > 0 ? 'platform-login' : waitsForPayouts ? 'enable-payouts' : null
  return login === null || closedOnPlatform ? null : 'close-on-platform'
}

/** The fields without which nobody can sign in on the platform; none once the account is over. */
export function missingOf({ platform, login, server, hasPassword }: AccountTask) {
  return missingOfLogin({ platform, login, server, masterPassword: hasPassword ? '' : null })
}
