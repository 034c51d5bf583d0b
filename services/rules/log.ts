/**
 * Lists that grow, as plain data: many states of an account share what they have in common, and each can be stored as
 * JSON. A list in full chunks and a short rest is appended to without being copied.
 */
export interface Log<Item> {
  readonly full: readonly (readonly Item[])[]
  readonly rest: readonly Item[]
}

const CHUNK = 64

export const emptyLog: Log<never> = { full: [], rest: [] }

export function appendedTo<Item>({ full, rest }: Log<Item>, item: Item): Log<Item> {
  return rest.length < CHUNK ? { full, rest: [...rest, item] } : { full: [...full, rest], rest: [item] }
}

export function sizeOf({ full, rest }: Log<unknown>): number {
  return full.length * CHUNK + rest.length
}

export function itemAt<Item>({ full, rest }: Log<Item>, index: number): Item | undefined {
  const chunk = Math.floor(index / CHUNK)
  return (chunk < full.length ? full[chunk] : rest)?.[index - chunk * CHUNK]
}

export function itemsOf<Item>({ full, rest }: Log<Item>): readonly Item[] {
  return [...full.flat(), ...rest]
}

/** The list with one item replaced. */
export function replacedIn<Item>(log: Log<Item>, index: number, item: Item): Log<Item> {
  const chunk = Math.floor(index / CHUNK)
  const [within, before] = [index - chunk * CHUNK, log.full[chunk]]
  return before
    ? { full: log.full.with(chunk, before.with(within, item)), rest: log.rest }
    : { full: log.full, rest: log.rest.with(within, item) }
}

/** A set of small whole numbers. */
export type Bits = readonly number[]

const WIDTH = 32

export function hasBit(bits: Bits, index: number): boolean {
  return (((bits[Math.floor(index / WIDTH)] ?? 0) >>> (index % WIDTH)) & 1) === 1
}

export function withBit(bits: Bits, index: number): Bits {
  if (hasBit(bits, index)) return bits
  const place = Math.floor(index / WIDTH)
  const copy = [...bits]
  while (copy.length <= place) copy.push(0)
  copy[place] = ((copy[place] ?? 0) | (1 << (index % WIDTH))) >>> 0
  return copy
}
