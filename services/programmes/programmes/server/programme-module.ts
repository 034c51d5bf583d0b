import type { ProgrammesParts } from '#services/programmes/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { programmes } from '../programme-read-model.ts'
import { programmeSubject } from '../programme-subject.ts'
import { programmeCommands } from './programme-commands.ts'
import { programmeQueries } from './programme-queries.ts'

export const programmeModule: Module<typeof programmeSubject, ProgrammesParts> = {
  subject: programmeSubject,
  commands: programmeCommands,
  queries: programmeQueries,
  readModels: [programmes],
  mails: {},
  policies: {},
  // Nothing in it is about a user.
  erase: null,
}
