import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { messageOf } from '#infra/failures.ts'
import { makeFolder, syncFolder, writeDurably } from '#infra/file-store/durable-file.ts'
import type { KeyStore } from '#infra/key-store/key-store.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { deriveSecrets, type Secrets } from '#services/process/keys/derived-secrets.ts'
import { masterKeyPathIn } from '#services/process/keys/master-key-source.ts'
import { ROOT_KEY_ID, unwrapRootSecret } from '#services/process/keys/root-secret.ts'
import { embeddedPaths } from '#services/process/data-folder.ts'
import {
  authenticManifest,
  type BackupFile,
  interruptedManifest,
  isAuthentic,
  MANIFEST,
  type Manifest,
  parseManifest,
} from './backup-manifest.ts'
import { type CopyResult, copyInstallation, type MigrationSource } from './migration/copy-installation.ts'
import { openFolderDestination, openFolderKeys } from './migration/migration-stores.ts'

export interface BackupOptions {
  readonly folder: string
  /** The data folder of the installation; the backup must be outside of it. */
  readonly dataDir: string
  /** The file of the master key, if the backup is to include it. */
  readonly masterKeyFile: string | undefined
  readonly now: number
  readonly onProgress?: (events: number) => void
}

/**
 * Copies a running installation into a folder: the log up to now, the keys, files and seals it refers to, and a
 * manifest. Repeated into the same folder, it adds what is new.
 *
 * @throws {Refused} when the folder holds something else, or its earlier backup was altered.
 */
export async function backUp(
  origin: MigrationSource & { readonly secrets: Pick<Secrets, 'backupKey'> },
  { folder, dataDir, masterKeyFile, now, onProgress }: BackupOptions,
): Promise<CopyResult> {
  if (isWithin(folder, dataDir) || isWithin(dataDir, folder))
    throw new Refused('invalid', `${folder}: a backup must be outside of the data folder`)
  await makeFolder(folder)
  await checkEarlierBackup(folder, origin.secrets)
  const madeAt = new Date(now).toISOString()
  // Marks an interrupted backup as unfinished.
  await writeManifest(folder, interruptedManifest(madeAt))
  const copy = openFolderDestination(folder)
  const result = await copyInstallation(origin, copy, onProgress)
    .then(async (copied) => {
      await putMasterKey(folder, masterKeyFile, copy.keys)
      return copied
    })
    .finally(() => copy.close())
  const files: BackupFile[] = []
  for (const path of await pathsIn(folder)) files.push({ path, ...(await digestOf(join(folder, path))) })
  const { first, position, events, keys, seals } = result
  const log = { first, position, facts: events }
  await writeManifest(
    folder,
    authenticManifest({ madeAt, log, counts: { keys, files: result.files, seals }, files }, origin.secrets),
  )
  return result
}

/** A backup consists of these besides its manifest: files, and the folders of certificates and seals. */
const PARTS = /^((events|keys)\.sqlite|master\.key|(files|seals)\/.*)$/

/** A kill leaves a file under such a name while it is being written. */
const DRAFT = /(^|\/)\.[0-9a-f-]{36}\.tmp$/

/**
 * A backup is continued only if it is as it was made: what someone else put there must not become part of it.
 *
 * @throws {Refused} naming what was altered, or what is no part of a backup.
 */
async function checkEarlierBackup(folder: string, secrets: Pick<Secrets, 'backupKey'>): Promise<void> {
  if ((await readdir(folder)).length === 0) return
  if (!existsSync(join(folder, MANIFEST)))
    throw new Refused('conflict', `${folder}: it holds something that is no backup`)
  const manifest = parseManifest(await readFile(join(folder, MANIFEST), 'utf8'))
  for (const path of await pathsIn(folder)) {
    if (DRAFT.test(path)) await rm(join(folder, path))
    else if (!PARTS.test(path))
      throw new Refused('conflict', `${join(folder, path)} is no part of a backup. Make a new one in an empty folder`)
  }
  if (!manifest) return
  const alterations = await alterationsOf(folder, manifest)
  if (!isAuthentic(manifest, secrets))
    alterations.unshift(`${join(folder, MANIFEST)} was altered, or is of another installation`)
  if (alterations.length > 0)
    throw new Refused(
      'conflict',
      [...alterations, 'This backup is not continued: make a new one in an empty folder'].join('\n'),
    )
}

/** Adds the master key to a backup, and removes one that no longer fits because it was rotated since. */
async function putMasterKey(folder: string, file: string | undefined, keys: KeyStore | undefined): Promise<void> {
  const path = masterKeyPathIn(folder)
  if (file !== undefined) await writeDurably(path, await readFile(file), `${folder}${sep}.`)
  if (!keys || !existsSync(path) || (await unwrapRootSecret(keys, [(await readFile(path, 'utf8')).trim()]))) return
  await rm(path)
  if (file !== undefined) throw new Refused('conflict', 'The master key was rotated during the backup: run it again')
}

/** The paths of everything in a backup but its folders and its manifest. */
async function pathsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
  // The write-ahead logs of SQLite must be empty: they are no part of a backup.
  for (const path of paths.filter((name) => name.endsWith('-wal'))) {
    // SQLite removes it with the last connection.
    const found = await stat(join(folder, path)).catch(() => undefined)
    if (found && found.size > 0)
      throw new Refused(
        'conflict',
        `${join(folder, path)} is no part of a backup: another process is using it, or altered it`,
      )
  }
  return paths.filter((path) => path !== MANIFEST && !/^(events|keys)\.sqlite-(wal|shm)$/.test(path)).sort()
}

/** The evidence that a backup is the installation's own: 'own key' if its master key was in it. */
export type Authenticity = 'authentic' | 'own key'

/**
 * Checks a backup and copies it into a data folder. Nothing is written before everything is checked. After an
 * interruption it is repeated. The log comes last: without it nothing starts by mistake.
 *
 * @param masterKeys The keys that may open it. Without any, the one in the backup is taken.
 * @throws {Refused} naming what is altered, missing or added; or when the backup is incomplete, no key opens it, or the
 * data   folder holds other data.
 */
export async function restore(
  folder: string,
  dataDir: string,
  masterKeys: readonly string[],
): Promise<{ readonly manifest: Manifest; readonly authenticity: Authenticity }> {
  const manifest = await readManifest(folder)
  const authenticity = await checkBackup(folder, manifest, masterKeys)
  await checkEmpty(dataDir, manifest)
  await makeFolder(dataDir)
  for (const file of manifest.files.toSorted((a, b) => Number(isLog(a.path)) - Number(isLog(b.path)))) {
    const path = join(dataDir, file.path)
    if (existsSync(path)) continue
    await makeFolder(dirname(path))
    const draft = `${path}${PARTIAL_SUFFIX}`
    await copyFile(join(folder, file.path), draft)
    await checkFile(draft, file)
    const copied = await open(draft, 'r+')
    await copied.chmod(0o600)
    await copied.sync().finally(() => copied.close())
    await rename(draft, path)
    await syncFolder(dirname(path))
  }
  // A manifest names no empty folders, but an installation needs these.
  for (const path of [embeddedPaths.files(dataDir), embeddedPaths.seals(dataDir)])
    await mkdir(path, { recursive: true, mode: 0o700 })
  return { manifest, authenticity }
}

/** @throws {Refused} naming everything that is altered, missing or added. */
async function checkBackup(folder: string, manifest: Manifest, masterKeys: readonly string[]): Promise<Authenticity> {
  const hasOwnKey = manifest.files.some(({ path }) => path === masterKeyPathIn(''))
  if (masterKeys.length === 0 && !hasOwnKey)
    throw new Refused(
      'invalid',
      'MASTER_KEY: a backup is checked with its master key. Set this variable, or copy master.key into DATA_DIR',
    )
  const alterations = await alterationsOf(folder, manifest)
  const keysPath = embeddedPaths.keys(folder)
  if (!alterations.some((alteration) => alteration.startsWith(keysPath))) {
    const keys =
      masterKeys.length > 0 ? masterKeys : [(await readFile(masterKeyPathIn(folder), 'utf8').catch(() => '')).trim()]
    const secret = await readRootSecret(folder, keys)
    if (!isAuthentic(manifest, deriveSecrets(secret))) alterations.unshift(`${join(folder, MANIFEST)} was altered`)
  }
  if (alterations.length > 0) throw new Refused('conflict', alterations.join('\n'))
  return masterKeys.length > 0 ? 'authentic' : 'own key'
}

/** Returns the differences of a backup from its manifest, a sentence each that begins with the path. */
async function alterationsOf(folder: string, { files }: Pick<Manifest, 'files'>): Promise<string[]> {
  const alterations: string[] = []
  for (const file of files)
    alterations.push(
      ...[await alterationOf(join(folder, file.path), file)].filter((alteration) => alteration !== undefined),
    )
  const expected = new Set(files.map(({ path }) => path))
  for (const path of await pathsIn(folder))
    if (!expected.has(path)) alterations.push(`${join(folder, path)} is not in the manifest: it was added`)
  return alterations
}

/** @throws {Refused} when none of the keys opens the backup. */
async function readRootSecret(folder: string, masterKeys: readonly string[]): Promise<Uint8Array> {
  const root = await withCopiedKeys(folder, async (keys) =>
    (await keys.get([ROOT_KEY_ID])).size > 0 ? unwrapRootSecret(keys, masterKeys) : undefined,
  )
  if (!root)
    throw new Refused(
      'conflict',
      `MASTER_KEY: this is not the key of this backup, or ${embeddedPaths.keys(folder)} was altered`,
    )
  return root.secret
}

/**
 * The keys of a backup, from a copy: opening a file of SQLite may change it.
 *
 * @throws {Refused} when they can't be read.
 */
async function withCopiedKeys<Result>(folder: string, work: (keys: KeyStore) => Promise<Result>): Promise<Result> {
  const copy = await mkdtemp(join(tmpdir(), 'proofdesk-keys-'))
  try {
    await copyFile(embeddedPaths.keys(folder), embeddedPaths.keys(copy))
    try {
      const keys = openFolderKeys(copy)
      return await work(keys).finally(() => keys.close())
    } catch (error) {
      throw new Refused('conflict', `${embeddedPaths.keys(folder)} can't be read: it was altered (${messageOf(error)})`)
    }
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

const PARTIAL_SUFFIX = '.restoring'

const isLog = (path: string) => path === relative('', embeddedPaths.events(''))

/** Allows only files of the same backup, from an interrupted restore, and a master key. */
async function checkEmpty(dataDir: string, { files }: Pick<Manifest, 'files'>): Promise<void> {
  if (!existsSync(dataDir)) return
  const expected = new Map(files.map((file) => [file.path, file]))
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const fullPath = join(entry.parentPath, entry.name)
    const path = relative(dataDir, fullPath).split(sep).join('/')
    if (path.endsWith(PARTIAL_SUFFIX)) await rm(fullPath)
    else if (!(path === 'master.key' && !expected.has(path))) {
      const file = expected.get(path)
      if (!file || (await alterationOf(fullPath, file)) !== undefined)
        throw new Refused(
          'conflict',
          `${dataDir}: there is data already (${path}). A backup is restored into an empty folder`,
        )
    }
  }
}

async function checkFile(path: string, file: Omit<BackupFile, 'path'>): Promise<void> {
  const alteration = await alterationOf(path, file)
  if (alteration !== undefined) throw new Refused('conflict', alteration)
}

async function alterationOf(path: string, { size, sha256 }: Omit<BackupFile, 'path'>): Promise<string | undefined> {
  const stats = await stat(path).catch(() => undefined)
  if (!stats?.isFile()) return `${path} is missing, but the manifest names it`
  const found = await digestOf(path)
  return found.size === size && found.sha256 === sha256
    ? undefined
    : `${path} is not what the manifest says: it was changed`
}

/** @throws {Refused} when there is no manifest, it can't be read, or its backup was interrupted. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined)
  if (text === undefined) throw new Refused('not-found', `${folder}: there is no backup, because it has no ${MANIFEST}`)
  const manifest = parseManifest(text)
  if (!manifest) throw new Refused('conflict', `${folder}: this backup was interrupted; run it again`)
  for (const { path } of manifest.files)
    if (!isWithin(join(folder, path), folder))
      throw new Refused('invalid', `${folder}: its manifest names ${path}, outside of it`)
  return manifest
}

async function writeManifest(folder: string, text: string): Promise<void> {
  await writeDurably(join(folder, MANIFEST), Buffer.from(text), `${folder}${sep}.`)
}

async function digestOf(path: string): Promise<{ size: number; sha256: string }> {
  const digest = createHash('sha256')
  await pipeline(createReadStream(path), digest)
  return { size: (await stat(path)).size, sha256: digest.digest('hex') }
}

function isWithin(path: string, folder: string): boolean {
  const relativePath = relative(resolve(folder), resolve(path))
  return relativePath === '' || !(relativePath.startsWith('..') || resolve(relativePath) === relativePath)
}
