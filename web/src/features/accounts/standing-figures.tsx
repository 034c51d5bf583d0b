import { useQuery } from '@tanstack/react-query'
import type { Standing, StandingRule } from '#services/modules/accounts/standing-api.ts'
import { formatMoney } from '@/format/money.ts'
import { DescriptionList } from '@/ui/card.tsx'
import { FailedFigures, LoadingLines } from '@/ui/states.tsx'
import { ProfitLoss } from '@/ui/text.tsx'
import { limitLabels, type LimitName, ruleOf } from './standing.ts'
import { standingOfAccount } from './staff-account-queries.ts'

/** Where an account stands against its limits, for staff; read for the account that is shown. */
export function StandingFigures({ account, className }: { readonly account: string; readonly className?: string }) {
  const standing = useQuery(standingOfAccount(account))
  if (standing.data) return <DescriptionList className={className ?? ''} items={standingItems(standing.data)} />
  if (standing.isPending) return <LoadingLines label="Loading the room left" lines={3} className={className ?? ''} />
  return (
    <FailedFigures onRetry={standing.refetch} className={className ?? ''}>
      The room left could not be loaded.
    </FailedFigures>
  )
}

/** What was traded, and the room until each limit that is understood. */
export function standingItems(standing: Standing) {
  const room = (name: LimitName) => {
    const rule = ruleOf(standing, name)
    return rule ? [{ name: `Until ${limitLabels[name]}`, value: <Room rule={rule} /> }] : []
  }
  return [
    ...room('dailyDrawdownLimit'),
    ...room('overallLossLimit'),
    { name: 'Traded today', value: <ProfitLoss amount={standing.result.today} /> },
    { name: 'In this phase', value: <ProfitLoss amount={standing.result.phase} /> },
  ]
}

function Room({ rule: { room, floor, state } }: { readonly rule: StandingRule }) {
  return (
    <span className={state === 'kept' ? undefined : 'text-bad'}>
      {formatMoney(room)}, breach at {formatMoney(floor)}
    </span>
  )
}
