import { z } from 'zod'
import { savedViewId } from '#services/framework/ids.ts'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, conflict, del, get, patch, pathOf, post } from '#services/framework/api/route.ts'
import { code, INVALID, namedRequest, requiredText } from '#services/framework/api/text.ts'
import { LONGEST_VIEW_NAME, viewedLists } from './saved-view-vocabulary.ts'

/** The views that members of staff keep of their lists, each for themself. */

const List = z.enum(viewedLists, { error: INVALID })
const name = requiredText(LONGEST_VIEW_NAME, 'Please enter a name')

export const ListedView = namedObject('SavedView', {
  id: z.string(),
  list: List,
  name: z.string(),
  query: described("The filters and the order in the page's address, such as 'status=approved'", z.string()),
})
export type ListedView = z.infer<typeof ListedView>

/** POST /api/admin/auth/views */
export const NewView = namedRequest('NewView', {
  list: List,
  name,
  query: described(
    "The filters and the order in the page's address, without `search`",
    code(/^[A-Za-z]+=[\w.*%+-]+(?:&[A-Za-z]+=[\w.*%+-]+)*$/, 500),
  ),
})

/** PATCH /api/admin/auth/views/:id */
export const ViewName = namedRequest('ViewName', { name })

const viewPath = pathOf("The view's id", savedViewId, 'There is no such view')

export const savedViewRoutes = {
  savedViews: get('/api/admin/auth/views', 'own-sessions', {
    summary: 'Your saved views of lists, in the order that they were saved in',
    answer: answer('The views', z.array(ListedView)),
  }),
  saveView: post('/api/admin/auth/views', 'own-sessions', {
    summary: 'Keep filters and order of a list under a name, for yourself',
    body: NewView,
    answer: answer('The view', namedObject('NewViewId', { id: z.string() })),
    status: 201,
    refuses: conflict,
  }),
  renameView: patch('/api/admin/auth/views/:id', 'own-sessions', {
    summary: 'Rename one of your views',
    params: viewPath,
    body: ViewName,
  }),
  removeView: del('/api/admin/auth/views/:id', 'own-sessions', {
    summary: 'Delete one of your views',
    params: viewPath,
  }),
}
