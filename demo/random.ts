const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

export type Random = ReturnType<typeof createRandom>

/** Chances that are the same in every run with the same seed (mulberry32). */
export function createRandom(seed: number) {
  let state = seed >>> 0
  /** From 0 up to 1. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** A whole number from `least` to `most`. */
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[whole(0, items.length - 1)]
    if (item === undefined) throw new TypeError('There is nothing to pick')
    return item
  }
  return {
    next,
    whole,
    pick,
    /** About a normal distribution with mean 0 and deviation 1: the sum of twelve is close enough to a bell. */
    normal: (): number => Array.from({ length: 12 }, next).reduce((sum, value) => sum + value, -6),
    /** Lower-case letters and digits without those that are mistaken for one another. */
    letters: (count: number): string =>
      Array.from({ length: count }, () => ALPHABET[whole(0, ALPHABET.length - 1)]).join(''),
  }
}
