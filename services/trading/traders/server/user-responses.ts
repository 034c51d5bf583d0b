import type { ListedUser, UserDetails } from '../trader-api.ts'
import type { PersonKey } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { listedAccount, masterPasswordOf, oncePerObject } from '#services/trading/accounts/server/account-responses.ts'
import type { AccountDocument } from '#services/trading/accounts/account-document.ts'
import { stampOrNoneResponse } from '#services/framework/decision-stamp.ts'
import { HIDDEN } from '#services/framework/api/text.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { listedEnrolment } from '#services/trading/enrolments/listed-enrolment.ts'
import { profileOf } from '#services/identity/users/user-vocabulary.ts'
import type { User } from '#services/identity/users/user-api.ts'
import { isUnpaid } from '#services/trading/stream/payment.ts'
import { toDecimal } from '#services/rules/money.ts'
import type { PayoutDocument } from '#services/trading/accounts/payout-read-model.ts'
import type { UserDocument } from '#services/trading/accounts/user-read-model.ts'

/** Users in answers. Documents are mapped field by field, so that no other field can leak. */

export function userResponse(user: UserDocument): User {
  const { id, emailConfirmed, privacyPolicyAgreed, banned, banReason, createdAt } = user
  return {
    id,
    ...profileOf(user),
    emailConfirmed,
    privacyPolicyAgreed,
    banned,
    banReason,
    createdAt: isoTime(createdAt),
  }
}

export const listedUserResponse = oncePerObject((user: UserDocument): ListedUser => {
  return {
    ...userResponse(user),
    banStamp: stampOrNoneResponse(user.banStamp, 'admin'),
    tradingAccount: listedAccount(user.account),
    accountCount: user.accounts.length,
  }
})

/** Staff learn only that there is a master password; to see it is a call of its own, which is recorded. */
export function userDetailsResponse(
  user: UserDocument,
  key: PersonKey | undefined,
  payouts: readonly PayoutDocument[],
): UserDetails {
  const details = (account: AccountDocument) => {
    const listed = listedAccount(account)
    return listed && { ...listed, masterPassword: masterPasswordOf(account, key) === null ? null : HIDDEN }
  }
  return {
    ...userResponse(user),
    banStamp: stampOrNoneResponse(user.banStamp, 'admin'),
    tradingAccount: details(user.account),
    tradingAccounts: user.accounts.toReversed().flatMap((account) => details(account) ?? []),
    enrolments: user.enrolments.toReversed().map(listedEnrolment),
    unpaid: {
      owed: sumOf(
        payouts.flatMap(({ payment, shares, amount }) => (isUnpaid(payment) ? [shares?.trader ?? amount] : [])),
      ),
      requested: sumOf(payouts.flatMap(({ status, amount }) => (status === 'pending' ? [amount] : []))),
    },
  }
}

function sumOf(amounts: readonly number[]) {
  return { count: amounts.length, total: toDecimal(amounts.reduce((sum, amount) => sum + amount, 0)) }
}
