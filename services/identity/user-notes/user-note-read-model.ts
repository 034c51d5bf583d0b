import { z } from 'zod'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import {
  encryptedFields,
  encryptedFieldsOf,
  projection,
  updateExisting,
} from '#services/event-sourcing/read-models/projection.ts'
import { stamp, stampOf } from '#services/framework/decision-stamp.ts'
import { userNoteId } from '#services/framework/ids.ts'
import { userNoteEvents } from './user-note.ts'

const document = z.object({
  /** The user's. */
  id: z.string(),
  /** In the order that they were written in. */
  list: z.array(z.object({ id: userNoteId, text: encryptedFields, written: stamp })),
})
type UserNotesDocument = z.infer<typeof document>

/** One document a user, with the notes in it. */
export const userNotes = projection(userNoteEvents, {
  name: 'user-notes',
  version: 1,
  document,
  documentId: ({ stream }) => parseStreamName(stream).id,
  on: {
    UserNoteWritten: (before, event): UserNotesDocument => ({
      id: parseStreamName(event.stream).id,
      list: [...(before?.list ?? []), { id: event.data.note, text: encryptedFieldsOf(event), written: stampOf(event) }],
    }),
    UserNoteRemoved: updateExisting((notes, { data }) => ({
      ...notes,
      list: notes.list.filter(({ id }) => id !== data.note),
    })),
  },
})
