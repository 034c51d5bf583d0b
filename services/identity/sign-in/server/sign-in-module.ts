import type { IdentityParts } from '#services/identity/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { signInSubject } from '../sign-in-subject.ts'
import { passwordCommands } from './password-commands.ts'
import { sessionCommands } from './session-commands.ts'
import { sessionEndCommands } from './session-end-commands.ts'
import { sessionQueries } from './session-queries.ts'
import { signInFactorQueries } from './sign-in-factor-queries.ts'
import { staffSessionCommands } from './staff-session-commands.ts'

export const signInModule: Module<typeof signInSubject, IdentityParts> = {
  subject: signInSubject,
  commands: (parts) => ({
    ...sessionCommands(parts),
    ...passwordCommands(parts),
    ...sessionEndCommands(parts),
    ...staffSessionCommands(parts),
  }),
  queries: (parts) => ({ ...sessionQueries(parts), ...signInFactorQueries(parts) }),
  erase: async (owner, _context, { sessions }) => {
    await sessions.endAll('trader', owner)
    // The reason of a ban is free text about the person.
    await sessions.suspend('trader', owner, null)
    return undefined
  },
}
