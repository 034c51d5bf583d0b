import { availablePayout } from '#services/trading/stream/available-payout.ts'
import { payingStage } from '#services/trading/stream/stage.ts'
import { type AccountId, accountIdOf } from '#services/framework/ids.ts'
import { type Payout, pendingPayouts } from '#services/trading/stream/payout.ts'
import { toCents, toDecimal } from '#services/rules/money.ts'
import { type Observation, observation } from '#services/rules/observation.ts'
import type { Agenda } from './agenda.ts'
import { atDesk, DAY, HOUR, isWorkday, midnight, MINUTE } from './calendar.ts'
import { certificatePdf } from './certificate-pdf.ts'
import type { History, Operation, UserOperation } from './history.ts'
import { lastPayDay } from './payments-desk.ts'
import { createRandom } from './random.ts'
import {
  type AccountScenario,
  approvals,
  BETWEEN_PAYOUTS,
  confirmsEmail,
  destinationsOf,
  type EnrolmentScenario,
  platforms,
  rejections,
  reviews,
  type TraderScenario,
} from './trader-story.ts'

/** How a trader fares under a programme: what the rules find in the trades is what happens next. */

interface ProgrammeStoryOptions {
  readonly history: Pick<History, 'accountOf' | 'enrolmentsOf'>
  readonly agenda: Agenda
  readonly until: number
  /** What the shop calls an order, and what it says. */
  orderOf(order: string): NonNullable<Extract<Operation, { kind: 'enrol' }>['order']>
}

/** Notes a trader whose first account is under a programme, with all that follows. */
export function planTrader(scenario: TraderScenario, seed: number, options: ProgrammeStoryOptions): void {
  const { userId, profile, from, ban, deletedAt, further = [] } = scenario
  const { agenda, until } = options
  const of = { userId, account: 1 }
  agenda.add(from, () => [
    { at: from, ...of, kind: 'register', profile },
    { at: from, ...of, kind: 'open account' },
  ])
  const confirmed = from + 10 * MINUTE
  if (confirmsEmail(userId)) agenda.add(confirmed, () => [{ at: confirmed, ...of, kind: 'confirm email' }])
  for (const [n, account] of [scenario, ...further].entries())
    if (account.programme) planEnrolment({ ...scenario, ...account }, account.programme, seed + n, options)
  if (ban) {
    agenda.add(ban.at, () => [{ at: ban.at, ...of, kind: 'ban', reason: ban.reason }])
    const { liftedAt } = ban
    if (liftedAt !== undefined) agenda.add(liftedAt, () => [{ at: liftedAt, ...of, kind: 'unban' }])
  }
  if (deletedAt !== undefined && deletedAt <= until)
    agenda.add(deletedAt, () => [
      { at: deletedAt, ...of, kind: 'delete' },
      { at: deletedAt, ...of, kind: 'close accounts' },
    ])
}

function planEnrolment(
  scenario: TraderScenario & AccountScenario,
  programme: EnrolmentScenario,
  seed: number,
  { history, agenda, until, orderOf }: ProgrammeStoryOptions,
): void {
  const { userId, profile, from, size, gain, today, review, ban, deletedAt } = scenario
  const random = createRandom(seed)
  const ends = Math.min(until, deletedAt ?? until, ban?.at ?? until)
  const cents = (share: number) => Math.round(share * size * 100)
  const close = (21 * 60 + random.whole(0, 50)) * MINUTE
  /** The trades of the platform, numbered as it numbers them. */
  let deal = random.whole(10_000_000, 90_000_000)
  let [number, traded] = [1, 0]

  const step = (at: number, operations: () => Iterable<Operation>): void => {
    if (at <= ends) agenda.add(at, operations)
  }
  /** What the desk does goes on after a ban. */
  const deskStep = (at: number, operations: () => Iterable<Operation>): void => {
    if (at <= Math.min(until, deletedAt ?? until)) agenda.add(at, operations)
  }
  const account = () => history.accountOf(accountIdOf(userId, number))
  const of = () => ({ userId, account: number })

  function* enrol(at: number): Iterable<Operation> {
    const order = programme.by === 'shop' ? orderOf(`A-${seed}`) : null
    yield { at, userId, kind: 'enrol', programme: programme.id, order }
    number = numberOf(history.enrolmentsOf(userId).at(-1)?.accounts[0])
    const accepted = at + random.whole(5, 600) * MINUTE
    if (!order && programme.accepts !== false) step(accepted, () => [{ at: accepted, userId, kind: 'accept terms' }])
    waitForLogin(at)
  }

  function waitForLogin(since: number): void {
    if (programme.waitsForLogin === number) return
    const at = atDesk(since + random.whole(2 * HOUR, 20 * HOUR))
    step(at, function* () {
      const { programme: stage, open } = account().account
      if (!open) return
      const login = { login: String(random.whole(10_000_000, 99_999_999)), masterPassword: random.letters(12) }
      const payouts = stage?.funded ? { payoutEnabled: true } : {}
      const changes = { ...login, ...random.pick(platforms), ...payouts }
      yield { at, ...of(), kind: 'change account', by: 'risk desk', changes }
      tradeFrom(midnight(at), at)
    })
  }

  /** The account's days from this one on. */
  function tradeFrom(day: number, since: number): void {
    const at = day + close
    const isToday = midnight(until) === day && today !== undefined
    if (isToday) {
      const now = until - 40 * MINUTE
      return now < since ? undefined : step(now, () => tradeDay(day, Math.max(now, day + MINUTE), since, true))
    }
    if (at > until) return
    if (!isWorkday(day) || at < since + HOUR) return tradeFrom(day + DAY, since)
    step(at, () => tradeDay(day, at, since, false))
  }

  const isPaused = (at: number) => review !== undefined && at > review.from && at < (review.until ?? until)

  function* tradeDay(day: number, at: number, since: number, isToday: boolean): Iterable<Operation> {
    const { account: now, findings } = account()
    if (!now.open || now.status === 'breached') return
    if (now.status !== 'active' || isPaused(at)) return tradeFrom(day + DAY, since)
    const profit = now.balance - size * 100
    const share = isToday && today ? today(profit / size / 100) : gain(traded)
    traded += 1
    const opens = Math.max(day + 7 * HOUR, since + 10 * MINUTE, day)
    if (!(programme.leavesOut !== undefined && at > programme.leavesOut))
      yield* observed(day, Math.min(opens, at - 20 * MINUTE), at, cents(share))
    const { list } = account().findings
    const found = list.at(-1)
    if (found && list.length > findings.list.length) return afterFinding(found, day, at, since)
    if (now.programme?.funded) step(at + random.whole(1, 10) * HOUR, () => ask(at))
    tradeFrom(day + DAY, since)
  }

  /** The account's result of a day, in cents, as this account's platform reports it. */
  function* observed(day: number, opens: number, at: number, result: number): Iterable<Operation> {
    const { balance, phase } = account().account
    if (programme.observed === 'typed') {
      const typed = atDesk(at + 10 * HOUR)
      // It is what the platform shows, whatever was paid out since.
      step(typed, function* () {
        const now = account().account
        if (now.phase !== phase || now.status !== 'active') return
        const changes = { balance: toCents(now.balance + result) }
        yield { at: typed, ...of(), kind: 'change account', by: 'risk desk', changes }
        const found = account().findings.list.at(-1)
        if (found?.raisedAt === typed) afterFinding(found, midnight(typed), typed, typed)
      })
    } else if (programme.observed === 'days')
      yield { at, ...of(), kind: 'observe', rows: [dayRow(day, at, balance, result)] }
    else yield { at, ...of(), kind: 'observe', rows: tradeRows(opens, at, result) }
  }

  function dayRow(day: number, at: number, balance: number, result: number): Observation {
    const after = balance + result
    const swing = () => Math.round(Math.abs(result) * random.next() * 0.2)
    return observation.parse({
      at: new Date(at).toISOString(),
      ...{ kind: 'day', date: new Date(day).toISOString().slice(0, 10), trades: random.whole(1, 6) },
      ...{ balance: toDecimal(after), equity: toDecimal(after) },
      lowestEquity: toDecimal(Math.min(balance, after) - swing()),
      highestEquity: toDecimal(Math.max(balance, after) + swing()),
    })
  }

  function tradeRows(opens: number, closes: number, result: number): Observation[] {
    const count = random.whole(1, 4)
    const profits = Array.from({ length: count - 1 }, () => Math.round(result / count + cents(0.002) * random.normal()))
    profits.push(result - profits.reduce((sum, each) => sum + each, 0))
    const part = (closes - opens) / count
    return profits.map((profit, n) => {
      const closedAt = Math.round((opens + part * (n + 0.2 + 0.8 * random.next())) / 1000) * 1000
      const openedAt = closedAt - random.whole(2, 180) * MINUTE
      deal += random.whole(3, 90)
      return observation.parse({
        ...{ at: new Date(closedAt).toISOString(), kind: 'trade', id: String(deal) },
        ...{ openedAt: new Date(openedAt).toISOString(), profit: toDecimal(profit) },
        volume: (random.whole(10, 400) / 100).toFixed(2),
      })
    })
  }

  /** What the desk makes of a finding, unless the rules alone have decided. */
  function afterFinding(
    { kind, state }: { readonly kind: string; readonly state: string },
    day: number,
    at: number,
    since: number,
  ): void {
    if (kind === 'pass') {
      if (state === 'confirmed') return passed(at)
      const decided = atDesk(at + 10 * HOUR)
      return deskStep(decided, function* () {
        if (account().findings.list.at(-1)?.state !== 'proposed') return
        yield { at: decided, ...of(), kind: 'confirm finding' }
        passed(decided)
      })
    }
    const closed = (breached: number): void => {
      if (programme.staysOnPlatform) return
      const done = atDesk(breached + random.whole(1, 30) * HOUR)
      deskStep(done, () => [{ at: done, ...of(), kind: 'close on platform' }])
    }
    if (state === 'confirmed') return closed(at)
    const decided = atDesk(at + random.whole(50, 180) * MINUTE)
    deskStep(decided, function* () {
      const { list } = account().findings
      const dismisses = list.length === 1 ? programme.dismisses : undefined
      if (list.at(-1)?.state !== 'proposed') return
      if (dismisses === undefined) {
        yield { at: decided, ...of(), kind: 'confirm finding' }
        return closed(decided)
      }
      yield { at: decided, ...of(), kind: 'dismiss finding', reason: dismisses }
      tradeFrom(day + DAY, since)
    })
  }

  function passed(at: number): void {
    const name = account().account.phase ?? ''
    const issued = at + 6 * MINUTE
    const before = of()
    deskStep(issued, () => [
      {
        ...{ at: issued, ...before, kind: 'issue certificate', title: `${name} passed` },
        content: certificatePdf(name, profile.fullName, issued),
      },
    ])
    const closed = atDesk(at + random.whole(1, 30) * HOUR)
    deskStep(closed, () => [{ at: closed, ...before, kind: 'close on platform' }])
    number = numberOf(
      history
        .enrolmentsOf(userId)
        .find(({ accounts }) => accounts.includes(idOf(before)))
        ?.accounts.at(-1),
    )
    waitForLogin(at)
  }

  /** Asks for a payout, where the terms give one worth asking for. */
  function* ask(at: number): Iterable<Operation> {
    const { account: now, stage, payouts } = account()
    const paying = payingStage(stage)
    if (!paying || !now.open || !now.payoutsEnabled || now.status !== 'active') return
    if (pendingPayouts(payouts).length > 0) return
    const { available } = availablePayout(paying, at, 0)
    if (available < Math.max(LEAST, cents(0.02))) return
    const isLast = at + BETWEEN_PAYOUTS + 5 * DAY > until
    if (scenario.payouts === 'all decided' && at + 6 * DAY > until) return
    const isOwed = scenario.payouts === 'one is owed'
    if (isOwed && at < lastPayDay(until) + HOUR) return
    const amount = Math.max(LEAST, Math.floor((available * random.whole(40, 100)) / 10_000) * 100)
    yield { at, ...of(), kind: 'request payout', amount, ...random.pick(destinationsOf(userId, profile)) }
    if (isLast && scenario.payouts === 'one waits') return
    const decided = atDesk(at + (isOwed ? HOUR : random.whole(6 * HOUR, 60 * HOUR)))
    const rejects =
      scenario.payouts === undefined ? random.next() < 0.16 : isLast && scenario.payouts === 'last one rejected'
    if (scenario.payouts === undefined && rejects && random.next() < 0.4) {
      const withdrawn = at + 2 * HOUR
      return step(withdrawn, () => [{ at: withdrawn, ...of(), kind: 'withdraw payout', payout: numberOfNewest() }])
    }
    step(decided, () => decide(decided, rejects))
  }

  const numberOfNewest = () => [...account().payouts.list.values()].length
  const newest = (): Payout | undefined => [...account().payouts.list.values()].at(-1)

  function* decide(at: number, rejects: boolean): Iterable<UserOperation> {
    const { account: now, stage } = account()
    const [payout, paying] = [newest(), payingStage(stage)]
    if (!payout || !paying || payout.status !== 'pending' || !now.open) return
    const asked = { at, ...of(), kind: 'decide payout' as const, payout: numberOfNewest() }
    const isLess = availablePayout(paying, at, 0).available < payout.amount
    if (now.status === 'breached' || isLess) {
      const notes = isLess ? LESS : 'The account was breached before this payout was due.'
      return yield { ...asked, verdict: 'rejected', notes }
    }
    yield rejects
      ? { ...asked, verdict: 'rejected', notes: random.pick(rejections) }
      : { ...asked, verdict: 'approved', notes: random.pick(approvals) }
  }

  const bought = from + random.whole(12, 90) * MINUTE
  const enrolled = programme.by === 'shop' ? bought : atDesk(bought)
  step(enrolled, () => enrol(enrolled))
  if (review) {
    const reason = reviews[userId.charCodeAt(0) % reviews.length] ?? ''
    const reviewed = (at: number, from: string, to: 'under-review' | 'active', why: string) =>
      step(at, function* () {
        const { open, status } = account().account
        if (open && status === from)
          yield {
            at,
            ...of(),
            kind: 'change account',
            by: 'risk desk',
            changes: { status: to },
            reason: { reason: why },
          }
      })
    reviewed(review.from, 'active', 'under-review', reason)
    if (review.until !== undefined) reviewed(review.until, 'under-review', 'active', CLEARED)
  }
}

/** The least that traders ask for, in cents. */
const LEAST = 10_000
const LESS = 'The account has lost since you asked: less is available now. Please ask for a smaller amount.'
const CLEARED = 'We have looked at your trades: they are within the rules. Thank you for your patience.'

const idOf = ({ userId, account }: Pick<UserOperation, 'userId'> & { readonly account: number }) =>
  accountIdOf(userId, account)

function numberOf(id: AccountId | undefined): number {
  return Number(id?.slice(id.lastIndexOf('-a') + 2) ?? 1)
}
