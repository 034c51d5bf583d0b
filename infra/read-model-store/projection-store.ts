/** Which collections hold each projection's read model: one row a projection, changed atomically. */
export interface ProjectionStore {
  load(projection: string): Promise<ProjectionState | undefined>
  loadAll(): Promise<ReadonlyMap<string, ProjectionState>>
  /** Creates the row unless it exists. Returns the row as it is now. */
  create(state: ProjectionState): Promise<ProjectionState>
  /**
   * Changes some fields. Returns false, and changes nothing, where the row is missing or its fields are not as
   * `expected`: another process was faster.
   */
  update(
    projection: string,
    change: Partial<Omit<ProjectionState, 'projection'>>,
    expected?: ExpectedState,
  ): Promise<boolean>
}

export interface ProjectionState {
  readonly projection: string
  /** The collection that queries read. */
  readonly serving: string
  /** The collection that is built to replace it. */
  readonly building: string | null
  /** Collections no longer served and not yet dropped. */
  readonly retired: readonly string[]
  /** The last number used for a collection's name: no name is used twice. */
  readonly generation: number
  readonly rebuildRequested: boolean
  /** How fast the collection being filled moves, as the worker measured it last. */
  readonly pace: Pace | null
}

export interface Pace {
  readonly collection: string
  /** Ms since 1970. */
  readonly at: number
  /** Positions of the log a second. */
  readonly perSecond: number
}

export type ExpectedState = Partial<Pick<ProjectionState, 'serving' | 'building' | 'generation'>>
