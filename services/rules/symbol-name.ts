import { z } from 'zod'
import { currencyCodes } from './currency-codes.ts'

/** Symbols of instruments, the names that match them, and the currencies that they are about (behaviour.md). */

const INVISIBLE = '[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800]'
const VISIBLE = `(?:(?!${INVISIBLE}).)+`

/** "1 to 32 characters, all visible; spaces U+0020 between them." */
const SYMBOL = new RegExp(`^(?=.{1,32}$)${VISIBLE}(?: +${VISIBLE})*$`, 'u')
const symbolText = 'expected a symbol of 1 to 32 visible characters like "EURUSD"'
export const symbol = z.string(symbolText).regex(SYMBOL, symbolText)

/** "A symbol, or the beginning of symbols with `*` at its end (`*` also stands for nothing, and alone for every symbol)." */
const NAME = new RegExp(
  `^(?:(?=.{1,32}$)${VISIBLE}(?: +${VISIBLE})*|(?=.{0,32}\\*$)(?:${VISIBLE}(?: +${VISIBLE})* *)?\\*)$`,
  'u',
)
const nameText = 'expected a symbol like "EURUSD", or its beginning and "*"'
export const symbolName = z.string(nameText).regex(NAME, nameText)

/** "A list has at least one element, each once." @param same what is equal for two elements that are the same */
export function listOf<Element extends z.ZodType>(
  element: Element,
  most: number,
  same: (value: z.output<Element>) => unknown = (value) => value,
) {
  return z
    .array(element, 'expected a list')
    .min(1, 'expected at least one element')
    .max(most, `expected at most ${most} elements`)
    .refine((list) => new Set(list.map(same)).size === list.length, 'expected each element once')
}

export const symbolNames = listOf(symbolName, 1000)

/** "Names match without regard to case." */
function folded(text: string): string {
  return text.toLowerCase()
}

/** Tells whether one of the names matches a symbol. It remembers what it was asked: accounts trade few symbols. */
export function matcherOf(names: readonly string[]): (symbol: string) => boolean {
  const wholes = new Set<string>()
  const beginnings: string[] = []
  for (const name of names.map(folded))
    if (name.endsWith('*')) beginnings.push(name.slice(0, -1))
    else wholes.add(name)
  return remembered((symbol) => {
    const text = folded(symbol)
    return wholes.has(text) || beginnings.some((beginning) => text.startsWith(beginning))
  })
}

/** The currencies of instruments whose symbols do not say them: `{ "US30": ["USD"], "XAU*": ["USD"] }`. */
export const instruments = z
  .record(
    symbolName,
    listOf(z.string('expected a currency like "USD"').regex(/^[A-Z]{3}$/, 'expected a currency like "USD"'), 10),
    'expected an object of names and currencies',
  )
  .superRefine((known, context) => {
    const names = new Set<string>()
    for (const name of Object.keys(known)) {
      if (names.has(folded(name)))
        context.addIssue({ code: 'custom', path: [name], message: 'expected names that differ not only in case' })
      names.add(folded(name))
    }
    if (names.size > 1000) context.addIssue({ code: 'custom', message: 'expected at most 1000 names' })
  })
export type Instruments = z.infer<typeof instruments>

/**
 * The currencies of a symbol: "those of the name that equals the symbol, else of the longest name with `*` that matches",
 * else its first six letters "if they are two different codes of ISO 4217". Null where they are unknown.
 */
export function currenciesOf(known: Instruments): (symbol: string) => readonly string[] | null {
  const names = Object.entries(known)
    .map(([name, currencies]) => ({ name: folded(name), currencies }))
    .toSorted((one, other) => other.name.length - one.name.length)
  return remembered((symbol) => {
    const text = folded(symbol)
    const whole = names.find(({ name }) => name === text && !name.endsWith('*'))
    const found = whole ?? names.find(({ name }) => name.endsWith('*') && text.startsWith(name.slice(0, -1)))
    return found ? found.currencies : pairIn(symbol)
  })
}

function pairIn(symbol: string): readonly string[] | null {
  const letters = symbol
    .replace(/[^A-Za-z]/g, '')
    .slice(0, 6)
    .toUpperCase()
  const [base, quote] = [letters.slice(0, 3), letters.slice(3)]
  return base !== quote && currencyCodes.has(base) && currencyCodes.has(quote) ? [base, quote] : null
}

const MOST_REMEMBERED = 1_000

function remembered<Value>(find: (symbol: string) => Value): (symbol: string) => Value {
  const known = new Map<string, Value>()
  return (symbol) => {
    const before = known.get(symbol)
    if (before !== undefined) return before
    const found = find(symbol)
    if (known.size >= MOST_REMEMBERED) known.clear()
    known.set(symbol, found)
    return found
  }
}
