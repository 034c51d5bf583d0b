import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type EventStoreDouble, startDouble } from '#test-support/eventstoredb-double/double.ts'
import { startFerretDb, whyNoFerretDb } from '#test-support/servers/ferretdb.ts'
import { s3Credentials, type S3Server, startS3 } from '#test-support/servers/s3.ts'
import { AccessKeys } from '#services/identity/staff/server/access-keys.ts'
import { rotateMasterKey } from '#services/operations/installation/server/master-key-rotation.ts'
import { openPortal, registration } from '#test-support/portal.ts'
import { buildProgram, runProgram, temporaryFolder } from '#test-support/program.ts'
import { until } from '#test-support/until.ts'
import { type Firm, createFirm, seal, verified } from '#test-support/small-firm.ts'
import { storedEvents, withDependencies } from '#test-support/stores.ts'
import { copyInstallation } from './copy-installation.ts'
import { openFolderDestination } from './migration-stores.ts'

const launcher = fileURLToPath(new URL('../../launch.mjs', import.meta.url))

let s3: S3Server
/** A stopped embedded installation; tests use copies of it. */
let original: string
let firm: Firm
beforeAll(async () => {
  await buildProgram()
  s3 = await startS3()
  const portal = await openPortal()
  original = portal.dataDir
  firm = await createFirm(portal)
  await portal.running.stop()
})
afterAll(() => s3?.close())

let buckets = 0

interface Servers {
  readonly dataDir: string
  readonly double: EventStoreDouble
  /** The operator's environment. */
  readonly variables: Readonly<Record<string, string>>
}

/** A copy of the installation, and empty servers. */
async function servers(): Promise<Servers> {
  const dataDir = temporaryFolder()
  await cp(original, dataDir, { recursive: true })
  const double = await startDouble()
  onTestFinished(() => double.close())
  const n = buckets++
  const S3_URL = s3.urlOf(`files-${n}`)
  const SEALS_URL = s3.urlOf(`seals-${n}`, { credentials: s3Credentials.seals })
  return { dataDir, double, variables: { DATA_DIR: dataDir, EVENTSTORE_URL: double.url, S3_URL, SEALS_URL } }
}

/** With the keys in a MongoDB, wrapped by the same master key. */
async function withMongoDb(target: Servers): Promise<Servers> {
  const server = await startFerretDb()
  onTestFinished(() => server.close())
  const MASTER_KEY = (await readFile(join(target.dataDir, 'master.key'), 'utf8')).trim()
  return { ...target, variables: { ...target.variables, MONGODB_URL: server.newUrl(), MASTER_KEY } }
}

const migrate = ({ variables }: Servers, to = 'services') => runProgram(['migrate', '--to', to], variables)

/** The number of our events in the double. */
const eventsIn = ({ log }: EventStoreDouble) =>
  log.events.filter(({ stream }) => !stream.startsWith('$') && !stream.startsWith('moved-')).length

/** Starts a migration and kills it after this many events; nothing more arrives afterwards. */
async function killAfter(events: number, { variables, double }: Servers): Promise<void> {
  let reached = false
  const stop = double.log.onAppended(() => {
    if (reached || eventsIn(double) < events) return
    reached = true
    double.relay.freeze()
  })
  const child: ChildProcess = spawn(process.execPath, [launcher, 'migrate', '--to', 'services'], {
    env: { PATH: process.env['PATH'] ?? '', ...variables },
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  onTestFinished(kill)
  await until(async () => reached || child.exitCode !== null, 'the moment to kill')
  await kill()
  stop()
  double.relay.cut()
  double.relay.thaw()
}

describe('migrating an embedded installation to servers', () => {
  it('continues after each kill and copies every event exactly once', async () => {
    const target = await servers()
    const events = await withDependencies({ DATA_DIR: original }, storedEvents)
    const { seals } = await withDependencies({ DATA_DIR: original }, verified)
    for (const count of [1, Math.round(events.length / 2)]) {
      await killAfter(count, target)
      expect(eventsIn(target.double)).toBeGreaterThanOrEqual(count)
      expect(eventsIn(target.double)).toBeLessThan(events.length)
      // An incomplete copy cannot be used.
      await expect(withDependencies(target.variables, storedEvents)).rejects.toThrow('event store')
    }

    const { code, stdout, stderr } = await migrate(target)
    expect(stderr).toBe('')
    expect(stdout).toContain(`Verified: every event is the same as in the original, and ${seals} seals are valid.`)
    expect(code).toBe(0)
    expect(eventsIn(target.double)).toBe(events.length)
    await withDependencies(target.variables, async (parts) => {
      expect(await storedEvents(parts)).toEqual(events)
      expect(await verified(parts)).toMatchObject({ finding: null, seals, facts: events.length })
    })
    // Repeated, it copies nothing.
    const again = await migrate(target)
    expect(again.stdout).toContain(`Events: ${events.length}, up to #${events.at(-1)?.position}, 0 of them copied now.`)
    expect(again.code).toBe(0)
  })

  it('leaves a working portal, which can be copied back into a folder', async () => {
    const target = await servers()
    expect(await migrate(target)).toMatchObject({ code: 0 })
    const portal = await openPortal({ dataDir: target.dataDir, environment: target.variables })
    try {
      const admin = await portal.admin()
      for (const { trader, address, content } of firm.certificates) {
        const browser = portal.browser()
        expect((await browser.post('/api/login', { email: trader.email, password: trader.password })).status).toBe(200)
        const served = await until(async () => {
          const answer = await browser.get(address)
          return answer.status === 200 ? answer : undefined
        }, 'the read models to be built')
        expect(served.bytes.equals(content)).toBe(true)
        expect((await admin.patch(`/api/admin/user/${trader.id}/account`, { balance: '91000.00' })).status).toBe(200)
      }
      expect(await seal(portal.running.parts)).toBeGreaterThan(0)
    } finally {
      await portal.stop()
    }
    const migrated = await withDependencies(target.variables, async (parts) => {
      expect(await verified(parts)).toMatchObject({ finding: null })
      return storedEvents(parts)
    })

    const folder = join(temporaryFolder(), 'for-the-auditor')
    expect(await migrate(target, folder)).toMatchObject({ code: 0 })
    await cp(join(target.dataDir, 'master.key'), join(folder, 'master.key'))
    const audit = await runProgram(['audit', 'verify', '--json'], { DATA_DIR: folder })
    expect(JSON.parse(audit.stdout)).toMatchObject({ facts: migrated.length, finding: null })
    await withDependencies({ DATA_DIR: folder }, async (parts) => expect(await storedEvents(parts)).toEqual(migrated))
    // A copy with later events is not overwritten.
    expect(await migrate(target)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The portal has already worked with it'),
    })
  })

  it.skipIf(whyNoFerretDb)(
    `copies the keys to MongoDB before a process target can create others${whyNoFerretDb ? ` (skipped: ${whyNoFerretDb})` : ''}`,
    async () => {
      const target = await withMongoDb(await servers())
      const events = await withDependencies({ DATA_DIR: original }, storedEvents)
      await killAfter(1, target)
      // A process that starts too early finds no log, but the keys of this installation.
      await expect(withDependencies(target.variables, storedEvents)).rejects.toThrow('event store')
      const { code, stdout } = await migrate(target)
      expect(stdout).toContain('Verified: every event is the same as in the original')
      expect(code).toBe(0)

      const secrets = await withDependencies({ DATA_DIR: original }, async (parts) => parts.secrets)
      // Another machine, without the old folder.
      const variables = { ...target.variables, DATA_DIR: temporaryFolder() }
      await withDependencies(variables, async (parts) => {
        expect(await storedEvents(parts)).toEqual(events)
        expect(await verified(parts)).toMatchObject({ finding: null, facts: events.length })
        expect(parts.secrets.emailHash('ada@example.com')).toBe(secrets.emailHash('ada@example.com'))
        expect((await parts.personKeys.get([firm.erased])).get(firm.erased)).toBe('destroyed')
      })
      await expect(
        withDependencies({ ...variables, MASTER_KEY: 'another master key, which is as long' }, storedEvents),
      ).rejects.toThrow('MASTER_KEY')

      const portal = await openPortal({ dataDir: variables.DATA_DIR, environment: variables })
      try {
        for (const { trader, address, content } of firm.certificates) {
          const browser = portal.browser()
          const signedIn = await browser.post('/api/login', { email: trader.email, password: trader.password })
          expect(signedIn.body).toMatchObject({ id: trader.id, fullName: registration.fullName })
          const served = await until(async () => {
            const answer = await browser.get(address)
            return answer.status === 200 ? answer : undefined
          }, 'the read models to be built')
          expect(served.bytes.equals(content)).toBe(true)
        }
      } finally {
        await portal.stop()
      }
      // The master key can be rotated there.
      const next = { ...variables, NEW_MASTER_KEY: 'the master key that replaces the old one' }
      expect(await withDependencies(next, rotateMasterKey)).toBe(true)
      await withDependencies({ ...variables, MASTER_KEY: next.NEW_MASTER_KEY }, async (parts) =>
        expect(await verified(parts)).toMatchObject({ finding: null }),
      )
    },
  )

  it('is refused where another installation has its log', async () => {
    const target = await servers()
    const portal = await openPortal({ environment: { EVENTSTORE_URL: target.double.url } })
    await portal.stop()
    const before = target.double.log.events.length
    expect(await migrate(target)).toMatchObject({ code: 1, stderr: expect.stringContaining('there is a log already') })
    expect(target.double.log.events.length).toBe(before)
  })

  it('asks to stop the portal when it has recorded more meanwhile', async () => {
    const target = await servers()
    await withDependencies({ DATA_DIR: target.dataDir }, async (parts) => {
      const copy = openFolderDestination(join(temporaryFolder(), 'copy'))
      onTestFinished(() => copy.close())
      if (!copy.log) throw new Error('The copy has no log')
      const begin = async () =>
        void (await new AccessKeys(parts.repositories, parts.secrets).issue('Meanwhile', 'auditor', 'a test'))
      const growing = { ...copy, log: { ...copy.log, isSnapshot: false, begin } }
      await expect(copyInstallation(parts, growing)).rejects.toThrow('stop it and run this again')
      expect(
        await copyInstallation(parts, { ...growing, log: { ...growing.log, begin: async () => {} } }),
      ).toMatchObject({ verified: { finding: null } })
    })
  })

  it('names the variables to set when no server is configured', async () => {
    const folder = temporaryFolder()
    expect(await runProgram(['migrate', '--to', 'services'], { DATA_DIR: folder })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('EVENTSTORE_URL'),
    })
  })
})
