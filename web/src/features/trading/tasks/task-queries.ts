import { taskRoutes } from '#services/trading/tasks/task-api.ts'
import { pageQuery } from '@/api/route-query.ts'
import { ROWS } from '@/lists/list-query.ts'

/** A page of what staff have to do on the trading platform, the oldest first. The navigation shows how much it is. */
export const tasksQuery = (cursor?: string) =>
  pageQuery(taskRoutes.tasks, { query: { limit: ROWS, cursor }, subjects: ['accounts', 'enrolments', 'users'] })
