import type { z } from 'zod'
import { type ListedProgramKey, type NewProgramKey, programKeyRoutes } from '#services/identity/api-keys/api-key-api.ts'
import { send, sendAndParse } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'

/** The keys of programs. */

export const programKeysQuery = routeQuery(programKeyRoutes.programKeys, { subjects: ['program-keys'] })

/** Makes a key. The key in the answer is shown once, and kept only while it is. */
export const makeKey = {
  ...staffChange({
    send: (body: z.input<typeof NewProgramKey>) => sendAndParse(programKeyRoutes.makeProgramKey, { body }),
    done: ({ name }) => ['Key made', `${name} can call the portal with it.`],
    failed: () => 'The key could not be made',
  }),
  gcTime: 0,
}

/** Ends a key for good. */
export const revokeKey = staffChange({
  send: ({ id }: Pick<ListedProgramKey, 'id' | 'name'>) => send(programKeyRoutes.revokeProgramKey, { params: { id } }),
  done: ({ name }) => ['Key revoked', `${name} cannot call the portal with it any more.`],
  failed: () => 'The key could not be revoked',
})
