import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { Tone } from '#services/framework/api/options.ts'
import { payeeCheckLabels, payeeCheckTones, type PayeeCheck } from '#services/trading/stream/payout-vocabulary.ts'
import { accountStatusLabel, paymentStateLabel, payoutStatusLabel } from '@/format/status.ts'

const tones: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  review: 'bg-review-soft text-review',
  waiting: 'bg-waiting-soft text-waiting',
  bad: 'bg-bad-soft text-bad',
  outline: 'border border-bad text-bad',
  plain: 'bg-sunken text-muted',
}

/** A coloured word that is complete without its colour. */
export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={clsx(
        'inline-flex h-6 items-center gap-1.5 whitespace-nowrap rounded-full px-2.5 text-12 font-medium enlarged:h-auto enlarged:whitespace-normal',
        tones[tone],
      )}
    >
      {tone !== 'outline' && tone !== 'plain' && <span aria-hidden className="size-1.5 rounded-full bg-current" />}
      {children}
    </span>
  )
}

/** Active, Under Review, Breached, Pending or Unknown. */
export function AccountStatusBadge({ status }: { readonly status: string | null | undefined }) {
  const { label, tone } = accountStatusLabel(status)
  return <Badge tone={tone}>{label}</Badge>
}

/** Pending, Approved, Rejected, any other status as it is, or Unknown. */
export function PayoutStatusBadge({ status }: { readonly status: string | null | undefined }) {
  const { label, tone } = payoutStatusLabel(status)
  return <Badge tone={tone}>{label}</Badge>
}

/** Where the money of an approved payout is. */
export function PaymentStateBadge({ state }: { readonly state: string }) {
  const { label, tone } = paymentStateLabel(state)
  return <Badge tone={tone}>{label}</Badge>
}

/** What the payee's bank says of name and account of a payment. */
export function PayeeCheckBadge({ check }: { readonly check: PayeeCheck }) {
  return <Badge tone={payeeCheckTones[check]}>{payeeCheckLabels[check]}</Badge>
}

/** The tag after the name of a banned user. */
export function BannedBadge() {
  return <Badge tone="outline">Banned</Badge>
}
