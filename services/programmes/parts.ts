import type { FileStore } from '#infra/file-store/file-store.ts'
import type { Parts } from '#services/framework/parts.ts'
import type { Config } from '#services/process/config.ts'

/** What the subjects of programmes need. */
export interface ProgrammesParts extends Parts {
  readonly queries: Parts['queries'] & {
    readonly config: Pick<Config, 'purchaseUrl'>
    readonly fileStore: FileStore
  }
}
