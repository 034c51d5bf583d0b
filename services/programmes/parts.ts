import type { FileStore } from '#infra/file-store/file-store.ts'
import type { Parts } from '#services/framework/parts.ts'
import type { ReportForgedRow } from '#services/process/forged-rows.ts'
import type { Config } from '#services/process/config.ts'

/** The subjects of programmes need these parts of the process. */
export interface ProgrammesParts extends Parts {
  readonly queries: Parts['queries'] & {
    readonly config: Pick<Config, 'purchaseUrl'>
    readonly fileStore: FileStore
    readonly reportForgedRow: ReportForgedRow
  }
}
