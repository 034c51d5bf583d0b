import { accountChangeRoutes } from '#services/trading/accounts/account-change-api.ts'
import { taskRoutes } from '#services/trading/accounts/task-api.ts'
import { send } from '@/api/api.ts'
import { staffChange } from '@/features/frame/staff-change.ts'
import { assignLoginOf, type LoginGivenByStaff } from '@/features/trading/accounts/staff-account-queries.ts'
import type { AccountTask } from './task-queries.ts'

/** The work on tasks. Apart from their list, which each page of staff counts. */

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
