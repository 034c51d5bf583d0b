import type { ProjectionState, ProjectionStore } from '#infra/read-model-store/read-model-store.ts'
import type { Projection } from './projection.ts'
import { initialState, rebuildRequest } from './blue-green-rebuild.ts'

type Version = Pick<Projection, 'name' | 'version'>

/** Which collections hold a projection's read model now. */
export async function loadProjectionState(
  states: Pick<ProjectionStore, 'load'>,
  projection: Version,
): Promise<ProjectionState> {
  return (await states.load(projection.name)) ?? initialState(projection)
}

/** Asks for a rebuild from the log, beside the collection that is served. A running worker notices within a second. */
export async function requestRebuild(
  states: Pick<ProjectionStore, 'create' | 'update'>,
  projection: Version,
): Promise<void> {
  await states.create(initialState(projection))
  await states.update(projection.name, rebuildRequest)
}
