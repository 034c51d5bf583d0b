import type { PaymentsParts } from '#services/payments/parts.ts'
import type { UserEvent } from '#services/identity/users/user.ts'
import type { Module } from '#services/framework/module.ts'
import { payoutSubject } from '../payout-subject.ts'
import { payouts } from '#services/trading/accounts/payout-read-model.ts'
import { payoutCommands } from './payout-commands.ts'
import { payoutMails } from './payout-mails.ts'
import { userId } from '#services/framework/ids.ts'
import { holdBanned } from '#services/trading/accounts/server/ban-holds.ts'
import { payoutQueries } from './payout-queries.ts'

export const payoutModule: Module<typeof payoutSubject, PaymentsParts, UserEvent> = {
  subject: payoutSubject,
  commands: payoutCommands,
  queries: payoutQueries,
  readModels: [payouts],
  mails: payoutMails,
  policies: {
    UserBanned: async ({ personId, data, at }, context, { repositories }) =>
      personId && data.from === null ? holdBanned(userId.parse(personId), at, context, repositories) : undefined,
  },
  erase: null,
}
