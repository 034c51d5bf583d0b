import { accountSizes } from '#services/programmes/programmes/challenges.ts'
import { shownLimit } from '#services/rules/floor.ts'
import { valueOf } from '#services/rules/amount.ts'
import { centsOf } from '#services/rules/money.ts'
import {
  type AmountBlank,
  type Blank,
  fundedSentences,
  generalSentences,
  isAsked,
  optionInEditor,
  optionOf,
  partsOf,
  payoutSentences,
  ruleSentences,
  type Sentence,
  valueAt,
} from '#services/rules/sentences.ts'
import { ruleKindLabels } from '#services/rules/rule-kind-labels.ts'

/**
 * Programmes that are written together: the same sentences, each for its own size. The sentences show the first one.
 * What is filled in goes into all; dollars are scaled by the sizes, until somebody types others.
 */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
export type JsonObject = { readonly [name: string]: Json }

/** A programme that is being written; its terms may have faults. */
export interface Member {
  readonly terms: JsonObject
  /** Undefined for a new programme. */
  readonly programme?: Existing | undefined
}

/** The programme that gets the terms as a draft. */
export interface Existing {
  readonly id: string
  /** The number of the draft that they replace; null for a further version. */
  readonly draft: number | null
}

export type Family = readonly [Member, ...Member[]]

/** 'stages[0].rules[1].limit' as its names and numbers. */
function keysOf(path: string): (string | number)[] {
  return path
    .split(/[.[\]]+/)
    .filter((key) => key !== '')
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key))
}

/** Returns what a document has at a path; undefined for nothing. */
export function at(document: Json, path: string): Json | undefined {
  let value: Json | undefined = document
  for (const key of keysOf(path)) {
    if (isList(value) && typeof key === 'number') value = value[key]
    else if (isObject(value) && typeof key === 'string') value = value[key]
    else return undefined
  }
  return value
}

/** Returns the document with another value at a path; undefined leaves it out. */
export function withValue(document: JsonObject, path: string, value: Json | undefined): JsonObject {
  const changed = value === undefined ? withoutKey(document, keysOf(path)) : changedAt(document, keysOf(path), value)
  return isObject(changed) ? changed : document
}

function changedAt(value: Json | undefined, [key, ...rest]: readonly (string | number)[], to: Json): Json {
  if (key === undefined) return to
  if (typeof key === 'number') {
    const list = isList(value) ? value : []
    return key < list.length
      ? list.map((each, n) => (n === key ? changedAt(each, rest, to) : each))
      : [...list, changedAt(undefined, rest, to)]
  }
  const object = isObject(value) ? value : {}
  return { ...object, [key]: changedAt(object[key], rest, to) }
}

function withoutKey(value: Json | undefined, [key, ...rest]: readonly (string | number)[]): Json {
  if (isList(value)) return value.map((each, n) => (n === key ? withoutKey(each, rest) : each))
  if (!isObject(value)) return value ?? null
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      if (name !== key) return [[name, each]]
      return rest.length === 0 ? [] : [[name, withoutKey(each, rest)]]
    }),
  )
}

/** Changes all members alike: a rule, a stage, a choice. */
export function changed([first, ...others]: Family, change: (terms: JsonObject) => JsonObject): Family {
  const each = (member: Member): Member => ({ ...member, terms: change(member.terms) })
  return [each(first), ...others.map(each)]
}

/** Fills in a value in all members. */
export function filled(family: Family, path: string, value: Json | undefined): Family {
  return changed(family, (terms) => withValue(terms, path, value))
}

/** Changes one member alone. */
export function changedOne([first, ...others]: Family, n: number, change: (member: Member) => Member): Family {
  return [n === 0 ? change(first) : first, ...others.map((each, index) => (index === n - 1 ? change(each) : each))]
}

/** Fills in dollars: in the first member as typed, in the others by their sizes, but where others were typed. */
export function filledAmount(family: Family, path: string, typed: string, blank: AmountBlank): Family {
  const [first, ...others] = family
  const before = textAt(first.terms, `${path}.amount`)
  const next = { ...first, terms: withValue(first.terms, path, { amount: typed }) }
  return [
    next,
    ...others.map((member) => {
      const own = textAt(member.terms, `${path}.amount`)
      const follows = own === undefined || own === scaled(before ?? '', first.terms, member.terms, blank)
      if (!follows) return member
      return {
        ...member,
        terms: withValue(member.terms, path, { amount: scaled(typed, first.terms, member.terms, blank) }),
      }
    }),
  ]
}

/** Turns an amount into dollars, or into a percentage of something: of an account's size it stays as large. */
export function inUnit(family: Family, path: string, of: AmountBlank['of'][number] | 'dollars'): Family {
  return changed(family, (terms) => {
    const size = sizeOf(terms)
    const amount = textAt(terms, `${path}.amount`)
    const percent = textAt(terms, `${path}.percent`)
    if (of === 'dollars') return withValue(terms, path, { amount: dollarsOf(percent ?? '', size) ?? amount ?? '' })
    return withValue(terms, path, { percent: percent ?? percentOf(amount ?? '', size), of })
  })
}

/** Gives a member another size. Its dollars follow, where nobody typed others, and so does its name. */
export function resized(family: Family, n: number, size: string): Family {
  const [first] = family
  const amounts = amountsOf(first.terms)
  const next = changedOne(family, n, (member) => {
    const name = textAt(member.terms, 'name') ?? ''
    const renamed = nameFor(name, textAt(member.terms, 'accountSize') ?? '', size)
    return { ...member, terms: { ...member.terms, accountSize: size, name: renamed } }
  })
  // The first member's dollars are what the others are scaled from.
  const [after, ...others] = next
  return [
    after,
    ...others.map((member, index) => {
      const before = family[index + 1]?.terms ?? member.terms
      return amounts.reduce((each, { path, blank }) => {
        const own = textAt(before, `${path}.amount`)
        const from = textAt(first.terms, `${path}.amount`) ?? ''
        if (own !== scaled(from, first.terms, before, blank)) return each
        return {
          ...each,
          terms: withValue(each.terms, path, { amount: scaled(from, after.terms, member.terms, blank) }),
        }
      }, member)
    }),
  ]
}

/** Names the first member. The others are named like it, where nobody gave them another name. */
export function named(family: Family, name: string): Family {
  const [first, ...others] = family
  const nameOf = (of: string, { terms }: Member) => derivedName(of, first.terms, textAt(terms, 'accountSize') ?? '')
  const before = textAt(first.terms, 'name') ?? ''
  return [
    { ...first, terms: { ...first.terms, name } },
    ...others.map((member) =>
      textAt(member.terms, 'name') === nameOf(before, member)
        ? { ...member, terms: { ...member.terms, name: nameOf(name, member) } }
        : member,
    ),
  ]
}

/** The name of the same programme in another size: with its size at the end, where the name has none. */
function derivedName(name: string, { accountSize }: JsonObject, to: string): string {
  const changed = nameFor(name, String(accountSize), to)
  return changed === name && name !== '' && Number(to) > 0 && to !== accountSize
    ? `${name} ${sizeInName(Number(to))}`
    : changed
}

function sizeInName(size: number): string {
  return size % 1_000 === 0 ? `${size / 1_000}K` : size.toLocaleString('en-US')
}

/** Adds a new programme for a further size: the next usual one that is missing. */
export function withSize(family: Family): Family {
  const [first] = family
  const present = new Set(family.map(({ terms }) => Number(textAt(terms, 'accountSize'))))
  const size = accountSizes.find((usual) => !present.has(usual))
  return [...family, { terms: forSize(first.terms, size === undefined ? '' : `${size}.00`) }]
}

/** Leaves a member out; one stays. */
export function withoutMember(family: Family, n: number): Family {
  const [first, ...others] = family.filter((_, index) => index !== n)
  return first ? [first, ...others] : family
}

/** The same terms for another size. */
export function forSize(terms: JsonObject, size: string): JsonObject {
  const name = derivedName(textAt(terms, 'name') ?? '', terms, size)
  const sized = { ...terms, accountSize: size, name }
  return amountsOf(terms).reduce<JsonObject>(
    (each, { path, blank }) =>
      withValue(each, path, { amount: scaled(textAt(terms, `${path}.amount`) ?? '', terms, sized, blank) }),
    sized,
  )
}

/** Takes the first member's whole document; the others keep their size, name and typed dollars. */
export function rewritten([first, ...others]: Family, terms: JsonObject): Family {
  return [
    { ...first, terms },
    ...others.map((member) => {
      const own = { ...forSize(terms, textAt(member.terms, 'accountSize') ?? ''), name: member.terms['name'] ?? '' }
      const kept = amountsOf(terms).reduce<JsonObject>((each, { path, blank }) => {
        const before = textAt(member.terms, `${path}.amount`)
        const wasTyped =
          before !== undefined &&
          before !== scaled(textAt(first.terms, `${path}.amount`) ?? '', first.terms, member.terms, blank)
        return wasTyped ? withValue(each, path, { amount: before }) : each
      }, own)
      return { ...member, terms: kept }
    }),
  ]
}

/** 'Two-Step 100K' for 50,000 is 'Two-Step 50K'. A name without its size stays. */
function nameFor(name: string, from: string, to: string): string {
  const [before, after] = [Number(from), Number(to)]
  if (!(before > 0) || !(after > 0)) return name
  const writings = [
    (size: number) => (size % 1_000 === 0 ? `${size / 1_000}K` : undefined),
    (size: number) => size.toLocaleString('en-US'),
    String,
  ]
  for (const write of writings) {
    const written = write(before)
    const index = written === undefined ? -1 : name.toUpperCase().lastIndexOf(written)
    if (written === undefined || index === -1 || /\d$/.test(name.slice(0, index))) continue
    return `${name.slice(0, index)}${write(after) ?? sizeInName(after)}${name.slice(index + written.length)}`
  }
  return name
}

/** An amount in dollars, in one of the sentences. */
export interface Dollars {
  /** 'stages[0].rules[1].limit' */
  readonly path: string
  /** 'Phase 1: Maximum loss' */
  readonly label: string
  readonly blank: AmountBlank
}

/** The amounts of a document that are dollars and not percentages, in the order of its sentences. */
export function amountsOf(terms: JsonObject): Dollars[] {
  return listAt(terms, 'stages').flatMap((stage, n) => {
    const name = textAt(stage, 'name') ?? `Stage ${n + 1}`
    const rules = listAt(stage, 'rules').flatMap((rule, index) => {
      const sentence = sentenceOf(rule)
      const title = ruleKindLabels[kindOf(rule)] ?? ''
      return sentence ? dollarsIn(sentence, rule, `stages[${n}].rules[${index}]`, `${name}: ${title}`) : []
    })
    const payouts = at(stage, 'payouts')
    const ofPayouts = isObject(payouts)
      ? Object.values(payoutSentences).flatMap((sentence) =>
          dollarsIn(sentence, payouts, `stages[${n}].payouts`, sentence.title),
        )
      : []
    return [...rules, ...ofPayouts]
  })
}

function dollarsIn(sentence: Sentence, terms: Json, path: string, title: string): Dollars[] {
  return blanksIn(sentence, terms).flatMap((blank) => {
    if (blank.kind !== 'amount') return []
    const amount = valueAt(terms, `${blank.at}.amount`)
    // Nothing is nothing for every size.
    if (typeof amount !== 'string' || amount === '0.00') return []
    const label = title.endsWith(blank.label) ? title : `${title}, ${blank.label.toLowerCase()}`
    return [{ path: `${path}.${blank.at}`, label, blank }]
  })
}

/** The blanks that a sentence shows for these terms, in the order in which they are read. */
export function blanksIn({ text, blanks }: Sentence, terms: unknown): Blank[] {
  const shown = new Set<Blank>()
  const add = (words: string): void => {
    for (const part of partsOf(words)) {
      const blank = typeof part === 'string' ? undefined : blanks[part.name]
      if (!blank || shown.has(blank) || !isAsked(blank, terms)) continue
      shown.add(blank)
      const option = blank.kind === 'choice' ? optionOf(blank, terms) : undefined
      if (option) add(optionInEditor(option).rest)
    }
  }
  add(text)
  return [...shown]
}

/** The paths of all fields that the sentences of a document show. */
export function blankPaths(terms: JsonObject): string[] {
  const within = (sentence: Sentence, value: Json, path: string) =>
    blanksIn(sentence, value).map((blank) => `${path}.${blank.at}`)
  const stages = listAt(terms, 'stages').flatMap((stage, n) => {
    const payouts = at(stage, 'payouts')
    return [
      `stages[${n}].name`,
      ...listAt(stage, 'rules').flatMap((rule, index) => {
        const sentence = sentenceOf(rule)
        return sentence ? within(sentence, rule, `stages[${n}].rules[${index}]`) : []
      }),
      ...(isObject(payouts)
        ? [
            ...Object.values(payoutSentences).flatMap((sentence) => within(sentence, payouts, `stages[${n}].payouts`)),
            ...Object.values(fundedSentences).flatMap((sentence) => within(sentence, stage, `stages[${n}]`)),
          ]
        : []),
    ]
  })
  const general = Object.values(generalSentences).flatMap((sentence) => blanksIn(sentence, terms))
  return ['name', 'accountSize', ...general.map((blank) => blank.at), ...stages]
}

/** What programmes have in common that can be changed together: their stages, and the kinds of their rules. */
export function shapeOf(terms: JsonObject): string {
  return JSON.stringify(
    listAt(terms, 'stages').map((stage) => [at(stage, 'funded') === true, listAt(stage, 'rules').map(kindOf)]),
  )
}

/** The kind of a rule; empty where it names none. */
export function kindOf(rule: Json): string {
  return textAt(rule, 'kind') ?? ''
}

/** The sentence of a rule; undefined for a kind that nobody knows. */
export function sentenceOf(rule: Json): Sentence | undefined {
  const kind = kindOf(rule)
  return Object.entries(ruleSentences).find(([each]) => each === kind)?.[1]
}

/** The size of an account in cents; 0 while it is no amount. */
export function sizeOf(terms: JsonObject): number {
  const size = textAt(terms, 'accountSize') ?? ''
  return isMoney(size) ? centsOf(size) : 0
}

/** Returns dollars of a percentage of the size, in cents; undefined while there is none. */
export function centsOfPercent(percent: string, size: number): number | undefined {
  if (!/^\d{1,4}(\.\d{1,8})?$/.test(percent) || size === 0) return undefined
  return shownLimit(valueOf({ percent }, size), 'breach')
}

function dollarsOf(percent: string, size: number): string | undefined {
  const cents = centsOfPercent(percent, size)
  return cents === undefined ? undefined : moneyOf(BigInt(cents))
}

function percentOf(amount: string, size: number): string {
  if (!isMoney(amount) || size === 0) return ''
  return String(Number(((centsOf(amount) / size) * 100).toFixed(4)))
}

/** Dollars for the size of another document. */
function scaled(amount: string, from: JsonObject, to: JsonObject, { scales }: AmountBlank): string {
  const [size, other] = [sizeOf(from), sizeOf(to)]
  if (scales === false || !isMoney(amount) || size === 0 || other === 0) return amount
  return moneyOf((BigInt(centsOf(amount)) * BigInt(other) + BigInt(size) / 2n) / BigInt(size))
}

function moneyOf(cents: bigint): string {
  const digits = String(cents).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

function isMoney(text: string): boolean {
  return /^(0|[1-9]\d{0,9})\.\d{2}$/.test(text)
}

export function textAt(document: Json, path: string): string | undefined {
  const value = at(document, path)
  return typeof value === 'string' ? value : undefined
}

export function listAt(document: Json, path: string): readonly Json[] {
  const value = at(document, path)
  return isList(value) ? value : []
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
