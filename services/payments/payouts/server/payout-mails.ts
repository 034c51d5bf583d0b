import { utcTime } from '#services/framework/api/utc-time.ts'
import { euroQuote } from '#services/rules/exchange-rate.ts'
import { inDollars, toDecimal } from '#services/rules/money.ts'
import type { Payment } from '#services/trading/stream/payment.ts'
import { accountOf, ownerOf, type PayoutId } from '#services/framework/ids.ts'
import { accountPath } from '#services/framework/mails/mail-context.ts'
import { FIRM, type MailContent, oneLine } from '#services/framework/mails/mail-layout.ts'
import type { Mails } from '#services/framework/module.ts'
import type { AccountMailContext } from '#services/trading/accounts/server/account-mails.ts'
import type { payoutDescriptions } from '#services/trading/stream/payout-descriptions.ts'
import { destinationText } from '#services/trading/stream/destination-vocabulary.ts'
import { takesDestination } from '#services/trading/stream/payout-destination.ts'
import { payoutMethodLabels, type PromiseKind, promiseKindLabels } from '#services/trading/stream/payout-vocabulary.ts'
import { rejectionCodeLabels } from '#services/trading/stream/rejection-vocabulary.ts'
import { type Rejection, rejectionOf } from '#services/trading/stream/rejection.ts'
import type { PayoutEvent } from '#services/trading/stream/payout.ts'

/** The mails about verdicts on payouts. */
export const payoutMails: Mails<PayoutEvent, typeof payoutDescriptions, AccountMailContext> = {
  PayoutApproved: (event, context) => withPayout('approved', event, context),
  PayoutRejected: (event, context) => withPayout('rejected', event, context),
  PayoutOverdue: async ({ data }, { loadAccount, supportEmail, page }) => {
    const payout = (await loadAccount(accountOf(data.payoutId))).payouts.list.get(data.payoutId)
    if (!payout || supportEmail === undefined) return undefined
    const mail = payoutOverdue({
      ...{ of: data.of, payoutId: data.payoutId, amount: inDollars(payout.amount), due: utcTime(data.due) },
      link: page(`/admin/payouts?of=${ownerOf(accountOf(data.payoutId))}`),
    })
    return { ...mail, address: supportEmail, name: '' }
  },
  PayoutDestinationChanged: ({ data, stream }, { page }) =>
    destinationChanged({
      payoutId: data.payoutId,
      reason: data.reason,
      to: destinationText(data.to.details, data.to.destination),
      link: page(payoutPath(data.payoutId, { stream })),
    }),
  PaymentSent: (event, context) => ofPayment('was sent', event, context),
  PaymentPaid: (event, context) => ofPayment('was made', event, context),
  PaymentFailed: (event, context) => ofPayment('failed', event, context),
  PaymentReturned: (event, context) => ofPayment('came back', event, context),
}

/** The page of one payout. */
function payoutPath(id: PayoutId, event: Parameters<typeof accountPath>[1]): string {
  return `${accountPath('/payouts', event)}&payout=${id}`
}

type MailedPayment = Extract<PayoutEvent, { type: 'PaymentSent' | 'PaymentPaid' | 'PaymentFailed' | 'PaymentReturned' }>

async function ofPayment(
  what: string,
  event: MailedPayment & Parameters<typeof accountPath>[1],
  { loadAccount, page }: AccountMailContext,
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
    destinationLink: takesDestination(payout) ? page(payoutPath(payoutId, event)) : null,
  })
}

/** To staff. @param overdue.due In words. */
export function payoutOverdue({
  of,
  payoutId,
  amount,
  due,
  link,
}: {
  readonly of: PromiseKind
  readonly payoutId: string
  readonly amount: string
  readonly due: string
  readonly link: string
}): MailContent {
  const what = of === 'decision' ? 'decided' : 'paid'
  return {
    subject: `A payout of ${oneLine(amount)} is overdue`,
    body: [
      `The payout request of ${oneLine(amount)} was promised to be ${what} by ${oneLine(due)}, and is not.`,
      {
        details: [
          ['Request ID', oneLine(payoutId)],
          ['Amount', oneLine(amount)],
          ['Overdue', promiseKindLabels[of]],
        ],
      },
      { action: 'See the payouts of this trader', link },
    ],
    footer: `You're receiving this email because this address is the support address of ${FIRM}.`,
  }
}

export interface MovedPayment extends Omit<DecidedPayout, 'share' | 'notes' | 'rejection'> {
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
  { payoutId, amount, share, method, reference, reason, exchanged, link, destinationLink }: MovedPayment,
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
      ...(destinationLink === null
        ? [{ action: 'See your payouts', link }]
        : [
            'The money is still yours. If it cannot be paid to where you asked, give another destination: it is then sent there.',
            { action: 'Give a new destination', link: destinationLink },
          ]),
    ],
    footer: `You're receiving this email because you requested a payout at ${FIRM}.`,
  }
}

/** @param change.to In words. @param change.reason Of staff; null where the trader gave it. */
export function destinationChanged({
  payoutId,
  reason,
  to,
  link,
}: {
  readonly payoutId: string
  readonly reason: string | null
  readonly to: string
  readonly link: string
}): MailContent {
  return {
    subject: 'Another destination was given for your payout',
    body: [
      `${reason === null ? 'Another destination was given for your payout.' : 'An administrator gave another destination for your payout.'} Its payment is sent there.`,
      {
        details: [
          ['Request ID', oneLine(payoutId)],
          ['Destination', oneLine(to)],
          ...(reason === null ? [] : [['Reason', reason.trim()] as const]),
        ],
      },
      'If you did not expect this, set a new password and contact support at once.',
      { action: 'See your payout', link },
    ],
    footer: `You're receiving this email because you requested a payout at ${FIRM}.`,
  }
}

function exchangedInWords(exchanged: Payment['exchanged']): string | null {
  return exchanged && `${toDecimal(exchanged.amount)} ${exchanged.currency}, at ${euroQuote(exchanged.rate)}`
}

async function withPayout(
  verdict: Verdict,
  event: Extract<PayoutEvent, { type: 'PayoutApproved' | 'PayoutRejected' }> & Parameters<typeof accountPath>[1],
  { loadAccount, page }: AccountMailContext,
): Promise<MailContent | undefined> {
  const { data } = event
  const { payoutId, amount, notes } = data
  const payout = (await loadAccount(accountOf(payoutId))).payouts.list.get(payoutId)
  if (!payout) return undefined
  const method = payoutMethodLabels[payout.method]
  // Without terms it is all the trader's.
  const share = 'firmKeeps' in data && data.firmKeeps > 0 ? inDollars(data.traderReceives) : null
  return payoutDecided(verdict, {
    ...{ payoutId, amount: inDollars(amount), share, method, notes },
    rejection: event.type === 'PayoutRejected' ? rejectionOf(event.data) : null,
    link: page(accountPath('/payouts', event)),
    destinationLink:
      verdict === 'approved' && payout.destination === null && takesDestination(payout)
        ? page(payoutPath(payoutId, event))
        : null,
  })
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
  /** Why it was rejected; null where it was approved. */
  readonly rejection: Pick<Rejection, 'code' | 'money'> | null
  readonly link: string
  /** Where the trader gives another destination; null where it need not be. */
  readonly destinationLink: string | null
}

export function payoutDecided(
  verdict: Verdict,
  { payoutId, amount, share, method, notes, rejection, link, destinationLink }: DecidedPayout,
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
          ...(rejection === null ? [] : [['Reason', rejectionCodeLabels[rejection.code]] as const]),
          ['Admin Notes', notes.trim() || 'No notes'],
        ],
      },
      ...(rejection?.money === 'forfeited' ? [`The amount of ${sum} has left your account with this rejection.`] : []),
      ...(destinationLink === null
        ? [{ action: 'See your payouts', link }]
        : [
            'Where the money goes was not checked, so the payment may have to wait. Give a destination that is checked.',
            { action: 'Give a new destination', link: destinationLink },
          ]),
    ],
    footer: `You're receiving this email because an administrator ${verdict} a payout that you requested at ${FIRM}.`,
  }
}
