import type { IdentityParts } from '#services/identity/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { programKeys } from '../api-key-read-model.ts'
import { programKeySubject } from '../api-key-subject.ts'
import { programKeyCommands } from './api-key-commands.ts'
import { programKeyQueries } from './api-key-queries.ts'

export const programKeyModule: Module<typeof programKeySubject, IdentityParts> = {
  subject: programKeySubject,
  commands: programKeyCommands,
  queries: programKeyQueries,
  readModels: [programKeys],
  // Nothing in it is about a user.
  erase: null,
}
