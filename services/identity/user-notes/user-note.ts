import { aggregate, sameId } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { defineEvents, type EventOf, personal } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type UserNoteId, userNoteId } from '#services/framework/ids.ts'
import { z } from 'zod'
import { MOST_NOTES } from './user-note-vocabulary.ts'

/**
 * Notes of staff on a user, which the user never sees. They are about the user, whose key encrypts their text: it is gone
 * with the user.
 */

export const userNoteEvents = defineEvents({
  UserNoteWritten: { note: userNoteId, text: personal(z.string()) },
  UserNoteRemoved: { note: userNoteId },
})
export type UserNoteEvent = EventOf<typeof userNoteEvents>

export interface UserNotes {
  /** Those that are there. */
  readonly ids: readonly UserNoteId[]
  /** How many were ever written: they are numbered. */
  readonly count: number
}

export const userNoteDecider: Decider<UserNotes, UserNoteEvent> = {
  initial: { ids: [], count: 0 },
  evolve: ({ ids, count }, { type, data }) =>
    type === 'UserNoteWritten'
      ? { ids: [...ids, data.note], count: count + 1 }
      : { ids: ids.filter((id) => id !== data.note), count },
}

/** @throws {Refused} conflict, where there are too many. */
export function writeUserNote({ ids, count }: UserNotes, text: string): UserNoteEvent[] {
  if (ids.length >= MOST_NOTES)
    throw new Refused('conflict', `This user has ${MOST_NOTES} notes. Please delete one first.`)
  return [{ type: 'UserNoteWritten', data: { note: userNoteId.parse(`n${count + 1}`), text } }]
}

/** @throws {Refused} not-found */
export function removeUserNote({ ids }: UserNotes, note: UserNoteId): UserNoteEvent[] {
  if (!ids.includes(note)) throw new Refused('not-found', 'There is no such note')
  return [{ type: 'UserNoteRemoved', data: { note } }]
}

/** One for each user about whom a note was written, named after the user. */
export const userNoteStreams = aggregate('notes', userNoteDecider, userNoteEvents, { kind: 'user', idOf: sameId })
