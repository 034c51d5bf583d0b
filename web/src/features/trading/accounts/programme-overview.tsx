import { clsx } from 'clsx'
import { type ReactNode, useContext } from 'react'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import type { Standing, StandingRule } from '#services/trading/accounts/standing-api.ts'
import { AccountInAddress, ReadByStaff } from '@/account-in-address.ts'
import { addressWith } from '@/api/api.ts'
import { isEligible, nextDayInWords, receivesOfAvailable, whyNotEligible } from './payout-words.ts'
import { formatDate } from '@/format/dates.ts'
import { formatMoney, formatProfit, signOf } from '@/format/money.ts'
import { lazyComponent } from '@/lazy-page.ts'
import { Badge } from '@/ui/badge.tsx'
import { Card, FigureList, StatCard } from '@/ui/card.tsx'
import { AddressLink } from '@/ui/address-link.tsx'
import { Meter } from '@/ui/meter.tsx'
import { ErrorState, Loading, Skeleton } from '@/ui/states.tsx'
import { ProfitLoss, Result } from '@/ui/text.tsx'
import { Arithmetic } from './arithmetic.tsx'
import { EventLink } from './event-link.tsx'
import { AsOf, useServerNow } from './as-of.tsx'
import { RoomMeter, startInWords } from './overview.tsx'
import { NothingNow } from './still-missing.tsx'
import { dayInWords, type End, endOf, isStale, labelOf, resetTime, timeLeft } from './standing.ts'

/** Few programmes judge by news. */
const NextNews = lazyComponent(() => import('./next-news.tsx').then(({ NextNews }) => NextNews))

interface ProgrammeOverviewProps {
  readonly account: OwnAccount
  /** Where the account stands. Undefined while loading; null after a failure. */
  readonly standing: Standing | undefined | null
  readonly onRetry: () => void
  readonly chart: ReactNode
}

/** An account under a programme: each of its rules with its figures, the next payout, and the event behind each. */
export function ProgrammeOverview({ account, standing, onRetry, chart }: ProgrammeOverviewProps) {
  const end = standing ? endOf(account, standing) : undefined
  const now = useServerNow()
  const said = standing ? termsOfAll(standing) : undefined
  return (
    <div className="flex flex-col gap-4">
      {standing && <Present account={account} standing={standing} end={end} />}
      {standing?.arithmetic && standing.arithmetic.length > 0 && (
        <Card title={standing.status === 'passed' ? 'Why it is passed' : 'How the breach was computed'}>
          <Arithmetic lines={standing.arithmetic} />
        </Card>
      )}
      <div className="card-rows">
        {standing ? (
          standing.rules.map((rule, index) => (
            <RuleCard key={index} rule={rule} standing={standing} end={end} said={said} />
          ))
        ) : standing === null ? (
          <ErrorState
            className="basis-full rounded-lg border border-line"
            title="The room left could not be loaded."
            onRetry={onRetry}
          />
        ) : (
          <RuleSkeletons />
        )}
        <NextPayout account={account} said={said} />
        <StatCard
          className="max-sm:p-5"
          label="Account Balance"
          value={formatMoney(account.balance)}
          context={startInWords(standing)}
        />
        {standing && <EquityCard standing={standing} isFinal={end !== undefined} />}
        <StatCard
          className="max-sm:p-5"
          label="Profit/Loss"
          value={formatProfit(account.profitLoss)}
          tone={signOf(account.profitLoss) === 'profit' ? 'good' : 'bad'}
          context={
            standing ? (
              <>
                In this stage, before payouts.{' '}
                {!isStale(standing.asOf, now) && (
                  <>
                    Today: <Result amount={standing.result.today} />
                  </>
                )}
              </>
            ) : (
              'In this stage, before payouts'
            )
          }
        />
      </div>
      {said !== undefined && (
        <p className="text-12 text-muted">
          Why: all rules are by the terms <EventLink number={said} />
        </p>
      )}
      <Card title="Performance">{chart}</Card>
    </div>
  )
}

/** The event that set the terms of all rules: it is said once, and not on each card. */
function termsOfAll({ rules }: Standing): number | undefined {
  const first = rules[0]?.event ?? undefined
  return rules.every(({ event }) => event === first) ? first : undefined
}

interface EquityCardProps {
  readonly standing: Standing
  readonly isFinal: boolean
}

/** The last equity that was reported, with its time: limits measure it, and between reports it moves. */
function EquityCard({ standing: { reported }, isFinal }: EquityCardProps) {
  return (
    <StatCard
      className="max-sm:p-5"
      label="Equity"
      value={reported ? formatMoney(reported.equity) : 'Not reported'}
      context={
        reported ? (
          <>
            Floating result <Result amount={reported.floating} />. <AsOf at={reported.at} isFinal={isFinal} />
          </>
        ) : (
          'Only closed trades are known.'
        )
      }
    />
  )
}

interface PresentProps extends Pick<ProgrammeOverviewProps, 'account'> {
  readonly standing: Standing
  readonly end: End | undefined
}

/** The present trading day; in its place, what the rules found and whether it is decided. */
function Present({ account, standing, end }: PresentProps) {
  if (end === undefined && standing.status !== 'breached') return <DayClock standing={standing} />
  // The notice about the breach says it.
  if (end === 'breached') return null
  return (
    <p className="text-13 text-muted">
      {end === 'passed' &&
        account.open &&
        'The rules find this stage passed. The next stage begins once it is confirmed.'}
      {end === 'passed' && !account.open && 'This stage is passed, and its account is closed.'}
      {end === 'closed' && 'This account is closed.'}
      {end === undefined &&
        `The rules found a breach${standing.cause ? ` at ${formatDate(standing.cause.at, 'exact')}` : ''}. Until it is decided, the rules below show that moment.`}
    </p>
  )
}

interface RuleCardProps {
  readonly rule: StandingRule
  readonly standing: Standing
  readonly end: End | undefined
  /** The event of the terms that is said for all rules. */
  readonly said: number | undefined
}

/** Says what no longer counts, and why. The figures would be those of the moment of the end. */
const ended: Readonly<Record<End, Readonly<{ limit: string; goal: string }>>> = {
  breached: {
    limit: 'The account is breached, so no room is left.',
    goal: 'The account is breached, so it can no longer be met.',
  },
  passed: { limit: 'The stage is passed, so this no longer applies.', goal: 'The stage is passed.' },
  closed: {
    limit: 'The account is closed, so this no longer applies.',
    goal: 'The account is closed, so it can no longer be met.',
  },
}

function RuleCard({ rule, standing, end, said }: RuleCardProps) {
  const { terms } = rule
  const own = rule.event === said ? null : rule.event
  const label = labelOf(rule)
  const isLimit = terms !== null && terms.consequence !== null
  // A goal that was met before the stage was passed stays met.
  const showsFigures = end === undefined || (end === 'passed' && !isLimit)
  const proof = (showsFigures && terms?.proof) || null
  return (
    <section className="flex min-w-0 flex-col rounded-lg border border-line bg-card p-5">
      <div className="flex min-h-6 flex-wrap items-center justify-between gap-x-3">
        <h2 className="text-14 font-semibold">{label}</h2>
        {terms?.nearest && end === undefined && <Badge tone="review">Nearest limit</Badge>}
      </div>
      {showsFigures ? (
        <RuleFigures label={label} rule={rule} standing={standing} />
      ) : (
        <>
          <p className="mt-1 text-14">{terms?.text}</p>
          <p className="mt-1 text-12 text-muted">{ended[end][isLimit ? 'limit' : 'goal']}</p>
        </>
      )}
      {(own !== null || proof !== null) && (
        <p className="mt-auto pt-3 text-12 text-muted">
          Why:{' '}
          {own !== null && (
            <>
              by the terms <EventLink number={own} />
            </>
          )}
          {own !== null && proof !== null && ', '}
          {proof !== null && (
            <>
              as observed in <EventLink number={proof} />
            </>
          )}
        </p>
      )}
    </section>
  )
}

const outcomes = {
  breach: 'Breach',
  pause: 'Trading pauses',
  warning: 'A warning',
  'excludes-profit': 'Profit that does not count',
} as const

interface RuleFiguresProps {
  readonly label: string
  readonly rule: StandingRule
  readonly standing: Standing
}

/** Shows the figures that the kind of a rule is about. */
function RuleFigures({ label, rule, standing }: RuleFiguresProps) {
  const { kind, floor, target, missing, days, best, profit, share, hits, percent, state, terms } = rule
  const now = useServerNow()
  const text = terms?.text ?? ''
  if (floor !== undefined)
    return (
      <RoomMeter
        label={label}
        rule={rule}
        outcome={outcomes[terms?.consequence ?? 'breach']}
        text={text}
        period={kind === 'daily-loss' ? dayInWords(standing, now) : 'In total, in this stage'}
        asOf={standing.asOf}
      />
    )
  if (target !== undefined)
    return (
      <Goal label={label} percent={percent} state={state} text={text} value={`${percent ?? 0}% of the target`}>
        <FigureList
          className="mt-3"
          items={[
            { name: 'Target', value: `${formatMoney(rule.amount)}, at a balance of ${formatMoney(target)}` },
            { name: 'Current Profit', value: <ProfitLoss amount={standing.result.phase} /> },
            // After a breach the rules show its moment; the profit goes on with later trades.
            {
              name: standing.status === 'breached' ? 'Remaining at that moment' : 'Remaining',
              value: formatMoney(missing),
            },
          ]}
        />
      </Goal>
    )
  if (days !== undefined && terms)
    return (
      <Goal
        label={label}
        percent={percent}
        state={state}
        text={text}
        value={terms.consequence === null ? `${days} of ${terms.asked} days` : `${days} of at most ${terms.asked} days`}
        isLimit={terms.consequence !== null}
      />
    )
  if (best !== undefined && terms)
    return (
      <Goal
        label={label}
        percent={percent}
        state={state}
        text={text}
        value={share === undefined || share === null ? 'No profit yet' : `${share}% of at most ${terms.asked}%`}
        mark={Number(terms.asked)}
        isLimit
      >
        <FigureList
          className="mt-3"
          items={[
            { name: 'Best result', value: formatMoney(best) },
            { name: 'Profit', value: formatMoney(profit) },
          ]}
        />
      </Goal>
    )
  if (share !== undefined && terms)
    return (
      <Goal
        label={label}
        percent={percent}
        state={state}
        text={text}
        value={share === null ? 'Nothing to compare yet' : `${share}% of at most ${terms.asked}%`}
        mark={Number(terms.asked)}
        isLimit
      />
    )
  if (hits !== undefined) return <Hits rule={rule} hits={hits} text={text} account={standing.account} />
  return <p className="mt-1 text-14">{text}</p>
}

interface HitsProps {
  readonly rule: StandingRule
  readonly hits: number
  readonly text: string
  /** The account's id. */
  readonly account: string
}

/** How often single trades broke a rule, what became of it, and which trades. */
function Hits({ rule, hits, text, account }: HitsProps) {
  const { tolerated = 0, unknown = 0, excluded, terms } = rule
  const named = useContext(AccountInAddress)
  const of = useContext(ReadByStaff)
  const marked = { only: 'marked' } as const
  const trades =
    of === undefined
      ? addressWith('/', { account: named, tab: 'performance', ...marked })
      : addressWith('/admin/users', { user: of, account, part: 'performance', ...marked })
  const left = Number(terms?.asked ?? 0) - tolerated
  return (
    <>
      <p className={clsx('mt-1 mb-3 text-20 font-semibold', hits === 0 ? 'text-good' : 'text-bad')}>
        {hits === 0 ? 'Kept' : `Hit ${hits === 1 ? 'once' : `${hits} times`}`}
      </p>
      <p className="text-12 text-muted">{text}</p>
      <FigureList
        className="mt-3"
        items={[
          ...(tolerated > 0 ? [{ name: 'Tolerated so far', value: String(tolerated) }] : []),
          ...(left > 0 ? [{ name: 'Still tolerated', value: String(left) }] : []),
          ...(terms?.consequence === 'excludes-profit'
            ? [{ name: 'Profit that does not count', value: formatMoney(excluded) }]
            : []),
          ...(unknown > 0 ? [{ name: 'Trades that cannot be judged', value: String(unknown) }] : []),
        ]}
      />
      {terms?.window && <NextNews window={terms.window} />}
      {hits + tolerated > 0 && (
        <p className="mt-3 text-13">
          <AddressLink look="accent" href={trades}>
            Trades that hit a rule
          </AddressLink>
        </p>
      )}
    </>
  )
}

interface GoalProps {
  readonly label: string
  readonly percent: number | null
  readonly state: StandingRule['state']
  readonly text: string
  readonly value: string
  /** A line across the bar, in percent. */
  readonly mark?: number
  /** More of it is worse. */
  readonly isLimit?: boolean
  readonly children?: ReactNode
}

function Goal({ label, percent, state, text, value, mark, isLimit = false, children }: GoalProps) {
  const isGood = state === 'met' || state === 'kept'
  return (
    <>
      <p className={clsx('mt-1 mb-3 text-20 font-semibold break-words', state === 'met' && 'text-good')}>
        {value}
        {state === 'met' && ', met'}
      </p>
      {percent !== null && state !== 'not-applicable' && (
        <Meter
          role={isLimit ? 'meter' : 'progressbar'}
          label={label}
          percent={percent}
          {...(mark !== undefined && { mark })}
          tone={isGood ? 'good' : isLimit ? 'waiting' : 'accent'}
          text={value}
        >
          {text}
        </Meter>
      )}
      {(percent === null || state === 'not-applicable') && <p className="text-12 text-muted">{text}</p>}
      {children}
    </>
  )
}

interface NextPayoutProps {
  readonly account: OwnAccount
  /** The event of the terms, where the page says it elsewhere. */
  readonly said?: number | undefined
}

/** Shows the next payout by the terms of the funded stage: how much, when, and what is missing. */
export function NextPayout({ account, said }: NextPayoutProps) {
  const { payout } = account
  const named = useContext(AccountInAddress)
  const of = useContext(ReadByStaff)
  const list =
    of === undefined
      ? addressWith('/payouts', { account: named })
      : addressWith('/admin/payouts', { of, ofAccount: account.id })
  return (
    <Card title={<span className="text-14">Next payout</span>} className="flex flex-col">
      {payout && isEligible(account) ? (
        <>
          <FigureList
            items={[
              { name: 'Available now', value: formatMoney(payout.available) },
              { name: 'You receive of it', value: receivesOfAvailable(payout) },
              { name: 'Next possible day', value: nextDayInWords(payout) },
            ]}
          />
          <NothingNow payout={payout} className="mt-3 text-13" />
          <p className="mt-3 text-13">
            <AddressLink look="accent" href={list}>
              Payouts
            </AddressLink>
          </p>
          <p className="mt-auto pt-3 text-12 text-muted">
            Why:{' '}
            {payout.events.terms !== said && (
              <>
                by the terms <EventLink number={payout.events.terms} />, and{' '}
              </>
            )}
            your balance of <EventLink number={payout.events.balance} />
            {payout.events.payout !== null && (
              <>
                , after the payout of <EventLink number={payout.events.payout} />
              </>
            )}
          </p>
        </>
      ) : (
        <p className="text-13 text-muted">
          {isEligible(account) ? 'The terms of this stage have no payouts.' : whyNotEligible(account)}
        </p>
      )}
    </Card>
  )
}

function RuleSkeletons() {
  return ['Maximum loss', 'Daily loss', 'Profit target'].map((name) => (
    <section key={name} className="rounded-lg border border-line bg-card p-5">
      <Loading label={`Loading ${name}`}>
        <Skeleton className="h-5 w-32" />
        <Skeleton className="mt-2 h-7 w-40" />
        <Skeleton className="mt-2.5 h-4 w-48" />
        <Skeleton className="mt-3.5 h-2 w-full" />
        <Skeleton className="mt-2.5 h-3 w-56" />
        <Skeleton className="mt-5 h-3 w-40" />
      </Loading>
    </section>
  ))
}

/**
 * The present trading day, and how long it lasts by the clock of the server. Beside figures that are old or missing no
 * clock runs: it would make them look live.
 */
function DayClock({ standing }: { readonly standing: Standing }) {
  const now = useServerNow()
  const { day, asOf, resetsAt } = standing
  if (asOf === null) return <p className="text-13 text-muted">Nothing was reported of this account yet.</p>
  if (isStale(asOf, now))
    return (
      <p className="text-13 text-muted">
        <AsOf at={asOf} />. The figures below do not hold what was traded since.
      </p>
    )
  return (
    <p className="text-13 text-muted">
      Trading day {formatDate(day, 'date')}.{' '}
      <span className="font-medium text-ink">Resets in {timeLeft(Date.parse(resetsAt) - now)}</span>, at{' '}
      {resetTime(standing)}. <AsOf at={asOf} />.
    </p>
  )
}
