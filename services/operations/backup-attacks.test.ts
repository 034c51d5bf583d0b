import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, copyFile, cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { openSqlite } from '#infra/sqlite/sqlite.ts'
import { type Forgery, forgeriesOf } from '#test-support/export-attacks.ts'
import { pdf, uploadCertificate } from '#test-support/http-calls.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { afterSuite, temporaryFolder } from '#test-support/program.ts'
import { seededRandom } from '#test-support/random-seed.ts'
import { seal } from '#test-support/small-firm.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { backUp, restore } from './backup.ts'

/**
 * Every kind of change to a backup, by someone who can write to its folder but has no key. None is restored, each is
 * named.
 */

const onEnd = afterSuite()
let [tried, accepted] = [0, 0]
let portal: Portal
let masterKey: string
/** A backup, and another one of the same portal from before. */
let [backup, earlier] = ['', '']

const back = (folder: string, masterKeyFile?: string) =>
  backUp(portal.running.parts, { folder, dataDir: portal.dataDir, masterKeyFile, now: Date.now() })

beforeAll(async () => {
  portal = await openPortal()
  masterKey = (await readFile(join(portal.dataDir, 'master.key'), 'utf8')).trim()
  ;[backup, earlier] = [join(temporaryFolder(onEnd), 'backup'), join(temporaryFolder(onEnd), 'earlier')]
  const admin = await portal.admin()
  const traders = [await portal.trader(), await portal.trader()]
  for (const [n, { id }] of traders.entries()) await uploadCertificate(admin, { userId: id, file: pdf(4_000 + n) })
  await seal(portal.running.parts)
  await portal.mailed()
  await back(earlier)
  for (const { id } of traders) await admin.patch(`/api/admin/user/${id}/account`, { balance: '77000.00' })
  await portal.mailed()
  await back(backup)
})
afterAll(async () => {
  process.stderr.write(`Forged backups tried: ${tried}, accepted: ${accepted}\n`)
  await portal?.stop()
})

/** Why a backup is refused; undefined if it is restored. Nothing is written then. */
async function refusalOf(folder: string, keys: readonly string[] = [masterKey]): Promise<string | undefined> {
  const dataDir = join(dirname(folder), `restored-${tried++}`)
  try {
    await restore(folder, dataDir, keys)
    accepted += 1
    return undefined
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    expect(existsSync(dataDir)).toBe(false)
    return error.message
  }
}

/** What SQLite keeps beside a file that is open. */
const OPEN_FILES = /-(wal|shm)$/

/** A copy of the backup to alter. */
async function copied(): Promise<string> {
  const folder = join(temporaryFolder(), 'copy')
  // SQLite removes these files of a backup that was read, and may do so meanwhile.
  await cp(backup, folder, { recursive: true, filter: (path) => !OPEN_FILES.test(path) })
  return folder
}

const jsonOf = async (folder: string): Promise<unknown> =>
  JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))

const manifestOf = async (folder: string) =>
  z.object({ files: z.array(z.object({ path: z.string() })) }).parse(await jsonOf(folder))

/** In their order. */
const members = z.record(z.string(), z.unknown())

const writeManifest = (folder: string, manifest: object) =>
  writeFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`)

/** Makes the manifest name what is in the folder now, with the code that it had. */
async function withNewDigests(folder: string): Promise<void> {
  await writeManifest(folder, { ...members.parse(await jsonOf(folder)), files: await digests(folder) })
}

async function digests(folder: string): Promise<object[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter(
    (entry) => entry.isFile() && entry.name !== 'manifest.json' && !OPEN_FILES.test(entry.name),
  )
  return Promise.all(
    paths.map(async ({ parentPath, name }) => {
      const bytes = await readFile(join(parentPath, name))
      return {
        path: join(parentPath, name).slice(folder.length + 1),
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      }
    }),
  )
}

const partsOf = async (folder: string) => (await manifestOf(folder)).files.map(({ path }) => path)

it('is restored as it was made, also when its manifest is read by the key of the backup alone', async () => {
  for (const folder of [backup, earlier])
    expect(await restore(folder, join(temporaryFolder(), 'restored'), [masterKey])).toMatchObject({
      authenticity: 'authentic',
    })
  const own = join(temporaryFolder(), 'own')
  await back(own, join(portal.dataDir, 'master.key'))
  expect(await restore(own, join(temporaryFolder(), 'restored'), [])).toMatchObject({ authenticity: 'own key' })
})

describe('a backup is refused, and its alteration named,', () => {
  it('with any one value of its manifest changed, removed, repeated, swapped or moved', async () => {
    const folder = await copied()
    const path = join(folder, 'manifest.json')
    const manifest = await readFile(path, 'utf8')
    const pretty = ({ name, text }: Forgery): Forgery => ({
      name: `${name}, laid out as before`,
      text: () => `${JSON.stringify(JSON.parse(text()), null, 1)}\n`,
    })
    for (const forgery of forgeriesOf(manifest, { pairs: 6 })) {
      for (const { name, text } of isJson(forgery.text()) ? [forgery, pretty(forgery)] : [forgery]) {
        const forged = text()
        if (forged === manifest) continue
        await writeFile(path, forged)
        expect((await refusalOf(folder)) ?? 'restored', name).toMatch(/manifest|interrupted/)
      }
    }
  })

  it('with a byte of any file changed, cut off or added, and with the file emptied, missing or exchanged for another', async () => {
    const random = seededRandom()
    const folder = await copied()
    const paths = [...(await partsOf(folder)), 'manifest.json']
    for (const path of paths) {
      const file = join(folder, path)
      const bytes = await readFile(file)
      const places = new Set([
        0,
        bytes.length - 1,
        ...Array.from({ length: 12 }, () => random.whole(0, bytes.length - 1)),
      ])
      const edits: (() => Promise<unknown>)[] = [
        ...[...places].map((at) => () => writeFile(file, bytes.with(at, (bytes[at] ?? 0) ^ (1 << random.whole(0, 7))))),
        () => truncate(file, bytes.length - 1),
        () => truncate(file, random.whole(1, bytes.length - 1)),
        () => truncate(file, 0),
        () => appendFile(file, '\n'),
        () => rm(file),
        ...paths.filter((other) => other !== path).map((other) => () => copyFile(join(backup, other), file)),
      ]
      for (const [n, edit] of edits.entries()) {
        await edit()
        // Two parts with the same content: the newest checkpoint is there under its number too.
        if ((await readFile(file).catch(() => undefined))?.equals(bytes)) continue
        // With another digest of the keys in it, the manifest's own code cannot be checked: the refusal names both.
        const named = path === 'manifest.json' ? 'manifest' : path
        expect((await refusalOf(folder)) ?? 'restored', `${path}, edit ${n}`).toContain(named)
        await writeFile(file, bytes)
      }
    }
    // Of two files exchanged, both are named.
    const [one = '', other = ''] = paths.filter((path) => path.startsWith('files/'))
    await copyFile(join(backup, one), join(folder, other))
    await copyFile(join(backup, other), join(folder, one))
    const refusal = await refusalOf(folder)
    for (const path of [one, other]) expect(refusal).toContain(path)
  })

  it('with a file of an earlier backup in it, or the manifest of one', async () => {
    for (const path of ['events.sqlite', 'keys.sqlite', 'manifest.json']) {
      const folder = await copied()
      await copyFile(join(earlier, path), join(folder, path))
      const [events, stored] = await Promise.all([readFile(join(folder, path)), readFile(join(backup, path))])
      if (events.equals(stored)) continue
      expect(await refusalOf(folder), path).toBeDefined()
      await withNewDigests(folder)
      expect(await refusalOf(folder), path).toContain('manifest.json')
    }
  })

  it.each([
    'views.sqlite',
    'sessions.sqlite',
    'master.key',
    'files/certificates/more.pdf',
    'seals/checkpoint.more',
    '.hidden',
    'events.sqlite-wal',
  ])('with %s added', async (path) => {
    const folder = await copied()
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), 'added by someone')
    expect(await refusalOf(folder)).toContain(path)
    await withNewDigests(folder)
    expect(await refusalOf(folder)).toBeDefined()
    if (path === 'events.sqlite-wal') return
    // The next backup into this folder does not adopt what was added.
    await expect(back(folder)).rejects.toThrow(/no part of a backup|manifest.json was altered/)
  })

  /** Each edits the files of SQLite in a way that leaves them readable. */
  const edits: Readonly<Record<string, { readonly file: 'events' | 'keys'; readonly sql: string }>> = {
    'an event changed': { file: 'events', sql: `UPDATE events SET data = replace(data, '77000.00', '99000.00')` },
    'the newest event removed': {
      file: 'events',
      sql: 'DELETE FROM events WHERE position = (SELECT max(position) FROM events)',
    },
    'an event in the middle removed': { file: 'events', sql: 'DELETE FROM events WHERE position = 5' },
    'an event added': {
      file: 'events',
      sql: `INSERT INTO events (position, stream, revision, id, type, data, metadata)
        SELECT max(position) + 1, 'admin-0123456789abcdef0123456789abcdef', 0, '00000000-0000-4000-8000-000000000000', 'AdminKeyIssued', '{"label":"me","role":"admin"}', metadata FROM events`,
    },
    'two events exchanged': {
      file: 'events',
      sql: `UPDATE events SET position = 1000000 WHERE position = 4; UPDATE events SET position = 4 WHERE position = 5; UPDATE events SET position = 5 WHERE position = 1000000`,
    },
    'the codes of all events removed': {
      file: 'events',
      sql: `UPDATE events SET metadata = replace(metadata, '"mac":', '"mad":')`,
    },
    'a key removed': { file: 'keys', sql: 'DELETE FROM keys WHERE number = (SELECT max(number) FROM keys)' },
    'a key destroyed': {
      file: 'keys',
      sql: 'UPDATE keys SET destroyed = 1 WHERE number = (SELECT max(number) FROM keys)',
    },
    'a key added': { file: 'keys', sql: `INSERT INTO keys (id, wrapped, destroyed) VALUES ('someone', x'00', 0)` },
    'all keys the same': {
      file: 'keys',
      sql: `UPDATE keys SET wrapped = (SELECT wrapped FROM keys WHERE id = 'root')`,
    },
    'the root secret removed': { file: 'keys', sql: `DELETE FROM keys WHERE id = 'root'` },
    'the root secret changed': {
      file: 'keys',
      sql: `UPDATE keys SET wrapped = zeroblob(length(wrapped)) WHERE id = 'root'`,
    },
    'no keys': { file: 'keys', sql: 'DELETE FROM keys' },
    'no table of keys': { file: 'keys', sql: 'DROP TABLE keys' },
  }

  it.each(Object.entries(edits))('with %s', async (_name, { file, sql }) => {
    const folder = await copied()
    const database = openSqlite(join(folder, `${file}.sqlite`), { part: 'backup', durability: 'full' })
    database.exec(sql)
    database.close()
    expect(await refusalOf(folder)).toContain(`${file}.sqlite`)
    // Someone who also writes a manifest for it has no code for that.
    await withNewDigests(folder)
    expect(await refusalOf(folder)).toMatch(/manifest.json was altered|keys.sqlite/)
    await expect(back(folder)).rejects.toThrow('altered')
  })

  it('when it is called a backup of another version', async () => {
    const folder = await copied()
    const { mac: _mac, ...manifest } = members.parse(await jsonOf(folder))
    await writeManifest(folder, { ...manifest, format: 'proofdesk backup 1' })
    for (const keys of [[masterKey], []])
      expect(await refusalOf(folder, keys)).toBe(
        'manifest.json is not of the format proofdesk backup 2, which this version reads',
      )
  })

  it('when it is a backup of another installation, with its own master key', async () => {
    const other = await openPortal()
    onTestFinished(() => other.stop())
    const folder = join(temporaryFolder(), 'foreign')
    await backUp(other.running.parts, {
      folder,
      dataDir: other.dataDir,
      masterKeyFile: join(other.dataDir, 'master.key'),
      now: Date.now(),
    })
    expect(await refusalOf(folder)).toContain('not the key of this backup')
    expect(await refusalOf(folder, ['another key that nobody has used before'])).toContain('not the key of this backup')
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
