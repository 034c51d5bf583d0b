import { pino } from 'pino'
import type { z } from 'zod'
import type { Position } from '../infra/event-store/event-store.ts'
import type { ViewStore } from '../infra/view-store/view-store.ts'
import { readConfig } from '../services/config.ts'
import { embedded, openParts } from '../services/parts.ts'
import { readGenerations } from '../services/views/generations.ts'
import { allViews } from '../services/views/index.ts'
import { type ProjectorOptions, runProjector } from '../services/worker/projector.ts'
import { requestRebuild } from '../services/worker/rebuild.ts'
import { inputOf, say } from './children.ts'
import { openLogWriter } from './log.ts'
import { LIVE_BATCH, type projectionOutcome, projectionRun } from './projection-run.ts'
import { clock, type Stretch } from './profile.ts'
import { openRecorder } from './recorder.ts'

/** Projects a log into all views, as the worker does it, and tells how long that took. */

const { dataDir, what, events, liveEvents, recordTo } = inputOf(projectionRun)
const log = pino({ level: 'warn' }, pino.destination(2))
const parts = await openParts(readConfig({ DATA_DIR: dataDir }), log)
const recorder = recordTo === undefined ? undefined : openRecorder(parts.viewStore, embedded.views(dataDir), recordTo)
const { eventStore, personKeys } = parts
const viewStore = recorder?.viewStore ?? parts.viewStore

const took = await measured()
const outcome: z.infer<typeof projectionOutcome> = { ...took, peakMemory: process.resourceUsage().maxRSS / 1024 }
recorder?.close()
await parts.close()
say(outcome)

interface Took {
  readonly ms: number
  readonly cpu: number
  readonly timed: Stretch
}

async function measured(): Promise<Took> {
  if (what === 'rebuild') {
    for (const view of allViews) await requestRebuild(viewStore, view)
    if (recorder) recorder.timed = true
    return project({ until: (store) => switched(store), before: tidied, pollInterval: 20, retireAfter: 1_000 })
  }
  const writer = openLogWriter(eventStore, personKeys)
  await writer.write(events)
  await project({ until: (store) => reached(store, eventStore.end()) })
  if (what === 'prepare') return { ms: 0, cpu: 0, timed: { from: 0, to: 0 } }
  await writer.write(liveEvents)
  if (recorder) recorder.timed = true
  return project({ until: (store) => reached(store, eventStore.end()), batchSize: LIVE_BATCH })
}

interface Wanted extends Partial<ProjectorOptions> {
  until(store: ViewStore): Watched
  /** What else must be so before the projector may end. */
  before?(): Promise<void>
}

/** Runs the projector until something is so, and answers how long that took. */
async function project({ until, before: mayEnd, ...options }: Wanted): Promise<Took> {
  const done = new AbortController()
  const { store, come } = until(viewStore)
  const from = clock()
  const before = process.cpuUsage()
  const projector = runProjector({ eventStore, viewStore: store, personKeys, views: allViews, log, signal: done.signal, ...options })
  await come
  const { user, system } = process.cpuUsage(before)
  const to = clock()
  const took = { ms: (to - from) / 1000, cpu: (user + system) / 1000, timed: { from, to } }
  await mayEnd?.()
  done.abort()
  await projector
  return took
}

/** A view store, and a promise that something will have been written to it. */
interface Watched {
  readonly store: ViewStore
  readonly come: Promise<void>
}

function reached(store: ViewStore, end: Promise<Position>): Watched {
  const there = new Set<string>()
  let arrive: () => void = () => {}
  const come = new Promise<void>((resolve) => (arrive = resolve))
  const note = async (reader: string, position: Position): Promise<void> => {
    if (position !== (await end)) return
    there.add(reader)
    if (there.size === allViews.length) arrive()
  }
  return {
    come,
    store: {
      ...store,
      async write(collection, writes, progress) {
        const refused = await store.write(collection, writes, progress)
        if (progress && refused.length === 0) await note(collection, progress.position)
        return refused
      },
      async saveProgress(reader, progress) {
        await store.saveProgress(reader, progress)
        await note(reader, progress.position)
      },
    },
  }
}

/** What was served before is gone, so that the next to measure need not clear it away. */
async function tidied(): Promise<void> {
  for (const view of allViews) while ((await readGenerations(parts.viewStore, view)).retired.length > 0) await viewStore.progressed(50)
}

/** Every view is served from its new collection. */
function switched(store: ViewStore): Watched {
  let missing = allViews.length
  let arrive: () => void = () => {}
  const come = new Promise<void>((resolve) => (arrive = resolve))
  return {
    come,
    store: {
      ...store,
      async saveSetting(name, value) {
        await store.saveSetting(name, value)
        if (name.startsWith('view:') && --missing === 0) arrive()
      },
    },
  }
}
