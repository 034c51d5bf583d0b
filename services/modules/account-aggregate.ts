import { Map as ImmutableMap } from 'immutable'
import { aggregate, sameId } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { isOneOf } from '#services/event-sourcing/event-definitions.ts'
import { NumberedList } from '#services/event-sourcing/numbered-list.ts'
import {
  type Account,
  type AccountEvent,
  accountEvents,
  closeAccount,
  evolveAccount,
  newAccount,
} from './accounts/account.ts'
import {
  type CertificateAccount,
  type CertificateEvent,
  certificateEvents,
  endAllSharing,
  evolveCertificates,
} from './certificates/certificate.ts'
import { evolvePayouts, type PayoutAccount, type PayoutEvent, payoutEvents, rejectPayout } from './payouts/payout.ts'

/**
 * What the stream of an account holds: the account itself, its payouts and its certificates. They share a stream
 * because they share rules: a payout is decided on the account's state, and a closed account has none that is pending.
 */

export const accountStreamEvents = { ...accountEvents, ...payoutEvents, ...certificateEvents }

export type AccountStreamEvent = AccountEvent | PayoutEvent | CertificateEvent

export interface AccountState extends Account, PayoutAccount, CertificateAccount {}

export const accountDecider: Decider<AccountState, AccountStreamEvent> = {
  initial: {
    ...newAccount,
    payouts: new NumberedList(),
    certificates: new NumberedList(),
    idempotencyKeys: ImmutableMap(),
  },
  evolve(account, event) {
    if (isOneOf(payoutEvents, event)) return { ...account, ...evolvePayouts(account, event) }
    if (isOneOf(certificateEvents, event))
      return { ...account, certificates: evolveCertificates(account.certificates, event) }
    return evolveAccount(account, event)
  },
}

/** One for each trader; the id is the user's. */
export const accounts = aggregate('account', accountDecider, accountStreamEvents, { kind: 'user', idOf: sameId })

/**
 * Closes the account of a deleted user: pending payouts are rejected, so that none stays undecided, and links to
 * certificates end.
 */
export function endAccount(account: AccountState): AccountStreamEvent[] {
  if (!account.open) return []
  const waiting = [...account.payouts.values()].filter((payout) => payout.status === 'pending')
  const rejections = waiting.flatMap((payout) => rejectPayout(account, payout.id, 'The user was deleted'))
  return [...rejections, ...endAllSharing(account), ...closeAccount(account)]
}
