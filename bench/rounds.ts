import { compareDocuments } from '#test-support/compare-documents.ts'
import { withStores } from '#test-support/stores.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { below, type Figure, type Settings, type Subject, whole } from './figures.ts'
import { untilCaughtUp } from './clients.ts'
import { payingFirm } from './histories.ts'
import { startService } from './programs.ts'

const EACH = 100_000

/** What the worker's round over the documents of the read models costs. */
export const rounds: Subject = {
  name: 'rounds',
  about: 'a comparison of all read models with a fold of the log, in this process and without rests',

  async measure(settings: Settings): Promise<readonly Figure[]> {
    const { users, say } = settings
    const { dataDir } = await payingFirm(users, settings)
    // It follows the events that a start appends.
    const worker = await startService('worker', dataDir)
    await untilCaughtUp(`http://127.0.0.1:${worker.metrics}`)
    say('comparing')
    return withStores(dataDir, async (parts) => {
      const documents = await countDocuments(parts)
      const steps: number[] = []
      let before = process.cpuUsage()
      const { differences, behind } = await compareDocuments(parts, async () => {
        const { user, system } = process.cpuUsage(before)
        steps.push((user + system) / 1_000)
        before = process.cpuUsage()
      })
      if (differences.length > 0 || behind.length > 0) throw new Error('The read models are not what the log says')
      await worker.stop()
      const seconds = steps.reduce((sum, ms) => sum + ms, 0) / 1_000
      const all = `${seconds.toFixed(1)} s for ${whole(documents)}`
      const longest = steps.toSorted((one, other) => other - one)
      return [
        below(`processor time for ${whole(EACH)} documents`, 10, (seconds * EACH) / documents, 's', all),
        below('  its longest steps but one of a thousand', 50, longest[Math.ceil(steps.length / 1_000)] ?? 0, 'ms'),
      ]
    })
  },
}

async function countDocuments({ readModelStore: { documents, projections } }: Dependencies): Promise<number> {
  const states = [...(await projections.loadAll()).values()]
  const counts = await Promise.all(states.map(({ serving }) => documents.count(serving, {}, 100_000_000)))
  return counts.reduce((sum, count) => sum + count, 0)
}
