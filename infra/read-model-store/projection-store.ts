/** Blue/green state of one projection: one row, changed atomically. */
export interface ProjectionState {
  readonly projection: string
  /** The collection that queries read. */
  readonly serving: string
  /** The collection being built to replace it. */
  readonly building: string | null
  /** Collections no longer served and not yet dropped. */
  readonly retired: readonly string[]
  /** The last generation number used for a collection name: names are never used twice. */
  readonly generation: number
  readonly rebuildRequested: boolean
  /** How fast the collection being filled moves (building, else serving), as the worker measured it last. */
  readonly pace: { readonly collection: string; readonly at: number; readonly perSecond: number } | null
}
export interface ProjectionStore {
  load(projection: string): Promise<ProjectionState | undefined>
  loadAll(): Promise<ReadonlyMap<string, ProjectionState>>
  /** Creates the row unless it is there; returns the row as it is now. */
  create(state: ProjectionState): Promise<ProjectionState>
  /**
   * Changes some fields atomically. Returns false, and changes nothing, where the row is missing or does not have the
   * `expected` fields (e.g. `{ generation: 3 }`, `{ serving: 'users_v4' }`): another worker was faster.
   */
  update(
    projection: string,
    change: Partial<Omit<ProjectionState, 'projection'>>,
    expected?: Partial<Pick<ProjectionState, 'serving' | 'building' | 'generation'>>,
  ): Promise<boolean>
}
