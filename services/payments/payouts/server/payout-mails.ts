import { euroQuote } from '#services/rules/exchange-rate.ts'
import { inDollars, toDecimal } from '#services/rules/money.ts'
import type { Payment } from '#services/trading/stream/payment.ts'
import { type AccountId, accountOf } from '#services/framework/ids.ts'
import { accountPath, type MailContext } from '#services/framework/mails/mail-context.ts'
import { type MailContent, oneLine } from '#services/framework/mails/mail-layout.ts'
import type { Mails } from '#services/framework/module.ts'
import type { payoutDescriptions } from '#services/trading/stream/payout-descriptions.ts'
import { payoutMethodLabels } from '#services/trading/stream/payout-vocabulary.ts'
import type { AccountState } from '#services/trading/stream/account-aggregate.ts'
import type { PayoutEvent } from '#services/trading/stream/payout.ts'

/** The data of a mail about a payout. */
export interface PayoutMailContext extends MailContext {
  /** The account at the mail's event, or later. */
  readonly loadAccount: (id: AccountId) => Promise<AccountState>
}

/** The mails about verdicts on payouts. */
export const payoutMails: Mails<PayoutEvent, typeof payoutDescriptions, PayoutMailContext> = {
  PayoutApproved: (event, context) => withPayout('approved', event.data, accountPath('/payouts', event), context),
  PayoutRejected: (event, context) => withPayout('rejected', event.data, accountPath('/payouts', event), context),
  PaymentSent: (event, context) => ofPayment('was sent', event, context),
  PaymentPaid: (event, context) => ofPayment('was made', event, context),
  PaymentFailed: (event, context) => ofPayment('failed', event, context),
  PaymentReturned: (event, context) => ofPayment('came back', event, context),
}

type MailedPayment = Extract<PayoutEvent, { type: 'PaymentSent' | 'PaymentPaid' | 'PaymentFailed' | 'PaymentReturned' }>

async function ofPayment(
  what: string,
  event: MailedPayment & Parameters<typeof accountPath>[1],
  { loadAccount, page }: PayoutMailContext,
): Promise<MailContent | undefined> {
  const { payoutId, amount, reference } = event.data
  const payout = (await loadAccount(accountOf(payoutId))).payouts.list.get(payoutId)
  if (!payout) return undefined
  return paymentMoved(what, {
    payoutId,
    amount: inDollars(payout.amount),
    share: inDollars(amount),
    method: payoutMethodLabels[payout.method],
    reference,
    reason: 'reason' in event.data ? event.data.reason : '',
    exchanged: payout.payment?.reference === reference ? exchangedInWords(payout.payment.exchanged) : null,
    link: page(accountPath('/payouts', event)),
  })
}

export interface MovedPayment extends Omit<DecidedPayout, 'share' | 'notes'> {
  /** The amount that the trader receives. */
  readonly share: string
  readonly reference: string
  /** Why it failed or came back; may be empty. */
  readonly reason: string
  /** '995.43 EUR, at 1 EUR = 1.0850 USD'; null for dollars. */
  readonly exchanged: string | null
}

export function paymentMoved(
  what: string,
  { payoutId, amount, share, method, reference, reason, exchanged, link }: MovedPayment,
): MailContent {
  const sum = oneLine(share)
  return {
    subject: `Your payment of ${sum} ${what}`,
    body: [
      `The payment of ${sum} for your payout request ${what}.`,
      {
        details: [
          ['Request ID', oneLine(payoutId)],
          ['Amount', oneLine(amount)],
          ['You Receive', sum],
          ...(exchanged === null ? [] : [['In Euro', exchanged] as const]),
          ['Payment Method', oneLine(method)],
          ['Reference', oneLine(reference)],
          ...(reason.trim() === '' ? [] : [['Reason', reason.trim()] as const]),
        ],
      },
      { action: 'See your payouts', link },
    ],
    footer: "You're receiving this email because you requested a payout at Proofdesk.",
  }
}

function exchangedInWords(exchanged: Payment['exchanged']): string | null {
  return exchanged && `${toDecimal(exchanged.amount)} ${exchanged.currency}, at ${euroQuote(exchanged.rate)}`
}

async function withPayout(
  verdict: Verdict,
  data: Extract<PayoutEvent, { type: 'PayoutApproved' | 'PayoutRejected' }>['data'],
  path: string,
  { loadAccount, page }: PayoutMailContext,
): Promise<MailContent | undefined> {
  const { payoutId, amount, notes } = data
  const payout = (await loadAccount(accountOf(payoutId))).payouts.list.get(payoutId)
  if (!payout) return undefined
  const method = payoutMethodLabels[payout.method]
  // Without terms it is all the trader's.
  const share = 'firmKeeps' in data && data.firmKeeps > 0 ? inDollars(data.traderReceives) : null
  return payoutDecided(verdict, { payoutId, amount: inDollars(amount), share, method, notes, link: page(path) })
}

type Verdict = 'approved' | 'rejected'

export interface DecidedPayout {
  readonly payoutId: string
  /** With its sign: '$250.00'. */
  readonly amount: string
  /** The amount that the trader receives of it, where that is another. */
  readonly share: string | null
  /** As people read it: 'Bank Transfer'. */
  readonly method: string
  /** The administrator's; may be empty. */
  readonly notes: string
  readonly link: string
}

export function payoutDecided(
  verdict: Verdict,
  { payoutId, amount, share, method, notes, link }: DecidedPayout,
): MailContent {
  const sum = oneLine(amount)
  return {
    subject: `Your payout of ${sum} was ${verdict}`,
    body: [
      `Your payout request of ${sum} was ${verdict}.`,
      {
        details: [
          ['Request ID', oneLine(payoutId)],
          ['Amount', sum],
          ...(share === null ? [] : [['You Receive', oneLine(share)] as const]),
          ['Payment Method', oneLine(method)],
          ['Admin Notes', notes.trim() || 'No notes'],
        ],
      },
      { action: 'See your payouts', link },
    ],
    footer: `You're receiving this email because an administrator ${verdict} a payout that you requested at Proofdesk.`,
  }
}
