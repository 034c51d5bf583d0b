import { composeIBAN } from 'ibantools'
import type { AccountChanges } from '#services/trading/stream/account.ts'
import type { DecisionReason } from '#services/trading/stream/decision-reason.ts'
import type { ProgrammeId, UserId } from '#services/framework/ids.ts'
import { toDecimal, toCents } from '#services/rules/money.ts'
import type { Profile } from '#services/identity/users/profile.ts'
import { atDesk, DAY, HOUR, isWorkday, midnight, MINUTE } from './calendar.ts'
import { certificatePdf } from './certificate-pdf.ts'
import type { FirmActor, UserOperation } from './history.ts'
import type { Random } from './random.ts'

/** How a trader fares with the firm. */
export interface TraderScenario extends AccountScenario {
  readonly userId: UserId
  readonly profile: Profile
  /** The accounts that they bought later, in their order. */
  readonly further?: readonly AccountScenario[]
}

/** How one account fares. Shares are of its size: 0.01 is one percent. */
export interface AccountScenario {
  /** When it was bought, ms since 1970; the first account with the sign-up. */
  readonly from: number
  /** Dollars. */
  readonly size: number
  readonly steps: 1 | 2
  /** The share that the account gains in a day of trading, given how many trading days came before. */
  readonly gain: (day: number) => number
  /** Without one it works as the firm's accounts did before it had programmes. */
  readonly programme?: EnrolmentScenario
  /** The share gained today, given that of all days before; under a programme. */
  readonly today?: (profit: number) => number
  /** Without `until` the review goes on. */
  readonly review?: { readonly from: number; readonly until?: number }
  /** A breach recorded by mistake, and when it was corrected. */
  readonly mistake?: { readonly at: number; readonly correctedAt: number }
  /** When the limits were widened. */
  readonly widened?: number
  readonly ban?: { readonly at: number; readonly reason: string; readonly liftedAt?: number }
  readonly deletedAt?: number
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

const OVERALL_LOSS = 0.1
const DAILY_LOSS = 0.05
export const BETWEEN_PAYOUTS = 15 * DAY

/** Notes of a payouts desk that rejects. */
export const rejections = [
  'The bank account is not in your name. Please send the details of an account of your own and ask again.',
  'Two positions were held over the news release of Thursday, which the rules of the funded account do not allow. Ask again after the next cycle.',
  'We still need a proof of address that is not older than three months. Please send it to support and ask again.',
  'The amount is above the profit share of this cycle (80%). Please ask for the smaller amount.',
]
export const approvals = [
  '',
  'Paid out today. Well traded.',
  'Paid. It arrives within two banking days.',
  'Profit share 80%, paid in full.',
]

/** Why a risk desk reviews an account, in its words to the trader. */
export const reviews = [
  'Trades of this account and of another one were opened within a second of each other, eleven times this week. We are looking at both.',
  'Most of the profit of this week comes from one trade over a news release. We are checking it against the rules.',
  'The account was signed in to from two countries on the same day. Please answer the mail that we sent you.',
]

/** What the trader and the firm do until a moment, in the order of time. */
export function tellTraderStory(scenario: TraderScenario, until: number, random: Random): UserOperation[] {
  const { further = [], ...first } = scenario
  return [
    ...tellAccountStory(first, 1, until, random),
    ...further.flatMap((each, n) => tellAccountStory({ ...first, ...each }, n + 2, until, random)),
  ].sort((one, other) => one.at - other.at)
}

/** One in six never follows the link that confirms an email. */
export function confirmsEmail(userId: UserId): boolean {
  return userId.charCodeAt(0) % 6 !== 0
}

function tellAccountStory(scenario: TraderScenario, account: number, until: number, random: Random): UserOperation[] {
  const { userId, profile, from, size, steps, gain, review, mistake, ban } = scenario
  const of = { userId, account }
  const operations: UserOperation[] = [
    ...(account === 1 ? [{ at: from, ...of, kind: 'register' as const, profile }] : []),
    { at: from, ...of, kind: 'open account' },
  ]
  const confirmed = from + 10 * MINUTE
  if (account === 1 && confirmed <= until && confirmsEmail(userId))
    operations.push({ at: confirmed, ...of, kind: 'confirm email' })
  const change = (at: number, by: FirmActor, changes: AccountChanges, reason?: DecisionReason) =>
    operations.push({ at, ...of, kind: 'change account', by, changes, reason })
  const cents = (share: number) => Math.round(share * size * 100)
  const money = (profit: number) => ({ balance: toCents(size * 100 + profit), profitLoss: toCents(profit) })

  const phases = steps === 2 ? ['Phase 1', 'Phase 2', 'Funded'] : ['Evaluation', 'Funded']
  const targets = steps === 2 ? [0.08, 0.05] : [0.1]
  const limits = {
    dailyDrawdownLimit: `5% / $${size * DAILY_LOSS}`,
    overallLossLimit: `10% / $${size * OVERALL_LOSS}`,
  }
  const login = () => ({
    login: String(random.whole(10_000_000, 99_999_999)),
    masterPassword: random.letters(12),
    ...random.pick(platforms),
  })
  const begin = (phase: number): AccountChanges => {
    const target = targets[phase]
    return {
      ...money(0),
      ...login(),
      phase: phases[phase],
      profitTarget: target === undefined ? null : String(size * target),
    }
  }

  const setUp = atDesk(from + random.whole(2 * HOUR, 20 * HOUR))
  change(setUp, 'risk desk', { ...begin(0), ...limits, status: 'active' })

  let phase = 0
  let profit = 0
  let traded = 0
  let inPhase = 0
  let requested = 0
  let nextPayout = 0
  let verdict: { readonly at: number; readonly amount: number; readonly approved: boolean } | undefined
  const close = (21 * 60 + random.whole(0, 50)) * MINUTE

  const settle = (before: number) => {
    if (!verdict || verdict.at > before) return
    if (verdict.approved) {
      profit -= verdict.amount
      // The approval has taken the amount off the balance already.
      change(verdict.at + 2 * MINUTE, 'payouts desk', money(profit))
    }
    verdict = undefined
  }

  const ask = (at: number) => {
    const amount = Math.round((profit * random.whole(40, 80)) / 10_000) * 100
    if (amount <= 0) return
    requested += 1
    const isLast = at + BETWEEN_PAYOUTS + 5 * DAY > until
    if (scenario.payouts === 'all decided' && at + 6 * DAY > until) return void (requested -= 1)
    const where = random.pick(destinationsOf(userId, profile))
    operations.push({ at, ...of, kind: 'request payout', amount, ...where })
    nextPayout = at + BETWEEN_PAYOUTS + random.whole(0, 6) * DAY
    if (isLast && scenario.payouts === 'one waits') return void (nextPayout = Number.POSITIVE_INFINITY)
    const decidedAt = atDesk(at + random.whole(6 * HOUR, 60 * HOUR))
    const approved =
      scenario.payouts === undefined ? random.next() > 0.16 : !(isLast && scenario.payouts === 'last one rejected')
    const notes = random.pick(approved ? approvals : rejections)
    if (scenario.payouts === undefined && !approved && requested % 2 === 0)
      return void operations.push({ at: at + 2 * HOUR, ...of, kind: 'withdraw payout', payout: requested })
    operations.push({
      at: decidedAt,
      ...of,
      kind: 'decide payout',
      payout: requested,
      verdict: approved ? 'approved' : 'rejected',
      notes,
    })
    verdict = { at: decidedAt, amount, approved }
  }

  for (let day = midnight(setUp); day < until; day += DAY) {
    const at = day + close
    if (!isWorkday(day) || at < setUp + HOUR || at > until - HOUR) continue
    if (ban && at > ban.at) break
    if (review && at > review.from && at < (review.until ?? until)) continue
    if (mistake && at > mistake.at && at < mistake.correctedAt) continue
    settle(at)
    const worst = -cents(DAILY_LOSS) * 1.02
    const gained = Math.max(cents(gain(traded)), worst)
    traded += 1
    inPhase += 1
    profit = Math.round(Math.max(profit + gained, -cents(OVERALL_LOSS) * 1.004))
    change(at, 'platform feed', money(profit))
    const breach =
      gained <= -cents(DAILY_LOSS)
        ? breachOf('daily-drawdown', limits.dailyDrawdownLimit, -gained, at)
        : profit <= -cents(OVERALL_LOSS) && breachOf('overall-loss', limits.overallLossLimit, -profit, at)
    if (breach) {
      change(at + 35 * MINUTE, 'risk desk', { status: 'breached', payoutEnabled: false }, breach)
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
      change(moved, 'risk desk', { ...begin(phase), ...(funded && { payoutEnabled: true }) })
      operations.push({
        at: moved + 6 * MINUTE,
        ...of,
        kind: 'issue certificate',
        title: `${passed} passed`,
        content: certificatePdf(passed, profile.fullName, moved + 6 * MINUTE),
      })
      if (funded) nextPayout = moved + BETWEEN_PAYOUTS
    } else if (target === undefined && !verdict && at > nextPayout && profit > cents(0.02))
      ask(at + random.whole(1, 10) * HOUR)
  }

  if (review) {
    const reason = reviews[userId.charCodeAt(0) % reviews.length] ?? ''
    change(review.from, 'risk desk', { status: 'under-review' }, { reason })
    const cleared = { reason: 'We have looked at your trades: they are within the rules. Thank you for your patience.' }
    if (review.until !== undefined) change(review.until, 'risk desk', { status: 'active' }, cleared)
  }
  if (mistake) {
    const breach = breachOf('daily-drawdown', limits.dailyDrawdownLimit, cents(0.057), mistake.at - 50 * MINUTE)
    change(mistake.at, 'risk desk', { status: 'breached' }, breach)
    const reason = {
      reason: 'The loss came from a wrong quote of EURUSD, which the platform has since taken back. We are sorry.',
    }
    operations.push({
      at: mistake.correctedAt,
      ...of,
      kind: 'change account',
      by: 'risk desk',
      changes: { status: 'active' },
      reason,
      correctsBreach: true,
    })
  }
  if (scenario.widened !== undefined)
    change(
      scenario.widened,
      'risk desk',
      { overallLossLimit: `12% / $${size * 0.12}` },
      { reason: 'Scaling plan: two payouts in a row without a breach.' },
    )
  if (ban) {
    operations.push({ at: ban.at, ...of, kind: 'ban', reason: ban.reason })
    if (ban.liftedAt !== undefined) operations.push({ at: ban.liftedAt, ...of, kind: 'unban' })
  }
  const { deletedAt } = scenario
  if (deletedAt !== undefined)
    operations.push({ at: deletedAt, ...of, kind: 'delete' }, { at: deletedAt, ...of, kind: 'close accounts' })
  return operations.filter(({ at }) => at <= Math.min(until, deletedAt ?? until))
}

const breaches = {
  'daily-drawdown': { reason: 'The loss of the day went beyond the daily drawdown limit.', period: 'on the day' },
  'overall-loss': {
    reason: 'The loss since the account began went beyond the overall loss limit.',
    period: 'since the account began',
  },
} as const

/** The reason and evidence that a risk desk gives for a breach. The loss is in cents. */
function breachOf(rule: keyof typeof breaches, limit: string, loss: number, occurredAt: number): DecisionReason {
  const { reason, period } = breaches[rule]
  return { reason, evidence: { rule, limit, value: `-$${toDecimal(loss)} ${period}`, occurredAt } }
}

export const platforms = [
  { platform: 'mt5', server: 'Proofdesk-MT5-Live' },
  { platform: 'mt5', server: 'Proofdesk-MT5-Live 2' },
  { platform: 'mt4', server: 'Proofdesk-MT4-Live' },
] as const

type Where = Pick<Extract<UserOperation, { kind: 'request payout' }>, 'method' | 'details' | 'destination'>

/** Some traders describe their wallet in words, which nobody has checked. */
export function destinationsOf(userId: UserId, { fullName, email, country }: Profile): readonly Where[] {
  const digits = [...userId].map((letter) => String(letter.charCodeAt(0) % 10)).join('')
  const ofCountry = { uk: ['GB', `NWBK${digits.slice(0, 14)}`], de: ['DE', `10050000${digits.slice(0, 10)}`] } as const
  const [countryCode, bban] = ofCountry[country === 'uk' ? 'uk' : 'de']
  const hasIban = country === 'uk' || country === 'de' || country === 'fr'
  const bank = hasIban
    ? { holder: fullName, iban: composeIBAN({ countryCode, bban }) ?? '' }
    : { holder: fullName, accountNumber: digits.slice(0, 12), bic: 'DEMOUS33', bankName: 'Demo National Bank' }
  const address = `0x${Buffer.from(`${userId}wallet`).toString('hex').slice(0, 40)}`
  return [
    { method: 'bank', details: '', destination: bank },
    { method: 'paypal', details: '', destination: { email } },
    { method: 'skrill', details: '', destination: { email } },
    Number(digits) % 3 === 0
      ? { method: 'crypto', details: `USDT ${address}`, destination: null }
      : { method: 'crypto', details: '', destination: { network: 'ERC20', address } },
  ]
}
