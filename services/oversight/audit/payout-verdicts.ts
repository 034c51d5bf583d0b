import type { DomainEvent } from '#services/event-sourcing/event-definitions.ts'
import { sharesAt } from '#services/rules/engine.ts'
import { percentOf, part, down, up } from '#services/rules/exact.ts'
import { centsOf, inDollars, toCents } from '#services/rules/money.ts'
import type { RuleTerms } from '#services/rules/programme.ts'
import type { AccountState } from '#services/trading/stream/account-aggregate.ts'
import { availablePayout, floorOf, sumOf } from '#services/trading/stream/available-payout.ts'
import { LONGEST_APPEND } from '#services/trading/stream/decide-again.ts'
import { evidenceText } from '#services/trading/stream/payout-descriptions.ts'
import { rejectionCodeLabels } from '#services/trading/stream/rejection-vocabulary.ts'
import { type Payout, type PayoutEvent, pendingPayouts } from '#services/trading/stream/payout.ts'
import { stageTermsOf } from '#services/trading/stream/programme-stage.ts'
import { type Rejection, rejectionOf } from '#services/trading/stream/rejection.ts'
import { payingStage, type Stage, stageAfterEntry, stageAt } from '#services/trading/stream/stage.ts'

/**
 * What the terms said of a payout when it was requested, approved or rejected, with all figures (cases.md,
 * "Verification"). Runs in browsers.
 */

export type PayoutVerdictEvent = Extract<
  PayoutEvent,
  { readonly type: 'PayoutRequested' | 'PayoutApproved' | 'PayoutRejected' }
>

export interface PayoutJudgement {
  readonly outcome: 'follows' | 'does-not-follow' | 'by-person'
  /** 'Rejection of payout ada-a1-p1 of $1,000.00' */
  readonly what: string
  /** The figures, in sentences. */
  readonly why: string
}

export function isPayoutVerdict(event: DomainEvent): event is PayoutVerdictEvent {
  return Object.hasOwn(nouns, event.type)
}

const nouns = { PayoutRequested: 'Request', PayoutApproved: 'Approval', PayoutRejected: 'Rejection' } as const

/**
 * Judges a request or a verdict by the terms of that moment.
 *
 * @param state The account before the event.
 * @param at When the event was appended, in ms: it was decided before.
 */
export function judgePayout(state: AccountState, event: PayoutVerdictEvent, at: number): PayoutJudgement {
  const { type, data } = event
  const what = `${nouns[type]} of payout ${data.payoutId} of ${inDollars(data.amount)}`
  const rejection = type === 'PayoutRejected' ? rejectionOf(data) : null
  const reasons = rejection ? reasonsText(state, rejection) : []
  const payout = state.payouts.list.get(data.payoutId)
  const stage = payingStage(payout ? stageWithout(state, payout, at) : state.stage)
  if (!stage)
    return {
      outcome: 'by-person',
      what,
      why: [`Asked ${inDollars(data.amount)}, without terms.`, ...reasons].join(' '),
    }
  const pending = type === 'PayoutRequested' ? pendingPayouts(state.payouts).map(({ amount }) => amount) : []
  const isWithin = (now: number) => data.amount <= availablePayout(stage, now, sumOf(pending)).available
  const isNamed = rejection?.evidence.some((item) => isConfirmed(state, item)) ?? false
  const follows = (now: number) => (type === 'PayoutRejected' ? !isWithin(now) || isNamed : isWithin(now))
  const now = [at, at - LONGEST_APPEND].find(follows) ?? at
  const isOfRule = type !== 'PayoutRejected' || rejection?.code === 'rule'
  return {
    outcome: !isOfRule ? 'by-person' : follows(now) ? 'follows' : 'does-not-follow',
    what,
    why: [...figures(stage, now, data.amount, sumOf(pending)), ...sharesText(stage, now, event), ...reasons].join(' '),
  }
}

/** The stage as if the payout were not paid and not forfeited. */
function stageWithout({ stage, account: { balance } }: AccountState, payout: Payout, at: number): Stage | null {
  const { id: payoutId, amount, deducted, rejection } = payout
  const kind = deducted ? 'payout-reversed' : rejection?.money === 'forfeited' ? 'forfeit-reversed' : null
  if (!stage || kind === null) return stage
  return stageAfterEntry(stage, at, { kind, payoutId, from: balance, to: toCents(balance + amount), booking: null })
}

function isConfirmed({ findings }: AccountState, item: Rejection['evidence'][number]): boolean {
  return 'finding' in item && findings.list.some(({ id, state }) => id === item.finding && state === 'confirmed')
}

/** "Reason: A rule of the programme. It names finding ada-a1-f1 (entry #17), which was confirmed." */
function reasonsText(state: AccountState, { code, money, evidence }: Rejection): string[] {
  const named = evidence.map(
    (item) =>
      `${evidenceText(item).replace(/^./, (first) => first.toLowerCase())}${isConfirmed(state, item) ? ', which was confirmed' : ''}`,
  )
  return [
    `Reason: ${rejectionCodeLabels[code]}.`,
    ...(named.length > 0 ? [`It names ${named.join('; ')}.`] : []),
    ...(money === 'forfeited' ? ['The amount was forfeited.'] : []),
  ]
}

function sharesText(stage: Stage, now: number, { type, data }: PayoutVerdictEvent): string[] {
  if (type !== 'PayoutApproved') return []
  const { rules, state } = stageAt(stage, now)
  const shares = sharesAt(rules, state, data.amount)
  return shares
    ? [
        `Of ${inDollars(data.amount)} the trader receives ${inDollars(shares.trader)}, the firm keeps ${inDollars(shares.firm)}.`,
      ]
    : []
}

/** "Available $2,270.00, asked $1,000.00. Met: best day $900.00 is 39.65 % of $2,270.00, at most 40 %." */
function figures(stage: Stage, now: number, asked: number, waiting: number): string[] {
  const { available } = availablePayout(stage, now, waiting)
  const beside = waiting > 0 ? ` beside ${inDollars(waiting)} that waits` : ''
  const all = conditions(stage, now)
  const group = (title: string, isMet: boolean) => {
    const texts = all.filter((each) => each.isMet === isMet).map(({ text }) => text)
    return texts.length > 0 ? [`${title}: ${texts.join('; ')}.`] : []
  }
  return [
    `Available ${inDollars(available)}${beside}, asked ${inDollars(asked)}.`,
    ...group('Met', true),
    ...group('Missing', false),
    `The least of ${limits(stage, now).join(', ')}.`,
  ]
}

interface Condition {
  readonly text: string
  readonly isMet: boolean
}

/** Every condition of a payout, with its figures and its limit. */
function conditions(stage: Stage, now: number): Condition[] {
  const { rules, state, line } = stageAt(stage, now)
  const { payouts } = rules
  const { account, paid } = state
  if (!payouts || !line.payout || !account) return []
  const { missing, possible } = line.payout
  const { firstAfterDays, everyDays, firstCountsFrom, minimumOf } = payouts.terms
  const goals = stageTermsOf(stage.terms, stage.index).rules.flatMap((terms, index): Condition[] => {
    const rule = line.rules[index]
    const text = rule && goalText(terms, rule.figures)
    return rule && text !== null && text !== undefined ? [{ text, isMet: rule.state !== 'open' }] : []
  })
  const days = (count: number, since: string, least: number, kind: string): Condition[] =>
    least === 0 ? [] : [{ text: `${counted(count)} since ${since}, at least ${least}`, isMet: !missing.includes(kind) }]
  const first = firstCountsFrom === 'stage' ? account.openedOn : (paid.firstTradeOn ?? account.today)
  const least = up(payouts.minimum)
  const share = sharesAt(rules, state, possible)?.trader ?? 0
  return [
    ...goals,
    ...(paid.lastOn === null
      ? days(
          account.today - first,
          firstCountsFrom === 'stage' ? 'the stage opened' : 'the first trade',
          firstAfterDays,
          'first-after-days',
        )
      : days(account.today - paid.lastOn, 'the last payout', everyDays, 'every-days')),
    ...(least === 0
      ? []
      : [
          {
            text: `${minimumOf === 'share' ? `a share of ${inDollars(share)}` : `a payout of ${inDollars(possible)}`}, at least ${inDollars(least)}`,
            isMet: !missing.includes('minimum'),
          },
        ]),
    ...(missing.includes('breached') ? [{ text: 'the account is breached', isMet: false }] : []),
  ]
}

function counted(days: number): string {
  return days === 1 ? '1 day' : `${days} days`
}

type Figures = ReturnType<typeof stageAt>['line']['rules'][number]['figures']

/** A goal with its figures and its limit; null for a rule that is none. */
function goalText(
  terms: RuleTerms,
  { best, profit, share, days, target, missing, excluded = 0 }: Figures,
): string | null {
  switch (terms.kind) {
    case 'consistency':
      return share === null || share === undefined
        ? 'no profit that a best result could be a part of'
        : `best ${terms.unit} ${inDollars(best ?? 0)} is ${share} % of ${inDollars(profit ?? 0)}, at most ${terms.share} %${excluded > 0 ? `: ${inDollars(excluded)} do not count` : ''}`
    case 'minimum-days':
      return `${counted(days ?? 0)} that count, at least ${terms.days}`
    case 'profit-target': {
      const level = inDollars(centsOf(target ?? '0.00'))
      return missing === undefined || missing === '0.00'
        ? `the target of ${level} is reached`
        : `${inDollars(centsOf(missing))} left to the target of ${level}`
    }
    case 'short-trades':
      return share === null || share === undefined
        ? 'no trades of which short ones could be a part'
        : `short trades are ${share} %, at most ${terms.mostShare} %`
    default:
      return null
  }
}

/** The amounts of which the least is available, where nothing is missing. */
function limits(stage: Stage, now: number): string[] {
  const { rules, state, line } = stageAt(stage, now)
  const { payouts } = rules
  if (!payouts || !line.payout) return []
  const { profit } = line.payout
  const { terms, cap } = payouts
  const buffer = up(payouts.buffer)
  const capped = cap && (terms.capFor === null || state.paid.payouts < terms.capFor)
  const floor = floorOf(line)
  return [
    buffer === 0
      ? `the profit of ${inDollars(profit)}`
      : `the profit of ${inDollars(profit)} less ${inDollars(buffer)} that stay`,
    ...(capped ? [`a cap of ${inDollars(down(cap))}`] : []),
    ...(terms.mostOfProfit === '100'
      ? []
      : [
          `${terms.mostOfProfit} % of the profit, ${inDollars(down(part(percentOf(terms.mostOfProfit), Math.max(profit, 0))))}`,
        ]),
    ...(floor === null ? [] : [`what keeps the account above its floor of ${inDollars(floor)}`]),
  ]
}
