import { taskRoutes, type Task } from '#services/trading/accounts/task-api.ts'
import { pageQuery, routeQuery } from '@/api/route-query.ts'
import { ROWS } from '@/lists/list-query.ts'

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

/** Of an order whose buyer is a user no more. */
export const BUYER_DELETED = 'The user with this email was deleted: say what became of the money.'

/** The orders of an email that were paid and not taken, also those that are settled. */
export const ordersOfQuery = (email: string) =>
  routeQuery(taskRoutes.tasks, { query: { search: email }, subjects: ['enrolments', 'users'] })
