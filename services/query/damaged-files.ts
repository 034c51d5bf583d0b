import type { Logger } from 'pino'
import type { DamagedFile } from '../api/index.ts'
import type { FileDamage } from '../proof/certificate-files.ts'

/** The certificates whose file this process found altered or missing, for the system page. */
export interface DamagedFiles {
  /** Raises the alarm: a log line, a metric, and a line on the system page until the file is right again. */
  report(certificate: { readonly id: string; readonly file: string }, damage: FileDamage, requestId: string): void
  /** The file of a certificate was found unchanged. */
  isUnchanged(certificateId: string): void
  list(): DamagedFile[]
}

/** The most that are remembered. */
const MAX_LISTED = 100

/** Creates an empty list. `audit verify` checks all files; this one holds what people met. */
export function createDamagedFiles({ log, now, onDamage }: { readonly log: Logger; readonly now: () => number; readonly onDamage: () => void }): DamagedFiles {
  const damaged = new Map<string, DamagedFile>()
  return {
    report({ id, file }, damage, requestId) {
      onDamage()
      log.error({ certificate: id, file, damage, requestId }, 'The file of a certificate is not what was issued, and was not served')
      if (damaged.size < MAX_LISTED) damaged.set(id, { certificateId: id, file, damage, at: new Date(now()).toISOString() })
    },
    isUnchanged: (certificateId) => void damaged.delete(certificateId),
    list: () => [...damaged.values()],
  }
}
