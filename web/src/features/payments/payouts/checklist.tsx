import { clsx } from 'clsx'
import { Check, X } from 'lucide-react'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import type { Stamp } from '#services/framework/api/stamp-schemas.ts'
import { Card } from '@/ui/card.tsx'
import { DecisionStamp } from '@/ui/text.tsx'
import { isEligible, whyNotEligible } from '@/features/trading/accounts/payout-words.ts'

/** The requirements of a payout, and whether they are met. */

export interface Requirement {
  readonly name: string
  readonly fulfilled: boolean
  /** The present state, or what is missing and who can change it. */
  readonly explanation: string
  readonly stamp: Stamp | null
}

/** Eligibility enables the form; an administrator checks the rest before approving (specification §4, §6). */
export function requirements(account: OwnAccount, banned: boolean): readonly Requirement[] {
  const { status, stamps } = account
  const breached = status === 'breached'
  const rows = [
    [
      'Account active',
      status === 'active',
      'Your account is active.',
      notActive[status] ?? 'Your account is not active.',
      stamps.status,
    ],
    [
      'Eligible for payouts',
      isEligible(account),
      'Payouts are enabled for your account.',
      whyNotEligible(account),
      stamps.payouts,
    ],
    ['Not banned', !banned, 'Your account is not banned.', 'Your account is banned. Contact support.', null],
    [
      'No breach',
      !breached,
      status === 'under-review' ? 'No breach is confirmed.' : 'Your account has no breach.',
      'A rule was breached. Contact support for a review.',
      breached ? stamps.status : null,
    ],
  ] as const
  return rows.map(([name, fulfilled, present, missing, stamp]) => ({
    name,
    fulfilled,
    explanation: fulfilled ? present : missing,
    stamp,
  }))
}

const notActive: Readonly<Partial<Record<OwnAccount['status'], string>>> = {
  pending: 'Your account is still being verified and set up.',
  'under-review': 'Your trading activity is being reviewed. Wait for the outcome.',
  breached: 'Your account is breached.',
}

interface ChecklistCardProps {
  readonly requirements: readonly Requirement[]
  /** The terms of the account say what may be taken out, and when. */
  readonly byTerms: boolean
  /** They say that something is still missing. */
  readonly hasNeeds: boolean
}

/** Fulfilled and missing requirements, marked by words as well as by colour; one sentence where nothing is missing. */
export function ChecklistCard({ requirements, byTerms, hasNeeds }: ChecklistCardProps) {
  if (requirements.every(({ fulfilled }) => fulfilled))
    return (
      <Card title="Payout requirements">
        <p>
          {hasNeeds
            ? 'Your account itself is ready for payouts: active, enabled, without a ban or a breach. What your terms still ask for stands under “Request a payout”.'
            : 'All requirements are fulfilled: your account is active, enabled for payouts, and without a ban or a breach.'}
        </p>
        <p className="mt-2 flex flex-wrap gap-x-2 empty:hidden">
          {requirements.map(
            ({ name, stamp }) =>
              stamp && (
                <span key={name} className="text-13 text-muted">
                  <span>{name}: </span>
                  <DecisionStamp stamp={stamp} />
                </span>
              ),
          )}
        </p>
        <p className="mt-4 text-13 text-muted">An administrator checks each request before approving it.</p>
      </Card>
    )
  return (
    <Card title="Payout requirements">
      <ul className="flex flex-col gap-3">
        {requirements.map(({ name, fulfilled, explanation, stamp }) => {
          const Icon = fulfilled ? Check : X
          return (
            <li key={name} className="flex gap-3">
              <span
                className={clsx(
                  'mt-0.5 grid size-5 shrink-0 place-items-center rounded-full',
                  fulfilled ? 'bg-good-soft text-good' : 'bg-bad-soft text-bad',
                )}
              >
                <Icon size={14} aria-hidden />
              </span>
              <div className="min-w-0">
                <p className="flex flex-wrap items-baseline gap-x-2">
                  <span className="font-medium">{name}</span>
                  <span className={clsx('text-13', fulfilled ? 'text-good' : 'text-bad')}>
                    {fulfilled ? 'Fulfilled' : 'Missing'}
                  </span>
                  <DecisionStamp stamp={stamp} />
                </p>
                <p className="text-13 text-muted">{explanation}</p>
              </div>
            </li>
          )
        })}
      </ul>
      <p className="mt-4 text-13 text-muted">
        {byTerms
          ? 'While payouts are enabled, you can request what is available by your terms.'
          : 'You can request a payout while payouts are enabled.'}{' '}
        An administrator checks the rest before approving it.
      </p>
    </Card>
  )
}
