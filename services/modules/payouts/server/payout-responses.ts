import { ERASED } from '#services/event-sourcing/erased.ts'
import type { PersonKey } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { personalFields } from '#services/event-sourcing/read-models/personal-fields.ts'
import { accountResponse } from '#services/modules/accounts/account-response.ts'
import { type Audience, stampOrNoneResponse, stampResponse } from '#services/modules/decision-stamp.ts'
import { isoTime } from '#services/modules/event-description.ts'
import type { UserDocument } from '#services/modules/users/user-read-model.ts'
import { toDecimal } from '#services/money/money.ts'
import { z } from 'zod'
import type { AdminPayout, ListedPayout, PayoutAccount } from '../payout-api.ts'
import type { PayoutDocument } from '../payout-read-model.ts'
import { payoutEvents } from '../payout.ts'

/** Payouts in answers. Documents are mapped field by field, so that no other field can leak. */

const payoutRequest = z.object({ details: z.string() })

/** A payout in a list. */
export function payoutResponse(payout: PayoutDocument, key: PersonKey | undefined, reader: Audience): ListedPayout {
  const { id, userId, amount, method, status, adminNotes, createdAt, decidedAt, details } = payout
  return {
    id,
    userId,
    amount: toDecimal(amount),
    paymentMethod: method,
    paymentDetails: payoutRequest.parse(personalFields(payoutEvents.PayoutRequested, details, key)).details,
    status,
    adminNotes,
    createdAt: isoTime(createdAt),
    decidedAt: decidedAt === null ? null : isoTime(decidedAt),
    stamps: {
      requested: stampOrNoneResponse(payout.requested, reader),
      decided: stampOrNoneResponse(payout.decided, reader),
    },
  }
}

/** A deleted user's payouts remain without the person, even while this process still caches the key. */
export function staffPayoutResponse(
  payout: PayoutDocument,
  user: UserDocument | undefined,
  key: PersonKey | undefined,
  {
    firstApproval,
    needsSecondApproval,
  }: Pick<PayoutDocument, 'firstApproval'> & Pick<AdminPayout, 'needsSecondApproval'>,
): AdminPayout {
  const { fullName, email } = user ?? { fullName: ERASED, email: ERASED }
  return {
    ...payoutResponse(payout, user ? key : 'destroyed', 'admin'),
    firstApproval: firstApproval && { ...stampResponse(firstApproval, 'admin'), member: firstApproval.member },
    needsSecondApproval,
    user: { fullName, email },
    account: user ? payoutAccount(user) : null,
  }
}

function payoutAccount({ account, banned }: UserDocument): PayoutAccount {
  const { status, phase, balance, profitLoss, dailyDrawdownLimit, overallLossLimit, payoutEnabled } =
    accountResponse(account)
  return { status, phase, balance, profitLoss, dailyDrawdownLimit, overallLossLimit, payoutEnabled, banned }
}
