import { taskRoutes, type Task } from '#services/trading/accounts/task-api.ts'
import { pageQuery, routeQuery } from '@/api/route-query.ts'
import { ROWS } from '@/lists/list-query.ts'
import { send } from '@/api/api.ts'
import { assignLoginOf, type LoginGivenByStaff } from '@/features/trading/accounts/staff-account-queries.ts'
import { accountChangeRoutes } from '#services/trading/accounts/account-change-api.ts'
import { staffChange } from '@/features/frame/staff-change.ts'

/** A page of what staff have to do on the trading platform, the oldest first. The navigation shows how much it is. */
export const tasksQuery = (cursor?: string, search?: string) =>
  pageQuery(taskRoutes.tasks, { query: { limit: ROWS, cursor, search }, subjects: ['accounts', 'enrolments', 'users'] })

/** A task about an account of a trader. */
export interface AccountTask extends Task {
  readonly account: string
  readonly userId: string
}

/** A task about an order that was not taken. */
export interface OrderTask extends Task {
  readonly order: NonNullable<Task['order']>
}

export function isAboutAccount(task: Task): task is AccountTask {
  return task.account !== null && task.userId !== null
}

export function isAboutOrder(task: Task): task is OrderTask {
  return task.order !== null
}

/** The accounts that wait for a login, the oldest first: as many as one list may serve. */
export const waitingQuery = routeQuery(taskRoutes.tasks, {
  query: { kind: 'platform-login', limit: 1000 },
  subjects: ['accounts', 'enrolments', 'users'],
})

/** Gives the account of a task its login. */
export const assignLogin = staffChange({
  send: ({ task, changes }: { readonly task: AccountTask; readonly changes: LoginGivenByStaff }) =>
    assignLoginOf(task.account, changes),
  done: ({ task }) => ['Login assigned', `${task.userName}: ${task.stage} is active.`, task.userId],
  failed: () => 'The login could not be assigned',
})

/** Enables payouts of the account of a task. */
export const enablePayouts = staffChange({
  send: ({ account }: AccountTask) => send(accountChangeRoutes.enablePayouts, { params: { id: account } }),
  done: ({ userName, userId }) => ['Payouts enabled', `${userName} may ask for one now.`, userId],
  failed: () => 'Payouts were not enabled',
})

/** Says that the account of a task was closed on the platform. */
export const closedOnPlatform = staffChange({
  send: ({ account }: AccountTask) => send(taskRoutes.closedOnPlatform, { params: { id: account } }),
  done: ({ login, userName }) => ['Closed on the platform', `Login ${login ?? ''} of ${userName}.`],
  failed: () => 'The task could not be done',
})
