import { useQuery } from '@tanstack/react-query'
import type { Standing, StandingRule } from '#services/modules/accounts/standing-api.ts'
import { ruleKindLabels } from '#services/modules/findings/finding-vocabulary.ts'
import { formatMoney } from '@/format/money.ts'
import { DescriptionList } from '@/ui/card.tsx'
import { FailedFigures, LoadingLines } from '@/ui/states.tsx'
import { Result } from '@/ui/text.tsx'
import { DecidedByPerson } from './decided-by-person.tsx'
import { ruleOf } from './standing.ts'
import { standingOfAccount } from './staff-account-queries.ts'

interface StandingFiguresProps {
  readonly account: string
  /** Its owner's id. */
  readonly of: string
  readonly className?: string
}

/** Where an account stands against its limits, for staff; read for the account that is shown. */
export function StandingFigures({ account, of, className }: StandingFiguresProps) {
  const standing = useQuery(standingOfAccount(account))
  if (standing.data) return <DescriptionList className={className ?? ''} items={standingItems(standing.data, of)} />
  if (standing.isPending) return <LoadingLines label="Loading the room left" lines={3} className={className ?? ''} />
  return (
    <FailedFigures onRetry={standing.refetch} className={className ?? ''}>
      The room left could not be loaded.
    </FailedFigures>
  )
}

/** What was traded, the room until each limit that is understood, and what a person decided instead of the rules. */
export function standingItems(standing: Standing, of: string) {
  const { rules, result, person, programme, status } = standing
  // Of a passed stage the room would be that of the moment of the pass.
  const limits = programme
    ? rules.filter(() => status !== 'passed')
    : ([ruleOf(standing, 'dailyDrawdownLimit'), ruleOf(standing, 'overallLossLimit')] as const)
  return [
    ...limits.flatMap((rule) =>
      rule?.floor === undefined ? [] : { name: `Until ${nameOf(rule).toLowerCase()}`, value: <Room rule={rule} /> },
    ),
    { name: 'Traded today', value: <Result amount={result.today} /> },
    { name: 'Traded in this phase', value: <Result amount={result.phase} /> },
    ...(person ? [{ name: 'Not by the rules', value: <DecidedByPerson person={person} of={of} /> }] : []),
  ]
}

/** The name of the rule, with or without a programme. */
function nameOf({ kind, terms }: StandingRule): string {
  return terms?.title ?? ruleKindLabels[kind] ?? kind
}

const outcomes = { breach: 'breach', pause: 'trading pauses', warning: 'a warning' } as const

function Room({ rule: { room, floor, state, terms } }: { readonly rule: StandingRule }) {
  return (
    <span className={state === 'kept' ? undefined : 'text-bad'}>
      {formatMoney(room)}, {outcomes[terms?.consequence ?? 'breach']} at {formatMoney(floor)}
    </span>
  )
}
