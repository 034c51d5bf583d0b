import type { Module } from '#services/framework/module.ts'
import type { PaymentsParts } from '#services/payments/parts.ts'
import { savedDestinations } from '../saved-destination-read-model.ts'
import { savedDestinationSubject } from '../saved-destination-subject.ts'
import { destinationStreams, forgetDestinations } from '../saved-destination.ts'
import { savedDestinationCommands } from './saved-destination-commands.ts'
import { savedDestinationMails } from './saved-destination-mails.ts'
import { savedDestinationQueries } from './saved-destination-queries.ts'

export const savedDestinationModule: Module<typeof savedDestinationSubject, PaymentsParts> = {
  subject: savedDestinationSubject,
  commands: savedDestinationCommands,
  queries: savedDestinationQueries,
  readModels: [savedDestinations],
  mails: savedDestinationMails,
  erase: async (owner, context, { repositories }) =>
    (await repositories.of(destinationStreams).decide(owner, context, forgetDestinations)).position,
}
