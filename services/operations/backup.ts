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

/** What lies in a backup, and what each file of it must be. */
const manifestSchema = z.object({
  format: z.literal('proofdesk backup 1'),
  madeAt: z.iso.datetime(),
  /** False while it is being made. */
  finished: z.boolean(),
  /** Where its log ends, and how many facts it has. */
  log: z.object({ position: z.string(), facts: z.int() }),
  files: z.array(z.object({ path: z.string(), size: z.int(), sha256: z.string() })),
})
export type Manifest = z.infer<typeof manifestSchema>

const MANIFEST = 'manifest.json'

export interface BackupOptions {
  readonly folder: string
  /** Where the installation lives: no place for its backup. */
  readonly dataDir: string
  /** The file of the master key, if it is to lie beside what it opens. */
  readonly masterKeyFile: string | undefined
  readonly now: number
  readonly onProgress?: (facts: number) => void
}

/**
 * Makes a folder that is a whole installation, from whatever it lives in, while it runs: the log up to now with the keys,
 * files and seals that it leans on, and a manifest. Into the same folder again it adds what is new.
 *
 * @throws {Refused} when something else is in the folder.
 */
export async function backUp(origin: MigrationSource, { folder, dataDir, masterKeyFile, now, onProgress }: BackupOptions): Promise<CopyResult> {
  if (isWithin(folder, dataDir) || isWithin(dataDir, folder)) throw new Refused('invalid', `${folder}: a backup does not belong into the data folder`)
  await makeFolder(folder)
  const there = await readdir(folder)
  if (there.length > 0 && !there.includes(MANIFEST)) throw new Refused('conflict', `${folder}: there is something in it that is no backup`)
  const madeAt = new Date(now).toISOString()
  // Whoever finds it cut off must not take it for whole.
  await writeManifest(folder, { format: 'proofdesk backup 1', madeAt, finished: false, log: { position: '0', facts: 0 }, files: [] })
  const copy = openFolderDestination(folder)
  const moved = await copyInstallation(origin, copy, onProgress)
    .then(async (done) => {
      await putMasterKey(folder, masterKeyFile, copy.keys)
      return done
    })
    .finally(() => copy.close())
  const paths = await pathsIn(folder)
  const files = []
  for (const path of paths) files.push({ path, ...(await digestOf(join(folder, path))) })
  await writeManifest(folder, { format: 'proofdesk backup 1', madeAt, finished: true, log: { position: moved.position, facts: moved.facts }, files })
  return moved
}

/** The master key that lies in a backup is the one that opens it: one that was exchanged since it was put there goes. */
async function putMasterKey(folder: string, file: string | undefined, keys: KeyStore | undefined): Promise<void> {
  const path = masterKeyPathIn(folder)
  if (file !== undefined) await writeDurably(path, await readFile(file), `${folder}${sep}.`)
  if (!keys || !existsSync(path) || (await unwrapRootSecret(keys, [(await readFile(path, 'utf8')).trim()]))) return
  await rm(path)
  if (file !== undefined) throw new Refused('conflict', 'The master key was exchanged while the backup was made: make it again')
}

/** The files of a backup, but for its manifest. */
async function pathsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
  // What SQLite keeps beside its files is empty by now, and no part of them.
  for (const path of paths.filter((name) => name.endsWith('-wal')))
    if ((await stat(join(folder, path))).size > 0) throw new Refused('conflict', `${path}: somebody else uses the backup`)
  return paths.filter((path) => path !== MANIFEST && !/-(wal|shm)$/.test(path)).sort()
}

/**
 * Puts a backup into a data folder, each file held against the manifest. Cut off, it is done again. The log goes last:
 * without it nothing starts by mistake.
 *
 * @throws {Refused} when the backup is not whole, or there is other data.
 */
export async function restore(folder: string, dataDir: string): Promise<Manifest> {
  const manifest = await readManifest(folder)
  await checkEmpty(dataDir, manifest)
  for (const file of manifest.files) await checkFile(join(folder, file.path), file)
  await makeFolder(dataDir)
  for (const file of manifest.files.toSorted((one, other) => Number(isLog(one.path)) - Number(isLog(other.path)))) {
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
  // A folder without a file is no part of a manifest, but of an installation.
  for (const made of [embeddedPaths.files(dataDir), embeddedPaths.seals(dataDir)]) await mkdir(made, { recursive: true, mode: 0o700 })
  return manifest
}

const PARTIAL_SUFFIX = '.restoring'

const isLog = (path: string) => path === relative('', embeddedPaths.events(''))

/** Whatever is there must be of the same backup: from a restore that was cut off. A master key may have been put there before. */
async function checkEmpty(dataDir: string, { files }: Manifest): Promise<void> {
  if (!existsSync(dataDir)) return
  const expected = new Map(files.map((file) => [file.path, file]))
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const whole = join(entry.parentPath, entry.name)
    const path = relative(dataDir, whole).split(sep).join('/')
    if (path.endsWith(PARTIAL_SUFFIX)) await rm(whole)
    else if (!(path === 'master.key' && !expected.has(path))) {
      const file = expected.get(path)
      if (!file) throw new Refused('conflict', `${dataDir}: there is data already (${path}). A backup is restored into an empty folder`)
      await checkFile(whole, file)
    }
  }
}

async function checkFile(path: string, { size, sha256 }: { readonly size: number; readonly sha256: string }): Promise<void> {
  const found = existsSync(path) ? await digestOf(path) : undefined
  if (!found) throw new Refused('conflict', `${path} is missing, but the manifest names it`)
  if (found.size !== size || found.sha256 !== sha256) throw new Refused('conflict', `${path} is not what the manifest says: it was changed`)
}

/** @throws {Refused} when there is none, or it is of a backup that was cut off. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined)
  if (text === undefined) throw new Refused('not-found', `${folder}: there is no backup`)
  const { data } = manifestSchema.safeParse(parsed(text))
  if (!data) throw new Refused('invalid', `${folder}: its manifest can't be read`)
  if (!data.finished) throw new Refused('conflict', `${folder}: this backup was cut off while it was made; make it again`)
  for (const { path } of data.files)
    if (!isWithin(join(folder, path), folder)) throw new Refused('invalid', `${folder}: its manifest names ${path}, outside of it`)
  return data
}

function parsed(text: string): unknown {
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
  const way = relative(resolve(folder), resolve(path))
  return way === '' || !(way.startsWith('..') || resolve(way) === way)
}
