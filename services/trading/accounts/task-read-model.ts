import { z } from 'zod'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { accountStatus, isSameLogin, accountEvents } from '#services/trading/stream/account.ts'
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
  login: z.string().nullable(),
  server: z.string().nullable(),
  /** Staff closed it on the platform since it got its login. */
  closedOnPlatform: z.boolean(),
  /** Its funded stage opened without payouts, and nobody has enabled or disabled them since. */
  waitsForPayouts: z.boolean(),
})

export type TaskDocument = z.infer<typeof document>

/** One document per account of a programme: what staff have to do about it. */
export const tasks = projection(accountEvents, {
  name: 'tasks',
  version: 2,
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
      login: null,
      server: null,
      closedOnPlatform: false,
      waitsForPayouts: stageTermsOf(terms, stage).funded && !enablesPayouts,
    }),
    PayoutsEnabled: (task, { at }) => changed(task, at, { waitsForPayouts: false }),
    PayoutsDisabled: (task, { at }) => changed(task, at, { waitsForPayouts: false }),
    PlatformLoginAssigned: (task, { at, data: { from, to } }) =>
      changed(task, at, { ...to, ...(!isSameLogin(from, to) && { closedOnPlatform: false }) }),
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

/** Who trades needs a login, then payouts in a funded stage; nobody trades on a breached or closed account. */
function kindOf({ open, status, login, closedOnPlatform, waitsForPayouts }: TaskDocument): TaskDocument['kind'] {
  const trades = open && status !== 'breached'
  if (trades) return login === null ? 'platform-login' : waitsForPayouts ? 'enable-payouts' : null
  return login === null || closedOnPlatform ? null : 'close-on-platform'
}
