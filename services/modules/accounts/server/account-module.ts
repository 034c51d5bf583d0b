import type { Module } from '#services/modules/module.ts'
import { accountSubject } from '../account-subject.ts'
import { accounts, endAccount } from '#services/modules/account-aggregate.ts'
import type { Position } from '#infra/event-store/event-store.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { accountId } from '#services/modules/ids.ts'
import { users } from '#services/modules/users/user.ts'
import { openAccount } from '../account.ts'
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
  policies: {
    async PlatformLoginAssigned({ stream, data: { claims }, position }, context, { logins }) {
      const holder = accountId.parse(parseStreamName(stream).id)
      if (claims.from !== null && claims.from !== claims.to)
        await logins.release(holder, claims.from, context, position)
    },
    async AccountClosed({ stream, data: { loginClaim }, position }, context, { logins }) {
      if (loginClaim !== null)
        await logins.release(accountId.parse(parseStreamName(stream).id), loginClaim, context, position)
    },
    AccountAssigned: async ({ data: { accountId: id } }, context, { repositories }) => {
      await repositories.of(accounts).decide(id, context, (state) => openAccount(state.account, id))
    },
  },
  erase: async (owner, context, { repositories }) => {
    let reached: Position | undefined
    for (const id of (await repositories.of(users).load(owner)).state.accounts)
      reached = (await repositories.of(accounts).decide(id, context, endAccount)).position
    return reached
  },
}
