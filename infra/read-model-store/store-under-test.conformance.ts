import type { ReadModelStore } from './read-model-store.ts'

/** A store to test. Others may use the same server, so only names made here count. */
export interface OpenedReadModelStore {
  readonly store: ReadModelStore
  /** Another store on the same data, as another process has it. */
  reopen(): Promise<ReadModelStore>
  /** Called last, when every store is closed. */
  remove?(): Promise<void>
}

/** What the suites of the single ports share. */
export interface StoreUnderTest {
  readonly store: ReadModelStore
  /** Part of every name: the data may be shared with other tests. */
  readonly mark: string
  /** Opens another store on the same data. */
  another(): Promise<ReadModelStore>
}
