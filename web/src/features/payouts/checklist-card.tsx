import { clsx } from 'clsx'
import { Check, X } from 'lucide-react'
import { Card } from '../../ui/card.tsx'
import { DecisionStamp } from '../../ui/text.tsx'
import type { Requirement } from './checklist.ts'

/** Fulfilled and missing requirements, marked by words as well as by colour. */
export function ChecklistCard({ requirements }: { readonly requirements: readonly Requirement[] }) {
  return (
    <Card title="Payout requirements">
      <ul className="flex flex-col gap-3">
        {requirements.map(({ name, fulfilled, explanation, stamp }) => {
          const Icon = fulfilled ? Check : X
          return (
            <li key={name} className="flex gap-3">
              <span
                className={clsx('mt-0.5 grid size-5 shrink-0 place-items-center rounded-full', fulfilled ? 'bg-good-soft text-good' : 'bg-bad-soft text-bad')}
              >
                <Icon size={14} aria-hidden />
              </span>
              <div className="min-w-0">
                <p className="flex flex-wrap items-baseline gap-x-2">
                  <span className="font-medium">{name}</span>
                  <span className={clsx('text-13', fulfilled ? 'text-good' : 'text-bad')}>{fulfilled ? 'Fulfilled' : 'Missing'}</span>
                  <DecisionStamp stamp={stamp} />
                </p>
                <p className="text-13 text-muted">{explanation}</p>
              </div>
            </li>
          )
        })}
      </ul>
      <p className="mt-4 text-13 text-muted">You can request a payout while payouts are enabled. An administrator checks the rest before approving it.</p>
    </Card>
  )
}
