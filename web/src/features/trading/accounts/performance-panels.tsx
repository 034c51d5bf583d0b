import { ChartLine } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import type { AccountHistory } from '#services/trading/accounts/account-api.ts'
import type { Standing, TradingFigures } from '#services/trading/accounts/standing-api.ts'
import { Card, FigureList } from '@/ui/card.tsx'
import { EmptyState, ErrorState, Loading, LoadingLines, Skeleton } from '@/ui/states.tsx'
import { formatDate } from '@/format/dates.ts'
import { formatMoney, formatProfit } from '@/format/money.ts'
import type { Shown } from './balance-chart.tsx'
import { curveOf, type Range, ranges } from './performance.ts'
import type { Level } from './standing.ts'
import { lazyComponent } from '@/lazy-page.ts'

/** A tenth of the page's code, and no figure waits for it. */
const BalanceChart = lazyComponent(() => import('./balance-chart.tsx').then(({ BalanceChart }) => BalanceChart))

export interface PanelProps {
  /** Undefined while loading; null after a failure. */
  readonly history: AccountHistory | undefined | null
  readonly range: Range
  readonly onRange: (range: Range) => void
  readonly now: number
  /** Limits and target, where known. */
  readonly levels?: readonly Level[]
  readonly onRetry: () => void
}

interface BalancePanelProps extends PanelProps {
  /** The chart draws this. */
  readonly show?: Shown
  /** Below the chart, where a payout or a new phase moved the balance. */
  readonly besidesTrading?: ReactNode
}

/**
 * The balance curve, or what was traded, in a space of fixed height; before the first money, the specification's
 * placeholder.
 */
export function BalancePanel({
  history,
  range,
  onRange,
  now,
  levels = [],
  onRetry,
  show = 'balance',
  besidesTrading,
}: BalancePanelProps) {
  if (history === undefined) return chartSkeleton
  if (history === null)
    return (
      <ErrorState title="The balance history could not be loaded." onRetry={onRetry}>
        The figures above are up to date.
      </ErrorState>
    )
  const curve = curveOf(history, range, now)
  if (!curve) return <Placeholder>Your trading performance will be displayed here when available</Placeholder>
  return (
    <>
      <div role="group" aria-label="Range" className="mb-3 flex flex-wrap gap-1">
        {ranges.map(({ value, label }) => (
          <button
            key={value}
            type="button"
            aria-pressed={value === range}
            onClick={() => onRange(value)}
            className="h-8 rounded-md px-3 text-13 font-medium text-muted transition-colors duration-150 hover:bg-hover hover:text-ink aria-pressed:bg-accent-soft aria-pressed:text-accent"
          >
            {label}
          </button>
        ))}
      </div>
      <Suspense fallback={<Skeleton className="h-[calc(188px+4.5rem)] w-full" />}>
        <BalanceChart curve={curve} show={show} levels={levels} />
      </Suspense>
      {besidesTrading !== undefined && curve.movedOtherwise && (
        <p className="mt-2 text-13 text-muted">{besidesTrading}</p>
      )}
    </>
  )
}

const chartSkeleton = (
  <Loading label="Loading the balance history">
    <Skeleton className="mb-3 h-8 w-64" />
    <Skeleton className="h-[calc(188px+4.5rem)] w-full" />
  </Loading>
)

interface PerformanceProps extends PanelProps {
  /** The programme of the account: its rules are shown in place of the limits. */
  readonly programme?: ProgrammeRulesProps | undefined
  readonly limits: { readonly daily: string | null; readonly overall: string | null; readonly target: string | null }
}

/** Profit and loss, risk figures and the rules (specification §2). */
export function Performance({ limits, programme, ...panel }: PerformanceProps) {
  const { history, range, now } = panel
  const curve = history ? curveOf(history, range, now) : undefined
  const rangeLabel = ranges.find(({ value }) => value === range)?.label ?? 'All'
  return (
    <div className="flex flex-col gap-4">
      <Card title="Profit and Loss">
        {history && !curve ? (
          <Placeholder>Your profit and loss data will be displayed here when available</Placeholder>
        ) : (
          <BalancePanel
            {...panel}
            levels={[]}
            show="traded"
            besidesTrading="What you traded: payouts and the balance of a new phase are left out."
          />
        )}
      </Card>
      <div className="grid gap-4 lg:grid-cols-2">
        <Card
          title="Risk Analytics"
          action={
            curve && (
              <span className="text-13 text-muted">
                {range === 'all' ? 'Since the account began' : `Last ${rangeLabel}`}
              </span>
            )
          }
        >
          {history === undefined ? (
            <Loading label="Loading risk analytics" className="flex flex-col gap-3">
              {['w-full', 'w-11/12', 'w-full', 'w-10/12'].map((width, index) => (
                <Skeleton key={index} className={`h-5 ${width}`} />
              ))}
            </Loading>
          ) : curve ? (
            <RiskFigures figures={curve.figures} />
          ) : (
            <Placeholder>Your risk analytics will be displayed here when available</Placeholder>
          )}
        </Card>
        {programme ? <ProgrammeRules {...programme} /> : <LimitRules {...limits} />}
      </div>
    </div>
  )
}

/** The rules box of the specification. */
function LimitRules({ daily, overall, target }: PerformanceProps['limits']) {
  return (
    <Card title="Trading Rules">
      <dl className="flex flex-col gap-3">
        <Rule name="Daily Drawdown" limit={daily}>
          The maximum loss in one day. Trading is restricted if it is breached.
        </Rule>
        <Rule name="Maximum Loss" limit={overall}>
          The overall loss that ends the phase. The account is suspended if it is breached.
        </Rule>
        <Rule name="Profit Target" limit={target}>
          The profit required to pass this phase.
        </Rule>
      </dl>
    </Card>
  )
}

interface ProgrammeRulesProps {
  /** Undefined while loading; null after a failure. */
  readonly standing: Standing | undefined | null
  readonly onRetry: () => void
}

/** The rules of the account's own programme. Until they are there, no others: those of the specification may differ. */
function ProgrammeRules({ standing, onRetry }: ProgrammeRulesProps) {
  return (
    <Card title="Trading Rules">
      {standing ? (
        standing.terms && <OwnRules rules={standing.rules} terms={standing.terms} />
      ) : standing === null ? (
        <ErrorState title="The rules could not be loaded." onRetry={onRetry} />
      ) : (
        <LoadingLines label="Loading the rules" lines={6} />
      )}
    </Card>
  )
}

interface OwnRulesProps {
  readonly rules: Standing['rules']
  readonly terms: NonNullable<Standing['terms']>
}

function OwnRules({ rules, terms: { name, version, stage, words } }: OwnRulesProps) {
  const own = [...rules.flatMap(({ terms }) => terms ?? []), ...words]
  return (
    <>
      <p className="mb-3 text-13 text-muted">
        {stage} of {name}, version {version}
      </p>
      <dl className="flex flex-col gap-3">
        {own.map(({ title, text }, index) => (
          <div key={index}>
            <dt className="font-medium">{title}</dt>
            <dd className="text-muted">{text}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

function RiskFigures({
  figures: { result, best, worst, winningDays, losingDays, deepestFall },
}: {
  readonly figures: TradingFigures
}) {
  return (
    <FigureList
      items={[
        { name: 'Traded in all, before payouts', value: formatProfit(result) },
        { name: 'Best day', value: best ? `${formatProfit(best.result)} on ${dayOf(best.date)}` : 'None yet' },
        { name: 'Worst day', value: worst ? `${formatProfit(worst.result)} on ${dayOf(worst.date)}` : 'None yet' },
        { name: 'Winning and losing days', value: `${winningDays} and ${losingDays}` },
        { name: 'Largest drawdown', value: formatMoney(deepestFall) },
      ]}
    />
  )
}

function Rule({
  name,
  limit,
  children,
}: {
  readonly name: string
  readonly limit: string | null
  readonly children: ReactNode
}) {
  return (
    <div>
      <dt className="flex flex-wrap items-baseline justify-between gap-x-4 font-medium">
        {name}
        <span className="font-normal text-muted">{limit ?? 'Not set'}</span>
      </dt>
      <dd className="text-muted">{children}</dd>
    </div>
  )
}

function Placeholder({ children }: { readonly children: string }) {
  return (
    <EmptyState
      className="min-h-[200px] justify-center"
      icon={<ChartLine size={24} aria-hidden />}
      title={<span className="font-normal text-muted">{children}</span>}
    />
  )
}

/** A trading day keeps its name in every time zone. */
function dayOf(date: string): string {
  return formatDate(date, 'words', 'utc')
}
