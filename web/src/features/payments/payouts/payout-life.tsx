import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Labels } from '#services/framework/api/options.ts'
import type { ListedPayout } from '#services/payments/payouts/payout-api.ts'
import type { PaymentState, paymentStates } from '#services/trading/stream/payout-vocabulary.ts'
import { AccountInAddress } from '@/account-in-address.ts'
import { messageOf } from '@/api/api-error.ts'
import { euroInWords, formatMoney } from '@/format/money.ts'
import { payoutStatusLabel } from '@/format/status.ts'
import { toast, toastFailure } from '@/toast.ts'
import { AddressLink } from '@/ui/address-link.tsx'
import { PaymentStateBadge, PayoutStatusBadge, Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { DescriptionList } from '@/ui/card.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { TextLink } from '@/ui/link.tsx'
import { DateText, DecisionStamp } from '@/ui/text.tsx'
import { methodName } from './methods.ts'
import { NewDestinationForm } from './new-destination-form.tsx'
import { withdrawPayout } from './payout-queries.ts'
import { promiseItems } from './promise-text.ts'
import { useServerNow } from '@/features/trading/accounts/as-of.tsx'
import { rejectionItems } from './rejection-items.tsx'

interface PayoutDialogProps {
  readonly payout: ListedPayout
  /** The list is of several accounts. */
  readonly namesAccount: boolean
  readonly onClose: () => void
}

/** A payout of the trader, over its list. */
export function PayoutDialog({ payout, namesAccount, onClose }: PayoutDialogProps) {
  const life = <PayoutLife payout={payout} />
  return (
    <Dialog onClose={onClose} title="Payout request">
      {namesAccount ? <AccountInAddress value={payout.accountId}>{life}</AccountInAddress> : life}
      {payout.takesDestination && <NewDestinationForm payout={payout} />}
      {payout.status === 'pending' && <WithdrawPayout payout={payout} />}
      {(payout.status === 'rejected' || payout.hold) && (
        <p className="mt-6">
          <TextLink to="/cases" search={{ payout: payout.id }}>
            Object to this decision
          </TextLink>
        </p>
      )}
    </Dialog>
  )
}

/** Takes a request back that waits for a verdict. */
function WithdrawPayout({ payout: { id, amount } }: { readonly payout: ListedPayout }) {
  const withdraw = useMutation(withdrawPayout)
  return (
    <div className="mt-6 flex flex-wrap items-center gap-3">
      <Button
        look="danger"
        busy={withdraw.isPending}
        onClick={() =>
          withdraw.mutate(id, {
            onSuccess: () => toast('Payout withdrawn', `Your request of ${formatMoney(amount)} was withdrawn.`),
            onError: (error) => toastFailure('Withdrawal failed', messageOf(error), { brief: true }),
          })
        }
      >
        Withdraw Request
      </Button>
      <p className="text-13 text-muted">This is final. You can make another request afterwards.</p>
    </div>
  )
}

/** Shows a payout and its steps, oldest first. */
export function PayoutLife({ payout }: { readonly payout: ListedPayout }) {
  const { id, amount, paymentMethod, paymentDetails, status, adminNotes, createdAt, decidedAt, stamps } = payout
  const now = useServerNow()
  const { traderReceives, hold, destination, payment, paymentSteps, destinationChanges } = payout
  return (
    <>
      <DescriptionList
        items={[
          { name: 'Amount', value: formatMoney(amount) },
          ...(traderReceives === null ? [] : [{ name: 'You receive', value: formatMoney(traderReceives) }]),
          { name: 'Status', value: <PayoutStatusBadge status={status} /> },
          ...promiseItems(payout, now),
          ...rejectionItems(payout),
          ...(hold ? [{ name: 'On hold', value: hold.reason }] : []),
          { name: 'Payment Method', value: methodName(paymentMethod) },
          {
            name: 'Details',
            value:
              paymentDetails === '' ? (
                'None given'
              ) : (
                <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
                  <span className="whitespace-pre-wrap [overflow-wrap:anywhere]">{paymentDetails}</span>
                  {!destination && <Badge>Not checked</Badge>}
                </span>
              ),
          },
          ...(payment ? [{ name: 'Payment', value: <PaymentStateBadge state={payment.state} /> }] : []),
          ...(payment?.exchanged ? [{ name: 'In euro', value: euroInWords(payment.exchanged) }] : []),
          ...(payment?.reference
            ? [{ name: 'Reference', value: <span className="font-mono text-12 break-all">{payment.reference}</span> }]
            : []),
          { name: 'Request ID', value: <span className="font-mono text-12 break-all">{id}</span> },
        ]}
      />
      <h3 className="mt-6 mb-3 text-14 font-semibold">What happened</h3>
      <ol className="ml-1 flex flex-col gap-4 border-l border-line pl-5">
        <Step title="Requested" at={createdAt} stamp={<DecisionStamp stamp={stamps.requested} />} />
        {decidedAt === null ? (
          <Step title="Waiting for a decision">
            An administrator will approve or reject it. This page updates when that happens.
          </Step>
        ) : (
          <Step
            title={payoutStatusLabel(status).label}
            at={decidedAt}
            stamp={<DecisionStamp stamp={stamps.decided} why={adminNotes} />}
          >
            {status !== 'withdrawn' && (
              <>
                <span className="block text-13 text-muted">Administrator's notes</span>
                <span className="block whitespace-pre-wrap break-words">
                  {adminNotes?.trim() ? adminNotes : 'No notes'}
                </span>
              </>
            )}
          </Step>
        )}
        {paymentSteps.map(({ state, reference, reason, stamp }) => (
          <Step key={stamp.number} title={stepTitles[state]} at={stamp.at} stamp={<DecisionStamp stamp={stamp} />}>
            {reference !== null && <span className="block break-words">Reference {reference}</span>}
            {reason !== null && <span className="block whitespace-pre-wrap break-words">{reason}</span>}
          </Step>
        ))}
        {destinationChanges.map(({ from, to, reason, stamp }) => (
          <Step
            key={stamp.number}
            title="Another destination given"
            at={stamp.at}
            stamp={<DecisionStamp stamp={stamp} />}
          >
            <span className="block [overflow-wrap:anywhere]">
              {to}, before that {from || 'none'}
            </span>
            {reason !== null && <span className="block whitespace-pre-wrap break-words">{reason}</span>}
          </Step>
        ))}
        {payment && next[payment.state] && <Step title="What comes next">{next[payment.state]}</Step>}
      </ol>
      {payment?.state === 'paid' && (
        <p className="mt-5">
          <AddressLink look="accent" href={`/receipt/${encodeURIComponent(id)}`}>
            Receipt to print
          </AddressLink>
        </p>
      )}
    </>
  )
}

const stepTitles: Labels<typeof paymentStates> = {
  open: 'To be paid',
  'in-batch': 'In a batch',
  sent: 'Payment sent',
  paid: 'Payment made',
  failed: 'Payment failed',
  returned: 'Payment came back',
  cancelled: 'Payment cancelled',
}

const STILL_YOURS =
  'The money is still yours. It is sent again; if the details have to change, give a new destination here, or ask support.'

const next: Readonly<Partial<Record<PaymentState, string>>> = {
  open: 'The payment is made next. This page updates when that happens.',
  'in-batch': 'The payment is made next. This page updates when that happens.',
  sent: 'The money is on its way.',
  failed: STILL_YOURS,
  returned: STILL_YOURS,
}

interface StepProps {
  readonly title: string
  readonly at?: string
  readonly stamp?: ReactNode
  readonly children?: ReactNode
}

function Step({ title, at, stamp, children }: StepProps) {
  return (
    <li className="relative">
      <span aria-hidden className="absolute top-1.5 -left-[25px] size-2 rounded-full bg-edge outline-4 outline-card" />
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">{title}</span>
        {at !== undefined && (
          <span className="text-13 text-muted">
            <DateText at={at} how="exact" />
          </span>
        )}
        {stamp}
      </p>
      {children && <div className="mt-1 text-14">{children}</div>}
    </li>
  )
}
