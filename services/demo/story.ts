import type { AccountChanges } from '../domain/account/account.ts'
import type { UserId } from '../domain/ids.ts'
import { toDecimal } from '../domain/decimal.ts'
import { toCents } from '../domain/money.ts'
import type { Profile } from '../domain/user/user.ts'
import { atDesk, DAY, HOUR, isWorkday, midnight, MINUTE } from './calendar.ts'
import type { Random } from './chance.ts'
import type { DemoOperation, DemoActor, ChangeReason } from './deeds.ts'

/** What somebody's life with the firm is like. Shares are of the account's size: 0.01 is one percent. */
export interface TraderScenario {
  readonly userId: UserId
  readonly profile: Profile
  /** When they signed up, ms since 1970. */
  readonly from: number
  /** Dollars. */
  readonly size: number
  readonly steps: 1 | 2
  /** What the account gains in a day of trading, given how many there were before. */
  readonly gain: (day: number) => number
  /** What they lost so far today, after the last close. */
  readonly lossToday?: number
  /** When they were put under review; until when, unless they still are. */
  readonly review?: { readonly from: number; readonly until?: number }
  /** A breach that was a mistake, and when it was taken back. */
  readonly mistake?: { readonly at: number; readonly correctedAt: number }
  /** When the limits were widened. */
  readonly widened?: number
  /** A ban, and when it was lifted if it was. */
  readonly ban?: { readonly at: number; readonly reason: string; readonly liftedAt?: number }
  readonly deletedAt?: number
  /** How their last payouts end. Without it that is left to chance, and to time. */
  readonly payouts?: 'all decided' | 'one waits' | 'last one rejected'
}

const OVERALL_LOSS = 0.1
const DAILY_LOSS = 0.05
const BETWEEN_PAYOUTS = 15 * DAY

/** Why payouts are refused, as a payouts desk says it. */
const rejections = [
  'The bank account is not in your name. Please send the details of an account of your own and ask again.',
  'Two positions were held over the news release of Thursday, which the rules of the funded account do not allow. Ask again after the next cycle.',
  'We still need a proof of address that is not older than three months. Please send it to support and ask again.',
  'The amount is above the profit share of this cycle (80%). Please ask for the smaller amount.',
]
const approvals = ['', 'Paid out today. Well traded.', 'Paid. It arrives within two banking days.', 'Profit share 80%, paid in full.']

/** Why accounts are reviewed, as a risk desk says it to their traders. */
const reviews = [
  'Trades of this account and of another one were opened within a second of each other, eleven times this week. We are looking at both.',
  'Most of the profit of this week comes from one trade over a news release. We are checking it against the rules.',
  'The account was signed in to from two countries on the same day. Please answer the mail that we sent you.',
]

/** Tells what somebody and the firm did until now, in the order of time. */
export function generateOperations(character: TraderScenario, until: number, chance: Random): DemoOperation[] {
  const { userId, profile, from, size, steps, gain, review, mistake, ban } = character
  const deeds: DemoOperation[] = [{ at: from, userId, kind: 'register', profile }]
  const set = (at: number, by: DemoActor, changes: AccountChanges, said?: ChangeReason) => deeds.push({ at, userId, kind: 'set', by, changes, said })
  const cents = (share: number) => Math.round(share * size * 100)
  const money = (profit: number) => ({ balance: toCents(size * 100 + profit), profitLoss: toCents(profit) })

  const phases = steps === 2 ? ['Phase 1', 'Phase 2', 'Funded'] : ['Evaluation', 'Funded']
  const targets = steps === 2 ? [0.08, 0.05] : [0.1]
  const limits = {
    dailyDrawdownLimit: `5% / $${size * DAILY_LOSS}`,
    overallLossLimit: `10% / $${size * OVERALL_LOSS}`,
  }
  const login = () => ({ login: String(chance.whole(50_100_000, 50_999_999)), masterPassword: chance.letters(12), server: chance.pick(servers) })
  const begin = (phase: number): AccountChanges => {
    const target = targets[phase]
    return { ...money(0), ...login(), phase: phases[phase], profitTarget: target === undefined ? null : String(size * target) }
  }

  const setUp = atDesk(from + chance.whole(2 * HOUR, 20 * HOUR))
  set(setUp, 'risk desk', { ...begin(0), ...limits, status: 'active' })

  let phase = 0
  let profit = 0
  let traded = 0
  let inPhase = 0
  let asked = 0
  let nextPayout = 0
  let verdict: { readonly at: number; readonly amount: number; readonly approved: boolean } | undefined
  const close = (21 * 60 + chance.whole(0, 50)) * MINUTE
  const today = midnight(until)

  const settle = (before: number) => {
    if (!verdict || verdict.at > before) return
    if (verdict.approved) {
      profit -= verdict.amount
      set(verdict.at + 2 * MINUTE, 'payouts desk', money(profit))
    }
    verdict = undefined
  }

  const ask = (at: number) => {
    const amount = Math.round((profit * chance.whole(40, 80)) / 10_000) * 100
    if (amount <= 0) return
    asked += 1
    const isLast = at + BETWEEN_PAYOUTS + 5 * DAY > until
    if (character.payouts === 'all decided' && at + 6 * DAY > until) return void (asked -= 1)
    const [method, details] = chance.pick(payoutMethodsOf(profile))
    deeds.push({ at, userId, kind: 'request', amount, method, details })
    nextPayout = at + BETWEEN_PAYOUTS + chance.whole(0, 6) * DAY
    if (isLast && character.payouts === 'one waits') return void (nextPayout = Number.POSITIVE_INFINITY)
    const decidedAt = atDesk(at + chance.whole(6 * HOUR, 60 * HOUR))
    const approved = character.payouts === undefined ? chance.next() > 0.16 : !(isLast && character.payouts === 'last one rejected')
    const notes = chance.pick(approved ? approvals : rejections)
    deeds.push({ at: decidedAt, userId, kind: 'decide', payout: asked, verdict: approved ? 'approved' : 'rejected', notes })
    verdict = { at: decidedAt, amount, approved }
  }

  for (let day = midnight(setUp); day < until; day += DAY) {
    const at = day + close
    if (!isWorkday(day) || at < setUp + HOUR || at > until - HOUR) continue
    if (character.lossToday !== undefined && day === today) continue
    if (ban && at > ban.at) break
    if (review && at > review.from && at < (review.until ?? until)) continue
    if (mistake && at > mistake.at && at < mistake.correctedAt) continue
    settle(at)
    const worst = -cents(DAILY_LOSS) * 1.02
    const gained = Math.max(cents(gain(traded)), worst)
    traded += 1
    inPhase += 1
    profit = Math.round(Math.max(profit + gained, -cents(OVERALL_LOSS) * 1.004))
    set(at, 'platform feed', money(profit))
    if (gained <= -cents(DAILY_LOSS) || profit <= -cents(OVERALL_LOSS)) {
      set(
        at + 35 * MINUTE,
        'risk desk',
        { status: 'breached', payoutEnabled: false },
        breachOf({ gained, profit, at, limits, isDaily: gained <= -cents(DAILY_LOSS) }),
      )
      break
    }
    const target = targets[phase]
    if (target !== undefined && profit >= cents(target) && inPhase >= 5) {
      const passed = phases[phase] ?? ''
      const moved = atDesk(at + 10 * HOUR)
      phase += 1
      profit = 0
      inPhase = 0
      const funded = targets[phase] === undefined
      set(moved, 'risk desk', { ...begin(phase), ...(funded && { payoutEnabled: true }) })
      deeds.push({ at: moved + 6 * MINUTE, userId, kind: 'certify', title: `${passed} passed`, phase: passed, name: profile.fullName })
      if (funded) nextPayout = moved + BETWEEN_PAYOUTS
    } else if (target === undefined && !verdict && at > nextPayout && profit > cents(0.02)) ask(at + chance.whole(1, 10) * HOUR)
  }

  if (character.lossToday !== undefined) {
    settle(until)
    set(Math.max(today + MINUTE, until - 40 * MINUTE), 'platform feed', money(profit - cents(character.lossToday)))
  }
  if (review) {
    const reason = reviews[userId.charCodeAt(0) % reviews.length] ?? ''
    set(review.from, 'risk desk', { status: 'under-review' }, { reason })
    if (review.until !== undefined)
      set(review.until, 'risk desk', { status: 'active' }, { reason: 'We have looked at your trades: they are within the rules. Thank you for your patience.' })
  }
  if (mistake) {
    const seen = {
      rule: 'daily-drawdown',
      limit: limits.dailyDrawdownLimit,
      value: `${dollars(-cents(0.057))} on the day`,
      occurredAt: mistake.at - 50 * MINUTE,
    } as const
    set(mistake.at, 'risk desk', { status: 'breached' }, { reason: 'The loss of the day went beyond the daily drawdown limit.', evidence: seen })
    set(
      mistake.correctedAt,
      'risk desk',
      { status: 'active' },
      {
        reason: 'The loss came from a wrong quote of EURUSD, which the platform has since taken back. We are sorry.',
        wasMistake: true,
      },
    )
  }
  if (character.widened !== undefined)
    set(character.widened, 'risk desk', { overallLossLimit: `12% / $${size * 0.12}` }, { reason: 'Scaling plan: two payouts in a row without a breach.' })
  if (ban) {
    deeds.push({ at: ban.at, userId, kind: 'ban', reason: ban.reason })
    if (ban.liftedAt !== undefined) deeds.push({ at: ban.liftedAt, userId, kind: 'unban' })
  }
  const { deletedAt } = character
  if (deletedAt !== undefined) deeds.push({ at: deletedAt, userId, kind: 'delete' })
  return deeds.filter(({ at }) => at <= Math.min(until, deletedAt ?? until)).sort((one, other) => one.at - other.at)
}

interface Breach {
  /** Cents, of the day and since the account began. */
  readonly gained: number
  readonly profit: number
  readonly at: number
  readonly limits: { readonly dailyDrawdownLimit: string; readonly overallLossLimit: string }
  readonly isDaily: boolean
}

/** What a risk desk says with a breach. */
function breachOf({ gained, profit, at, limits, isDaily }: Breach): ChangeReason {
  return isDaily
    ? {
        reason: 'The loss of the day went beyond the daily drawdown limit.',
        evidence: { rule: 'daily-drawdown', limit: limits.dailyDrawdownLimit, value: `${dollars(gained)} on the day`, occurredAt: at },
      }
    : {
        reason: 'The loss since the account began went beyond the overall loss limit.',
        evidence: { rule: 'overall-loss', limit: limits.overallLossLimit, value: `${dollars(profit)} since the account began`, occurredAt: at },
      }
}

/** '-$512.40' */
function dollars(cents: number): string {
  return `${cents < 0 ? '-' : ''}$${toDecimal(Math.abs(cents))}`
}

const servers = ['Proofdesk-MT5-Live', 'Proofdesk-MT5-Live 2', 'Proofdesk-MT4-Live']

function payoutMethodsOf({ fullName, email }: Profile) {
  return [
    ['bank', `${fullName}, account 0042 1188 37, BIC DEMOGB2L`],
    ['paypal', email],
    ['skrill', email],
    ['crypto', 'USDC 0x9d3e51aa70c4b0f2d81bb6f4a1c2e7d9f0a4b3c5'],
  ] as const
}
