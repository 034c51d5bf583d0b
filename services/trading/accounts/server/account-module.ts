import { ledgerCommands, ledgerQueries } from './ledger.ts'
import { taskCommands, taskQueries } from './tasks.ts'
import { tasks } from '../task-read-model.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { Module, Policies } from '#services/framework/module.ts'
import { accountSubject } from '../account-subject.ts'
import { accountStreams, endAccount, loginLeftBy } from '#services/trading/stream/account-aggregate.ts'
import type { Position } from '#infra/event-store/event-store.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { accountId } from '#services/framework/ids.ts'
import { type UserEvent, userStreams } from '#services/identity/users/user.ts'
import { type AccountEvent, openAccount } from '#services/trading/stream/account.ts'
import { balanceChanges } from '../balance-read-model.ts'
import { decisions } from '../decision-read-model.ts'
import { stageEvents } from '../stage-read-model.ts'
import { accountCommands } from './account-commands.ts'
import { accountMails } from './account-mails.ts'
import { accountQueries } from './account-queries.ts'

/** Frees the login that an account left. */
const releaseLogin: Policies<AccountEvent, TradingParts>['PlatformLoginAssigned'] &
  Policies<AccountEvent, TradingParts>['AccountClosed'] = async (event, context, parts) => {
  const left = loginLeftBy(event)
  if (left === null) return
  await parts.logins.release(accountId.parse(parseStreamName(event.stream).id), left, context, event.position)
}

export const accountModule: Module<typeof accountSubject, TradingParts, AccountEvent | UserEvent> = {
  subject: accountSubject,
  commands: (parts) => ({ ...accountCommands(parts), ...ledgerCommands(parts), ...taskCommands(parts) }),
  queries: (parts) => ({ ...accountQueries(parts), ...ledgerQueries(parts), ...taskQueries(parts) }),
  readModels: [balanceChanges, stageEvents, decisions, tasks],
  mails: accountMails,
  policies: {
    PlatformLoginAssigned: releaseLogin,
    AccountClosed: releaseLogin,
    AccountAssigned: async ({ data: { accountId: id } }, context, { repositories }) =>
      (await repositories.of(accountStreams).decide(id, context, (state) => openAccount(state.account, id))).position,
  },
  erase: async (owner, context, { repositories }) => {
    let reached: Position | undefined
    for (const id of (await repositories.of(userStreams).load(owner)).state.accounts)
      reached = (await repositories.of(accountStreams).decide(id, context, endAccount)).position
    return reached
  },
}
