import { centsOf, inDollars } from './money.ts'
import { valueOf } from './amount.ts'
import { decisionRules } from './decision-version.ts'
import { exactly, plus, up } from './exact.ts'
import { shownFloor, shownLimit } from './floor.ts'
import type { PayoutTerms } from './payouts.ts'
import type { Programme, Promises, RuleTerms } from './programme.ts'
import type { Floor } from './rule.ts'
import { ruleKindLabels } from './rule-kind-labels.ts'
import {
  type Blank,
  generalSentences,
  optionOf,
  partsOf,
  fundedSentences,
  payoutSentences,
  ruleSentences,
  type Sentence,
  splitsIn,
  type TitledSentence,
  valueAt,
  type Whole,
  wholes,
} from './sentences.ts'

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
      ...stage.rules.map((rule) => ruleInWords(rule, size, stage)),
      ...(stage.funded ? payoutsInWords(stage.payouts, size) : []),
      ...(stage.funded && stage.promises ? [promisesInWords(stage, size)] : []),
    ],
  }))
}

function promisesInWords(stage: { readonly promises?: Promises }, size: number): TermInWords {
  const { promises } = fundedSentences
  return { title: promises.title, text: inWords(promises, stage, { size }) }
}

/** Returns the terms that apply to all stages. */
export function generalTermsInWords(programme: Programme): TermInWords[] {
  const { day, breaches, passes, payoutsEnabled } = generalSentences
  const size = centsOf(programme.accountSize)
  return [
    { title: 'Account size', text: inDollars(size) },
    // Without `payoutsEnabled` the release that published the terms decides.
    ...[day, breaches, passes, ...(programme.payoutsEnabled ? [payoutsEnabled] : [])].map((sentence) => ({
      title: sentence.title,
      text: inWords(sentence, programme, { size }),
    })),
    ...(programme.instruments
      ? [{ title: 'Currencies of symbols', text: currenciesInWords(programme.instruments) }]
      : []),
  ]
}

/** 'US30: USD; XAU*: USD' */
function currenciesInWords(instruments: NonNullable<Programme['instruments']>): string {
  return Object.entries(instruments)
    .map(([name, currencies]) => `${name}: ${currencies.join(', ')}`)
    .join('; ')
}

/**
 * A rule in words.
 *
 * @param size Of the account, in cents.
 * @param stage That the rule is of.
 * @param version Of the decisions that the words stand beside.
 */
export function ruleInWords(
  rule: RuleTerms,
  size: number,
  stage: { readonly funded: boolean },
  version?: number,
): TermInWords {
  const touch = 'touch' in rule ? touchIn(rule, version) : 'breach'
  const figures = {
    ...(rule.kind === 'maximum-loss' && floorFigures(rule, size, touch)),
    waits: () => (stage.funded ? 'the payout waits' : 'the stage waits'),
  }
  return {
    title: ruleKindLabels[rule.kind] ?? rule.kind,
    text: inWords(ruleSentences[rule.kind], rule, { size, touch, figures }),
  }
}

/** Before floors were shown by their touch, all were rounded as where a touch breaches. */
function touchIn({ touch }: { readonly touch: Floor['touch'] }, version?: number): Floor['touch'] {
  return decisionRules(version).roundsFloorsUp ? 'breach' : touch
}

function floorFigures(
  { limit, locksAbove }: Extract<RuleTerms, { kind: 'maximum-loss' }>,
  size: number,
  touch: Floor['touch'],
): Figures {
  return {
    floor: () => inDollars(size - shownLimit(valueOf(limit, size), touch)),
    stop: () =>
      locksAbove ? inDollars(shownFloor({ exact: plus(exactly(size), valueOf(locksAbove, size)), touch })) : '',
  }
}

/** The terms of payouts in words. @param size of the account, in cents */
export function payoutsInWords(payouts: PayoutTerms, size: number): TermInWords[] {
  const { split, when, minimum, cap, buffer, mostOfProfit, floor } = payoutSentences
  const optional: readonly (TitledSentence | false)[] = [
    payouts.cap !== null && cap,
    up(valueOf(payouts.buffer, size)) > 0 && buffer,
    !/^100(\.0*)?$/.test(payouts.mostOfProfit) && mostOfProfit,
    payouts.floor !== 'stays' && floor,
  ]
  return [split, when, minimum, ...optional.filter((sentence) => sentence !== false)].map((sentence) => ({
    title: sentence.title,
    text: inWords(sentence, payouts, { size }),
  }))
}

type Figures = Readonly<Record<string, () => string>>

interface Reading {
  /** Of the account, in cents. */
  readonly size: number
  /** Dollars that have to be reached are rounded up, as a limit that breaches. */
  readonly touch?: Floor['touch']
  readonly figures?: Figures
}

/** A sentence with its blanks filled in. */
function inWords({ text, blanks }: Sentence, terms: unknown, reading: Reading): string {
  const fill = (words: string): string =>
    partsOf(words)
      .map((part) => {
        if (typeof part === 'string') return part
        if (part.name.startsWith('=')) return reading.figures?.[part.name.slice(1)]?.() ?? ''
        const blank = blanks[part.name]
        if (!blank) throw new Error(`The sentence has no blank "${part.name}"`)
        return blank.kind === 'choice'
          ? fill(optionOf(blank, terms)?.words ?? '')
          : blankInWords(blank, valueAt(terms, blank.at), reading)
      })
      .join('')
  return fill(text)
}

/** What is filled in, in words. The terms are valid: a value has the form of its blank. */
function blankInWords(blank: Exclude<Blank, { kind: 'choice' }>, value: unknown, { size, touch }: Reading): string {
  switch (blank.kind) {
    case 'amount':
      return isAmount(value) ? amountInWords(value, size, touch) : ''
    case 'count':
      return counted(Number(value), blank.one)
    case 'splits':
      return splitsIn(value)
        .map(({ payouts, split }) => `, ${split}% after ${counted(Number(payouts), 'payout')}`)
        .join('')
    case 'several':
      return joined(blank.options.flatMap((option) => (isIn(value, option.value) ? option.words : [])))
    case 'names':
      return joined(Array.isArray(value) ? value.map(String) : [])
    case 'percent':
    case 'time':
    case 'zone':
    case 'volume':
      return String(value)
  }
}

function isIn(list: unknown, value: unknown): boolean {
  return Array.isArray(list) && list.includes(value)
}

/** 'Mondays, Tuesdays and Fridays' */
function joined(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

type AmountTerms = { readonly amount: string } | { readonly percent: string; readonly of: Whole }

function isAmount(value: unknown): value is AmountTerms {
  return typeof value === 'object' && value !== null && ('amount' in value || 'percent' in value)
}

/** '$2,000.00', or '5% of the account size ($5,000.00)'. */
function amountInWords(terms: AmountTerms, size: number, touch: Floor['touch'] = 'breach'): string {
  if ('amount' in terms) return inDollars(centsOf(terms.amount))
  const share = `${terms.percent}% of ${wholes[terms.of]}`
  return terms.of === 'account-size' ? `${share} (${inDollars(shownLimit(valueOf(terms, size), touch))})` : share
}

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
