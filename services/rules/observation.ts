import { z } from 'zod'
import { anyMoney, count, money, oneOf } from './amount.ts'
import { centsOf, toDecimal } from './money.ts'
import type { Moment } from './instant.ts'
import { symbol } from './symbol-name.ts'

/** Observations of an account, one JSON object a line (rules.md). */

/** Days without an observation end one by one: between these instants that takes a fraction of a second. */
const EARLIEST = Date.UTC(1970, 0, 1)
const AFTER_LATEST = Date.UTC(2200, 0, 1)
const yearsText = 'expected an instant from 1970-01-01 to 2199-12-31 (UTC)'

const instantText = 'expected an instant like "2026-11-02T09:30:00Z"'
/** An instant of the years 1970 to 2199. */
export const moment = z.iso
  .datetime({ offset: true, error: instantText })
  .max(40, instantText)
  .transform((text, context): Moment => {
    const fraction = /\.(\d+)/.exec(text)?.[1] ?? ''
    const ms = Date.parse(fraction === '' ? text : text.replace(/\.\d+/, `.${fraction.slice(0, 3).padEnd(3, '0')}`))
    const isRead = Number.isFinite(ms) && fraction.length <= 9
    if (isRead && ms >= EARLIEST && ms < AFTER_LATEST) return { text, ms, ns: Number(fraction.slice(3).padEnd(6, '0')) }
    context.issues.push({ code: 'custom', message: isRead ? yearsText : instantText, input: text })
    return z.NEVER
  })

const quality = oneOf('reported', 'computed', 'estimated').default('reported')
const id = z.string('expected a text').min(1, 'expected a text').max(200, 'expected at most 200 characters')
const positive = money
  .refine((text) => text !== '0.00', 'expected an amount above "0.00"')
  .transform((text) => centsOf(text))

const priceText = 'expected a price above 0 like "1.08410", with at most 10 decimals'
const price = z.string(priceText).regex(/^(?=.*[1-9])\d{1,15}(\.\d{1,10})?$/, priceText)

const volumeLike = 'expected a volume like "1.00"'
export const volumeText = z.string(volumeLike).regex(/^\d{1,15}(\.\d{1,15})?$/, volumeLike)

const kindsInOrder = ['clock', 'transfer', 'payout', 'trade', 'day', 'state'] as const

export const observation = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ at: moment, kind: z.literal('clock') }),
    z.strictObject({
      at: moment,
      kind: z.literal('transfer'),
      id: id.optional(),
      amount: anyMoney,
      why: z.string('expected a text').max(1000, 'expected at most 1000 characters'),
    }),
    z.strictObject({
      at: moment,
      kind: z.literal('payout'),
      amount: positive,
      forfeited: z.literal(true, 'expected true').exactOptional(),
    }),
    z.strictObject({
      at: moment,
      kind: z.literal('trade'),
      id,
      openedAt: moment.optional(),
      profit: anyMoney,
      volume: volumeText,
      symbol: symbol.optional(),
      side: oneOf('buy', 'sell').optional(),
      openPrice: price.optional(),
      closePrice: price.optional(),
    }),
    z.strictObject({
      at: moment,
      kind: z.literal('day'),
      date: z.iso.date('expected a date like "2026-11-02"'),
      balance: anyMoney,
      equity: anyMoney,
      lowestEquity: anyMoney,
      highestEquity: anyMoney,
      trades: count,
      quality,
    }),
    z.strictObject({
      at: moment,
      kind: z.literal('state'),
      balance: anyMoney,
      equity: anyMoney,
      open: z.boolean('expected true or false'),
      quality,
    }),
  ],
  { error: `expected "kind" to be one of ${kindsInOrder.join(', ')}` },
)
export type Observation = z.infer<typeof observation>
export type Trade = Extract<Observation, { kind: 'trade' }>

type WrittenFields = Record<string, string | boolean | number>

/** An observation as events keep it: as it is written, which {@link observation} checks, and as the engine reads it. */
export const recordedObservation = z.codec(z.custom<WrittenFields>(), z.custom<Observation>(), {
  decode: (written, payload): Observation => {
    const { data, error } = observation.safeParse(written)
    if (data) return data
    payload.issues.push({ code: 'custom', message: z.prettifyError(error), input: written })
    return z.NEVER
  },
  encode: (read) => writtenObservation(read),
})

/** The observation as JSON, with its fields in their order. */
export function writtenObservation(read: Observation): WrittenFields {
  return Object.fromEntries(Object.entries(read).map(([key, value]) => [key, writtenValue(key, value, textOf)]))
}

function textOf({ text }: Moment): string {
  return text
}

function writtenValue(key: string, value: Moment | string | number | boolean, writeMoment: (moment: Moment) => string) {
  if (typeof value === 'object') return writeMoment(value)
  return typeof value === 'number' && key !== 'trades' ? toDecimal(value) : value
}

/**
 * "Order: instant; of one instant clock, transfer, payout, trade, day, state; then id; then canonical JSON." (rules.md)
 */
export function compareObservations(one: Observation, other: Observation): number {
  return (
    one.at.ms - other.at.ms ||
    one.at.ns - other.at.ns ||
    kindsInOrder.indexOf(one.kind) - kindsInOrder.indexOf(other.kind) ||
    compareTexts(idOf(one), idOf(other)) ||
    compareTexts(canonicalJson(one), canonicalJson(other)) ||
    compareTexts(one.at.text, other.at.text)
  )
}

/** The observation as JSON with sorted keys. Instants are as written, or all written in one way. */
export function canonicalJson(observation: Observation, writeMoment = textOf): string {
  const fields = Object.entries(observation).toSorted(([one], [other]) => compareTexts(one, other))
  return JSON.stringify(Object.fromEntries(fields.map(([key, value]) => [key, writtenValue(key, value, writeMoment)])))
}

/** Equal for observations that are equal in all fields: numbers as numbers, times as instants. */
export function contentOf(observation: Observation): string {
  return canonicalJson(observation.kind === 'trade' ? withPlainNumbers(observation) : observation, plainMoment)
}

function plainMoment({ ms, ns }: Moment): string {
  return `${ms}.${ns}`
}

function withPlainNumbers(trade: Trade): Trade {
  const { volume, openPrice, closePrice } = trade
  return {
    ...trade,
    volume: plainNumber(volume),
    ...(openPrice !== undefined && { openPrice: plainNumber(openPrice) }),
    ...(closePrice !== undefined && { closePrice: plainNumber(closePrice) }),
  }
}

/** What a trade need not state: "A fact that is not known is absent, never null." (behaviour.md) */
const tradeFacts = ['openedAt', 'symbol', 'side', 'openPrice', 'closePrice'] as const

/**
 * Adds the facts that a telling of a trade states, and an earlier one did not. Returns the same trade where none is new.
 *
 * @param before The earlier telling.
 * @param now What counts in its place today, which gets the facts.
 * @returns Null where the telling says something else than one of both: "a known trade that comes again conflicts only
 *   where both state a different value". (behaviour.md)
 */
export function withNewFacts(now: Trade, before: Trade, told: Trade): Trade | null {
  if (contentOf(withoutFacts(before)) !== contentOf(withoutFacts(told))) return null
  let result = now
  for (const fact of tradeFacts) {
    const value = factText(told, fact)
    if (value === undefined) continue
    const known = factText(before, fact) ?? factText(now, fact)
    if (known === undefined) result = { ...result, [fact]: told[fact] }
    else if (known !== value) return null
  }
  return result
}

function withoutFacts({ at, kind, id, profit, volume }: Trade): Trade {
  return { at, kind, id, profit, volume }
}

/** A fact as text, equal for equal numbers and instants. */
function factText(trade: Trade, fact: (typeof tradeFacts)[number]): string | undefined {
  const value = trade[fact]
  if (typeof value === 'object') return plainMoment(value)
  return value !== undefined && fact.endsWith('Price') ? plainNumber(value) : value
}

/** Describes a trade that closes before it opens, which cannot be; null for every other. */
export function openedTooLate({ openedAt, at }: Pick<Trade, 'openedAt' | 'at'>): string | null {
  const isLater = openedAt && (openedAt.ms > at.ms || (openedAt.ms === at.ms && openedAt.ns > at.ns))
  return isLater ? `the trade opens at ${openedAt.text}, after it closes at ${at.text}` : null
}

/** A decimal number without needless zeros: '0.1' of '0.10', '2' of '02.00'. */
function plainNumber(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  const [left, right] = [whole.replace(/^0+(?=\d)/, ''), fraction.replace(/0+$/, '')]
  return right === '' ? left : `${left}.${right}`
}

/** "The result is that of the ordered, unique observations." (rules.md) */
export function orderedUnique(observations: readonly Observation[]): Observation[] {
  const ordered = observations.toSorted(compareObservations)
  let contents = new Set<string>()
  return ordered.filter((observation, index) => {
    const [previous, next] = [ordered[index - 1], ordered[index + 1]]
    const follows = previous !== undefined && isSameMoment(previous, observation)
    if (!follows) contents = new Set()
    if (!follows && !(next && isSameMoment(observation, next))) return true
    const { size } = contents
    return contents.add(contentOf(observation)).size > size
  })
}

function isSameMoment(one: Observation, other: Observation): boolean {
  return one.at.ms === other.at.ms && one.at.ns === other.at.ns && one.kind === other.kind
}

/** Returns the identity that may have one content alone: "A trade's id or a day's date with two contents is a fault." */
export function identityOf(observation: Observation): { readonly field: 'id' | 'date'; readonly value: string } | null {
  switch (observation.kind) {
    case 'trade':
      return { field: 'id', value: observation.id }
    case 'day':
      return { field: 'date', value: observation.date }
    case 'clock':
    case 'transfer':
    case 'payout':
    case 'state':
      return null
  }
}

function idOf(observation: Observation): string {
  return 'id' in observation ? (observation.id ?? '') : ''
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
