import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqliteKeyStore } from '#infra/key-store/sqlite-key-store.ts'
import { POSITION_HEADER } from '#services/framework/api/headers.ts'
import { decodeEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventRegistry, personIdOf } from '#services/oversight/event-catalogue.ts'
import { embeddedPaths } from '#services/process/data-folder.ts'
import { rotateMasterKey } from '#services/operations/installation/server/master-key-rotation.ts'
import { pdf, uploadCertificate } from '#test-support/http-calls.ts'
import { newEmail, openPortal, type Portal, registration } from '#test-support/portal.ts'
import { temporaryFolder } from '#test-support/program.ts'
import { until } from '#test-support/until.ts'
import { backUp, readManifest, restore } from './backup.ts'
import { type Firm, createFirm, verified } from '#test-support/small-firm.ts'
import { storedEvents, withDependencies } from '#test-support/stores.ts'
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

/** A backup, and an empty data folder to restore it into. */
const backupAndDataDir = async () => {
  const [folder, dataDir] = [join(temporaryFolder(), 'backup'), join(temporaryFolder(), 'restored')]
  await backedUp(folder)
  return { folder, dataDir }
}

const masterKeyNow = async () => (await readFile(join(portal.dataDir, 'master.key'), 'utf8')).trim()

/** Restores with the present master key of the portal. */
const restored = async (folder: string, dataDir: string) => restore(folder, dataDir, [await masterKeyNow()])

const giveMasterKey = async (dataDir: string) => {
  await mkdir(dataDir, { recursive: true })
  await copyFile(join(portal.dataDir, 'master.key'), join(dataDir, 'master.key'))
}

describe('a backup', () => {
  it('made while people work has every event up to a position, with keys and files', async () => {
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
    // Several, so that a backup falls between related events.
    for (let times = 0; times < 3; times++) await backedUp(folder)
    making = false
    await work
    const originals = await storedEvents(portal.running.parts)

    const dataDir = join(temporaryFolder(), 'restored')
    const {
      manifest: { log },
    } = await restored(folder, dataDir)
    await giveMasterKey(dataDir)
    await withDependencies({ DATA_DIR: dataDir }, async (parts) => {
      const events = await storedEvents(parts)
      expect(events.length).toBe(log.facts)
      expect(events).toEqual(originals.slice(0, events.length))
      const keys = await parts.personKeys.get(events.flatMap(({ stream }) => personIdOf(stream) ?? []))
      for (const event of events) {
        const key = keys.get(personIdOf(event.stream) ?? '')
        const { data } = decodeEvent(eventRegistry, event, key)
        // Personal fields are decrypted when they are read.
        expect(() => JSON.stringify(data)).not.toThrow()
        if ('file' in data && key !== 'destroyed')
          expect(await parts.fileStore.get(data.file).then((file) => file?.content.destroy())).toBeDefined()
      }
      expect(await verified(parts)).toMatchObject({ finding: null, facts: events.length })
    })
  })

  it('restored, shows the same data, serves its certificates and accepts changes', async () => {
    await portal.mailed()
    const { folder, dataDir } = await backupAndDataDir()
    await restored(folder, dataDir)
    await giveMasterKey(dataDir)
    const restoredPortal = await openPortal({ dataDir })
    try {
      const admin = await restoredPortal.admin()
      for (const { trader, address, content } of firm.certificates) {
        const browser = restoredPortal.browser()
        expect((await browser.post('/api/login', { email: trader.email, password: trader.password })).status).toBe(200)
        // A browser that has seen later events still gets an answer.
        const beyond = { headers: { [POSITION_HEADER]: '99999999' } }
        const account = await until(async () => {
          const answer = await browser.get('/api/user/account', beyond)
          return answer.status === 200 ? answer : undefined
        }, 'the read models to be built')
        expect(account.body).toEqual((await trader.get('/api/user/account')).body)
        expect((await browser.get(address)).bytes.equals(content)).toBe(true)
        const changed = await admin.patch(`/api/admin/user/${trader.id}/account`, { balance: '99000.00' })
        expect(changed.status).toBe(200)
      }
      await restoredPortal.mailed()
      // No mail is sent twice: only about the sign-ins above, from browsers that the portal does not know.
      const subjects = (await Promise.all(firm.certificates.map(({ trader }) => restoredPortal.mails(trader.email))))
        .flat()
        .map(({ subject }) => subject)
      expect(subjects).toEqual(firm.certificates.map(() => expect.stringMatching(/new browser/i)))
      expect((await readdir(join(dataDir, 'outbox'))).filter((name) => name.endsWith('.eml'))).toHaveLength(
        subjects.length,
      )
    } finally {
      await restoredPortal.stop()
    }
    await withDependencies({ DATA_DIR: dataDir }, async (parts) =>
      expect(await verified(parts)).toMatchObject({ finding: null }),
    )
  })

  it('has no master key unless requested, and does not start without one', async () => {
    const { folder, dataDir } = await backupAndDataDir()
    const masterKey = await masterKeyNow()
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) expect((await readFile(join(entry.parentPath, entry.name))).includes(masterKey)).toBe(false)
    await restored(folder, dataDir)
    await expect(withDependencies({ DATA_DIR: dataDir }, async () => {})).rejects.toThrow('MASTER_KEY')
    expect(existsSync(join(dataDir, 'master.key'))).toBe(false)

    const [whole, other] = [join(temporaryFolder(), 'backup'), join(temporaryFolder(), 'restored')]
    await backedUp(whole, true)
    expect((await restore(whole, other, [])).authenticity).toBe('own key')
    await expect(restore(folder, join(temporaryFolder(), 'restored'), [])).rejects.toThrow('MASTER_KEY')
    await withDependencies({ DATA_DIR: other }, async (parts) =>
      expect(await verified(parts)).toMatchObject({ finding: null }),
    )
  })

  it('repeated into the same folder adds new data and removes erased persons', async () => {
    const folder = join(temporaryFolder(), 'backup')
    const admin = await portal.admin()
    const leaving = await portal.trader()
    await uploadCertificate(admin, { userId: leaving.id, file: pdf(30_000) })
    const first = await backedUp(folder)
    expect(existsSync(join(folder, 'files/certificates', leaving.id))).toBe(true)
    await admin.delete(`/api/admin/user/${leaving.id}`)
    const second = await backedUp(folder)
    expect(second.added).toBe(second.events - first.events)
    expect(second.added).toBeGreaterThan(0)
    expect(existsSync(join(folder, 'files/certificates', leaving.id))).toBe(false)
    const dataDir = join(temporaryFolder(), 'restored')
    await restored(folder, dataDir)
    await giveMasterKey(dataDir)
    await withDependencies({ DATA_DIR: dataDir }, async ({ personKeys }) => {
      expect((await personKeys.get([leaving.id])).get(leaving.id)).toBe('destroyed')
    })
  })

  it('opens with the master key of its time; repeated after a rotation, with the new key', async () => {
    const folder = join(temporaryFolder(), 'backup')
    const opened = async (from: string, key: string) => {
      const dataDir = join(temporaryFolder(), 'restored')
      await restore(from, dataDir, [key.trim()])
      await writeFile(join(dataDir, 'master.key'), key)
      return withDependencies({ DATA_DIR: dataDir }, async (parts) =>
        expect(await verified(parts)).toMatchObject({ finding: null }),
      )
    }
    const keyNow = () => readFile(join(portal.dataDir, 'master.key'), 'utf8')
    await backedUp(folder, true)
    const earlier = join(temporaryFolder(), 'earlier')
    await backedUp(earlier)
    const old = await keyNow()
    await withDependencies({ DATA_DIR: portal.dataDir }, rotateMasterKey)
    const fresh = await keyNow()
    expect(fresh).not.toBe(old)

    await backedUp(folder)
    // The old key no longer fits and was removed.
    expect(existsSync(join(folder, 'master.key'))).toBe(false)
    await opened(folder, fresh)
    await expect(opened(folder, old)).rejects.toThrow('MASTER_KEY')
    await opened(earlier, old)
    await expect(opened(earlier, fresh)).rejects.toThrow('MASTER_KEY')
    await backedUp(folder, true)
    expect(await readFile(join(folder, 'master.key'), 'utf8')).toBe(fresh)
  })

  it('never brings back a master key that was rotated in the copy', async () => {
    const { folder, dataDir } = await backupAndDataDir()
    await restored(folder, dataDir)
    await giveMasterKey(dataDir)
    await withDependencies({ DATA_DIR: dataDir }, rotateMasterKey)
    const [source, copy] = [
      openSqliteKeyStore(embeddedPaths.keys(portal.dataDir)),
      openSqliteKeyStore(embeddedPaths.keys(dataDir)),
    ]
    await expect(copyInstallationKeys(source, copy)).rejects.toThrow(CopyMismatch)
    await expect(withDependencies({ DATA_DIR: dataDir }, async () => {})).resolves.toBeUndefined()
    for (const store of [source, copy]) await store.close()
  })

  it.each(['events.sqlite', 'keys.sqlite', 'files', 'seals'])(
    'is refused when a byte of its %s changed, or a file is missing',
    async (part) => {
      const { folder, dataDir } = await backupAndDataDir()
      const file = (await readManifest(folder)).files.find(({ path }) => path.startsWith(part))
      const path = join(folder, file?.path ?? '')
      const bytes = await readFile(path)
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
      await writeFile(path, bytes)
      await expect(restored(folder, dataDir)).rejects.toThrow(`${path} is not what the manifest says`)
      await rm(path)
      await expect(restored(folder, dataDir)).rejects.toThrow(`${path} is missing`)
      expect(existsSync(dataDir)).toBe(false)
    },
  )

  it('is refused when it was interrupted', async () => {
    const { folder, dataDir } = await backupAndDataDir()
    const manifest = join(folder, 'manifest.json')
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"finished": true', '"finished": false'))
    await expect(restored(folder, dataDir)).rejects.toThrow('interrupted')
    await backedUp(folder)
    await restored(folder, dataDir)
  })

  it('never overwrites other data, and continues an interrupted restore', async () => {
    const { folder, dataDir } = await backupAndDataDir()
    // Not the backup is at fault.
    await expect(restored(folder, portal.dataDir)).rejects.toThrow(`${portal.dataDir}: there is data already`)
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'something'), '')
    await expect(restored(folder, dataDir)).rejects.toThrow('there is data already')
    await rm(join(dataDir, 'something'))
    // What a kill leaves: some files, and half of another.
    await cp(join(folder, 'keys.sqlite'), join(dataDir, 'keys.sqlite'))
    await writeFile(join(dataDir, 'events.sqlite.restoring'), 'half')
    await restored(folder, dataDir)
    expect((await readdir(dataDir, { recursive: true })).filter((name) => name.includes('restoring'))).toEqual([])
    await giveMasterKey(dataDir)
    await withDependencies({ DATA_DIR: dataDir }, async (parts) =>
      expect(await verified(parts)).toMatchObject({ finding: null }),
    )
  })

  it('is refused in a folder with other files, and inside the data folder', async () => {
    const folder = temporaryFolder()
    await writeFile(join(folder, 'letter.txt'), '')
    await expect(backedUp(folder)).rejects.toThrow('no backup')
    await expect(backedUp(join(portal.dataDir, 'backup'))).rejects.toThrow('data folder')
  })
})
