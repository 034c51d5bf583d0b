import type { ProjectionState, ProjectionStore } from '#infra/read-model-store/read-model-store.ts'
import type { Projection } from './projection.ts'

/**
 * Blue/green rebuilds as a state machine: which collections hold a projection's read model, and how that changes. Pure:
 * the supervisor carries out what is decided here.
 *
 *     serving ──rebuildRequest──▶ requested ──beginRebuild──▶ building ──switchOver──▶ serving, the old one retired
 *        └──────────── raised version ───beginRebuild────────────▲
 */
export type StateChange = Partial<Omit<ProjectionState, 'projection'>>

type Version = Pick<Projection, 'name' | 'version'>

/** The state of a projection that was never rebuilt. */
export function initialState(projection: Version): ProjectionState {
  return {
    projection: projection.name,
    serving: collectionOf(projection, 1),
    building: null,
    retired: [],
    generation: 1,
    rebuildRequested: false,
    pace: null,
  }
}

/** A rebuild was requested. */
export const rebuildRequest: StateChange = { rebuildRequested: true }

/** Whether a rebuild has to begin: of another version at once, on request when none is under way. */
export function needsRebuild({ serving, building, rebuildRequested }: ProjectionState, { version }: Version): boolean {
  return versionOf(building ?? serving) !== version || (rebuildRequested && building === null)
}

/** Begins a new collection and retires one that was begun and will not be finished. No name is used twice. */
export function beginRebuild({ building, retired, generation }: ProjectionState, projection: Version): StateChange {
  return {
    building: collectionOf(projection, generation + 1),
    retired: building === null ? retired : [...retired, building],
    generation: generation + 1,
    rebuildRequested: false,
    pace: null,
  }
}

/**
 * The collection that is served was written by 0.2.0, without MACs: nothing in it proves that the portal wrote it, so an
 * empty one is served at once and filled.
 */
export function replaceUnauthentic(
  { serving, building, retired, generation }: ProjectionState,
  projection: Version,
): StateChange {
  return {
    ...{ serving: collectionOf(projection, generation + 1), building: null, generation: generation + 1, pace: null },
    retired: [...retired, serving, ...(building === null ? [] : [building])],
  }
}

/** Queries read the new collection from now on. */
export function switchOver({ serving, building, retired }: ProjectionState): StateChange {
  return building === null ? {} : { serving: building, building: null, retired: [...retired, serving], pace: null }
}

/** A retired collection was dropped. */
export function forgetRetired({ retired }: ProjectionState, collection: string): StateChange {
  return { retired: retired.filter((other) => other !== collection) }
}

/** The collection of a projection's first, second, … generation. */
export function collectionOf({ name, version }: Version, generation: number): string {
  return `${name.replaceAll('-', '_')}_m${version}${generation > 1 ? `_${generation}` : ''}`
}

/** The projection's version that a collection was made for. */
export function versionOf(collection: string): number {
  return Number(collectionName.exec(collection)?.[1])
}

/** Whether a consumer's name is that of a collection. Those of 0.2.0 had documents without MACs: they are none. */
export function isCollection(consumer: string): boolean {
  return collectionName.test(consumer)
}

const collectionName = /_m(\d+)(_\d+)?$/

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
