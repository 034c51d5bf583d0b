import { ERASED } from '#services/event-sourcing/erased.ts'
import type { PersonKey } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { personalFields } from '#services/event-sourcing/read-models/personal-fields.ts'
import { accountResponse } from '#services/trading/accounts/account-response.ts'
import { type Audience, stampOrNoneResponse, stampResponse } from '#services/framework/decision-stamp.ts'
import type { UserDocument } from '#services/trading/accounts/user-read-model.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { toDecimal } from '#services/rules/money.ts'
import { z } from 'zod'
import {
  type AdminPayout,
  type ListedPayout,
  PayoutAccount,
  type PayoutFigures,
  type PayoutSummary,
} from '../payout-api.ts'
import { destination as destinationSchema, destinationText } from '#services/trading/stream/destination-vocabulary.ts'
import { destinationDigest } from './seen-payout.ts'
import { takesDestination } from '#services/trading/stream/payout-destination.ts'
import { payoutAnswer } from '#services/trading/stream/payout-fields.ts'
import type { PayoutDocument } from '#services/trading/accounts/payout-read-model.ts'
import type { PayoutSums, Sum } from '../payout-summary.ts'
import { isUnpaid } from '#services/trading/stream/payment.ts'
import { payoutEvents } from '#services/trading/stream/payout.ts'

/** Payouts in answers. Documents are mapped field by field, so that no other field can leak. */

const whereabouts = z.object({ details: z.string(), destination: destinationSchema.nullable() })
const redirection = z.object({ from: whereabouts, to: whereabouts })
const proposed = redirection.pick({ to: true })

/** A payout in a list. */
export function payoutResponse(payout: PayoutDocument, key: PersonKey | undefined, reader: Audience): ListedPayout {
  const first = whereabouts.parse(personalFields(payoutEvents.PayoutRequested, payout.details, key))
  const changes = payout.redirections.map(({ fields, reason, stamp }) => {
    const given = redirection.parse(personalFields(payoutEvents.PayoutDestinationChanged, fields, key))
    return { ...given, reason, stamp: stampResponse(stamp, reader) }
  })
  const to = changes.at(-1)?.to ?? first
  return {
    userId: payout.userId,
    accountId: payout.accountId,
    ...payoutAnswer({ ...payout, ...to }),
    stamps: {
      requested: stampOrNoneResponse(payout.requested, reader),
      decided: stampOrNoneResponse(payout.decided, reader),
    },
    destinationChanges: changes.map(({ from, to: given, ...change }) => ({
      ...change,
      from: destinationText(from.details, from.destination),
      to: destinationText(given.details, given.destination),
    })),
    takesDestination: takesDestination({ ...payout, destination: to.destination }),
    paymentSteps: payout.steps.map(({ stamp, reason, ...step }) => ({
      ...step,
      reason: reason || null,
      stamp: stampResponse(stamp, reader),
    })),
  }
}

/** The sums behind a request, with the profit that they are compared with. */
export function payoutSummaryResponse(
  profitLoss: number,
  { open, toBePaid, paid, lastPaid, covered }: PayoutSums,
): PayoutSummary {
  return {
    profitLoss: toDecimal(profitLoss),
    open: sumResponse(open),
    toBePaid: sumResponse(toBePaid),
    paid: sumResponse(paid),
    lastPaid: lastPaid ? { amount: toDecimal(lastPaid.amount), paidAt: isoTime(lastPaid.at) } : null,
    covered: toDecimal(covered),
  }
}

/** The sums of a filtered list. */
export function payoutFiguresResponse({
  documents,
  isComplete,
}: {
  readonly documents: readonly PayoutDocument[]
  readonly isComplete: boolean
}): PayoutFigures {
  const total = (amounts: readonly number[]) => toDecimal(amounts.reduce((sum, amount) => sum + amount, 0))
  const approved = documents.flatMap(({ shares, payment }) => (shares ? [{ share: shares.trader, payment }] : []))
  return {
    count: documents.length,
    amount: total(documents.map(({ amount }) => amount)),
    traderReceives: total(approved.map(({ share }) => share)),
    unpaid: total(approved.flatMap(({ share, payment }) => (isUnpaid(payment) ? [share] : []))),
    exact: isComplete,
  }
}

export function sumResponse({ count, total }: Sum): PayoutSummary['paid'] {
  return { count, total: toDecimal(total) }
}

/** A deleted user's payouts remain without the person, even while this process still caches the key. */
export function staffPayoutResponse(
  payout: PayoutDocument,
  user: UserDocument | undefined,
  key: PersonKey | undefined,
  {
    firstApproval,
    firstForfeit,
    needsSecondApproval,
  }: Pick<PayoutDocument, 'firstApproval' | 'firstForfeit'> & Pick<AdminPayout, 'needsSecondApproval'>,
): AdminPayout {
  const { fullName, email, emailConfirmed } = user ?? { fullName: ERASED, email: ERASED, emailConfirmed: false }
  const account = user?.accounts.find(({ id }) => id === payout.accountId)
  const ofPerson = user ? key : 'destroyed'
  const response = payoutResponse(payout, ofPerson, 'admin')
  const { proposal } = payout
  return {
    ...response,
    destinationDigest: destinationDigest(response),
    proposedDestination: proposal && {
      destination: proposed.parse(personalFields(payoutEvents.PayoutDestinationProposed, proposal.fields, ofPerson)).to
        .destination,
      reason: proposal.reason,
      member: proposal.member,
      ...stampResponse(proposal.stamp, 'admin'),
    },
    firstApproval: firstApproval && { ...stampResponse(firstApproval, 'admin'), member: firstApproval.member },
    firstForfeit: firstForfeit && { ...stampResponse(firstForfeit, 'admin'), member: firstForfeit.member },
    needsSecondApproval,
    user: { fullName, email, emailConfirmed },
    accountCount: user?.accounts.length ?? 0,
    account: account ? PayoutAccount.parse({ ...accountResponse(account), banned: user?.banned }) : null,
  }
}
