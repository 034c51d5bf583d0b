import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'

/** The stores whose rows carry a MAC, because they give rights or decide. */
export type AuthenticatedStore = 'key store' | 'session store' | 'read models'

export type ReportForgedRow = (store: AuthenticatedStore, id: string) => void

/** Rows whose report is remembered. */
const MAX_REMEMBERED = 10_000

/**
 * Raises the alarm about a row that the portal did not write, once for each row: a log line, and a count for the
 * metric. Such a row counts as absent.
 */
export function createForgedRowReports(log: Logger, count: (store: AuthenticatedStore) => void): ReportForgedRow {
  const reported = new LRUCache<string, true>({ max: MAX_REMEMBERED })
  return (store, id) => {
    const row = `${store} ${id}`
    if (reported.has(row)) return
    reported.set(row, true)
    count(store)
    log.error({ store, row: id }, 'A row is not one that the portal wrote, and counts as absent')
  }
}
