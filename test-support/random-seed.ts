import { randomInt } from 'node:crypto'
import { createRandom, type Random } from '../demo/random.ts'

/**
 * The seed of everything random in this process: `TEST_SEED`, or one drawn now. The first use prints it, so that a
 * failed run can be repeated: `TEST_SEED=123 npm test -- killing`.
 */
export function randomSeed(): number {
  drawn ??= announce(Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31)))
  return drawn
}

/** Random values of that seed. Concurrent parts take a stream each, so that none changes what another draws. */
export function seededRandom(stream = 0): Random {
  return createRandom(randomSeed() + Math.imul(stream, 0x9e3779b1))
}

/** Whether every case is tried: `npm run test:long`. Otherwise tests with many similar cases try some by seed. */
export const triesAll = process.env['TEST_LONG'] !== undefined

/** Some of many similar cases, by seed and in their order; in test:long all. */
export function sampled<Case>(cases: readonly Case[], count: number, stream = 0): readonly Case[] {
  if (triesAll || cases.length <= count) return cases
  const random = seededRandom(stream)
  const left = cases.map((_, index) => index)
  const chosen = new Set(Array.from({ length: count }, () => left.splice(random.whole(0, left.length - 1), 1)[0]))
  return cases.filter((_, index) => chosen.has(index))
}

let drawn: number | undefined

function announce(seed: number): number {
  process.stderr.write(`Random seed ${seed}; repeat this run with TEST_SEED=${seed}\n`)
  return seed
}
