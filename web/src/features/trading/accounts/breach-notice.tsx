import { clsx } from 'clsx'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { BreachEvidence, OwnAccount } from '#services/trading/accounts/account-api.ts'
import { evidenceLimitLabel } from '#services/trading/stream/account-vocabulary.ts'
import { formatCents, formatLimit } from '@/format/money.ts'
import { breachRuleName } from '@/format/status.ts'
import { DateText } from '@/ui/text.tsx'

interface BreachNoticeProps {
  readonly account: OwnAccount
  /** Leads to the reason. */
  readonly why: ReactNode
  readonly className?: string
  /** What follows for the reader. */
  readonly children?: ReactNode
}

/** Says across the page that the account is breached: by which rule and value, when, and what follows. */
export function BreachNotice({ account, why, className, children }: BreachNoticeProps) {
  const decision = account.stamps.status
  const evidence = decision?.evidence
  return (
    <section
      aria-labelledby="breach"
      className={clsx('flex gap-3 rounded-lg border border-bad bg-bad-soft p-4 text-ink', className)}
    >
      <TriangleAlert size={20} aria-hidden className="mt-0.5 shrink-0 text-bad" />
      <div className="min-w-0">
        <h2 id="breach" className="text-16 font-semibold text-bad">
          This account is breached
        </h2>
        <p className="mt-1 [overflow-wrap:anywhere]">
          {evidence ? (
            <>
              {breachInWords(evidence, Boolean(decision?.finding))}, on{' '}
              <DateText at={evidence.occurredAt} how="exact" />.
            </>
          ) : (
            <>
              {decision ? (
                <>
                  Recorded on <DateText at={decision.at} how="exact" />.{' '}
                </>
              ) : null}
              No rule and value were recorded.
            </>
          )}{' '}
          {why}
        </p>
        {children !== undefined && <p className="mt-2">{children}</p>}
      </div>
    </section>
  )
}

/**
 * The evidence of a breach in a line. What the rules of a programme found is a value of the account at a floor, or only
 * the name of a rule; staff write a loss against a limit.
 */
export function breachInWords(
  { rule, limit, value }: Pick<BreachEvidence, 'rule' | 'limit' | 'value'>,
  isFinding: boolean,
): string {
  if (isFinding && rule === 'other') return `${limit}: ${value}`
  const isFloor = evidenceLimitLabel(rule, isFinding) === 'Floor'
  const below = isFloor ? Math.round(100 * (Number(limit) - Number(value))) : 0
  const under = below > 0 ? `is ${formatCents(below)} below the floor of` : 'at the floor of'
  return `${breachRuleName(rule, isFinding)}: ${formatLimit(value)} ${isFloor ? under : 'against the limit'} ${formatLimit(limit)}`
}
