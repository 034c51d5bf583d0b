import { statfs } from 'node:fs/promises'
import type { z } from 'zod'
import { Readiness } from '#services/framework/api/health-schemas.ts'
import { withTimeout } from '#infra/async.ts'
import { Unavailable } from '#infra/failures.ts'
import {
  type OperationRecord,
  operationRecord,
  type System,
} from '#services/operations/installation/installation-api.ts'
import type { Config } from '#services/process/config.ts'
import type { AuthenticRecords } from '#services/proof/authentic-records.ts'
import { reachableHost } from '#services/process/reachable-host.ts'
import { version } from '#services/process/version.ts'

/** The longest wait for the file store, in ms. */
const TIMEOUT_MS = 2_000

/**
 * Records that a backup or a verification has succeeded, for `status` and the System page. It succeeded even if that
 * fails.
 */
export async function recordOperation(
  records: AuthenticRecords,
  kind: 'backup' | 'verification',
  record: Omit<OperationRecord, 'at'>,
  warn: (text: string) => void,
): Promise<void> {
  try {
    await records.write(kind, { at: new Date().toISOString(), ...record } satisfies OperationRecord)
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    warn(`${error.message}, so \`status\` does not show this ${kind}`)
  }
}

/** The program, the disk of the data folder, and the last operations. What can't be read is null. */
export async function readInstallationState(parts: {
  config: Pick<Config, 'dataDir'>
  records: AuthenticRecords
}): Promise<System['installation']> {
  const { config, records } = parts
  const [disk, lastBackup, lastVerification] = await Promise.all([
    diskOf(config.dataDir),
    readRecord(records, 'backup'),
    readRecord(records, 'verification'),
  ])
  return { version, startedAt: new Date(performance.timeOrigin).toISOString(), disk, lastBackup, lastVerification }
}

async function readRecord(records: AuthenticRecords, kind: 'backup' | 'verification'): Promise<OperationRecord | null> {
  const read = records.read(kind, operationRecord)
  const found = await withTimeout(read, TIMEOUT_MS, () => new Error('The file store does not answer')).catch(() => null)
  return found === 'altered' ? null : (found ?? null)
}

async function diskOf(folder: string): Promise<System['installation']['disk']> {
  return statfs(folder).then(
    ({ bavail, blocks, bsize }) => ({ free: bavail * bsize, total: blocks * bsize }),
    () => null,
  )
}

/**
 * The state of the portal on this machine, from its metrics port; undefined if it does not answer or is not configured.
 */
export async function askPortal({ metrics }: Pick<Config, 'metrics'>): Promise<Portal | undefined> {
  if (!metrics || metrics.port === 0) return undefined
  const host = reachableHost(metrics.host, '127.0.0.1')
  try {
    const response = await fetch(`http://${host}:${metrics.port}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return portal.parse(await response.json())
  } catch {
    return undefined
  }
}

const portal = Readiness.pick({ status: true, version: true, startedAt: true }).required()
type Portal = z.infer<typeof portal>
