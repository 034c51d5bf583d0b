import { z } from 'zod'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { page, parameter } from '#services/framework/api/pagination-schemas.ts'
import { answer, conflict, get, post, accountPath } from '#services/framework/api/route.ts'
import { INVALID, request } from '#services/framework/api/text.ts'
import { Platform } from './account-api.ts'
import { loginFields } from '#services/trading/stream/account-vocabulary.ts'
import { taskKinds } from './task-vocabulary.ts'

/** Tasks of staff on the trading platform. */

const TaskKind = z.enum(taskKinds, { error: INVALID })

export const Task = namedObject('Task', {
  id: z.string(),
  kind: TaskKind,
  account: z.string(),
  since: z.iso.datetime(),
  userId: z.string(),
  userName: described("'erased' after a deletion", z.string()),
  email: described('Null after a deletion', z.string().nullable()),
  programme: z.string(),
  /** The stage of the account. */
  stage: z.string(),
  missing: described('The fields of its login that are still to be assigned', z.array(z.enum(loginFields))),
  /** The login that is to be closed, or that lacks fields; null where none is known. */
  platform: Platform.nullable(),
  login: z.string().nullable(),
  server: z.string().nullable(),
})
export type Task = z.infer<typeof Task>

const { limit, cursor } = page(TaskKind, []).shape

/** GET /api/admin/tasks */
export const TaskList = request({
  kind: described('Only tasks of this kind', parameter(TaskKind.optional())),
  limit,
  cursor,
})

/** The calls about tasks. */
export const taskRoutes = {
  tasks: get('/api/admin/tasks', 'read', {
    summary: 'What staff have to do on the trading platform, the oldest first',
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
