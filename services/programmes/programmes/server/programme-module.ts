import type { ProgrammesParts } from '#services/programmes/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { programmes } from '../programme-read-model.ts'
import { programmeSubject } from '../programme-subject.ts'
import { programmeCommands } from './programme-commands.ts'
import { offerCommands } from './offer-commands.ts'
import { offerQueries } from './offers.ts'
import { programmeQueries } from './programme-queries.ts'

export const programmeModule: Module<typeof programmeSubject, ProgrammesParts> = {
  subject: programmeSubject,
  commands: (parts) => ({ ...programmeCommands(parts), ...offerCommands(parts) }),
  queries: (parts) => ({ ...programmeQueries(parts), ...offerQueries(parts) }),
  readModels: [programmes],
  // Nothing in it is about a user.
  erase: null,
}
