import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { makeFolder, syncFolder, writeDurably } from '../../infra/file-store/durable-file.ts'
import type { KeyStore } from '../../infra/key-store/key-store.ts'
import { Refused } from '../event-sourcing/refusal.ts'
import { unwrapRootSecret } from '../keys/root-secret.ts'
import { masterKeyPathIn } from '../keys/master-key-source.ts'
import { embeddedPaths } from '../composition-root.ts'
import { type CopyResult, copyInstallation, type MigrationSource } from './migration/copy-installation.ts'
import { openFolderDestination } from './migration/migration-stores.ts'

/** The manifest of a backup: its log, and the size and hash of each file. */
const manifestSchema = z.object({
  format: z.literal('proofdesk backup 1'),
  madeAt: z.iso.datetime(),
  /** False until the backup is complete. */
  finished: z.boolean(),
  /** The last position of its log, and its number of events. */
  log: z.object({ position: z.string(), facts: z.int() }),
  files: z.array(z.object({ path: z.string(), size: z.int(), sha256: z.string() })),
})
export type Manifest = z.infer<typeof manifestSchema>

const MANIFEST = 'manifest.json'

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
 * Copies a running installation into a folder: the log up to now, the keys, files and seals it refers to, and a manifest.
 * Repeated into the same folder, it adds what is new.
 *
 * @throws {Refused} when the folder holds something else.
 */
export async function backUp(origin: MigrationSource, { folder, dataDir, masterKeyFile, now, onProgress }: BackupOptions): Promise<CopyResult> {
  if (isWithin(folder, dataDir) || isWithin(dataDir, folder)) throw new Refused('invalid', `${folder}: a backup must be outside of the data folder`)
  await makeFolder(folder)
  const existing = await readdir(folder)
  if (existing.length > 0 && !existing.includes(MANIFEST)) throw new Refused('conflict', `${folder}: it holds something that is no backup`)
  const madeAt = new Date(now).toISOString()
  // Marks an interrupted backup as unfinished.
  await writeManifest(folder, { format: 'proofdesk backup 1', madeAt, finished: false, log: { position: '0', facts: 0 }, files: [] })
  const copy = openFolderDestination(folder)
  const result = await copyInstallation(origin, copy, onProgress)
    .then(async (copied) => {
      await putMasterKey(folder, masterKeyFile, copy.keys)
      return copied
    })
    .finally(() => copy.close())
  const paths = await pathsIn(folder)
  const files = []
  for (const path of paths) files.push({ path, ...(await digestOf(join(folder, path))) })
  await writeManifest(folder, { format: 'proofdesk backup 1', madeAt, finished: true, log: { position: result.position, facts: result.events }, files })
  return result
}

/** Adds the master key to a backup, and removes one that no longer fits because it was rotated since. */
async function putMasterKey(folder: string, file: string | undefined, keys: KeyStore | undefined): Promise<void> {
  const path = masterKeyPathIn(folder)
  if (file !== undefined) await writeDurably(path, await readFile(file), `${folder}${sep}.`)
  if (!keys || !existsSync(path) || (await unwrapRootSecret(keys, [(await readFile(path, 'utf8')).trim()]))) return
  await rm(path)
  if (file !== undefined) throw new Refused('conflict', 'The master key was rotated during the backup: run it again')
}

/** The files of a backup, without its manifest. */
async function pathsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
  // The write-ahead logs of SQLite must be empty: they are no part of a backup.
  for (const path of paths.filter((name) => name.endsWith('-wal')))
    if ((await stat(join(folder, path))).size > 0) throw new Refused('conflict', `${path}: another process is using the backup`)
  return paths.filter((path) => path !== MANIFEST && !/-(wal|shm)$/.test(path)).sort()
}

/**
 * Copies a backup into a data folder and checks each file against the manifest. After an interruption it is repeated. The
 * log comes last: without it nothing starts by mistake.
 *
 * @throws {Refused} when the backup is incomplete or altered, or the data folder holds other data.
 */
export async function restore(folder: string, dataDir: string): Promise<Manifest> {
  const manifest = await readManifest(folder)
  await checkEmpty(dataDir, manifest)
  for (const file of manifest.files) await checkFile(join(folder, file.path), file)
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
  for (const path of [embeddedPaths.files(dataDir), embeddedPaths.seals(dataDir)]) await mkdir(path, { recursive: true, mode: 0o700 })
  return manifest
}

const PARTIAL_SUFFIX = '.restoring'

const isLog = (path: string) => path === relative('', embeddedPaths.events(''))

/** Allows only files of the same backup, from an interrupted restore, and a master key. */
async function checkEmpty(dataDir: string, { files }: Manifest): Promise<void> {
  if (!existsSync(dataDir)) return
  const expected = new Map(files.map((file) => [file.path, file]))
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const fullPath = join(entry.parentPath, entry.name)
    const path = relative(dataDir, fullPath).split(sep).join('/')
    if (path.endsWith(PARTIAL_SUFFIX)) await rm(fullPath)
    else if (!(path === 'master.key' && !expected.has(path))) {
      const file = expected.get(path)
      if (!file) throw new Refused('conflict', `${dataDir}: there is data already (${path}). A backup is restored into an empty folder`)
      await checkFile(fullPath, file)
    }
  }
}

async function checkFile(path: string, { size, sha256 }: { readonly size: number; readonly sha256: string }): Promise<void> {
  const found = existsSync(path) ? await digestOf(path) : undefined
  if (!found) throw new Refused('conflict', `${path} is missing, but the manifest names it`)
  if (found.size !== size || found.sha256 !== sha256) throw new Refused('conflict', `${path} is not what the manifest says: it was changed`)
}

/** @throws {Refused} when there is no manifest, or its backup was interrupted. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined)
  if (text === undefined) throw new Refused('not-found', `${folder}: there is no backup`)
  const { data } = manifestSchema.safeParse(parseJson(text))
  if (!data) throw new Refused('invalid', `${folder}: its manifest can't be read`)
  if (!data.finished) throw new Refused('conflict', `${folder}: this backup was interrupted; run it again`)
  for (const { path } of data.files)
    if (!isWithin(join(folder, path), folder)) throw new Refused('invalid', `${folder}: its manifest names ${path}, outside of it`)
  return data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeDurably(join(folder, MANIFEST), Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`), `${folder}${sep}.`)
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
