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
import { accountId } from '#services/framework/ids.ts'
import { taskKinds } from './task-vocabulary.ts'
import { projection } from '#services/event-sourcing/read-models/projection.ts'

const document = z.object({
  account: accountId,
  /** The kind of the task; null for none. */
  kind: z.enum(taskKinds).nullable(),
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

export type TaskDocument = z.infer<typeof document>

/** One document per account of a programme: what staff have to do about it. */
export const tasks = projection(accountEvents, {
  name: 'tasks',
  version: 3,
  document,
  filters: ['kind'],
  sorts: ['since'],
  documentId: ({ stream }) => parseStreamName(stream).id,
  on: {
    StageBegun: (_, { stream, at, data: { terms, stage, enablesPayouts } }): TaskDocument => ({
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
  },
})

/** An account without a programme has no document. */
function changed(
  before: TaskDocument | undefined,
  at: number,
  change: Partial<TaskDocument>,
): TaskDocument | undefined {
  if (!before) return undefined
  const task = { ...before, ...change }
  const kind = kindOf(task)
  return { ...task, kind, since: kind === before.kind ? before.since : at }
}

/** Who trades needs a whole login, then payouts in a funded stage; nobody trades on a breached or closed account. */
function kindOf(task: TaskDocument): TaskDocument['kind'] {
  const { open, status, login, closedOnPlatform, waitsForPayouts } = task
  const trades = open && status !== 'breached'
  if (trades) return missingOf(task).length > 0 ? 'platform-login' : waitsForPayouts ? 'enable-payouts' : null
  return login === null || closedOnPlatform ? null : 'close-on-platform'
}

/** The fields without which nobody can sign in on the platform; none once the account is over. */
export function missingOf({ platform, login, server, hasPassword }: TaskDocument) {
  return missingOfLogin({ platform, login, server, masterPassword: hasPassword ? '' : null })
}
