import type { Position } from '../infra/event-store/event-store.ts'
import type { ViewStore } from '../infra/read-model-store/read-model-store.ts'
import { allProjections } from '../services/projections/index.ts'
import { type ProjectorOptions, runProjector } from '../services/event-sourcing/projections/projection-supervisor.ts'
import { clock, type Stretch } from './profile.ts'
import { eventRegistry } from '../services/domain/streams.ts'

/** The worker's projector at work on all views until something is so. */

/** What it reads and writes. */
export type Projection = Pick<ProjectorOptions, 'eventStore' | 'viewStore' | 'personKeys' | 'log'>

export interface Took {
  readonly ms: number
  /** Ms of a processor. */
  readonly cpu: number
  readonly timed: Stretch
}

/** What a projection is run for, and how. */
export interface Wanted extends Partial<ProjectorOptions> {
  until(store: ViewStore): Watched
  /** What else must be so before the projector may end. */
  before?(): Promise<void>
}

/** Runs the projector until something is so, and answers how long that took. */
export async function project({ viewStore, ...reading }: Projection, { until, before: mayEnd, ...options }: Wanted): Promise<Took> {
  const done = new AbortController()
  const { store, come } = until(viewStore)
  const from = clock()
  const before = process.cpuUsage()
  const projector = runProjector({ registry: eventRegistry, ...reading, viewStore: store, views: allProjections, signal: done.signal, ...options })
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
export interface Watched {
  readonly store: ViewStore
  readonly come: Promise<void>
}

/** Every view has come to the end. */
export function reached(store: ViewStore, end: Promise<Position>): Watched {
  const there = new Set<string>()
  let arrive: () => void = () => {}
  const come = new Promise<void>((resolve) => (arrive = resolve))
  const note = async (reader: string, position: Position): Promise<void> => {
    if (position !== (await end)) return
    there.add(reader)
    if (there.size === allProjections.length) arrive()
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

/** Every view is served from its new collection. */
export function switched(store: ViewStore): Watched {
  let missing = allProjections.length
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
