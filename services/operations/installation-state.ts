import { statfs } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { withTimeout } from '#infra/async.ts'
import { Unavailable } from '#infra/failures.ts'
import type { FileStore } from '#infra/file-store/file-store.ts'
import { type OperationRecord, operationRecord, type System } from '#services/modules/installation/installation-api.ts'
import type { Config } from '#services/config.ts'
import { version } from '#services/version.ts'

/**
 * When the last backup and the last successful verification of the log ended. They are small files in the file store,
 * which every process reaches, wherever the command ran. They are no events: to verify a log must not change it.
 * docs/decisions/029-operation-records.md
 */
const keys = { backup: 'operations/last-backup.json', verification: 'operations/last-verification.json' } as const

/** The longest wait for the file store, in ms. */
const TIMEOUT_MS = 2_000

/**
 * Records that a backup or a verification has succeeded, for `status` and the System page. It succeeded even if that
 * fails.
 */
export async function recordOperation(
  fileStore: FileStore,
  kind: keyof typeof keys,
  record: Omit<OperationRecord, 'at'>,
  warn: (text: string) => void,
): Promise<void> {
  const content = JSON.stringify({ at: new Date().toISOString(), ...record } satisfies OperationRecord)
  try {
    await fileStore.put(keys[kind], Buffer.from(`${content}\n`), 'application/json')
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    warn(`${error.message}, so \`status\` does not show this ${kind}`)
  }
}

/** The program, the disk of the data folder, and the last operations. What can't be read is null. */
export async function readInstallationState(parts: {
  config: Pick<Config, 'dataDir'>
  fileStore: FileStore
}): Promise<System['installation']> {
  const { config, fileStore } = parts
  const [disk, lastBackup, lastVerification] = await Promise.all([
    diskOf(config.dataDir),
    readRecord(fileStore, keys.backup),
    readRecord(fileStore, keys.verification),
  ])
  return { version, startedAt: new Date(performance.timeOrigin).toISOString(), disk, lastBackup, lastVerification }
}

async function readRecord(fileStore: FileStore, key: string): Promise<OperationRecord | null> {
  const read = async () => {
    const file = await fileStore.get(key)
    return file ? operationRecord.parse(JSON.parse(await text(file.content))) : null
  }
  return withTimeout(read(), TIMEOUT_MS, () => new Error('The file store does not answer')).catch(() => null)
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
  const host = ['::', '0.0.0.0'].includes(metrics.host) ? '127.0.0.1' : metrics.host
  try {
    const response = await fetch(`http://${host}:${metrics.port}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return portal.parse(await response.json())
  } catch {
    return undefined
  }
}

const portal = z.object({ status: z.string(), version: z.string(), startedAt: z.iso.datetime() })
type Portal = z.infer<typeof portal>
