import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { OwnAccount } from '../../../../services/api/account-schemas.ts'
import type { AccountHistory } from '../../../../services/api/performance-schemas.ts'
import { formatCents as dollars, formatMoney, formatProfit, signOf } from '../../format/money.ts'
import { Card, FigureList, StatCard } from '../../ui/card.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Loading, Skeleton } from '../../ui/states.tsx'
import { DecisionStamp, ProfitLoss } from '../../ui/text.tsx'
import { centsOf, endOfDay, profitProgress, readLimit, roomLeft, startingBalance, type Room } from './room-left.ts'
import { lossOfDay, type PaidOut, tradingSteps } from './trading-results.ts'

interface OverviewProps {
  readonly account: OwnAccount
  /** Undefined while loading; null after a failure. */
  readonly history: AccountHistory | undefined | null
  readonly paidOut: readonly PaidOut[]
  /** Ms since 1970. */
  readonly now: number
  readonly chart: ReactNode
  /** Link to the reason of the limits. */
  readonly why?: ReactNode
}

/** Room left comes first and largest; then balance, profit and progress to the target (specification §2). */
export function Overview({ account, history, paidOut, now, chart, why }: OverviewProps) {
  const points = history?.points ?? []
  const started = startingBalance(points)
  const loss = -centsOf(account.profitLoss)
  const lostToday = history ? lossOfDay(tradingSteps(history, paidOut), now) : history
  const stamp = (
    <span className="inline-flex flex-wrap items-baseline gap-x-2">
      <DecisionStamp stamp={account.stamps.limits} why={account.stamps.limits?.reason} />
      {why}
    </span>
  )
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 md:grid-cols-2">
        <RoomCard
          label="Daily Drawdown"
          limit={account.dailyDrawdownLimit}
          loss={lostToday}
          started={started}
          stamp={stamp}
          until={`Today, until ${resetTime(now)}`}
        />
        <RoomCard
          label="Maximum Loss"
          limit={account.overallLossLimit}
          loss={loss}
          started={started}
          stamp={stamp}
          until="In total, over the life of the account"
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <StatCard label="Account Balance" value={formatMoney(account.balance)} context={startContext(started)} />
        <StatCard
          label="Profit/Loss"
          value={formatProfit(account.profitLoss)}
          tone={signOf(account.profitLoss) === 'profit' ? 'good' : 'bad'}
          context="Since the account began"
        />
      </div>
      <div className="grid gap-4 lg:grid-cols-3">
        <Card title="Performance" className="lg:col-span-2">
          {chart}
        </Card>
        <ProfitTarget account={account} started={started} stamp={stamp} />
      </div>
    </div>
  )
}

interface RoomCardProps {
  readonly label: string
  readonly limit: string | null
  /** In cents. Undefined while loading; null when unknown. */
  readonly loss: number | undefined | null
  readonly started: number | undefined
  readonly stamp: ReactNode
  /** The period that the limit covers. */
  readonly until: string
}

/** One limit: how much room is left, of how much, until when. A limit that is plain text has no meter. */
function RoomCard({ label, limit, loss, started, stamp, until }: RoomCardProps) {
  const { text, cents } = readLimit(limit?.trim() ?? '', started)
  const room = cents !== undefined && typeof loss === 'number' ? roomLeft(cents, loss) : undefined
  // The history decides what a percentage refers to, and what was lost today.
  const waiting = loss === undefined && text !== '' && /[$%]/.test(text)
  return (
    <section className="flex min-w-0 flex-col rounded-lg border border-line bg-card p-5">
      <div className="flex min-h-6 flex-wrap items-baseline justify-between gap-x-3">
        <h2 className="text-14 font-semibold">{label}</h2>
        {stamp}
      </div>
      {room ? (
        <RoomMeter label={label} room={room} text={text} until={until} />
      ) : waiting ? (
        <Loading label={`Loading ${label}`} className="mt-1">
          <Skeleton className="mt-1 h-7 w-40" />
          <Skeleton className="mt-2.5 h-4 w-48" />
          <Skeleton className="mt-3.5 h-2 w-full" />
          <Skeleton className="mt-2.5 h-3 w-56 max-w-full" />
        </Loading>
      ) : (
        <>
          <p className={clsx('mt-1 break-words', text === '' ? 'text-16 text-muted' : 'text-20 font-semibold')}>{text === '' ? 'Not set' : text}</p>
          <p className="mt-1 text-12 text-muted">{text === '' ? 'No limit is set for this account yet.' : explanation(loss, text)}</p>
        </>
      )}
    </section>
  )
}

function explanation(loss: number | undefined | null, text: string): string {
  return loss === null && /[$%]/.test(text) ? 'The limit. The room left today could not be loaded.' : 'The agreed limit.'
}

function RoomMeter({ label, room: { left, limit, lost, percentLeft }, text, until }: Pick<RoomCardProps, 'label' | 'until'> & { room: Room; text: string }) {
  const [leftText, limitText, lostText] = [left, limit, lost].map(dollars)
  return (
    <>
      <p className={clsx('mt-1 text-28 font-semibold tracking-tight break-words', left === 0 && 'text-bad')}>{leftText} left</p>
      <p className="text-14 text-muted">{until}</p>
      <Meter
        className="mt-3"
        label={`Room left: ${label}`}
        percent={percentLeft}
        tone={percentLeft <= 10 ? 'bad' : percentLeft <= 35 ? 'waiting' : 'good'}
        text={`${leftText} of ${limitText} left`}
      >
        {left === 0 ? 'The limit is reached. ' : ''}
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
  return (
    <Card title="Profit Target" action={stamp}>
      <Meter role="progressbar" label="Profit Target" percent={percent} text={`${shown} of the profit target`}>
        {progress?.target === 0 ? 'No profit target is set for this account yet.' : `${shown} of the target`}
      </Meter>
      <FigureList
        className="mt-4"
        items={[
          { name: 'Target', value: progress ? dollars(progress.target) : profitTarget },
          { name: 'Current Profit', value: <ProfitLoss amount={profitLoss} /> },
          { name: 'Remaining', value: progress ? dollars(progress.remaining) : 'N/A' },
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
