import type { ListedPayout } from '#services/payments/payouts/payout-api.ts'
import { rejectedMoneyLabels, rejectionCodeLabels } from '#services/trading/stream/rejection-vocabulary.ts'
import { EventLink } from '@/features/trading/accounts/event-link.tsx'

type Rejected = Pick<ListedPayout, 'code' | 'money' | 'evidence'>

/**
 * Why a payout was rejected, what shows it, and what became of the money, for a list of descriptions.
 *
 * @param of The user's id, on pages of staff.
 */
export function rejectionItems({ code, money, evidence }: Rejected, of?: string) {
  if (code === null) return []
  return [
    { name: 'Reason', value: rejectionCodeLabels[code] },
    ...(evidence.length > 0 ? [{ name: 'What shows it', value: <EvidenceList evidence={evidence} of={of} /> }] : []),
    ...(money === 'forfeited' ? [{ name: 'The money', value: rejectedMoneyLabels[money] }] : []),
  ]
}

/** Findings and observations, each with a link to its entry. */
function EvidenceList({ evidence, of }: { readonly evidence: Rejected['evidence']; readonly of: string | undefined }) {
  return (
    <ul>
      {evidence.map((item) => (
        <li key={'finding' in item ? item.finding : item.observation}>
          {'finding' in item ? 'A finding of the rules, entry ' : 'An observation, entry '}
          <EventLink number={item.event} of={of} />
        </li>
      ))}
    </ul>
  )
}
