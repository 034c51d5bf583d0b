import { z } from 'zod'
import { personalFields } from '#services/event-sourcing/read-models/personal-fields.ts'
import { stampResponse } from '#services/framework/decision-stamp.ts'
import { done } from '#services/framework/http/serve-route.ts'
import type { UserId } from '#services/framework/ids.ts'
import type { Commands, Module, Queries } from '#services/framework/module.ts'
import type { Parts } from '#services/framework/parts.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import { assertUserExists, userStreams } from '#services/identity/users/user.ts'
import type { userNoteRoutes } from '../user-note-api.ts'
import { userNotes } from '../user-note-read-model.ts'
import { userNoteSubject } from '../user-note-subject.ts'
import { removeUserNote, userNoteEvents, userNoteStreams, writeUserNote } from '../user-note.ts'

export const userNoteModule: Module<typeof userNoteSubject, IdentityParts> = {
  subject: userNoteSubject,
  commands: userNoteCommands,
  queries: userNoteQueries,
  readModels: [userNotes],
  // Their text is encrypted with the user's key, which is destroyed, and nobody finds them without the user.
  erase: null,
}

function userNoteCommands({ repositories }: IdentityParts['commands']): Commands<typeof userNoteRoutes> {
  const repository = repositories.of(userNoteStreams)
  return {
    writeUserNote: async ({ params: { id }, body, context }) => {
      await assertUser(repositories, id)
      return done((await repository.decide(id, context, (notes) => writeUserNote(notes, body.text))).position)
    },

    removeUserNote: async ({ params: { id, note }, context }) => {
      await assertUser(repositories, id)
      return done((await repository.decide(id, context, (notes) => removeUserNote(notes, note))).position)
    },
  }
}

const written = z.object({ text: z.string() })

function userNoteQueries({
  repositories,
  readModels,
  personKeys,
}: IdentityParts['queries']): Queries<typeof userNoteRoutes> {
  return {
    userNotes: {
      needs: [userNotes],
      handle: async ({ params: { id } }) => {
        await assertUser(repositories, id)
        const { list = [] } = (await readModels.get(userNotes, id)) ?? {}
        const key = (await personKeys.get([id])).get(id)
        const body = list.toReversed().map(({ id: note, text, written: stamp }) => ({
          id: note,
          ...written.parse(personalFields(userNoteEvents.UserNoteWritten, text, key)),
          written: stampResponse(stamp, 'admin'),
        }))
        return { body }
      },
    },
  }
}

/** @throws {Refused} not-found, for a user who is not there, or not any more */
async function assertUser(repositories: Parts['commands']['repositories'], id: UserId): Promise<void> {
  assertUserExists((await repositories.of(userStreams).load(id)).state)
}
