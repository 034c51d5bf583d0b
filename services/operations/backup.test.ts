import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqliteKeyStore } from '../../infra/key-store/sqlite-key-store.ts'
import { POSITION_HEADER } from '../api/index.ts'
import { Refused } from '../event-sourcing/refusal.ts'
import { decodeEvent } from '../event-sourcing/codec/event-codec.ts'
import { eventRegistry, personIdOf } from '../domain/streams.ts'
import { embeddedPaths } from '../composition-root.ts'
import { rotateMasterKey } from '../keys/master-key-rotation.ts'
import { pdf, uploadCertificate } from '../../test-support/http-calls.ts'
import { newEmail, openPortal, type Portal, registration } from '../../test-support/portal.ts'
import { temporaryFolder } from '../../test-support/program.ts'
import { until } from '../../test-support/until.ts'
import { backUp, readManifest, restore } from './backup.ts'
import { type Firm, createFirm, storedEvents, verified, withDependencies } from '../../test-support/small-firm.ts'
import { CopyMismatch } from './migration/copy-log.ts'
import { copyInstallationKeys } from './migration/copy-keys-and-files.ts'

let portal: Portal
let firm: Firm
beforeAll(async () => {
  portal = await openPortal()
  firm = await createFirm(portal)
})
afterAll(() => portal?.stop())

const backedUp = (folder: string, withMasterKey = false) =>
  backUp(portal.running.parts, {
    folder,
    dataDir: portal.dataDir,
    masterKeyFile: withMasterKey ? join(portal.dataDir, 'master.key') : undefined,
    now: Date.now(),
  })

/** A backup, and an empty place to restore it into. */
const backupAndPlace = async () => {
  const [folder, place] = [join(temporaryFolder(), 'backup'), join(temporaryFolder(), 'restored')]
  await backedUp(folder)
  return { folder, place }
}

const giveMasterKey = async (place: string) => {
  await mkdir(place, { recursive: true })
  await copyFile(join(portal.dataDir, 'master.key'), join(place, 'master.key'))
}

describe('a backup', () => {
  it('made while people work is an installation that has every fact up to a moment, with its key and its file', async () => {
    const folder = join(temporaryFolder(), 'backup')
    let making = true
    const work = (async () => {
      const browser = portal.browser()
      const admin = await portal.admin()
      while (making) {
        await browser.post('/api/register', { ...registration, email: newEmail() })
        await admin.patch(`/api/admin/user/${firm.traders[0]?.id}/account`, { balance: '81000.00' })
        await admin.patch(`/api/admin/user/${firm.traders[0]?.id}/account`, { balance: '82000.00' })
      }
    })()
    // So many that a backup has to fall between some of them.
    for (let times = 0; times < 3; times++) await backedUp(folder)
    making = false
    await work
    const there = await storedEvents(portal.running.parts)

    const place = join(temporaryFolder(), 'restored')
    const { log } = await restore(folder, place)
    await giveMasterKey(place)
    await withDependencies({ DATA_DIR: place }, async (parts) => {
      const facts = await storedEvents(parts)
      expect(facts.length).toBe(log.facts)
      expect(facts).toEqual(there.slice(0, facts.length))
      const keys = await parts.personKeys.get(facts.flatMap(({ stream }) => personIdOf(stream) ?? []))
      for (const fact of facts) {
        const key = keys.get(personIdOf(fact.stream) ?? '')
        const { data } = decodeEvent(eventRegistry, fact, key)
        // Personal fields are decrypted when they are looked at.
        expect(() => JSON.stringify(data)).not.toThrow()
        if ('file' in data && key !== 'destroyed') expect(await parts.fileStore.get(data.file).then((file) => file?.content.destroy())).toBeDefined()
      }
      expect(await verified(parts)).toMatchObject({ finding: null, facts: facts.length })
    })
  })

  it('restored starts, shows what it showed, also to a browser that has seen more, serves its certificates, and goes on', async () => {
    await portal.mailed()
    const { folder, place } = await backupAndPlace()
    await restore(folder, place)
    await giveMasterKey(place)
    const again = await openPortal({ dataDir: place })
    try {
      const admin = await again.admin()
      for (const { trader, address, content } of firm.certificates) {
        const browser = again.browser()
        expect((await browser.post('/api/login', { email: trader.email, password: trader.password })).status).toBe(200)
        // Whoever has seen more than was restored is shown what there is.
        const beyond = { headers: { [POSITION_HEADER]: '99999999' } }
        const account = await until(async () => {
          const answer = await browser.get('/api/user/account', beyond)
          return answer.status === 200 ? answer : undefined
        }, 'the views to be built')
        expect(account.body).toEqual((await trader.get('/api/user/account')).body)
        expect((await browser.get(address)).bytes.equals(content)).toBe(true)
        const changed = await admin.patch(`/api/admin/user/${trader.id}/account`, { balance: '99000.00' })
        expect(changed.status).toBe(200)
      }
      await again.mailed()
      // Nobody hears of anything a second time.
      expect((await readdir(join(place, 'outbox'))).filter((name) => name.endsWith('.eml'))).toEqual([])
    } finally {
      await again.stop()
    }
    await withDependencies({ DATA_DIR: place }, async (parts) => expect(await verified(parts)).toMatchObject({ finding: null }))
  })

  it('holds no master key unless it is asked for, and without one nothing starts', async () => {
    const { folder, place } = await backupAndPlace()
    const masterKey = (await readFile(join(portal.dataDir, 'master.key'), 'utf8')).trim()
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) expect((await readFile(join(entry.parentPath, entry.name))).includes(masterKey)).toBe(false)
    await restore(folder, place)
    await expect(withDependencies({ DATA_DIR: place }, async () => {})).rejects.toThrow('MASTER_KEY')
    expect(existsSync(join(place, 'master.key'))).toBe(false)

    const [whole, other] = [join(temporaryFolder(), 'backup'), join(temporaryFolder(), 'restored')]
    await backedUp(whole, true)
    await restore(whole, other)
    await withDependencies({ DATA_DIR: other }, async (parts) => expect(await verified(parts)).toMatchObject({ finding: null }))
  })

  it('made again in the same folder has what is new, and nothing of whom was erased meanwhile', async () => {
    const folder = join(temporaryFolder(), 'backup')
    const admin = await portal.admin()
    const leaving = await portal.trader()
    await uploadCertificate(admin, { userId: leaving.id, file: pdf(30_000) })
    const first = await backedUp(folder)
    expect(existsSync(join(folder, 'files/certificates', leaving.id))).toBe(true)
    await admin.delete(`/api/admin/user/${leaving.id}`)
    const second = await backedUp(folder)
    expect(second.added).toBe(second.facts - first.facts)
    expect(second.added).toBeGreaterThan(0)
    expect(existsSync(join(folder, 'files/certificates', leaving.id))).toBe(false)
    const place = join(temporaryFolder(), 'restored')
    await restore(folder, place)
    await giveMasterKey(place)
    await withDependencies({ DATA_DIR: place }, async ({ personKeys }) => {
      expect((await personKeys.get([leaving.id])).get(leaving.id)).toBe('destroyed')
    })
  })

  it('opens with the master key that was valid when it was made; made again into the same folder after that was exchanged, with the new one', async () => {
    const folder = join(temporaryFolder(), 'backup')
    const restored = async (from: string, key: string) => {
      const place = join(temporaryFolder(), 'restored')
      await restore(from, place)
      await writeFile(join(place, 'master.key'), key)
      return withDependencies({ DATA_DIR: place }, async (parts) => expect(await verified(parts)).toMatchObject({ finding: null }))
    }
    const keyNow = () => readFile(join(portal.dataDir, 'master.key'), 'utf8')
    await backedUp(folder, true)
    const earlier = join(temporaryFolder(), 'earlier')
    await cp(folder, earlier, { recursive: true })
    await rm(join(earlier, 'master.key'))
    const manifest = await readManifest(folder)
    await writeFile(join(earlier, 'manifest.json'), JSON.stringify({ ...manifest, files: manifest.files.filter(({ path }) => path !== 'master.key') }))
    const old = await keyNow()
    await withDependencies({ DATA_DIR: portal.dataDir }, rotateMasterKey)
    const fresh = await keyNow()
    expect(fresh).not.toBe(old)

    await backedUp(folder)
    // The key that lay in it opens it no more.
    expect(existsSync(join(folder, 'master.key'))).toBe(false)
    await restored(folder, fresh)
    await expect(restored(folder, old)).rejects.toThrow('MASTER_KEY')
    await restored(earlier, old)
    await expect(restored(earlier, fresh)).rejects.toThrow('MASTER_KEY')
    await backedUp(folder, true)
    expect(await readFile(join(folder, 'master.key'), 'utf8')).toBe(fresh)
  })

  it('does not go back to a key that was exchanged in the copy', async () => {
    const { folder, place } = await backupAndPlace()
    await restore(folder, place)
    await giveMasterKey(place)
    await withDependencies({ DATA_DIR: place }, rotateMasterKey)
    const [here, there] = [openSqliteKeyStore(embeddedPaths.keys(portal.dataDir)), openSqliteKeyStore(embeddedPaths.keys(place))]
    await expect(copyInstallationKeys(here, there)).rejects.toThrow(CopyMismatch)
    await expect(withDependencies({ DATA_DIR: place }, async () => {})).resolves.toBeUndefined()
    for (const store of [here, there]) await store.close()
  })

  it.each(['events.sqlite', 'keys.sqlite', 'files', 'seals'])('is refused when a byte of its %s was changed, or a file is missing', async (part) => {
    const { folder, place } = await backupAndPlace()
    const file = (await readManifest(folder)).files.find(({ path }) => path.startsWith(part))
    const path = join(folder, file?.path ?? '')
    const bytes = await readFile(path)
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    await writeFile(path, bytes)
    await expect(restore(folder, place)).rejects.toThrow(`${path} is not what the manifest says`)
    await rm(path)
    await expect(restore(folder, place)).rejects.toThrow(`${path} is missing`)
    expect(existsSync(place)).toBe(false)
  })

  it('is refused when it was cut off while it was made', async () => {
    const { folder, place } = await backupAndPlace()
    const manifest = join(folder, 'manifest.json')
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"finished": true', '"finished": false'))
    await expect(restore(folder, place)).rejects.toThrow('cut off')
    await backedUp(folder)
    await restore(folder, place)
  })

  it('never goes over other data, and goes on where a restore was cut off', async () => {
    const { folder, place } = await backupAndPlace()
    await expect(restore(folder, portal.dataDir)).rejects.toThrow(Refused)
    await mkdir(place)
    await writeFile(join(place, 'something'), '')
    await expect(restore(folder, place)).rejects.toThrow('there is data already')
    await rm(join(place, 'something'))
    // As a kill leaves it: some of the files, and half of another.
    await cp(join(folder, 'keys.sqlite'), join(place, 'keys.sqlite'))
    await writeFile(join(place, 'events.sqlite.restoring'), 'half')
    await restore(folder, place)
    expect((await readdir(place, { recursive: true })).filter((name) => name.includes('restoring'))).toEqual([])
    await giveMasterKey(place)
    await withDependencies({ DATA_DIR: place }, async (parts) => expect(await verified(parts)).toMatchObject({ finding: null }))
  })

  it('does not go into a folder with something else, nor beside what it is of', async () => {
    const folder = temporaryFolder()
    await writeFile(join(folder, 'letter.txt'), '')
    await expect(backedUp(folder)).rejects.toThrow('no backup')
    await expect(backedUp(join(portal.dataDir, 'backup'))).rejects.toThrow('data folder')
  })
})
