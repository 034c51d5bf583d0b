import { composeIBAN } from 'ibantools'
import {
  type AccountId,
  accountIdOf,
  type PayoutId,
  payoutId,
  type ProgrammeId,
  type UserId,
} from '#services/framework/ids.ts'
import type { Profile } from '#services/identity/users/user-vocabulary.ts'
import { toCents, toDecimal } from '#services/rules/money.ts'
import { type Observation, observation } from '#services/rules/observation.ts'
import type { AccountChanges } from '#services/trading/stream/account.ts'
import { availablePayout } from '#services/trading/stream/available-payout.ts'
import type { DecisionReason } from '#services/trading/stream/decision-reason.ts'
import { pendingPayouts } from '#services/trading/stream/payout.ts'
import { payingStage } from '#services/trading/stream/stage.ts'
import { type Agenda, atDesk, DAY, HOUR, isWorkday, midnight, MINUTE, type Story } from './agenda.ts'
import { certificatePdf } from './certificate-pdf.ts'
import type { FirmActor, History, UserOperation } from './history.ts'
import { lastPayDay } from './payments-desk.ts'
import { createRandom } from './random.ts'

/**
 * Plays how a trader fares with the firm: their accounts trade day by day, and what the rules find in the trades, or the
 * desk without a programme, is what happens next.
 */

export interface TraderScenario extends AccountScenario {
  readonly userId: UserId
  readonly profile: Profile
  /** The accounts that they bought later, in their order; under programmes. */
  readonly further?: readonly AccountScenario[]
  readonly ban?: { readonly at: number; readonly reason: string; readonly liftedAt?: number }
  readonly deletedAt?: number
  /** What staff wrote about the trader for each other. */
  readonly note?: { readonly at: number; readonly text: string }
}

/** How one account fares. Shares are of its size: 0.01 is one percent. Moments are in ms since 1970. */
export interface AccountScenario {
  /** When it was bought; the first account with the sign-up. */
  readonly from: number
  /** Dollars. */
  readonly size: number
  readonly steps: 1 | 2
  /** The share that the account gains in a day of trading, given how many trading days came before. */
  readonly gain: (day: number) => number
  /** Without one it works as the firm's accounts did before it had programmes. */
  readonly programme?: EnrolmentScenario | undefined
  /** The share gained today, given that of all days before; under a programme. */
  readonly today?: (profit: number) => number
  /** Without `until` the review goes on. */
  readonly review?: { readonly from: number; readonly until?: number }
  /** A breach recorded by mistake, and when it was corrected; without a programme. */
  readonly mistake?: { readonly at: number; readonly correctedAt: number }
  /** When the limits were widened; without a programme. */
  readonly widened?: number
  /** How the last payouts end; without it, chance decides. */
  readonly payouts?: 'all decided' | 'one waits' | 'last one rejected' | 'one is owed'
}

/** How an account lives under a programme. */
export interface EnrolmentScenario {
  readonly id: ProgrammeId
  readonly by: 'shop' | 'staff'
  readonly observed: 'trades' | 'days' | 'typed'
  /** False for a trader who has not accepted the terms. */
  readonly accepts?: false
  /** Staff dismiss the first breach that the rules propose, for this reason. */
  readonly dismisses?: string
  /** The number of an account whose login is still to be assigned. */
  readonly waitsForLogin?: number
  /** From this moment on the platform reports nothing by itself. */
  readonly leavesOut?: number
  /** Staff have not closed the breached account on the platform yet. */
  readonly staysOnPlatform?: true
}

interface World {
  readonly history: Pick<History, 'accountOf' | 'enrolmentsOf'>
  readonly agenda: Agenda
  readonly until: number
  /** What the shop calls an order, and what it says. */
  orderOf(order: string): UserOperation<'enrol'>['order']
}

const [DAILY_LOSS, OVERALL_LOSS] = [0.05, 0.1]
const BETWEEN_PAYOUTS = 15 * DAY
/** The least that traders ask for, in cents. */
const LEAST = 10_000

/** Notes of a payouts desk that rejects. */
const rejections = [
  'The bank account is not in your name. Please send the details of an account of your own and ask again.',
  'Two positions were held over the news release of Thursday, which the rules of the funded account do not allow. Ask again after the next cycle.',
  'We still need a proof of address that is not older than three months. Please send it to support and ask again.',
  'The amount is above the profit share of this cycle (80%). Please ask for the smaller amount.',
]
const LESS = 'The account has lost since you asked: less is available now. Please ask for a smaller amount.'
const TOO_LATE = 'The account was breached before this payout was due.'
const approvals = [
  '',
  'Well traded. It leaves with the next batch.',
  'It arrives within two banking days after it was sent.',
  'Profit share 80%, in full.',
]

/** Why a risk desk reviews an account, in its words to the trader. */
const OBJECTION =
  'Both positions were closed ten minutes before the release. My statement shows the times; please compare them with yours.'
const QUESTION = 'Thank you. Which of the two tickets do you mean? We compare its times with those of the platform.'

const reviews = [
  'Trades of this account and of another one were opened within a second of each other, eleven times this week. We are looking at both.',
  'Most of the profit of this week comes from one trade over a news release. We are checking it against the rules.',
  'The account was signed in to from two countries on the same day. Please answer the mail that we sent you.',
]
const CLEARED = 'We have looked at your trades: they are within the rules. Thank you for your patience.'
const WRONG_QUOTE = 'The loss came from a wrong quote of EURUSD, which the platform has since taken back. We are sorry.'

/** The phases of an account without a programme, with the share that each has to gain. */
const phasesOf = {
  1: { Evaluation: 0.1, Funded: null },
  2: { 'Phase 1': 0.08, 'Phase 2': 0.05, Funded: null },
}

const breaches = {
  'daily-drawdown': ['The loss of the day went beyond the daily drawdown limit.', 'on the day'],
  'overall-loss': ['The loss since the account began went beyond the overall loss limit.', 'since the account began'],
} as const

const platforms = [
  { platform: 'mt5', server: 'Proofdesk-MT5-Live' },
  { platform: 'mt5', server: 'Proofdesk-MT5-Live 2' },
  { platform: 'mt4', server: 'Proofdesk-MT4-Live' },
] as const

/** Notes a trader on the agenda, with all that follows. */
export function planTrader(scenario: TraderScenario, seed: number, world: World): void {
  const { userId, profile, from, ban, deletedAt, note, further = [] } = scenario
  const { agenda } = world
  const of = (at: number) => ({ at, userId })
  agenda.add(from, signUp(), deletedAt)
  for (const [n, account] of [scenario, ...further].entries()) planAccount({ ...scenario, ...account }, seed + n, world)
  if (ban) agenda.add(ban.at, banned(ban), deletedAt)
  if (note) agenda.add(note.at, one({ ...of(note.at), kind: 'write note', text: note.text }), deletedAt)
  if (deletedAt !== undefined) agenda.add(deletedAt, deleted(deletedAt))

  function* signUp(): Story {
    yield { ...of(from), kind: 'register', profile }
    yield { ...of(from), kind: 'open account' }
    const confirmed = from + 10 * MINUTE
    yield confirmed
    // One in six never follows the link that confirms an email.
    if (userId.charCodeAt(0) % 6 !== 0) yield { ...of(confirmed), kind: 'confirm email' }
  }
  function* banned({ at, reason, liftedAt }: NonNullable<TraderScenario['ban']>): Story {
    yield { ...of(at), kind: 'ban', reason }
    if (liftedAt === undefined) return
    yield liftedAt
    yield { ...of(liftedAt), kind: 'unban' }
  }
  function* deleted(at: number): Story {
    yield { ...of(at), kind: 'delete' }
    yield { ...of(at), kind: 'close accounts' }
  }
}

function planAccount(scenario: TraderScenario, seed: number, { history, agenda, until, orderOf }: World): void {
  const { userId, profile, from, size, steps, gain, programme, today, review, mistake, widened } = scenario
  const random = createRandom(seed)
  const cents = (share: number) => Math.round(share * size * 100)
  const close = (21 * 60 + random.whole(0, 50)) * MINUTE
  /** The trades of the platform, numbered as it numbers them. */
  let deal = random.whole(10_000_000, 90_000_000)
  let [number, traded, nextPayout] = [1, 0, 0]

  const of = (at: number) => ({ at, userId, account: number })
  const account = () => history.accountOf(accountIdOf(userId, number))
  const newestFinding = () => account().findings.list.at(-1)
  const change = (at: number, by: FirmActor, changes: AccountChanges, reason?: DecisionReason) =>
    ({ ...of(at), kind: 'change account', by, changes, reason }) as const
  const begin = (at: number, story: Story) =>
    agenda.add(at, story, Math.min(scenario.ban?.at ?? Infinity, scenario.deletedAt ?? Infinity))
  /** What the desk does goes on after a ban. */
  const beginAtDesk = (at: number, story: Story) => agenda.add(at, story, scenario.deletedAt)

  if (programme) {
    const bought = from + random.whole(12, 90) * MINUTE
    const enrolled = programme.by === 'shop' ? bought : atDesk(bought)
    begin(enrolled, enrol(enrolled, programme))
  } else {
    const setUp = atDesk(from + random.whole(2 * HOUR, 20 * HOUR))
    begin(setUp, phases(setUp))
  }
  if (review) begin(review.from, reviewed(review))
  if (mistake) begin(mistake.at, mistaken(mistake))
  if (widened !== undefined) begin(widened, widen(widened))

  /** The days of an account from a moment on, until one of them ends it. */
  function* trade(since: number, playDay: PlayDay): Story {
    for (let day = midnight(since); ; day += DAY) {
      const isToday = today !== undefined && day === midnight(until)
      // What is typed is typed on the next morning.
      const closed = programme?.observed === 'typed' ? atDesk(day + close + 10 * HOUR) : day + close
      const at = isToday ? Math.max(until - 40 * MINUTE, day + MINUTE) : closed
      if (at > until) return
      if (isToday ? at < since : !isWorkday(day) || at < since + HOUR) continue
      yield at
      const { open, status, balance } = account().account
      if (!open || (status === 'breached' && !mistake)) return
      if (status !== 'active' || (review && at > review.from && at < (review.until ?? until))) continue
      const share = isToday ? today(balance / size / 100 - 1) : gain(traded)
      traded += 1
      if (yield* playDay(at, share, Math.max(day, since))) return
      if (account().account.payoutsEnabled) {
        const asked = at + random.whole(1, 10) * HOUR
        begin(asked, ask(asked))
      }
      if (isToday) return
    }
  }

  function* enrol(at: number, { id, by, accepts }: EnrolmentScenario): Story {
    const order = by === 'shop' ? orderOf(`A-${seed}`) : null
    yield { at, userId, kind: 'enrol', programme: id, order }
    number = numberOf(history.enrolmentsOf(userId).at(-1)?.accounts[0])
    const accepted = at + random.whole(5, 600) * MINUTE
    if (!order && accepts !== false) begin(accepted, one({ at: accepted, userId, kind: 'accept terms' }))
    yield* stage(at)
  }

  /** The desk assigns a login, then the account trades. */
  function* stage(since: number): Story {
    if (programme?.waitsForLogin === number) return
    const at = atDesk(since + random.whole(2 * HOUR, 20 * HOUR))
    yield at
    const { programme: begun, open } = account().account
    if (!open) return
    yield change(at, 'risk desk', { ...newLogin(), ...(begun?.funded && { payoutEnabled: true }) })
    yield* trade(at, playByRules)
  }

  const newLogin = () => ({
    ...{ login: String(random.whole(10_000_000, 99_999_999)), masterPassword: random.letters(12) },
    ...random.pick(platforms),
  })

  /** The platform reports a day, and what the rules find in it ends the days. */
  function* playByRules(at: number, share: number, opens: number): Day {
    const { account: now, findings } = account()
    if (programme?.observed === 'typed') {
      yield change(at, 'risk desk', { balance: toCents(now.balance + cents(share)) })
    } else if (programme?.leavesOut === undefined || at <= programme.leavesOut) {
      const begins = Math.min(Math.max(midnight(at) + 7 * HOUR, opens + 10 * MINUTE), at - 20 * MINUTE)
      const rows = programme?.observed === 'days' ? [dayRow(at, cents(share))] : tradeRows(begins, at, cents(share))
      yield { ...of(at), kind: 'observe', rows }
    }
    if (account().findings.list.length === findings.list.length) return false
    followFinding(at)
    return true
  }

  function dayRow(at: number, result: number): Observation {
    const { balance } = account().account
    const after = balance + result
    const swing = () => Math.round(Math.abs(result) * random.next() * 0.2)
    const iso = new Date(at).toISOString()
    return observation.parse({
      ...{ at: iso, kind: 'day', date: iso.slice(0, 10), trades: random.whole(1, 6) },
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
      const volume = (random.whole(10, 400) / 100).toFixed(2)
      return observation.parse({
        ...{ at: new Date(closedAt).toISOString(), kind: 'trade', id: String(deal) },
        ...{ openedAt: new Date(openedAt).toISOString(), profit: toDecimal(profit), volume },
        ...tradedAt(deal, profit, Number(volume)),
      })
    })
  }

  /** What the desk makes of the newest finding, unless the rules alone have decided. */
  function followFinding(at: number): void {
    const found = newestFinding()
    if (found?.state === 'confirmed') return found.kind === 'pass' ? followPass(at) : followBreach(at)
    const decided = atDesk(at + (found?.kind === 'pass' ? 10 * HOUR : random.whole(50, 180) * MINUTE))
    beginAtDesk(decided, decideFinding(decided))
  }

  function* decideFinding(at: number): Story {
    const { list } = account().findings
    const found = list.at(-1)
    if (found?.state !== 'proposed') return
    const dismisses = list.length === 1 && found.kind !== 'pass' ? programme?.dismisses : undefined
    if (dismisses !== undefined) {
      yield { ...of(at), kind: 'dismiss finding', reason: dismisses }
      begin(at, trade(at, playByRules))
      return
    }
    yield { ...of(at), kind: 'confirm finding' }
    if (found.kind === 'pass') followPass(at)
    else followBreach(at)
  }

  function closeOnPlatform(at: number): void {
    const closed = atDesk(at + random.whole(1, 30) * HOUR)
    beginAtDesk(closed, one({ ...of(closed), kind: 'close on platform' }))
  }

  function followBreach(at: number): void {
    if (!programme?.staysOnPlatform) closeOnPlatform(at)
  }

  function followPass(at: number): void {
    const passed = accountIdOf(userId, number)
    beginAtDesk(at + 6 * MINUTE, certify(at + 6 * MINUTE, account().account.phase ?? '', number))
    closeOnPlatform(at)
    const enrolment = history.enrolmentsOf(userId).find(({ accounts }) => accounts.includes(passed))
    number = numberOf(enrolment?.accounts.at(-1))
    begin(at, stage(at))
  }

  /** The certificate is of the account whose stage was passed. */
  function* certify(at: number, phase: string, passed: number): Story {
    const content = certificatePdf(phase, profile.fullName, at)
    yield { ...of(at), account: passed, kind: 'issue certificate', title: `${phase} passed`, content }
  }

  const money = (profit: number) => ({ balance: toCents(size * 100 + profit), profitLoss: toCents(profit) })

  /** Without a programme: the desk moves the account from phase to phase, and breaches it by its limits. */
  function* phases(since: number): Story {
    const limits = {
      dailyDrawdownLimit: `5% / $${size * DAILY_LOSS}`,
      overallLossLimit: `10% / $${size * OVERALL_LOSS}`,
    }
    let at = since
    for (const [name, target] of Object.entries(phasesOf[steps])) {
      const profitTarget = target === null ? null : String(size * target)
      const beginning = { ...money(0), ...newLogin(), phase: name, profitTarget }
      const funded = target === null && { payoutEnabled: true }
      yield change(at, 'risk desk', { ...beginning, ...funded, ...(at === since && { ...limits, status: 'active' }) })
      if (target === null) nextPayout = at + BETWEEN_PAYOUTS
      const begun = traded
      let passedAt = 0
      yield* trade(at, function* (closed, share) {
        const profit = account().account.balance - size * 100
        const gained = Math.max(cents(share), -cents(DAILY_LOSS) * 1.02)
        const after = Math.round(Math.max(profit + gained, -cents(OVERALL_LOSS) * 1.004))
        yield change(closed, 'platform feed', money(after))
        const rule = gained <= -cents(DAILY_LOSS) ? 'daily-drawdown' : 'overall-loss'
        if (rule === 'daily-drawdown' || after <= -cents(OVERALL_LOSS)) {
          const breachedAt = closed + 35 * MINUTE
          yield breachedAt
          const reason = breachOf(rule, rule === 'daily-drawdown' ? -gained : -after, closed)
          yield change(breachedAt, 'risk desk', { status: 'breached', payoutEnabled: false }, reason)
          return true
        }
        const isPassed = target !== null && after >= cents(target) && traded - begun >= 5
        if (isPassed) passedAt = closed
        return isPassed
      })
      if (passedAt === 0) return
      at = atDesk(passedAt + 10 * HOUR)
      yield at
      const issued = at + 6 * MINUTE
      beginAtDesk(issued, certify(issued, name, number))
    }
  }

  /** The reason and evidence that a risk desk gives for a breach. The loss is in cents. */
  function breachOf(rule: keyof typeof breaches, loss: number, occurredAt: number): DecisionReason {
    const { dailyDrawdownLimit, overallLossLimit } = account().account
    const limit = (rule === 'daily-drawdown' ? dailyDrawdownLimit : overallLossLimit) ?? ''
    const [reason, period] = breaches[rule]
    return { reason, evidence: { rule, limit, value: `-$${toDecimal(loss)} ${period}`, occurredAt } }
  }

  function* mistaken({ at, correctedAt }: NonNullable<AccountScenario['mistake']>): Story {
    yield change(at, 'risk desk', { status: 'breached' }, breachOf('daily-drawdown', cents(0.057), at - 50 * MINUTE))
    yield correctedAt
    const correction = change(correctedAt, 'risk desk', { status: 'active' }, { reason: WRONG_QUOTE })
    yield { ...correction, correctsBreach: true }
  }

  function* widen(at: number): Story {
    const reason = 'Scaling plan: two payouts in a row without a breach.'
    yield change(at, 'risk desk', { overallLossLimit: `12% / $${size * 0.12}` }, { reason })
  }

  function* reviewed({ from: begins, until: ends }: NonNullable<AccountScenario['review']>): Story {
    const isNow = (status: string) => account().account.open && account().account.status === status
    const reason = reviews[userId.charCodeAt(0) % reviews.length] ?? ''
    if (isNow('active')) yield change(begins, 'risk desk', { status: 'under-review' }, { reason })
    if (ends === undefined) return
    yield ends
    if (isNow('under-review')) yield change(ends, 'risk desk', { status: 'active' }, { reason: CLEARED })
  }

  /** What may be paid out, in cents: what the terms give, or the profit without any. */
  function availableAt(at: number): number {
    const { stage: current, account: now } = account()
    const paying = payingStage(current)
    return paying ? availablePayout(paying, at, 0).available : now.balance - size * 100
  }

  /** The trader objects to a rejection, and the desk asks back. */
  function* objected(rejectedAt: number, payout: PayoutId): Story {
    const at = rejectedAt + 3 * HOUR
    yield at
    yield { ...of(at), kind: 'object', payout, text: OBJECTION }
    const answered = atDesk(at + 4 * HOUR)
    yield answered
    yield { ...of(answered), kind: 'answer case', text: QUESTION }
  }

  /** Asks for a payout, where there is one worth asking for. */
  function* ask(at: number): Story {
    const { account: now, payouts } = account()
    if (!now.open || !now.payoutsEnabled || now.status !== 'active' || pendingPayouts(payouts).length > 0) return
    const available = availableAt(at)
    if (available < Math.max(LEAST, cents(0.02)) || at < nextPayout) return
    const isLast = at + BETWEEN_PAYOUTS + 5 * DAY > until
    if (scenario.payouts === 'all decided' && at + 6 * DAY > until) return
    const isOwed = scenario.payouts === 'one is owed'
    if (isOwed && at < lastPayDay(until) + HOUR) return
    const amount = Math.max(LEAST, Math.floor((available * random.whole(40, 100)) / 10_000) * 100)
    const where = random.pick(destinationsOf(userId, profile))
    yield { ...of(at), kind: 'request payout', amount, ...where }
    const isFirst = account().payouts.list.highest === 1
    if (isFirst && scenario.payouts === 'all decided' && where.destination)
      yield {
        ...{ ...of(at), kind: 'save destination', name: savedAs[where.method] },
        ...{ method: where.method, destination: where.destination },
      }
    const isLastRejected = isLast && scenario.payouts === 'last one rejected'
    if (isLastRejected) nextPayout = Infinity
    else if (!programme) nextPayout = at + BETWEEN_PAYOUTS + random.whole(0, 6) * DAY
    if (isLast && scenario.payouts === 'one waits') return
    const byChance = scenario.payouts === undefined
    const rejects = byChance ? random.next() < 0.16 : isLastRejected
    const payout = account().payouts.list.highest
    if (byChance && rejects && random.next() < 0.4) {
      yield at + 2 * HOUR
      return yield { ...of(at + 2 * HOUR), kind: 'withdraw payout', payout }
    }
    const decided = atDesk(at + (isOwed ? HOUR : random.whole(6 * HOUR, 60 * HOUR)))
    yield decided
    const { open, status } = account().account
    if (!open) return
    const isLess = availableAt(decided) < amount
    const refusal = isLess ? LESS : status === 'breached' ? TOO_LATE : rejects ? random.pick(rejections) : undefined
    const decision = { ...of(decided), kind: 'decide payout', payout } as const
    if (refusal !== undefined) {
      yield { ...decision, verdict: 'rejected', notes: refusal }
      return isLastRejected
        ? yield* objected(decided, payoutId.parse(`${accountIdOf(userId, number)}-p${payout}`))
        : undefined
    }
    yield { ...decision, verdict: 'approved', notes: random.pick(approvals) }
    if (programme) return
    yield decided + 2 * MINUTE
    // The approval has taken the amount off the balance already.
    yield change(decided + 2 * MINUTE, 'payouts desk', money(account().account.balance - size * 100))
  }
}

/** Plays a day of trading from the moment it opens, and returns whether it was the last. */
type PlayDay = (at: number, share: number, opens: number) => Day
type Day = Generator<UserOperation | number, boolean>

function* one(operation: UserOperation): Story {
  yield operation
}

function numberOf(id: AccountId | undefined): number {
  return Number(id?.slice(id.lastIndexOf('-a') + 2) ?? 1)
}

type Where = Pick<UserOperation<'request payout'>, 'method' | 'details' | 'destination'>

/** The names that traders give to a destination that they keep. */
const savedAs = { bank: 'My bank', paypal: 'My PayPal', skrill: 'My Skrill', crypto: 'My wallet' } as const

/** Some traders describe their wallet in words, which nobody has checked. */
function destinationsOf(userId: UserId, { fullName, email, country }: Profile): readonly Where[] {
  const digits = [...userId].map((letter) => String(letter.charCodeAt(0) % 10)).join('')
  const ofCountry = { uk: ['GB', `NWBK${digits.slice(0, 14)}`], de: ['DE', `10050000${digits.slice(0, 10)}`] } as const
  const [countryCode, bban] = ofCountry[country === 'uk' ? 'uk' : 'de']
  const bank = ['uk', 'de', 'fr'].includes(country)
    ? { holder: fullName, iban: composeIBAN({ countryCode, bban }) ?? '' }
    : { holder: fullName, accountNumber: digits.slice(0, 12), bic: 'DEMOUS33', bankName: 'Demo National Bank' }
  const address = `0x${Buffer.from(`${userId}wallet`).toString('hex').slice(0, 40)}`
  const isInWords = Number(digits) % 3 === 0
  return [
    { method: 'bank', details: '', destination: bank },
    { method: 'paypal', details: '', destination: { email } },
    { method: 'skrill', details: '', destination: { email } },
    isInWords
      ? { method: 'crypto', details: `USDT ${address}`, destination: null }
      : { method: 'crypto', details: '', destination: { network: 'ERC20', address } },
  ]
}

const euro = { symbol: 'EURUSD', price: 1.0841, digits: 5, units: 100_000 }
const instruments = [
  euro,
  { symbol: 'GBPUSD', price: 1.2735, digits: 5, units: 100_000 },
  { symbol: 'XAUUSD', price: 2648.5, digits: 2, units: 100 },
  { symbol: 'US30', price: 44_210, digits: 1, units: 10 },
]

/** What was bought or sold, at prices that give the profit. */
export function tradedAt(deal: number, profit: number, volume: number) {
  const { symbol, price, digits, units } = instruments[deal % instruments.length] ?? euro
  const isBuy = deal % 3 !== 0
  const open = price * (1 + ((deal % 97) - 48) / 20_000)
  const close = open + ((isBuy ? 1 : -1) * profit) / 100 / (volume * units)
  return {
    ...{ symbol, side: isBuy ? 'buy' : 'sell' },
    ...{ openPrice: open.toFixed(digits), closePrice: close.toFixed(digits) },
  }
}
