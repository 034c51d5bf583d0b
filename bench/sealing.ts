import { processorTime } from '#test-support/processor-time.ts'
import { load, untilCaughtUp } from './clients.ts'
import { changesOf } from './commands.ts'
import { atLeast, below, byTurns, type Figure, median, ratio, type Settings, type Subject, whole } from './figures.ts'
import { startPortal } from './programs.ts'

/** A hundred times as often as by default. */
const SEAL_SECONDS = 3

/** What sealing, with the ends of streams, costs those who decide. */
export const sealing: Subject = {
  name: 'sealing',
  about: `changes over HTTP while the log is sealed every ${SEAL_SECONDS} s, a hundred times as often as by default`,
  measure,
}

/** Changes over HTTP with many seals, against those without. */
async function measure({ say }: Settings): Promise<Figure[]> {
  const start = (seconds: number) => startPortal(100, { SEAL_SECONDS: String(seconds) })
  const sides = { sealed: await start(SEAL_SECONDS), unsealed: await start(86_400) }
  const rates: Record<keyof typeof sides, number[]> = { sealed: [], unsealed: [] }
  const cost = await byTurns(9, ['sealed', 'unsealed'], async (side) => {
    const { url, pid, admin } = sides[side]
    const before = processorTime(pid)
    const { answered, perSecond } = await load(url, changesOf(sides[side]))
    rates[side].push(perSecond)
    await untilCaughtUp(url, admin)
    const each = ((processorTime(pid) - before) * 1_000) / answered
    say(`${side}: ${whole(perSecond)} changes a second, ${whole(each)} µs of processor time each`)
    return each
  })
  for (const { stop } of Object.values(sides)) await stop()
  const share = ratio(cost('sealed'), cost('unsealed'))
  return [
    atLeast(
      'changes a second, to those without seals',
      0.9,
      ratio(rates.sealed, rates.unsealed),
      `${whole(median(rates.sealed))} and ${whole(median(rates.unsealed))} a second`,
    ),
    below('  the processor time of one, to that of one without seals', 1.1, share.median, '', share.text),
  ]
}
