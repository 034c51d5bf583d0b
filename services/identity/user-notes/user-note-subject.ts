import { change, type EventDescriptions } from '#services/framework/event-description.ts'
import { subject } from '#services/framework/subject.ts'
import { userNoteRoutes } from './user-note-api.ts'
import { type UserNoteEvent, userNoteEvents, userNoteStreams } from './user-note.ts'

const userNoteDescriptions = {
  UserNoteWritten: {
    title: 'Internal note written',
    category: 'userNotes',
    staffOnly: true,
    changes: ({ data }) => [change('userNote.text', null, data.text)],
  },
  UserNoteRemoved: {
    title: 'Internal note deleted',
    category: 'userNotes',
    staffOnly: true,
    changes: ({ data }) => [change('userNote.id', data.note, null)],
  },
} as const satisfies EventDescriptions<UserNoteEvent>

/** Internal notes on users: the half that runs anywhere. */
export const userNoteSubject = subject({
  title: 'Internal notes',
  about: 'What staff write about a user for each other',
  events: userNoteEvents,
  aggregates: [userNoteStreams],
  descriptions: userNoteDescriptions,
  shown: {
    userNote: {
      fields: {
        text: { label: 'Note', kind: 'text', ofAction: true },
        id: { label: 'Number of the Note', kind: 'text' },
      },
    },
  },
  categories: { userNotes: { label: 'Internal notes', group: 'people', staffOnly: true, isDecision: false } },
  routes: userNoteRoutes,
})
