import { setTimeout as delay } from 'node:timers/promises'

/**
 * Waits until `look` returns anything but undefined or false, and returns it. A look that takes long is taken less often:
 * what it looks at needs the processor, too.
 *
 * @throws {Error} after `ms`, which allow for a busy machine.
 */
export async function until<Found>(
  look: () => Promise<Found | undefined | false>,
  what: string,
  ms = 60_000,
): Promise<Found> {
  const deadline = Date.now() + ms
  for (;;) {
    const began = performance.now()
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (Date.now() > deadline) throw new Error(`Waited ${ms} ms in vain for ${what}`)
    await delay(Math.min(200, Math.max(10, 4 * (performance.now() - began))))
  }
}
