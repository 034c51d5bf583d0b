import type { ViewStore } from '../../../infra/read-model-store/read-model-store.ts'
import type { Projection } from './projection.ts'

/**
 * Which collections hold a view: the one that is served and, while the view is built anew, the one that will be. They
 * are generations of a view, and no two ever have the same name; what is known of them stands in settings.
 */
export interface RebuildState {
  /** The collection that queries read. */
  readonly live: string
  /** The collection being built to take its place. */
  readonly shadow: string | undefined
  /** Collections that are not served any more and not yet dropped. */
  readonly retired: readonly string[]
  /** Somebody asked for the view to be built anew. */
  readonly requested: boolean
}

type ProjectionName = Pick<Projection, 'name' | 'version'>

/** The collection that is served as long as nothing else was said. */
export function initialCollection(view: ProjectionName): string {
  return collectionOf(view, 1)
}

/** The collection that queries read now. */
export async function liveCollection(viewStore: Pick<ViewStore, 'setting'>, view: ProjectionName): Promise<string> {
  return (await viewStore.setting(`view:${view.name}`)) ?? initialCollection(view)
}

/** In one look: the worker takes it twice a second for each view, whatever there is to do. */
export async function readRebuildState(viewStore: Pick<ViewStore, 'settings'>, view: ProjectionName): Promise<RebuildState> {
  return rebuildStateFrom(await viewStore.settings(), view)
}

/** What all settings say of one view. */
export function rebuildStateFrom(settings: ReadonlyMap<string, string>, view: ProjectionName): RebuildState {
  const building = settings.get(`building:${view.name}`)
  const serving = settings.get(`view:${view.name}`) ?? initialCollection(view)
  const retired = settings.get(`retired:${view.name}`)?.split(' ') ?? []
  // After a kill between two steps, what is served may still be called building, and what is used, retired.
  return {
    live: serving,
    shadow: building === serving ? undefined : building,
    retired: retired.filter((collection) => collection !== serving && collection !== building && collection !== ''),
    requested: settings.get(`rebuild:${view.name}`) !== undefined,
  }
}

/** Says what is served, so that a raised version finds what was served before it. */
export async function recordLiveCollection(viewStore: ViewStore, view: ProjectionName): Promise<void> {
  if ((await viewStore.setting(`view:${view.name}`)) === undefined) await viewStore.saveSetting(`view:${view.name}`, initialCollection(view))
}

/** Asks for a view to be built anew from the log, beside what is served. A running worker notices within a second. */
export async function requestRebuild(viewStore: Pick<ViewStore, 'saveSetting'>, view: ProjectionName): Promise<void> {
  await viewStore.saveSetting(`rebuild:${view.name}`, 'requested')
}

/** Begins a new generation, and retires one that was begun and will not be finished. */
export async function startRebuild(viewStore: ViewStore, view: ProjectionName, { shadow, retired }: RebuildState): Promise<void> {
  if (shadow) await saveRetired(viewStore, view, [...retired, shadow])
  const number = Number((await viewStore.setting(`generation:${view.name}`)) ?? 1) + 1
  // Counted before it is used: a name is never given twice, so nothing old can be taken for something begun.
  await viewStore.saveSetting(`generation:${view.name}`, String(number))
  await viewStore.saveSetting(`building:${view.name}`, collectionOf(view, number))
  await viewStore.saveSetting(`rebuild:${view.name}`, null)
}

/** Queries read the new generation from now on. In this order, so that after a kill at any point nothing is forgotten. */
export async function promoteShadow(viewStore: ViewStore, view: ProjectionName, { live, shadow, retired }: RebuildState): Promise<void> {
  if (!shadow) return
  await saveRetired(viewStore, view, [...retired, live])
  await viewStore.saveSetting(`view:${view.name}`, shadow)
  await viewStore.saveSetting(`building:${view.name}`, null)
}

/** How fast a collection came on when the worker looked last. */
export interface RebuildRate {
  /** Ms since 1970. */
  readonly at: number
  /** Places of the log a second. */
  readonly perSecond: number
}

/** Notes how fast a collection that is being filled comes on; null once it has caught up. */
export async function saveRebuildRate(viewStore: Pick<ViewStore, 'saveSetting'>, collection: string, pace: RebuildRate | null): Promise<void> {
  await viewStore.saveSetting(`pace:${collection}`, pace && `${pace.at} ${pace.perSecond}`)
}

/** What all settings say of that; undefined while it does not come on. */
export function rebuildRateFrom(settings: ReadonlyMap<string, string>, collection: string): RebuildRate | undefined {
  const [at, perSecond] = settings.get(`pace:${collection}`)?.split(' ').map(Number) ?? []
  return at === undefined || perSecond === undefined ? undefined : { at, perSecond }
}

/** Removes a collection that is not served any more, and all that is known of it. */
export async function dropCollection(viewStore: ViewStore, view: ProjectionName, collection: string): Promise<void> {
  await viewStore.drop(collection)
  await saveRebuildRate(viewStore, collection, null)
  await viewStore.forgetReader(collection)
  await viewStore.forgetPoison(collection)
  const { retired } = await readRebuildState(viewStore, view)
  await saveRetired(
    viewStore,
    view,
    retired.filter((other) => other !== collection),
  )
}

/** The version of the view that a collection was made for. */
export function collectionVersion(collection: string): number {
  return Number(/_v(\d+)(_\d+)?$/.exec(collection)?.[1])
}

async function saveRetired(viewStore: ViewStore, view: ProjectionName, collections: readonly string[]): Promise<void> {
  await viewStore.saveSetting(`retired:${view.name}`, collections.length > 0 ? [...new Set(collections)].join(' ') : null)
}

/** The collection of a view's first, second, … generation. */
export function collectionOf({ name, version }: ProjectionName, generation: number): string {
  return `${name.replaceAll('-', '_')}_v${version}${generation > 1 ? `_${generation}` : ''}`
}
