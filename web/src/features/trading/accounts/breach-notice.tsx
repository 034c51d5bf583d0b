import { TriangleAlert } from 'lucide-react'
import type { OwnAccount, BreachEvidence } from '#services/trading/accounts/account-api.ts'
import { TextLink } from '@/ui/link.tsx'
import { DateText } from '@/ui/text.tsx'
import { SupportContact } from '@/features/frame/support-contact.tsx'
import { WhyLink } from './why-link.tsx'
import { evidenceLimitLabel } from '#services/trading/stream/account-vocabulary.ts'
import { formatLimit } from '@/format/money.ts'
import { breachRuleName } from '@/format/status.ts'

/** Says across the page that the account is breached: by which rule and value, when, and what the trader can do. */
export function BreachNotice({ account }: { readonly account: OwnAccount }) {
  const decision = account.stamps.status
  const evidence = decision?.evidence
  return (
    <section aria-labelledby="breach" className="mb-6 flex gap-3 rounded-lg border border-bad bg-bad-soft p-4 text-ink">
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
          <WhyLink account={account} about="status" />
        </p>
        <p className="mt-2">
          Trading on this account has ended. If you think this is a mistake, contact support and send them the entry in
          your <TextLink to="/history">History</TextLink>: a mistaken breach can be corrected. To trade again,{' '}
          <TextLink to="/account-sizes">buy a challenge</TextLink>. <SupportContact />
        </p>
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
  const against = evidenceLimitLabel(rule, isFinding) === 'Floor' ? 'at the floor of' : 'against the limit'
  return `${breachRuleName(rule)}: ${formatLimit(value)} ${against} ${formatLimit(limit)}`
}
