import { z } from 'zod'
import { Stamp } from '#services/framework/api/stamp-schemas.ts'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, conflict, del, get, post, userPath } from '#services/framework/api/route.ts'
import { LONGEST_NOTE, namedRequest, requiredNote } from '#services/framework/api/text.ts'
import { userNoteId } from '#services/framework/ids.ts'

/** Internal notes on a user: staff read them, the user never does. */

export const UserNote = namedObject('UserNote', {
  id: z.string(),
  text: z.string(),
  written: Stamp,
})
export type UserNote = z.infer<typeof UserNote>

/** POST /api/admin/user/:id/notes */
export const NewUserNote = namedRequest('NewUserNote', { text: requiredNote(LONGEST_NOTE, 'Please write the note') })

const notePath = userPath.extend({ note: described("The note's id", userNoteId) })

export const userNoteRoutes = {
  userNotes: get('/api/admin/user/:id/notes', 'read', {
    summary: 'The internal notes on a user, the newest first',
    params: userPath,
    position: 'waits',
    answer: answer('The notes', z.array(UserNote)),
  }),
  writeUserNote: post('/api/admin/user/:id/notes', 'write-notes', {
    summary: 'Write an internal note on a user',
    params: userPath,
    body: NewUserNote,
    refuses: conflict,
  }),
  removeUserNote: del('/api/admin/user/:id/notes/:note', 'write-notes', {
    summary: 'Delete an internal note',
    params: notePath,
  }),
}
