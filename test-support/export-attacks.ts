import type { JsonValue } from '#services/proof/canonical-json.ts'
import { seededRandom } from './random-seed.ts'

/**
 * Forgeries of an export: every edit of every value, at every depth, also of the JSON inside of texts; and every drop,
 * duplicate, swap and move of every list element.
 */

/** One forged file. */
export interface Forgery {
  /** What was done, and where: 'changed events.3.data#reason'. */
  readonly name: string
  /** The forged file. It is written on demand: a long file has hundreds of thousands of forgeries. */
  text(): string
}

export interface AttackOptions {
  /** At most so many pairs are swapped and moved per list, chosen by seed; all without it. */
  readonly pairs?: number
}

type Path = readonly (string | number)[]
type Members = { readonly [name: string]: JsonValue }

/** All forgeries of a file. The text of a few is the file itself: a swap of two equal parts, for instance. */
export function* forgeriesOf(file: string, options: AttackOptions = {}): Generator<Forgery> {
  const whole: JsonValue = JSON.parse(file)
  for (const { name, value } of editsOf(whole, [], options)) yield { name, text: () => JSON.stringify(value()) }
  yield* duplicatedNames(file, whole)
  yield { name: 'cut off in the middle', text: () => file.slice(0, Math.floor(file.length / 2)) }
  yield { name: 'cut off at the end', text: () => file.slice(0, -1) }
  yield { name: 'continued', text: () => `${file}{}` }
  yield { name: 'nothing', text: () => '' }
}

/** Some forgeries of a file, by seed. */
export function someForgeriesOf(file: string, count: number, options: AttackOptions = {}): Forgery[] {
  let total = 0
  for (const _forgery of forgeriesOf(file, options)) total += 1
  const random = seededRandom(count)
  const chosen = new Set(Array.from({ length: count }, () => random.whole(0, total - 1)))
  let next = 0
  const some: Forgery[] = []
  for (const forgery of forgeriesOf(file, options)) if (chosen.has(next++)) some.push(forgery)
  return some
}

interface Edit {
  readonly name: string
  /** Made on demand, as the forgeries are. */
  readonly value: () => JsonValue
}

/** Every value that differs from this one in one place. */
function* editsOf(value: JsonValue, path: Path, options: AttackOptions): Generator<Edit> {
  const at = path.join('.') || 'the file'
  const named = (edit: string, edited: JsonValue): Edit => ({ name: `${edit} ${at}`, value: () => edited })
  for (const [edit, edited] of replacements(value)) yield named(edit, edited)
  if (typeof value === 'string') yield* editsInside(value, path, options)
  if (isList(value)) {
    for (const [edit, edited] of rearranged(value, options)) yield named(edit, edited)
    for (const [n, item] of value.entries())
      for (const { name, value: edited } of editsOf(item, [...path, n], options))
        yield { name, value: () => value.toSpliced(n, 1, edited()) }
  } else if (isMembers(value)) {
    for (const [name, member] of Object.entries(value)) {
      yield named(`removed ${name} from`, without(value, name))
      yield named(`renamed ${name} in`, renamed(value, name, `${name}s`))
      for (const other of Object.keys(value))
        if (other < name)
          yield named(`exchanged ${other} and ${name} in`, { ...value, [name]: value[other] ?? null, [other]: member })
      for (const { name: edit, value: edited } of editsOf(member, [...path, name], options))
        yield { name: edit, value: () => ({ ...value, [name]: edited() }) }
    }
    yield named('added a member to', { ...value, state: 'approved' })
  }
}

/** Another value in its place: changed, emptied, retyped. */
function* replacements(value: JsonValue): Generator<readonly [string, JsonValue]> {
  for (const empty of ['', [], {}, null, 0, false] satisfies JsonValue[]) yield ['emptied', empty]
  yield ['retyped', true]
  yield ['retyped', [value]]
  yield ['retyped', { value }]
  if (typeof value === 'number') {
    for (const changed of [value + 1, value - 1, -value, value * 10, value + 0.5, 2 ** 53]) yield ['changed', changed]
    yield ['retyped', String(value)]
  }
  if (typeof value === 'string') {
    for (const at of [0, value.length >> 1, value.length - 1]) yield ['changed', otherCharacter(value, at)]
    for (const changed of [
      `${value}0`,
      `${value} `,
      ` ${value}`,
      value.slice(1),
      value.slice(0, -1),
      value.toUpperCase(),
      value.toLowerCase(),
      `${value}\ud800`,
    ])
      yield ['changed', changed]
    if (value !== '' && Number.isFinite(Number(value))) yield ['retyped', Number(value)]
  }
  if (value === null) for (const invented of ['0', 'approved', '0'.repeat(64)]) yield ['changed', invented]
  if (typeof value === 'boolean') yield ['changed', !value]
  if (isList(value)) yield ['retyped', Object.fromEntries(value.map((item, n) => [String(n), item]))]
  else if (isMembers(value)) yield ['retyped', Object.values(value)]
}

function otherCharacter(text: string, at: number): string {
  return text.slice(0, at) + (text[at] === '1' ? '2' : '1') + text.slice(at + 1)
}

/** Edits of what a text holds: JSON, lines, or base64url of JSON. */
function* editsInside(text: string, path: Path, options: AttackOptions): Generator<Edit> {
  const inner = jsonIn(text)
  if (inner) {
    for (const { name, value } of editsOf(inner.value, [], options))
      yield { name: `${path.join('.')}#${name}`, value: () => inner.write(value()) }
    return
  }
  if (!text.includes('\n')) return
  const lines = text.split('\n')
  for (const [edit, edited] of rearranged(lines, options))
    yield { name: `${edit} a line of ${path.join('.')}`, value: () => edited.join('\n') }
  for (const [n, line] of lines.entries())
    for (const [edit, edited] of replacements(line))
      if (typeof edited === 'string')
        yield { name: `${edit} line ${n} of ${path.join('.')}`, value: () => lines.with(n, edited).join('\n') }
}

function jsonIn(text: string): { readonly value: JsonValue; readonly write: (value: JsonValue) => string } | undefined {
  const plain = parsed(text)
  if (plain !== undefined) return { value: plain, write: (value) => JSON.stringify(value) }
  const decoded = parsed(Buffer.from(text, 'base64url').toString())
  return decoded === undefined
    ? undefined
    : { value: decoded, write: (value) => Buffer.from(JSON.stringify(value)).toString('base64url') }
}

/** An object or a list; undefined for anything else. */
function parsed(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Every drop, duplicate, swap and move of an element. */
function* rearranged<Item extends JsonValue>(
  list: readonly Item[],
  { pairs }: AttackOptions,
): Generator<readonly [string, Item[]]> {
  for (const [n, item] of list.entries()) {
    yield [`dropped ${n} of`, list.toSpliced(n, 1)]
    yield [`duplicated ${n} of`, list.toSpliced(n, 0, item)]
    yield [`repeated ${n} at the end of`, [...list, item]]
    const other = list[(n + 1) % list.length]
    if (other !== undefined) yield [`replaced ${n} by another of`, list.with(n, other)]
  }
  for (const [one, other] of pairsOf(list.length, pairs)) {
    const first = list[one]
    const second = list[other]
    if (first === undefined || second === undefined) continue
    yield [`swapped ${one} and ${other} of`, list.with(one, second).with(other, first)]
    yield [`moved ${one} to ${other} of`, list.toSpliced(one, 1).toSpliced(other, 0, first)]
    yield [`moved ${other} to ${one} of`, list.toSpliced(other, 1).toSpliced(one, 0, second)]
  }
  if (list.length > 1) yield ['reversed', list.toReversed()]
}

/** All pairs of two indexes, or some by seed. */
function* pairsOf(length: number, most: number | undefined): Generator<readonly [number, number]> {
  if (most === undefined || (length * (length - 1)) / 2 <= most) {
    for (let one = 0; one < length; one++) for (let other = one + 1; other < length; other++) yield [one, other]
    return
  }
  const random = seededRandom(length)
  for (let n = 0; n < most; n++) {
    const one = random.whole(0, length - 2)
    yield [one, random.whole(one + 1, length - 1)]
  }
}

/** Each name twice in its object, with the true value first and last: parsers differ in which one they keep. */
function* duplicatedNames(file: string, whole: JsonValue): Generator<Forgery> {
  for (const { members, path } of objectsIn(whole, [])) {
    const before = JSON.stringify(members)
    const at = file.indexOf(before)
    if (at < 0) continue
    const inside = before.slice(1, -1)
    for (const name of Object.keys(members)) {
      const forged = `${JSON.stringify(name)}:"forged"`
      for (const text of [
        `{${forged},${inside}}`,
        `{${inside},${forged}}`,
        `{${inside},${JSON.stringify(name)}:${JSON.stringify(members[name])}}`,
      ])
        yield {
          name: `duplicated the name ${name} in ${path.join('.') || 'the file'}`,
          text: () => file.slice(0, at) + text + file.slice(at + before.length),
        }
    }
  }
}

function* objectsIn(value: JsonValue, path: Path): Generator<{ readonly members: Members; readonly path: Path }> {
  if (isList(value)) for (const [n, item] of value.entries()) yield* objectsIn(item, [...path, n])
  else if (isMembers(value)) {
    yield { members: value, path }
    for (const [name, member] of Object.entries(value)) yield* objectsIn(member, [...path, name])
  }
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/** Whether a value is an object. */
export function isMembers(value: JsonValue): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function without(members: Members, name: string): Members {
  return Object.fromEntries(Object.entries(members).filter(([each]) => each !== name))
}

function renamed(members: Members, name: string, to: string): Members {
  return Object.fromEntries(Object.entries(members).map(([each, value]) => [each === name ? to : each, value]))
}
