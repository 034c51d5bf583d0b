import type { DamagedFile } from '../certificate-api.ts'
import type { Logger } from 'pino'
import type { FileDamage } from './certificate-files.ts'

/** The most that are remembered. */
const MAX_LISTED = 100

export type DamagedFiles = ReturnType<typeof createDamagedFiles>

/**
 * The certificates whose file this process found altered or missing, for the system page: those that people met. `audit
 * verify` checks all files.
 */
export function createDamagedFiles({
  log,
  now,
  onDamage,
}: {
  readonly log: Logger
  readonly now: () => number
  readonly onDamage: () => void
}) {
  const damaged = new Map<string, DamagedFile>()
  return {
    /** Raises the alarm: a log line, a metric, and a line on the system page until the file is right again. */
    report({ id, file }: { readonly id: string; readonly file: string }, damage: FileDamage, requestId: string): void {
      onDamage()
      log.error(
        { certificate: id, file, damage, requestId },
        'The file of a certificate is not what was issued, and was not served',
      )
      if (damaged.size < MAX_LISTED)
        damaged.set(id, { certificateId: id, file, damage, at: new Date(now()).toISOString() })
    },
    /** The file of a certificate was found unchanged. */
    isUnchanged(certificateId: string): void {
      damaged.delete(certificateId)
    },
    list: (): DamagedFile[] => [...damaged.values()],
  }
}
