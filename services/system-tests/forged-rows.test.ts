import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Libsql from 'libsql'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { connect } from '#infra/mongodb/mongodb-connection.ts'
import { openMongoKeyStore } from '#infra/key-store/mongodb-key-store.ts'
import type { KeyStore } from '#infra/key-store/key-store.ts'
import { openSqliteKeyStore } from '#infra/key-store/sqlite-key-store.ts'
import type { Session, SessionKind } from '#infra/session-store/session-store.ts'
import { type Browser, browser } from '#test-support/http-client.ts'
import { read } from '#test-support/http-calls.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { isExternal, storesFor } from '#test-support/portal-stores.ts'
import { runsSeparately } from '#test-support/separate-services.ts'
import { seal } from '#test-support/small-firm.ts'
import { until } from '#test-support/until.ts'
import { withDependencies } from '#test-support/stores.ts'
import { ADMIN_COOKIE, SESSION_COOKIE } from '#services/framework/api/headers.ts'
import { BadConfiguration } from '#services/process/config.ts'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { assertLaterKeys } from '#services/portal/required-keys.ts'
import { embeddedPaths } from '#services/process/data-folder.ts'
import { hashToken } from '#services/process/keys/derived-secrets.ts'
import { INSTALLATION_KEY_ID, ROOT_KEY_ID } from '#services/process/keys/root-secret.ts'
import { OpenSession } from '#services/identity/sign-in/sign-in-api.ts'
import { sealingKeyId } from '#services/proof/seal-signing.ts'

/** An attacker who can write to the storage of rows that give rights or decide, and has no key. */

const settings = { SEAL_SECONDS: '86400', METRICS_PORT: '0' }
const cookies: Record<SessionKind, string> = { trader: SESSION_COOKIE, admin: ADMIN_COOKIE }

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-rows-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
})

const open = () => openPortal({ dataDir, environment: settings })

/** A portal of this test's folder: it ends with the test, if not before. */
async function running(): Promise<Portal> {
  const portal = await open()
  onTestFinished(() => portal.stop())
  return portal
}

async function restarted(portal: Portal): Promise<Portal> {
  await portal.stop()
  return running()
}

/** Calls that only the owner of a session of this kind may make. */
const ownCall: Record<SessionKind, string> = { trader: '/api/user/sessions', admin: '/api/admin/auth/sessions' }
const statusOf = async (client: Browser, kind: SessionKind) => (await client.get(ownCall[kind])).status

/** The number of forged rows that the processes of a portal have met in a store. */
const alarms = async (portal: Portal, store: string) => {
  const counts = await Promise.all(
    portal.running.each.map(
      async ({ meters }) =>
        (await meters?.forgedRows.get())?.values.find(({ labels }) => labels['store'] === store)?.value ?? 0,
    ),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

describe('a session', () => {
  const storeOf = (portal: Portal) => portal.running.parts.sessionStore
  /** The row of a browser's session. */
  const rowOf = async (portal: Portal, client: Browser, kind: SessionKind): Promise<Session> => {
    const row = await storeOf(portal).find(hashToken(client.cookies.get(cookies[kind]) ?? ''))
    if (!row) throw new Error('There is no session')
    return row
  }
  const written = (portal: Portal, row: Session) =>
    storeOf(portal).create(row, { browser: 'Firefox on Windows', address: '192.0.2.1' })
  /** Writes a row, and returns a browser with its cookie. */
  const insert = async (portal: Portal, row: Omit<Session, 'idHash'>): Promise<Browser> => {
    const id = randomBytes(32).toString('base64url')
    await written(portal, { ...row, idHash: hashToken(id) })
    const client = portal.browser()
    client.cookies.set(cookies[row.kind], id)
    return client
  }
  const overwrite = async (portal: Portal, row: Session) => {
    await storeOf(portal).end(row.idHash)
    await written(portal, row)
  }
  const withCookies = (portal: Portal, { cookies: kept }: Browser) => {
    const client = browser(portal.url)
    for (const [name, value] of kept) client.cookies.set(name, value)
    return client
  }

  it.each(['a new process', 'a running one'])('inserted for somebody opens nothing in %s', async (when) => {
    let portal = await running()
    const [admin, trader] = [await portal.admin(), await portal.trader()]
    const [ofAdmin, ofTrader] = [await rowOf(portal, admin, 'admin'), await rowOf(portal, trader, 'trader')]
    const forged = [
      await insert(portal, { ...ofAdmin, mac: '' }),
      await insert(portal, { ...ofAdmin, mac: ofAdmin.mac }),
      await insert(portal, { ...ofTrader, mac: ofAdmin.mac }),
      await insert(portal, { ...ofAdmin, mac: randomBytes(32).toString('base64url') }),
    ]
    if (when === 'a new process') portal = await restarted(portal)
    for (const client of forged)
      for (const kind of ['admin', 'trader'] as const)
        expect(await statusOf(withCookies(portal, client), kind)).toBe(401)
    expect(await alarms(portal, 'session store')).toBeGreaterThanOrEqual(4)
    // The owners stay signed in, and see none of them.
    expect(await statusOf(withCookies(portal, admin), 'admin')).toBe(200)
    const listed = await withCookies(portal, trader).get(ownCall.trader)
    expect(read(z.array(OpenSession), listed)).toHaveLength(1)
  })

  it.each<readonly [string, (own: Session, other: Session) => Session]>([
    ['another owner', (own, other) => ({ ...own, subject: other.subject })],
    ['another owner and its MAC', (own, other) => ({ ...other, idHash: own.idHash })],
    ['another kind', (own) => ({ ...own, kind: 'admin' })],
    ['an earlier beginning', (own) => ({ ...own, createdAt: own.createdAt - 1 })],
    ['a later beginning, to live longer', (own) => ({ ...own, createdAt: own.createdAt + 1 })],
    ['a later use, to live longer', (own) => ({ ...own, lastSeenAt: own.lastSeenAt + 1 })],
  ])('with %s counts as absent', async (_, altered) => {
    const portal = await running()
    const [own, other] = [await portal.trader(), await portal.trader()]
    const row = altered(await rowOf(portal, own, 'trader'), await rowOf(portal, other, 'trader'))
    await overwrite(portal, row)
    const client = portal.browser()
    client.cookies.set(cookies[row.kind], own.cookies.get(SESSION_COOKIE) ?? '')
    expect(await statusOf(client, row.kind)).toBe(401)
    expect(await statusOf(other, 'trader')).toBe(200)
    expect(await alarms(portal, 'session store')).toBeGreaterThan(0)
  })

  it('that was deleted is over', async () => {
    const portal = await running()
    const [own, other] = [await portal.trader(), await portal.trader()]
    await storeOf(portal).end((await rowOf(portal, own, 'trader')).idHash)
    expect(await statusOf(own, 'trader')).toBe(401)
    expect(await statusOf(other, 'trader')).toBe(200)
  })

  it('swapped with another is of nobody', async () => {
    const portal = await running()
    const [one, two] = [await portal.trader(), await portal.trader()]
    const rows = [await rowOf(portal, one, 'trader'), await rowOf(portal, two, 'trader')] as const
    await overwrite(portal, { ...rows[0], idHash: rows[1].idHash })
    await overwrite(portal, { ...rows[1], idHash: rows[0].idHash })
    for (const client of [one, two]) expect(await statusOf(client, 'trader')).toBe(401)
  })

  it('of a revoked key that is put back opens nothing', async () => {
    const portal = await running()
    const [admin, member] = [await portal.admin(), await portal.member('auditor')]
    const row = await rowOf(portal, member, 'admin')
    expect((await admin.delete(`/api/admin/staff/${member.id}`)).status).toBe(200)
    await written(portal, row)
    const after = await restarted(portal)
    expect(await statusOf(withCookies(after, member), 'admin')).toBe(401)
  })

  it('of a banned or deleted trader that is put back opens nothing', async () => {
    const portal = await running()
    const [admin, banned, deleted] = [await portal.admin(), await portal.trader(), await portal.trader()]
    const rows = [await rowOf(portal, banned, 'trader'), await rowOf(portal, deleted, 'trader')] as const
    await admin.patch(`/api/admin/user/${banned.id}/ban`, { banned: true, banReason: 'Copied trades' })
    await admin.delete(`/api/admin/user/${deleted.id}`)
    await storeOf(portal).suspend('trader', banned.id, null)
    for (const row of rows) await overwrite(portal, row)
    const after = await restarted(portal)
    const answer = await withCookies(after, banned).get(ownCall.trader)
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('Copied trades')])
    expect(await statusOf(withCookies(after, deleted), 'trader')).toBe(401)
  })

  it('of before a change of the password that is put back opens nothing', async () => {
    const portal = await running()
    const [trader, thief] = [await portal.trader(), portal.browser()]
    await thief.post('/api/login', { email: trader.email, password: trader.password })
    const row = await rowOf(portal, thief, 'trader')
    const newPassword = 'another horse, correct'
    const change = { currentPassword: trader.password, newPassword, confirmPassword: newPassword }
    expect((await trader.post('/api/user/change-password', change)).status).toBe(200)
    await written(portal, row)
    const after = await restarted(portal)
    expect(await statusOf(withCookies(after, thief), 'trader')).toBe(401)
    expect(await statusOf(withCookies(after, trader), 'trader')).toBe(200)
  })
})

describe('a row of the key store', () => {
  interface KeyAttack {
    readonly store: KeyStore
    /** Deletes a row with the storage's own means. */
    drop(id: string): Promise<void>
    wrapped(id: string): Promise<Uint8Array>
  }

  /** Works on the storage of the keys, whichever it is. */
  async function attack(work: (attacker: KeyAttack) => Promise<void>): Promise<void> {
    const { MONGODB_URL: url } = await storesFor(dataDir)
    const path = embeddedPaths.keys(dataDir)
    const store = url === undefined ? openSqliteKeyStore(path) : openMongoKeyStore(url)
    const drop = async (id: string) => {
      if (url === undefined) {
        const database = new Libsql(path)
        database.prepare('DELETE FROM keys WHERE id = ?').run(id)
        database.close()
      } else {
        const { database, close } = connect(url, 'attack')
        await database.collection<{ _id: string }>('person_keys').deleteOne({ _id: id })
        await close()
      }
    }
    const wrapped = async (id: string) => (await store.get([id])).get(id)?.wrapped ?? new Uint8Array()
    await work({ store, drop, wrapped })
    await store.close()
  }

  /** A stopped portal with a sealed log, whose second factor of staff is on record. */
  async function stopped(): Promise<{ readonly one: Trader; readonly two: Trader }> {
    const portal = await open()
    const [one, two] = [await portal.trader(), await portal.trader()]
    await seal(portal.running.parts)
    await portal.stop()
    return { one, two }
  }

  const expectRefused = async (...ids: readonly string[]) => {
    const starting = open()
    await expect(starting).rejects.toThrow(BadConfiguration)
    for (const id of ids) await expect(starting).rejects.toThrow(`'${id}'`)
    await expect(starting).rejects.toThrow('Restore the key store from the newest backup')
  }

  it.each([ROOT_KEY_ID, INSTALLATION_KEY_ID, sealingKeyId(1)])('that is %s is missed at the next start', async (id) => {
    await stopped()
    await attack(({ drop }) => drop(id))
    await expectRefused(id)
    // Nothing was created in its place.
    await expectRefused(id)
  })

  it('of a user whom a start does not wait for is missed after it', async () => {
    const { one, two } = await stopped()
    const stores = { DATA_DIR: dataDir, ...(await storesFor(dataDir)) }
    /** Whether its loss is found before the portal is ready, or after it, when a start waits for one user. */
    const missed = (id: string) =>
      withDependencies(stores, async (parts) => {
        const readModels = createReadModels(parts.readModelStore)
        const lacks = (error: unknown) => error instanceof BadConfiguration && error.message.includes(`'${id}'`)
        try {
          const rest = await assertLaterKeys({ ...parts, readModels, sealingKeys: 1 }, 1)
          return (await rest?.(new AbortController().signal).catch(lacks)) ? 'after it' : 'not at all'
        } catch (error) {
          return lacks(error) ? 'before it' : error
        }
      })
    const seen: unknown[] = []
    for (const { id } of [one, two]) {
      expect(await missed(id)).toBe('not at all')
      await attack(async ({ store, drop, wrapped }) => {
        const key = await wrapped(id)
        await drop(id)
        seen.push(await missed(id))
        await store.add(id, key)
      })
    }
    expect(seen.toSorted()).toEqual(['after it', 'before it'])
  })

  it('of a user is missed at the next start, dropped, replaced, swapped, or marked as destroyed', async () => {
    const { one, two } = await stopped()
    const kept = new Map<string, Uint8Array>()
    await attack(async ({ wrapped }) => {
      for (const { id } of [one, two]) kept.set(id, await wrapped(id))
    })
    const of = ({ id }: Trader) => kept.get(id) ?? new Uint8Array()
    const putBack = () =>
      attack(async ({ store, drop }) => {
        for (const trader of [one, two]) {
          await drop(trader.id)
          await store.add(trader.id, of(trader))
        }
      })

    await attack(({ drop }) => drop(one.id))
    await expectRefused(one.id)
    await putBack()

    await attack(async ({ store }) => void (await store.replace(one.id, of(one), randomBytes(60))))
    await expectRefused(one.id)
    await putBack()

    await attack(async ({ store }) => {
      await store.replace(one.id, of(one), of(two))
      await store.replace(two.id, of(two), of(one))
    })
    await expectRefused(one.id, two.id)
    await putBack()

    await attack(({ store }) => store.destroy(one.id, of(one)))
    await expectRefused(one.id)
    await putBack()

    // As it was, the portal starts, and everybody is there.
    const portal = await running()
    const admin = await portal.admin()
    for (const { id, email } of [one, two])
      expect((await admin.get(`/api/admin/user/${id}`)).body).toMatchObject({ email })
  })

  it('of an erased person is not taken for that of another', async () => {
    const portal = await open()
    const [erased, other] = [await portal.trader(), await portal.trader()]
    await (await portal.admin()).delete(`/api/admin/user/${erased.id}`)
    const { keyStore } = portal.running.parts
    await expect.poll(async () => (await keyStore.get([erased.id])).get(erased.id)?.isDestroyed).toBe(true)
    await portal.stop()
    await attack(async ({ store, wrapped }) => store.destroy(other.id, await wrapped(erased.id)))
    await expectRefused(other.id)
  })

  it('of an erased person that is put back opens no account, and is destroyed again within a round', async () => {
    const portal = await open()
    const erased = await portal.trader()
    let kept = new Uint8Array()
    await attack(async ({ wrapped }) => void (kept = Uint8Array.from(await wrapped(erased.id))))
    await (await portal.admin()).delete(`/api/admin/user/${erased.id}`)
    const { keyStore } = portal.running.parts
    await expect.poll(async () => (await keyStore.get([erased.id])).get(erased.id)?.isDestroyed).toBe(true)
    await portal.stop()
    await attack(async ({ store, drop }) => {
      await drop(erased.id)
      await store.add(erased.id, kept)
    })
    const again = await running()
    const { keyStore: after } = again.running.parts
    await until(
      async () => (await after.get([erased.id])).get(erased.id)?.isDestroyed === true,
      'the key to be destroyed again',
    )
    const admin = await again.admin()
    expect((await admin.get(`/api/admin/user/${erased.id}`)).status).toBe(404)
    const { status } = await again.browser().post('/api/login', { email: erased.email, password: erased.password })
    expect(status).toBe(401)
  })

  it('of nobody that is inserted decrypts and stops nothing', async () => {
    const { one, two } = await stopped()
    await attack(async ({ store, wrapped }) => {
      await store.add('nobody00', await wrapped(one.id))
      await store.add('nobody01', randomBytes(60))
    })
    const admin = await (await running()).admin()
    for (const { id, email } of [one, two])
      expect((await admin.get(`/api/admin/user/${id}`)).body).toMatchObject({ email })
    expect((await admin.get('/api/admin/user/nobody00')).status).toBe(404)
  })

  // Each process remembers keys for half a minute.
  it.skipIf(runsSeparately)('is never made anew while the portal runs', async () => {
    const { one } = await stopped()
    const portal = await running()
    await attack(async ({ drop }) => {
      await drop(one.id)
      await drop(sealingKeyId(1))
    })
    // As in another process, which does not remember them.
    const { keyStore } = portal.running.parts
    const admin = await portal.admin()
    const ban = await admin.patch(`/api/admin/user/${one.id}/ban`, { banned: true, banReason: 'A test' })
    expect([200, 500]).toContain(ban.status)
    await seal(portal.running.parts).catch(() => {})
    expect(await keyStore.get([one.id, sealingKeyId(1)])).toEqual(new Map())
    await portal.stop()
    await expectRefused(sealingKeyId(1))
  })
})

describe.skipIf(isExternal('redis'))('a job of the mail queue', () => {
  it.each([
    ['changed to another event', "UPDATE jobs SET stream = 'user-thief000', revision = 9, state = 'waiting', due = 0"],
    ['deleted', 'DELETE FROM jobs'],
    ['put back', "UPDATE jobs SET state = 'waiting', attempts = 0, due = 0; UPDATE progress SET checkpoint = NULL"],
    [
      'inserted',
      "INSERT INTO jobs (id, kind, stream, revision, due) SELECT 'x' || id, kind, stream, revision, 0 FROM jobs",
    ],
  ])('that was %s sends no other mail', async (_, sql) => {
    const portal = await open()
    const trader = await portal.trader()
    await portal.browser().post('/api/forgot-password', { email: trader.email })
    await portal.mailsTo(trader.email, 1)
    await portal.mailed()
    const before = await portal.allMails(trader.email)
    await portal.stop()
    const database = new Libsql(embeddedPaths.mail(dataDir))
    database.exec(sql)
    database.close()
    const after = await running()
    await after.mailed()
    expect(await after.allMails(trader.email)).toHaveLength(before.length)
  })
})

describe('a log', () => {
  it('whose first event has no MAC is not gone on with', async () => {
    const { EVENTSTORE_URL: url } = await storesFor(dataDir)
    if (url !== undefined) return
    const portal = await open()
    await portal.trader()
    await portal.stop()
    const database = new Libsql(embeddedPaths.events(dataDir))
    database.exec(`UPDATE events SET metadata = replace(metadata, '"mac":', '"was":') WHERE position = 1`)
    database.close()
    const starting = open()
    await expect(starting).rejects.toThrow(BadConfiguration)
    await expect(starting).rejects.toThrow('The portal does not start with a log that it did not write')
  })
})
