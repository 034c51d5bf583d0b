import { z } from 'zod'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { page, parameter } from '#services/framework/api/pagination-schemas.ts'
import { answer, conflict, get, post, accountPath } from '#services/framework/api/route.ts'
import { INVALID, LONGEST_TEXT, request, text } from '#services/framework/api/text.ts'
import { Platform } from './account-api.ts'
import { loginFields } from '#services/trading/stream/account-vocabulary.ts'
import { settlements, untakenReasons } from '#services/trading/orders/order-vocabulary.ts'
import { taskKinds } from './task-vocabulary.ts'

/** Tasks of staff on the trading platform, and about orders of a shop. */

const TaskKind = z.enum(taskKinds, { error: INVALID })

export const Task = namedObject('Task', {
  id: z.string(),
  kind: TaskKind,
  account: described('Null for an order that was not taken', z.string().nullable()),
  since: z.iso.datetime(),
  userId: described('Null for an order whose buyer is no user', z.string().nullable()),
  userName: described("The buyer's name for an order; 'erased' after a deletion", z.string()),
  email: described("'erased' once an order is settled; null after a deletion", z.string().nullable()),
  programme: described('Its name; for an order its id, as the shop sent it', z.string()),
  stage: described('The stage of the account; blank for an order', z.string()),
  missing: described('The fields of its login that are still to be assigned', z.array(z.enum(loginFields))),
  /** The login that is to be closed, or that lacks fields; null where none is known. */
  platform: Platform.nullable(),
  login: z.string().nullable(),
  server: z.string().nullable(),
  order: described(
    'An order that was not taken; null for other tasks',
    z
      .object({
        id: z.string(),
        number: described("What the shop calls it; 'erased' once it is settled", z.string()),
        email: described("'erased' once it is settled", z.string()),
        reason: z.enum(untakenReasons),
        buyerDeleted: described('Whether the user with this email was deleted: only the money is left', z.boolean()),
        settled: described(
          'Null while it waits',
          z.object({ how: z.enum(settlements), reason: z.string().nullable(), at: z.iso.datetime() }).nullable(),
        ),
      })
      .nullable(),
  ),
})
export type Task = z.infer<typeof Task>

const { limit, cursor } = page(TaskKind, []).shape

/** GET /api/admin/tasks */
export const TaskList = request({
  kind: described('Only tasks of this kind', parameter(TaskKind.optional())),
  search: described(
    'Only orders with just this number or email, also those that are settled',
    parameter(text(LONGEST_TEXT).optional()),
  ),
  limit,
  cursor,
})

/** The calls about tasks. */
export const taskRoutes = {
  tasks: get('/api/admin/tasks', 'read', {
    summary: 'What staff have to do on the trading platform, and orders that could not be taken, the oldest first',
    query: TaskList,
    paged: true,
    position: 'waits',
    answer: answer('The tasks', z.array(Task)),
  }),
  closedOnPlatform: post('/api/admin/accounts/:id/closed-on-platform', 'do-tasks', {
    summary: 'Say that a breached or closed account was closed on the platform',
    params: accountPath,
    refuses: conflict,
  }),
}
