import { loadProjectionState, requestRebuild } from '#services/event-sourcing/read-models/blue-green-rebuild.ts'
import { type ProjectorOptions, runProjector } from '#services/event-sourcing/read-models/projector.ts'
import { pause } from '#infra/async.ts'

/**
 * Rebuilds read models from the log, beside what is served, and returns when queries read the new ones. A running
 * worker does it; without one, this process does.
 *
 * @param options The projections to rebuild. When `signal` aborts, the worker continues at its next start.
 */
export async function rebuildNow(options: Omit<ProjectorOptions, 'consumers'>): Promise<void> {
  const { projections, store } = options
  for (const projection of projections) await requestRebuild(store.projections, projection)
  await projectUntil(options, async () => {
    const states = await Promise.all(
      projections.map((projection) => loadProjectionState(store.projections, projection)),
    )
    return states.every(
      ({ rebuildRequested, building, retired }) => !rebuildRequested && building === null && retired.length === 0,
    )
  })
}

/** Lets a running worker, or else this process, project until a condition holds or `signal` aborts. */
export async function projectUntil(
  options: Omit<ProjectorOptions, 'signal'> & { readonly signal?: AbortSignal },
  isDone: () => Promise<boolean>,
): Promise<void> {
  const { pollInterval = 200, retireAfter = 1_000, signal = new AbortController().signal } = options
  const done = new AbortController()
  const projector = runProjector({
    ...options,
    pollInterval,
    retireAfter,
    signal: AbortSignal.any([signal, done.signal]),
  })
  try {
    while (!signal.aborted && !(await isDone())) await pause(pollInterval, signal)
  } finally {
    done.abort()
    await projector
  }
}
