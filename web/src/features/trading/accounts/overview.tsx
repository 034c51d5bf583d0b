import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import type { Standing, StandingRule } from '#services/trading/accounts/standing-api.ts'
import { formatLimit, formatMoney, formatProfit, signOf } from '@/format/money.ts'
import { Card, FigureList, StatCard } from '@/ui/card.tsx'
import { Meter } from '@/ui/meter.tsx'
import { FailedFigures, Loading, Skeleton } from '@/ui/states.tsx'
import { DecisionStamp, ProfitLoss } from '@/ui/text.tsx'
import { AsOf, useServerNow } from './as-of.tsx'
import { dayInWords, limitLabels, type LimitName, ruleOf } from './standing.ts'

interface OverviewProps {
  readonly account: OwnAccount
  /** Where the account stands. Undefined while loading; null after a failure. */
  readonly standing: Standing | undefined | null
  readonly onRetry: () => void
  readonly chart: ReactNode
  /** Link to the reason of a limit. */
  readonly why?: (about: LimitName) => ReactNode
}

/**
 * Where the account ends comes first and largest; then balance, profit and progress to the target (specification §2).
 */
export function Overview({ account, standing, onRetry, chart, why }: OverviewProps) {
  const now = useServerNow()
  const asOf = standing?.asOf ? <AsOf at={standing.asOf} isFinal={!account.open} /> : null
  // Each limit has the stamp of the decision that set this one.
  const stamp = (name: LimitName) => (
    <span className="inline-flex flex-wrap items-baseline gap-x-2">
      <DecisionStamp stamp={account.stamps[name]} why={account.stamps[name]?.reason} />
      {why?.(name)}
    </span>
  )
  const limit = (name: 'dailyDrawdownLimit' | 'overallLossLimit') => ({
    label: limitLabels[name],
    limit: account[name],
    standing: standing && { rule: ruleOf(standing, name), asOf: standing.asOf },
    stamp: stamp(name),
    breached: account.status === 'breached',
    onRetry,
  })
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-[5fr_5fr_5fr_4fr]">
        <RoomCard {...limit('dailyDrawdownLimit')} period={dayInWords(standing, now)} />
        <RoomCard {...limit('overallLossLimit')} period="In total, in this phase" />
        <ProfitTarget account={account} standing={standing} stamp={stamp('profitTarget')} onRetry={onRetry} />
        {/* Two short cards, together as high as one of the others where there is room for four. */}
        <div className="contents xl:flex xl:flex-col xl:gap-4">
          <StatCard
            className="grow max-sm:p-5 xl:py-3"
            label="Account Balance"
            value={formatMoney(account.balance)}
            context={
              <>
                {startInWords(standing)}
                {asOf && <>. {asOf}</>}
              </>
            }
          />
          <StatCard
            className="grow max-sm:p-5 xl:py-3"
            label="Profit/Loss"
            value={formatProfit(account.profitLoss)}
            tone={signOf(account.profitLoss) === 'profit' ? 'good' : 'bad'}
            context={standing?.agrees ? 'In this phase, after payouts' : 'As your account records it'}
          />
        </div>
      </div>
      <Card title="Performance">{chart}</Card>
    </div>
  )
}

/** The balance that the phase began with, where it is known. */
export function startInWords(standing: Standing | undefined | null): string {
  return standing?.began ? `Started with ${formatMoney(standing.began.balance)}` : 'In US dollars'
}

interface RoomCardProps {
  readonly label: string
  readonly limit: string | null
  /** Undefined while loading; null after a failure. The rule is undefined where the limit is only text. */
  readonly standing: { readonly rule: StandingRule | undefined; readonly asOf: string | null } | undefined | null
  readonly stamp: ReactNode
  /** The period that the limit covers. */
  readonly period: string
  readonly breached: boolean
  readonly onRetry: () => void
}

/** One limit: where it ends the account, how far that is, until when. A limit that is plain text has no meter. */
function RoomCard({ label, limit, standing, stamp, period, breached, onRetry }: RoomCardProps) {
  const text = limit?.trim() ?? ''
  const shown = formatLimit(text) ?? ''
  const isOpen = text !== '' && !breached
  const content = () => {
    if (isOpen && standing === undefined) return <RoomSkeleton label={label} />
    if (isOpen && standing?.rule)
      return <RoomMeter label={label} rule={standing.rule} text={shown} period={period} asOf={standing.asOf} />
    return (
      <>
        <p className={clsx('mt-1 break-words', isOpen ? 'text-20 font-semibold' : 'text-16 text-muted')}>
          {text === '' ? 'Not set' : shown}
        </p>
        {isOpen && standing === null ? (
          <FailedFigures onRetry={onRetry} className="mt-1">
            The limit. The room left could not be loaded.
          </FailedFigures>
        ) : (
          <p className="mt-1 text-12 text-muted">{explanation(text, breached)}</p>
        )}
      </>
    )
  }
  return (
    <section className="flex min-w-0 flex-col rounded-lg border border-line bg-card p-5">
      <div className="flex min-h-6 flex-wrap items-baseline justify-between gap-x-3">
        <h2 className="text-14 font-semibold">{label}</h2>
        {stamp}
      </div>
      {content()}
    </section>
  )
}

function explanation(text: string, breached: boolean): string {
  if (text === '') return 'No limit is set for this account yet.'
  return breached ? 'The limit. The account is breached, so no room is left.' : 'The agreed limit.'
}

function RoomSkeleton({ label }: { readonly label: string }) {
  return (
    <Loading label={`Loading ${label}`} className="mt-1">
      <Skeleton className="mt-1 h-7 w-40" />
      <Skeleton className="mt-2.5 h-4 w-48" />
      <Skeleton className="mt-2 h-3 w-36" />
      <Skeleton className="mt-3.5 h-2 w-full" />
      <Skeleton className="mt-2.5 h-3 w-56" />
    </Loading>
  )
}

/** The share of a limit from which its meter warns in red. */
const NEARLY = 80

interface RoomMeterProps {
  readonly label: string
  readonly rule: StandingRule
  /** The consequence at the floor. */
  readonly outcome?: string
  readonly text: string
  readonly period: string
  /** The moment that floor and room rest on; null before the first observation. */
  readonly asOf: string | null
}

/** Shows the room of an account above a floor, and how much of the limit is lost. */
export function RoomMeter({ label, rule, outcome = 'Breach', text, period, asOf }: RoomMeterProps) {
  const { room, floor, amount, lost, taken, percent, state } = rule
  const [limitText, lostText] = [formatMoney(amount), formatMoney(lost)]
  const percentLost = percent ?? 0
  const isReached = state !== 'kept'
  // Under a programme a loss is known up to the limit: beyond it, the room is zero.
  const showsLoss = !isReached || rule.terms === null
  return (
    <>
      <p className={clsx('mt-1 text-28 font-semibold tracking-tight break-words', isReached && 'text-bad')}>
        {formatMoney(room)} away
      </p>
      <p className="text-14 font-medium">
        {outcome} at {formatMoney(floor)}
      </p>
      <p className="text-14 text-muted">{period}</p>
      {asOf !== null && (
        <p className="text-12 text-muted">
          <AsOf at={asOf} />
        </p>
      )}
      {amount === null ? (
        <p className="mt-3 text-12 text-muted">Limit: {text}</p>
      ) : (
        <Meter
          className="mt-3"
          label={`Lost: ${label}`}
          percent={percentLost}
          mark={NEARLY}
          tone={percentLost >= NEARLY ? 'bad' : percentLost >= 60 ? 'waiting' : 'good'}
          text={showsLoss ? `${lostText} of ${limitText} lost` : 'The limit is reached'}
        >
          {isReached ? 'The limit is reached. ' : ''}
          {showsLoss && `${lostText} lost of ${limitText}. `}
          {Number(taken) > 0 && `Payouts and bookings took ${formatMoney(taken)} of it, which is no loss. `}Limit:{' '}
          {text}
        </Meter>
      )}
    </>
  )
}

interface ProfitTargetProps extends Pick<OverviewProps, 'account' | 'standing' | 'onRetry'> {
  readonly stamp: ReactNode
}

/** Progress bar, target, current profit and remaining profit (specification §2, §4). */
function ProfitTarget({ account: { profitLoss, profitTarget }, standing, stamp, onRetry }: ProfitTargetProps) {
  const progress = standing?.progress
  const hasNone = progress ? Number(progress.target) === 0 : profitTarget === null
  const percent = progress?.percent ?? 0
  const shown = `${percent}%`
  return (
    <Card title={<span className="text-14">Profit Target</span>} action={stamp} className="sm:max-xl:col-span-2">
      {hasNone ? (
        // "0 when no target" (specification §4).
        <Meter role="progressbar" label="Profit Target" percent={0} text="No profit target is set for this phase.">
          No profit target is set for this phase.
        </Meter>
      ) : standing === null ? (
        <FailedFigures onRetry={onRetry}>The progress could not be loaded.</FailedFigures>
      ) : standing === undefined ? (
        <Loading label="Loading Profit Target">
          <Skeleton className="h-2.5 w-full" />
          <Skeleton className="mt-2.5 h-3 w-24" />
        </Loading>
      ) : (
        <Meter
          role="progressbar"
          label="Profit Target"
          percent={percent}
          text={`${shown} of the profit target`}
        >{`${shown} of the target`}</Meter>
      )}
      <FigureList
        className="mt-4"
        items={[
          {
            name: 'Target',
            value: hasNone ? 'None' : progress ? formatMoney(progress.target) : formatLimit(profitTarget),
          },
          { name: 'Current Profit', value: <ProfitLoss amount={profitLoss} /> },
          ...(hasNone ? [] : [{ name: 'Remaining', value: progress ? formatMoney(progress.remaining) : 'N/A' }]),
        ]}
      />
    </Card>
  )
}
