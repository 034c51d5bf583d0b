import { readRebuildState, requestRebuild } from '../event-sourcing/projections/rebuild-state.ts'
import { eventRegistry } from '../domain/streams.ts'
import { pause } from '../event-sourcing/subscriptions/shared-subscription.ts'
import { type ProjectorOptions, runProjector } from '../event-sourcing/projections/projection-supervisor.ts'

export { requestRebuild } from '../event-sourcing/projections/rebuild-state.ts'

/**
 * Builds views anew from the log, beside what is served, and returns when queries read the new ones. A worker that is
 * running does it; where none is, or it goes away, this process does.
 *
 * @param options The views to rebuild; when `signal` aborts what was begun goes on at the worker's next start.
 */
export async function rebuildNow(options: Omit<ProjectorOptions, 'followers' | 'registry'>): Promise<void> {
  const { views, viewStore } = options
  for (const view of views) await requestRebuild(viewStore, view)
  await projectUntil(options, async () => {
    const states = await Promise.all(views.map((view) => readRebuildState(viewStore, view)))
    return states.every(({ requested, shadow, retired }) => !requested && !shadow && retired.length === 0)
  })
}

/** Sees to it that somebody projects, a worker or this process, until something is done or `signal` aborts. */
export async function projectUntil(
  options: Omit<ProjectorOptions, 'signal' | 'registry'> & { readonly signal?: AbortSignal },
  isDone: () => Promise<boolean>,
): Promise<void> {
  const { pollInterval = 200, retireAfter = 1_000, signal = new AbortController().signal } = options
  const done = new AbortController()
  const projector = runProjector({ registry: eventRegistry, ...options, pollInterval, retireAfter, signal: AbortSignal.any([signal, done.signal]) })
  try {
    while (!signal.aborted && !(await isDone())) await pause(pollInterval, signal)
  } finally {
    done.abort()
    await projector
  }
}
