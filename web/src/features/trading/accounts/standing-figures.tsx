import { ruleKindLabels } from '#services/rules/rule-kind-labels.ts'
import { useQuery } from '@tanstack/react-query'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import type { Standing, StandingRule } from '#services/trading/accounts/standing-api.ts'
import { formatDate } from '@/format/dates.ts'
import { formatMoney } from '@/format/money.ts'
import { DescriptionList } from '@/ui/card.tsx'
import { FailedFigures, LoadingLines } from '@/ui/states.tsx'
import { Result } from '@/ui/text.tsx'
import { AsOf, useServerNow } from './as-of.tsx'
import { DecidedByPerson } from './event-link.tsx'
import { isStale, ruleOf } from './standing.ts'
import { standingOfAccount } from './staff-account-queries.ts'

/** These fields say that an account has ended, besides its rules. */
type Ending = Pick<OwnAccount, 'status'> & Partial<Pick<OwnAccount, 'open'>>

interface StandingFiguresProps {
  readonly account: Ending & { readonly id: string }
  /** Its owner's id. */
  readonly of: string
  readonly className?: string
}

/** Where an account stands against its limits, for staff; read for the account that is shown. */
export function StandingFigures({ account, of, className }: StandingFiguresProps) {
  const standing = useQuery(standingOfAccount(account.id))
  const now = useServerNow()
  if (standing.data)
    return <DescriptionList className={className ?? ''} items={standingItems(standing.data, of, account, now)} />
  if (standing.isPending) return <LoadingLines label="Loading the room left" lines={3} className={className ?? ''} />
  return (
    <FailedFigures onRetry={standing.refetch} className={className ?? ''}>
      The room left could not be loaded.
    </FailedFigures>
  )
}

/**
 * Lists the trading result, the room until each limit that is understood, and a person's decision instead of the rules.
 */
export function standingItems(standing: Standing, of: string, account: Ending, now: number) {
  const { rules, result, person, programme, status, asOf, reported } = standing
  const limits = programme
    ? rules
    : ([ruleOf(standing, 'dailyDrawdownLimit'), ruleOf(standing, 'overallLossLimit')] as const)
  // The room of a passed stage would be that of the moment of the pass. A breach leaves only the room it used up.
  const isOver = status === 'passed' || account.open === false
  const isBreached = status === 'breached' || account.status === 'breached'
  const counts = ({ state }: StandingRule) => !isOver && !(isBreached && state === 'kept')
  return [
    ...(asOf ? [{ name: 'Figures', value: <AsOf at={asOf} isFinal={isOver} /> }] : []),
    ...(reported ? [{ name: 'Equity', value: <EquityNow reported={reported} asOf={asOf} /> }] : []),
    ...limits.flatMap((rule) =>
      rule?.floor === undefined || !counts(rule)
        ? []
        : { name: `Until ${nameOf(rule).toLowerCase()}`, value: <Room rule={rule} /> },
    ),
    ...(isStale(asOf, now) ? [] : [{ name: 'Traded today', value: <Result amount={result.today} /> }]),
    { name: 'Traded in this phase', value: <Result amount={result.phase} /> },
    ...(person ? [{ name: 'Not by the rules', value: <DecidedByPerson person={person} of={of} /> }] : []),
  ]
}

interface EquityNowProps {
  readonly reported: NonNullable<Standing['reported']>
  readonly asOf: string | null
}

/** The last reported equity; with its time where other figures are newer. */
function EquityNow({ reported: { equity, floating, at }, asOf }: EquityNowProps) {
  return (
    <>
      {formatMoney(equity)}, floating <Result amount={floating} />
      {at !== asOf && <span className="block text-12 text-muted">As of {formatDate(at, 'stamp')}</span>}
    </>
  )
}

/** The name of the rule, with or without a programme. */
function nameOf({ kind, terms }: StandingRule): string {
  return terms?.title ?? ruleKindLabels[kind] ?? kind
}

const outcomes = {
  breach: 'breach',
  pause: 'trading pauses',
  warning: 'a warning',
  'excludes-profit': 'profit that does not count',
} as const

function Room({ rule: { room, floor, state, terms } }: { readonly rule: StandingRule }) {
  return (
    <span className={state === 'kept' ? undefined : 'text-bad'}>
      {formatMoney(room)}, {outcomes[terms?.consequence ?? 'breach']} at {formatMoney(floor)}
    </span>
  )
}
