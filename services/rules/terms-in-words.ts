import { centsOf, inDollars } from './money.ts'
import { valueOf } from './amount.ts'
import { decisionRules } from './decision-version.ts'
import { exactly, plus, up } from './exact.ts'
import { shownFloor, shownLimit } from './floor.ts'
import type { PayoutTerms } from './payouts.ts'
import type { Programme, RuleTerms } from './programme.ts'
import type { Floor } from './rule.ts'

/** Terms in plain words, made from the data: for traders, offers, and members of staff who compare versions. */

/** One of the terms: 'Maximum loss', and what it says. */
export interface TermInWords {
  readonly title: string
  readonly text: string
}

export interface StageInWords {
  readonly name: string
  readonly terms: TermInWords[]
}

/** All terms of a programme. */
export interface TermsInWords {
  readonly general: readonly TermInWords[]
  readonly stages: readonly StageInWords[]
}

export function termsInWords(programme: Programme) {
  return { general: generalTermsInWords(programme), stages: programmeInWords(programme) }
}

/** The stages of a programme, each with its rules in their order, then its payouts. */
export function programmeInWords({ accountSize, stages }: Programme): StageInWords[] {
  const size = centsOf(accountSize)
  return stages.map((stage) => ({
    name: stage.name,
    terms: [
      ...stage.rules.map((rule) => ruleInWords(rule, size)),
      ...(stage.funded ? payoutsInWords(stage.payouts, size) : []),
    ],
  }))
}

/** Returns the terms that apply to all stages. */
export function generalTermsInWords({
  accountSize,
  day,
  breaches,
  passes = 'proposed',
  payoutsEnabled,
}: Programme): TermInWords[] {
  return [
    { title: 'Account size', text: inDollars(centsOf(accountSize)) },
    { title: 'Trading day', text: `From ${day.startsAt} to ${day.startsAt} in the time zone ${day.zone}` },
    { title: 'Breaches', text: decidedBy[breaches] },
    { title: 'Passing a stage', text: decidedBy[passes] },
    // Without it the release that published the terms decides.
    ...(payoutsEnabled ? [{ title: 'Payouts', text: enabledBy[payoutsEnabled] }] : []),
  ]
}

const decidedBy = { proposed: 'Confirmed by a member of staff', automatically: 'Decided by the rules alone' } as const

const enabledBy = {
  'when-funded': 'Enabled with the funded stage',
  'by-staff': 'Enabled by a member of staff in the funded stage',
} as const

/**
 * A rule in words.
 *
 * @param size Of the account, in cents.
 * @param version Of the decisions that the words stand beside.
 */
export function ruleInWords(rule: RuleTerms, size: number, version?: number): TermInWords {
  switch (rule.kind) {
    case 'maximum-loss': {
      const { limit, follows, locksAbove } = rule
      const touch = touchIn(rule, version)
      const floor = follows
        ? ` below the highest ${values[follows.value]} ${moments[follows.at]}, at first the account size.`
        : `: the floor is ${inDollars(size - shownLimit(valueOf(limit, size), touch))}.`
      const stops = locksAbove && shownFloor({ exact: plus(exactly(size), valueOf(locksAbove, size)), touch })
      const lock = stops === null ? '' : ` The floor stops for good at ${inDollars(stops)}.`
      const amount = amountInWords(limit, size, touch)
      return { title: 'Maximum loss', text: `${amount}${floor} ${floorInWords(rule)}${lock}` }
    }
    case 'daily-loss':
      return {
        title: 'Daily loss',
        text: `${amountInWords(rule.limit, size, touchIn(rule, version))} below ${references[rule.from]}. ${floorInWords(rule)}`,
      }
    case 'profit-target':
      return {
        title: 'Profit target',
        text: `${amountInWords(rule.target, size)} on the ${rule.measures}${rule.whileOpen ? '' : ', with no open position'}`,
      }
    case 'minimum-days':
      return { title: 'Minimum days', text: `${days(rule.days)} ${countedDays(rule, size)}${since[rule.since]}` }
    case 'maximum-days':
      return {
        title: 'Maximum days',
        text: `${days(rule.days)}${rule.counts === 'traded' ? ' with a trade' : ''}; after them ${consequences[rule.consequence]}`,
      }
    case 'inactivity':
      return {
        title: 'Inactivity',
        text: `After ${days(rule.days)} in a row without a trade ${consequences[rule.consequence]}`,
      }
    case 'consistency':
      return {
        title: 'Consistency',
        text:
          `The best ${rule.unit} is at most ${rule.share}% of the ${rule.profit === 'net' ? 'profit' : 'profit of the profitable days'}` +
          `${since[rule.since]}. ${effects[rule.effect]}`,
      }
  }
}

/** Before floors were shown by their touch, all were rounded as where a touch breaches. */
function touchIn({ touch }: { readonly touch: Floor['touch'] }, version?: number): Floor['touch'] {
  return decisionRules(version).roundsFloorsUp ? 'breach' : touch
}

const values = {
  balance: 'balance',
  equity: 'equity',
  higher: 'value of balance and equity',
  lower: 'lower of balance and equity',
} as const
const moments = { 'every-change': 'at any moment', 'day-close': 'at the end of a day' } as const
const references = {
  'account-size': 'the account size',
  high: 'the highest value',
  'day-start-balance': 'the balance at the start of the day',
  'day-start-equity': 'the equity at the start of the day',
  'day-start-higher': 'the higher of balance and equity at the start of the day',
  'day-high-equity': 'the highest equity of the day',
} as const
const since = { stage: '', 'last-payout': ', counted from the last payout' } as const
const consequences = {
  breach: 'the account is breached',
  pause: 'trading pauses until the day ends',
  warning: 'there is a warning',
} as const
const effects = {
  withholds: 'Until then the stage or the payout waits.',
  'raises-target': 'Otherwise the profit target rises until it is.',
  'excludes-excess': 'What is above it does not count as profit.',
} as const

function floorInWords({ measures, checked, touch, consequence }: Extract<RuleTerms, { touch: unknown }>): string {
  const reached = touch === 'breach' ? 'at or below it' : 'below it'
  const when = checked === 'day-close' ? ' at the end of a day' : ''
  return `When the ${values[measures]} is ${reached}${when}, ${consequences[consequence]}.`
}

function countedDays({ counts }: Extract<RuleTerms, { kind: 'minimum-days' }>, size: number): string {
  switch (counts.what) {
    case 'calendar':
      return 'by the calendar'
    case 'traded':
      return `on which a trade was ${counts.day}`
    case 'profit':
      return `with a profit of at least ${amountInWords(counts.atLeast, size)}${ofWhat[counts.of]}`
    case 'result':
      return `with a profit or a loss of at least ${amountInWords(counts.atLeast, size)}${ofWhat[counts.of]}`
  }
}

const ofWhat = { closed: '', equity: ' in equity' } as const

/** The terms of payouts in words. @param size of the account, in cents */
export function payoutsInWords(payouts: PayoutTerms, size: number): TermInWords[] {
  const { split, splitAfter, firstAfterDays, firstCountsFrom, everyDays, minimum, minimumOf } = payouts
  const { cap, capFor, buffer, mostOfProfit, takes, floor } = payouts
  const start = firstCountsFrom === 'stage' ? 'the stage began' : 'the first trade'
  const later = splitAfter.map((each) => `, ${each.split}% after ${counted(each.payouts, 'payout')}`).join('')
  const optional: readonly (TermInWords | false)[] = [
    cap !== null && {
      title: 'Largest payout',
      text: `${amountInWords(cap, size)}${capFor === null ? '' : `, for the first ${counted(capFor, 'payout')}`}`,
    },
    up(valueOf(buffer, size)) > 0 && { title: 'Profit that stays', text: amountInWords(buffer, size) },
    !/^100(\.0*)?$/.test(mostOfProfit) && {
      title: 'Part of the profit',
      text: `At most ${mostOfProfit}% with one payout`,
    },
    floor !== 'stays' && { title: 'The floor after a payout', text: floors[floor] },
  ]
  return [
    { title: "Trader's share", text: `${split}% of the profit${later}` },
    {
      title: 'Payouts',
      text:
        `${takings[takes]}; the first ${firstAfterDays === 0 ? 'at once' : `${days(firstAfterDays)} after ${start}`}, ` +
        (everyDays === 0 ? 'then at any time' : `then every ${days(everyDays)}`),
    },
    {
      title: 'Smallest payout',
      text: `${amountInWords(minimum, size)} ${minimumOf === 'share' ? 'for the trader' : 'of the profit'}`,
    },
    ...optional.filter((term) => term !== false),
  ]
}

const takings = {
  request: 'Any amount up to what is available',
  everything: 'The whole amount that is available',
  'firm-share-first': 'Any amount; the share of the firm in the whole profit leaves with each payout',
} as const

/** A static floor stays, and so does one that has stopped, but under `restarts`. */
const floors = {
  falls: 'One that still follows falls by the payout',
  locks: 'One that still follows stops for good at the account size',
  restarts: 'One that follows, or has stopped, starts again from the balance after the payout',
} as const

type AmountTerms = { readonly amount: string } | { readonly percent: string; readonly of: keyof typeof references }

/** '$2,000.00', or '5% of the account size ($5,000.00)'. What has to be reached is rounded up, as a limit that breaches. */
function amountInWords(terms: AmountTerms, size: number, touch: Floor['touch'] = 'breach'): string {
  if ('amount' in terms) return inDollars(centsOf(terms.amount))
  const share = `${terms.percent}% of ${references[terms.of]}`
  return terms.of === 'account-size' ? `${share} (${inDollars(shownLimit(valueOf(terms, size), touch))})` : share
}

const days = (count: number): string => counted(count, 'day')

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}

/** A difference between two versions. */
export interface TermDifference {
  /** 'Phase 1: Profit target'. */
  readonly term: string
  /** Null where the other version has no such term. */
  readonly before: string | null
  readonly after: string | null
}

/** The differences of a version to the one before, in the order of the newer one; what was dropped comes last. */
export function differencesInWords(before: Programme, after: Programme): TermDifference[] {
  const [old, now] = [lines(before), lines(after)]
  return [
    ...[...now].flatMap(([term, text]) =>
      old.get(term) === text ? [] : [{ term, before: old.get(term) ?? null, after: text }],
    ),
    ...[...old].flatMap(([term, text]) => (now.has(term) ? [] : [{ term, before: text, after: null }])),
  ]
}

/** Every term with a name of its own: of several of one kind in a stage the second is 'Maximum loss (2)'. */
function lines(programme: Programme): Map<string, string> {
  const named = new Map<string, string>([['Name', programme.name]])
  const add = (name: string, text: string): void => {
    let key = name
    for (let n = 2; named.has(key); n++) key = `${name} (${n})`
    named.set(key, text)
  }
  for (const { title, text } of generalTermsInWords(programme)) add(title, text)
  for (const { name, terms } of programmeInWords(programme))
    for (const { title, text } of terms) add(`${name}: ${title}`, text)
  return named
}

/** The kinds of rules in words. */
export const ruleKindLabels: Readonly<Record<string, string>> = {
  'maximum-loss': 'Maximum loss',
  'daily-loss': 'Daily loss',
  'profit-target': 'Profit target',
  'minimum-days': 'Minimum days',
  'maximum-days': 'Maximum days',
  inactivity: 'Inactivity',
  consistency: 'Consistency',
}
