import type { Module } from '#services/modules/module.ts'
import { accountSubject } from '../account-subject.ts'
import { accounts, endAccount } from '#services/modules/account-aggregate.ts'
import { balanceChanges } from '../balance-read-model.ts'
import { decisions } from '../decision-read-model.ts'
import { accountCommands } from './account-commands.ts'
import { accountMails } from './account-mails.ts'
import { accountQueries } from './account-queries.ts'

export const accountModule: Module<typeof accountSubject> = {
  subject: accountSubject,
  commands: accountCommands,
  queries: accountQueries,
  readModels: [balanceChanges, decisions],
  mails: accountMails,
  policies: {},
  erase: async (owner, context, { repositories }) =>
    (await repositories.of(accounts).decide(owner, context, endAccount)).position,
}
