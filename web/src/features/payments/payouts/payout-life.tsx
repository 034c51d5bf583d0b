import type { ReactNode } from 'react'
import type { ListedPayout } from '#services/payments/payouts/payout-api.ts'
import type { PaymentState, paymentStates } from '#services/trading/stream/payout-vocabulary.ts'
import type { Labels } from '#services/framework/api/options.ts'
import { formatMoney } from '@/format/money.ts'
import { payoutStatusLabel } from '@/format/status.ts'
import { Badge, PaymentStateBadge, PayoutStatusBadge } from '@/ui/badge.tsx'
import { AddressLink } from '@/ui/address-link.tsx'
import { DescriptionList } from '@/ui/card.tsx'
import { DateText, DecisionStamp } from '@/ui/text.tsx'
import { methodName } from './methods.ts'

/** What happened to a payout, oldest first. */
export function PayoutLife({ payout }: { readonly payout: ListedPayout }) {
  const { id, amount, paymentMethod, paymentDetails, status, adminNotes, createdAt, decidedAt, stamps } = payout
  const { traderReceives, hold, destination, payment, paymentSteps } = payout
  return (
    <>
      <DescriptionList
        items={[
          { name: 'Amount', value: formatMoney(amount) },
          ...(traderReceives === null ? [] : [{ name: 'You receive', value: formatMoney(traderReceives) }]),
          { name: 'Status', value: <PayoutStatusBadge status={status} /> },
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

const next: Readonly<Partial<Record<PaymentState, string>>> = {
  open: 'The payment is made next. This page updates when that happens.',
  'in-batch': 'The payment is made next. This page updates when that happens.',
  sent: 'The money is on its way.',
  failed: 'The money is still yours. It is sent again; support can tell you if the details have to change.',
  returned: 'The money is still yours. It is sent again; support can tell you if the details have to change.',
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
