import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { start } from '../../../infra/event-store/event-store.ts'
import { until } from '../../../test-support/until.ts'
import { openFirm, silent } from '../../../test-support/projections/projection-harness.ts'
import { type LogReader, openLanes } from './shared-subscription.ts'
import { eventRegistry } from '../../domain/streams.ts'

it('brings readers together that have come equally far, also when nothing more happens in the log', async () => {
  const firm = openFirm()
  const stopped = new AbortController()
  let quickIsDone = () => {}
  const afterQuick = new Promise<void>((resolve) => (quickIsDone = resolve))
  const reader = (name: string, take: () => Promise<void>): LogReader => ({
    name,
    start: async () => ({ checkpoint: undefined, position: start }),
    take,
  })
  const slow = reader('slow', async () => {
    await afterQuick
    // The quick one's lane has come to rest by then.
    await turn()
  })
  const quick = reader('quick', async () => quickIsDone())
  try {
    await firm.append('installation-this', { type: 'InstallationFounded', data: {} })
    const lanes = openLanes({ registry: eventRegistry, eventStore: firm.eventStore, personKeys: firm.keys, batchSize: 1_000, retryAfter: 1, log: silent })
    // Both begin at once, so neither finds a lane of the other's, and the first to begin is the last to come to the end.
    const attended = [slow, quick].map((each) => lanes.attend(each, stopped.signal))
    const together = async () => {
      let both = false
      await lanes.between(quick, async (lane) => void (both = lane.has(slow)))
      return both
    }
    expect(await until(together, 'both to be in one lane', 3_000)).toBe(true)
    stopped.abort()
    await Promise.all(attended)
  } finally {
    stopped.abort()
    await firm.close()
  }
})
