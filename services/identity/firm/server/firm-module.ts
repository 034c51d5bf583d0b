import type { Module } from '#services/framework/module.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import { firmSubject } from '../firm-subject.ts'
import { firmCommands } from './firm-commands.ts'
import { firmQueries } from './firm-queries.ts'

export const firmModule: Module<typeof firmSubject, IdentityParts> = {
  subject: firmSubject,
  commands: firmCommands,
  queries: firmQueries,
  // Nothing in it is about a user.
  erase: null,
}
