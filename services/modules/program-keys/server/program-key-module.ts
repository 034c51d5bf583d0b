import type { Module } from '#services/modules/module.ts'
import { programKeys } from '../program-key-read-model.ts'
import { programKeySubject } from '../program-key-subject.ts'
import { programKeyCommands } from './program-key-commands.ts'
import { programKeyQueries } from './program-key-queries.ts'

export const programKeyModule: Module<typeof programKeySubject> = {
  subject: programKeySubject,
  commands: programKeyCommands,
  queries: programKeyQueries,
  readModels: [programKeys],
  mails: {},
  policies: {},
  // Nothing in it is about a user.
  erase: null,
}
