import type { ReadModelStore } from './read-model-store.ts'

/** A store to test. Others may use the same server, so only names created here count. */
export interface OpenedReadModelStore {
  readonly store: ReadModelStore
  /** Opens another store on the same data, like another process. */
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
