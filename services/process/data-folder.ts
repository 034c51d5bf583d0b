import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createDiskFileStore } from '#infra/file-store/disk-file-store.ts'
import type { FileStore } from '#infra/file-store/file-store.ts'
import { BadConfiguration, type Config } from './config.ts'

/** The paths of the embedded stores in the data folder. */
export const embeddedPaths = {
  events: (dataDir: string) => join(dataDir, 'events.sqlite'),
  keys: (dataDir: string) => join(dataDir, 'keys.sqlite'),
  views: (dataDir: string) => join(dataDir, 'views.sqlite'),
  tree: (dataDir: string) => join(dataDir, 'tree.sqlite'),
  sessions: (dataDir: string) => join(dataDir, 'sessions.sqlite'),
  mail: (dataDir: string) => join(dataDir, 'mail.sqlite'),
  seals: (dataDir: string) => join(dataDir, 'seals'),
  files: (dataDir: string) => join(dataDir, 'files'),
  outbox: (dataDir: string) => join(dataDir, 'outbox'),
}

/**
 * For what only reads or changes an installation: a mistyped folder is none, and nothing is made there.
 *
 * @throws {BadConfiguration} when the data folder lacks what an installation has from its first start on.
 */
export function assertIsInstallation({
  dataDir,
  eventstoreUrl,
  mongodbUrl,
}: Pick<Config, 'dataDir' | 'eventstoreUrl' | 'mongodbUrl'>): void {
  const isMissing =
    (eventstoreUrl === undefined && !existsSync(embeddedPaths.events(dataDir))) ||
    (mongodbUrl === undefined && !existsSync(embeddedPaths.keys(dataDir)))
  if (isMissing)
    throw new BadConfiguration(
      `DATA_DIR: ${dataDir} is no installation. Name the folder of one, or make one there: npx proofdesk start`,
    )
}

/** The client loads slowly, so only where it is used. */
const loadS3 = async () => (await import('#infra/file-store/s3-file-store.ts')).createS3FileStore

/** The files of certificates, imports and backups' records. */
export async function createFileStore({ s3Url, dataDir }: Pick<Config, 's3Url' | 'dataDir'>): Promise<FileStore> {
  return s3Url ? (await loadS3())(s3Url) : createDiskFileStore(embeddedPaths.files(dataDir))
}

/** Whether who sets back the data folder sets back the seals too. */
export function areSealsInDataFolder({
  sealsUrl,
  sealsDir,
  dataDir,
}: Pick<Config, 'sealsUrl' | 'sealsDir' | 'dataDir'>): boolean {
  if (sealsUrl) return false
  return !relative(dataDir, sealsDir ?? embeddedPaths.seals(dataDir)).startsWith('..')
}

/** Seals are never removed, so their bucket may keep old versions. */
export async function createSealFileStore({
  sealsUrl,
  sealsDir,
  dataDir,
}: Pick<Config, 'sealsUrl' | 'sealsDir' | 'dataDir'>): Promise<FileStore> {
  return sealsUrl
    ? (await loadS3())(sealsUrl, { erases: false })
    : createDiskFileStore(sealsDir ?? embeddedPaths.seals(dataDir))
}

/** The folder into which mails are written; null with a mail server. */
export function mailFolderOf({ smtpUrl, dataDir }: Pick<Config, 'smtpUrl' | 'dataDir'>): string | null {
  return smtpUrl === undefined ? embeddedPaths.outbox(dataDir) : null
}
