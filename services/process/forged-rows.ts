import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { HttpError } from '#services/framework/http/http-errors.ts'

/** The stores whose rows carry a MAC, because they give rights or decide, and the files that the log has the hash of. */
export type AuthenticatedStore = 'key store' | 'session store' | 'read models' | 'file store'

/** @param says What is wrong with the row: that the portal did not write it, unless given. */
export type ReportForgedRow = (store: AuthenticatedStore, id: string, says?: string) => void

/** Rows whose report is remembered. */
const MAX_REMEMBERED = 10_000

/**
 * Raises the alarm about a row that the portal did not write, once for each row: a log line, and a count for the
 * metric. Such a row counts as absent.
 */
export function createForgedRowReports(log: Logger, count: (store: AuthenticatedStore) => void): ReportForgedRow {
  const reported = new LRUCache<string, true>({ max: MAX_REMEMBERED })
  return (store, id, says = 'A row is not one that the portal wrote, and counts as absent') => {
    const row = `${store} ${id}`
    if (reported.has(row)) return
    reported.set(row, true)
    count(store)
    log.error({ store, row: id }, says)
  }
}

/**
 * Raises the alarm about a file that is gone or is not the one whose hash the log has.
 *
 * @param about Names it in the alarm, like 'import 7f3a'.
 * @param says What it says: 'became of these rows'.
 * @returns The refusal to show it.
 */
export function refusedFile(about: string, says: string, report: ReportForgedRow): HttpError {
  report('file store', about)
  return new HttpError(500, {
    message: `What this portal kept of what ${says} is gone or was changed, so it is not shown. Tell who runs this portal, and follow docs/broken-proof.md.`,
  })
}
