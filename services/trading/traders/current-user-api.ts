import { answer, get } from '#services/framework/api/route.ts'
import { User } from '#services/identity/users/user-api.ts'

/** Who is signed in: apart from the other calls about traders, for every page makes it first, without their schemas. */
export const currentUserRoutes = {
  currentUser: get('/api/user', 'trader', {
    summary: 'Who is signed in',
    position: 'waits',
    answer: answer('The signed-in user', User),
  }),
}
