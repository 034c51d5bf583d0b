import type { z } from 'zod'
import { type ListedView, type NewView, savedViewRoutes } from '#services/identity/saved-views/saved-view-api.ts'
import { send, sendAndParse } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'

/** The views that the member keeps of lists. */
export const savedViewsQuery = routeQuery(savedViewRoutes.savedViews, { subjects: ['saved-views'] })

export const saveView = staffChange({
  send: (body: z.input<typeof NewView>) => sendAndParse(savedViewRoutes.saveView, { body }),
  done: ({ name }) => ['View saved', `Choose “${name}” to see this list again.`],
  failed: () => 'The view could not be saved',
})

export const renameView = staffChange({
  send: ({ id, name }: Pick<ListedView, 'id' | 'name'>) =>
    send(savedViewRoutes.renameView, { params: { id }, body: { name } }),
  done: ({ name }) => ['View renamed', `It is “${name}” now.`],
  failed: () => 'The view could not be renamed',
})

export const removeView = staffChange({
  send: ({ id }: ListedView) => send(savedViewRoutes.removeView, { params: { id } }),
  done: ({ name }) => ['View deleted', `“${name}” is gone; the list stays as it is.`],
  failed: () => 'The view could not be deleted',
})
