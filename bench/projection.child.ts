import { pino } from 'pino'
import type { z } from 'zod'
import { readConfig } from '../services/config.ts'
import { embeddedPaths, openDependencies } from '../services/composition-root.ts'
import { readRebuildState } from '../services/event-sourcing/projections/rebuild-state.ts'
import { allProjections } from '../services/projections/index.ts'
import { requestRebuild } from '../services/operations/rebuild-read-models.ts'
import { inputOf, say } from './children.ts'
import { openLogWriter } from './log.ts'
import { LIVE_BATCH, type projectionOutcome, projectionRun } from './projection-run.ts'
import { project, reached, switched, type Took } from './projecting.ts'
import { openRecorder } from './recorder.ts'

/** Projects a log into all views, as the worker does it, and tells how long that took. */

const { dataDir, what, events, liveEvents, recordTo } = inputOf(projectionRun)
const log = pino({ level: 'warn' }, pino.destination(2))
const parts = await openDependencies(readConfig({ DATA_DIR: dataDir }), log)
const recorder = recordTo === undefined ? undefined : openRecorder(parts.viewStore, embeddedPaths.views(dataDir), recordTo)
const { eventStore, personKeys } = parts
const viewStore = recorder?.viewStore ?? parts.viewStore
const projection = { eventStore, viewStore, personKeys, log }

const took = await measured()
const outcome: z.infer<typeof projectionOutcome> = { ...took, peakMemory: process.resourceUsage().maxRSS / 1024 }
recorder?.close()
await parts.close()
say(outcome)

async function measured(): Promise<Took> {
  if (what === 'rebuild') {
    for (const view of allProjections) await requestRebuild(viewStore, view)
    if (recorder) recorder.timed = true
    return project(projection, { until: (store) => switched(store), before: tidied, pollInterval: 20, retireAfter: 1_000 })
  }
  const writer = openLogWriter(eventStore, personKeys)
  await writer.write(events)
  await project(projection, { until: (store) => reached(store, eventStore.end()) })
  if (what === 'prepare') return { ms: 0, cpu: 0, timed: { from: 0, to: 0 } }
  await writer.write(liveEvents)
  if (recorder) recorder.timed = true
  return project(projection, { until: (store) => reached(store, eventStore.end()), batchSize: LIVE_BATCH })
}

/** What was served before is gone, so that the next to measure need not clear it away. */
async function tidied(): Promise<void> {
  for (const view of allProjections) while ((await readRebuildState(parts.viewStore, view)).retired.length > 0) await viewStore.progressed(50)
}
