import type { Module } from '#services/modules/module.ts'
import { enrolmentSubject } from '../enrolment-subject.ts'
import { beginFirstStage } from './enrol-trader.ts'
import { enrolmentCommands } from './enrolment-commands.ts'

export const enrolmentModule: Module<typeof enrolmentSubject> = {
  subject: enrolmentSubject,
  commands: enrolmentCommands,
  queries: () => ({}),
  readModels: [],
  mails: {},
  policies: {
    TraderEnrolled: ({ data }, context, { repositories }) => beginFirstStage(repositories, data, context),
  },
  // What it says of a person is the terms, which stay as decisions do.
  erase: null,
}
