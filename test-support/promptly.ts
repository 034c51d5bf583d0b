import { expect } from 'vitest'

/** In ms. */
const TICK = 5

/**
 * Waits for work that may take only so many ms. A time in which the machine was too busy to run this process counts as
 * one tick, so that the outcome does not depend on what else runs.
 *
 * @throws what the work throws, or an assertion error when it took longer.
 */
export async function promptly<Outcome>(work: Promise<Outcome>, ms: number): Promise<Outcome> {
  let passed = 0
  const ticks = setInterval(() => (passed += TICK), TICK)
  try {
    return await work
  } finally {
    clearInterval(ticks)
    expect(passed, 'ms that it took').toBeLessThan(ms)
  }
}
