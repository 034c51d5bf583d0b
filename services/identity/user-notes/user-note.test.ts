import { describe, it } from 'vitest'
import { userNoteId } from '#services/framework/ids.ts'
import { givenEvents } from '#test-support/given-when-then.ts'
import { MOST_NOTES } from './user-note-vocabulary.ts'
import { removeUserNote, userNoteDecider, type UserNoteEvent, type UserNotes, writeUserNote } from './user-note.ts'

const given = givenEvents(userNoteDecider)
const id = (number: number) => userNoteId.parse(`n${number}`)
const written = (number: number): UserNoteEvent => ({
  type: 'UserNoteWritten',
  data: { note: id(number), text: 'Called' },
})
const removed: UserNoteEvent = { type: 'UserNoteRemoved', data: { note: id(1) } }
const write = (notes: UserNotes) => writeUserNote(notes, 'Called')
const remove = (notes: UserNotes) => removeUserNote(notes, id(1))

describe('a note on a user', () => {
  it('has a number that is used once', () => {
    given()
      .when(write)
      .then([written(1)])
    given(written(1), removed)
      .when(write)
      .then([written(2)])
  })

  it('is deleted once', () => {
    given(written(1)).when(remove).then([removed])
    given(written(1), removed).when(remove).thenRefused('not-found', 'There is no such note')
  })

  it('is refused where there are as many as a person reads, until one is deleted', () => {
    const all = Array.from({ length: MOST_NOTES }, (_, n) => written(n + 1))
    given(...all)
      .when(write)
      .thenRefused('conflict', 'This user has 100 notes. Please delete one first.')
    given(...all, removed)
      .when(write)
      .then([written(MOST_NOTES + 1)])
  })
})
