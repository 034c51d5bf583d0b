import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { OwnAccount } from '#services/modules/accounts/account-api.ts'
import { formatCents as dollars, formatLimit, formatMoney, formatProfit, signOf } from '@/format/money.ts'
import { Card, FigureList, StatCard } from '@/ui/card.tsx'
import { Meter } from '@/ui/meter.tsx'
import { Loading, Skeleton } from '@/ui/states.tsx'
import { DecisionStamp, ProfitLoss } from '@/ui/text.tsx'
import type { AccountEnd, AccountEnds } from './account-end.ts'
import { centsOf, endOfDay, isAmount, limitOf, profitProgress, roomLeft, type Room } from './room-left.ts'

interface OverviewProps {
  readonly account: OwnAccount
  /** Undefined while the history loads; null after a failure. */
  readonly ends: AccountEnds | undefined | null
  /** Ms since 1970. */
  readonly now: number
  readonly chart: ReactNode
  /** Link to the reason of the limits. */
  readonly why?: ReactNode
}

/**
 * Where the account ends comes first and largest; then balance, profit and progress to the target (specification §2).
 */
export function Overview({ account, ends, now, chart, why }: OverviewProps) {
  const started = ends?.began?.balance
  const breached = account.status === 'breached'
  // A decision sets all limits at once, so they share its stamp.
  const stamp = (
    <span className="inline-flex flex-wrap items-baseline gap-x-2">
      <DecisionStamp stamp={account.stamps.limits} why={account.stamps.limits?.reason} />
      {why}
    </span>
  )
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-[5fr_5fr_5fr_4fr]">
        <RoomCard
          label="Daily Drawdown"
          limit={account.dailyDrawdownLimit}
          loss={ends && ends.lostToday}
          end={ends?.daily}
          started={started}
          stamp={stamp}
          period={`Today, until ${resetTime(now)}`}
          breached={breached}
        />
        <RoomCard
          label="Maximum Loss"
          limit={account.overallLossLimit}
          loss={isAmount(account.profitLoss) ? -centsOf(account.profitLoss) : null}
          end={ends?.overall}
          started={started}
          stamp={stamp}
          period="In total, in this phase"
          breached={breached}
        />
        <ProfitTarget account={account} started={started} stamp={stamp} />
        {/* Two short cards, together as high as one of the others where there is room for four. */}
        <div className="contents xl:flex xl:flex-col xl:gap-4">
          <StatCard
            className="grow max-sm:p-5 xl:py-3"
            label="Account Balance"
            value={formatMoney(account.balance)}
            context={startContext(started)}
          />
          <StatCard
            className="grow max-sm:p-5 xl:py-3"
            label="Profit/Loss"
            value={formatProfit(account.profitLoss)}
            tone={signOf(account.profitLoss) === 'profit' ? 'good' : 'bad'}
            context={ends?.agrees ? 'In this phase, without what was paid out' : 'As your account records it'}
          />
        </div>
      </div>
      <Card title="Performance">{chart}</Card>
    </div>
  )
}

interface RoomCardProps {
  readonly label: string
  readonly limit: string | null
  /** In cents. Undefined while loading; null when unknown. */
  readonly loss: number | undefined | null
  /** Undefined where the records don't say it. */
  readonly end: AccountEnd | undefined
  readonly started: number | undefined
  readonly stamp: ReactNode
  /** The period that the limit covers. */
  readonly period: string
  readonly breached: boolean
}

/** One limit: where it ends the account, how far that is, until when. A limit that is plain text has no meter. */
function RoomCard({ label, limit, loss, end, started, stamp, period, breached }: RoomCardProps) {
  const text = limit?.trim() ?? ''
  const cents = limitOf(text, started)
  const shown = formatLimit(text) ?? ''
  const room = cents !== undefined && typeof loss === 'number' && !breached ? roomLeft(cents, loss) : undefined
  // The history decides what a percentage refers to, and what was lost today.
  const waiting = loss === undefined && text !== '' && /[$%]/.test(text) && !breached
  return (
    <section className="flex min-w-0 flex-col rounded-lg border border-line bg-card p-5">
      <div className="flex min-h-6 flex-wrap items-baseline justify-between gap-x-3">
        <h2 className="text-14 font-semibold">{label}</h2>
        {stamp}
      </div>
      {room ? (
        <RoomMeter label={label} room={room} end={end} text={shown} period={period} />
      ) : waiting ? (
        <Loading label={`Loading ${label}`} className="mt-1">
          <Skeleton className="mt-1 h-7 w-40" />
          <Skeleton className="mt-2.5 h-4 w-48" />
          <Skeleton className="mt-3.5 h-2 w-full" />
          <Skeleton className="mt-2.5 h-3 w-56 max-w-full" />
        </Loading>
      ) : (
        <>
          <p
            className={clsx(
              'mt-1 break-words',
              text === '' || breached ? 'text-16 text-muted' : 'text-20 font-semibold',
            )}
          >
            {text === '' ? 'Not set' : shown}
          </p>
          <p className="mt-1 text-12 text-muted">{explanation(loss, text, breached)}</p>
        </>
      )}
    </section>
  )
}

function explanation(loss: number | undefined | null, text: string, breached: boolean): string {
  if (text === '') return 'No limit is set for this account yet.'
  if (breached) return 'The limit. The account is breached, so no room is left.'
  return loss === null && /[$%]/.test(text) ? 'The limit. The room left could not be loaded.' : 'The agreed limit.'
}

/** The share of a limit from which its meter warns in red. */
const NEARLY = 80

function RoomMeter({
  label,
  room,
  end,
  text,
  period,
}: Pick<RoomCardProps, 'label' | 'end' | 'period'> & { room: Room; text: string }) {
  const { left, limit, lost, percentLost } = room
  const [limitText, lostText] = [limit, lost].map(dollars)
  const isReached = (end?.away ?? left) === 0
  return (
    <>
      <p className={clsx('mt-1 text-28 font-semibold tracking-tight break-words', isReached && 'text-bad')}>
        {end ? `${dollars(end.away)} away` : `${dollars(left)} left`}
      </p>
      {end && <p className="text-14 font-medium">Breach at {dollars(end.at)}</p>}
      <p className="text-14 text-muted">{period}</p>
      <Meter
        className="mt-3"
        label={`Lost: ${label}`}
        percent={percentLost}
        mark={NEARLY}
        tone={percentLost >= NEARLY ? 'bad' : percentLost >= 60 ? 'waiting' : 'good'}
        text={`${lostText} of ${limitText} lost`}
      >
        {isReached ? 'The limit is reached. ' : ''}
        {lostText} lost of {limitText}. Limit: {text}
      </Meter>
    </>
  )
}

interface ProfitTargetProps {
  readonly account: OwnAccount
  readonly started: number | undefined
  readonly stamp: ReactNode
}

/** Progress bar, target, current profit and remaining profit (specification §2, §4). */
function ProfitTarget({ account: { profitLoss, profitTarget }, started, stamp }: ProfitTargetProps) {
  const progress = profitProgress(profitLoss, profitTarget, started)
  const percent = progress?.percent ?? 0
  const shown = `${Math.floor(percent * 10) / 10}%`
  const hasNone = progress?.target === 0
  return (
    <Card title={<span className="text-14">Profit Target</span>} action={stamp} className="sm:max-xl:col-span-2">
      <Meter
        role="progressbar"
        label="Profit Target"
        percent={percent}
        text={hasNone ? 'No profit target' : `${shown} of the profit target`}
      >
        {hasNone ? 'No profit target is set for this phase.' : `${shown} of the target`}
      </Meter>
      <FigureList
        className="mt-4"
        items={[
          { name: 'Target', value: hasNone ? 'None' : progress ? dollars(progress.target) : profitTarget },
          { name: 'Current Profit', value: <ProfitLoss amount={profitLoss} /> },
          ...(hasNone ? [] : [{ name: 'Remaining', value: progress ? dollars(progress.remaining) : 'N/A' }]),
        ]}
      />
    </Card>
  )
}

function startContext(started: number | undefined): string {
  return started === undefined ? 'In US dollars' : `Started with ${dollars(started)}`
}

/** '00:00 UTC (02:00 your time)'. */
function resetTime(now: number): string {
  const end = new Date(endOfDay(now))
  const own = `${String(end.getHours()).padStart(2, '0')}:${String(end.getMinutes()).padStart(2, '0')}`
  return own === '00:00' ? '00:00 UTC' : `00:00 UTC (${own} your time)`
}
