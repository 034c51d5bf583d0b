import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type EventStoreDouble, startDouble } from '../../../test-support/eventstoredb-double/double.ts'
import { startFerretDb, whyNoFerretDb } from '../../../test-support/servers/ferretdb.ts'
import { s3Credentials, type S3Server, startS3 } from '../../../test-support/servers/s3.ts'
import { AccessKeys } from '../../use-cases/access-keys.ts'
import { rotateMasterKey } from '../../keys/master-key-rotation.ts'
import { openPortal, registration } from '../../../test-support/portal.ts'
import { buildProgram, runProgram, temporaryFolder } from '../../../test-support/program.ts'
import { until } from '../../../test-support/until.ts'
import { type Firm, createFirm, seal, storedEvents, verified, withDependencies } from '../../../test-support/small-firm.ts'
import { copyInstallation } from './copy-installation.ts'
import { openFolderDestination } from './migration-stores.ts'

const launcher = fileURLToPath(new URL('../../launch.mjs', import.meta.url))

let s3: S3Server
/** An embedded installation at rest; tests work on copies of it. */
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
  /** What an operator sets. */
  readonly variables: Readonly<Record<string, string>>
}

/** A copy of the installation, and servers with nothing in them. */
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

/** With keys in a MongoDB of their own, wrapped by the key that they have been. */
async function withMongoDb(there: Servers): Promise<Servers> {
  const server = await startFerretDb()
  onTestFinished(() => server.close())
  const MASTER_KEY = (await readFile(join(there.dataDir, 'master.key'), 'utf8')).trim()
  return { ...there, variables: { ...there.variables, MONGODB_URL: server.newUrl(), MASTER_KEY } }
}

const migrate = ({ variables }: Servers, to = 'services') => runProgram(['migrate', '--to', to], variables)

/** How many of our facts the double holds. */
const factsIn = ({ log }: EventStoreDouble) => log.events.filter(({ stream }) => !stream.startsWith('$') && !stream.startsWith('moved-')).length

/** Begins to move, and is killed when so many facts are there: nothing more arrives from then on. */
async function killedAfter(facts: number, { variables, double }: Servers): Promise<void> {
  let reached = false
  const stop = double.log.onAppended(() => {
    if (reached || factsIn(double) < facts) return
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

describe('moving an embedded installation to servers', () => {
  it('killed again and again goes on each time, and in the end every fact is there once, byte for byte, under its number', async () => {
    const there = await servers()
    const facts = await withDependencies({ DATA_DIR: original }, storedEvents)
    const { seals } = await withDependencies({ DATA_DIR: original }, verified)
    for (const count of [1, Math.round(facts.length / 2)]) {
      await killedAfter(count, there)
      expect(factsIn(there.double)).toBeGreaterThanOrEqual(count)
      expect(factsIn(there.double)).toBeLessThan(facts.length)
      // Until it is complete nobody works with it.
      await expect(withDependencies(there.variables, storedEvents)).rejects.toThrow('event store')
    }

    const { code, stdout, stderr } = await migrate(there)
    expect(stderr).toBe('')
    expect(stdout).toContain(`Verified: every fact is the same as in the original, and ${seals} seals hold.`)
    expect(code).toBe(0)
    expect(factsIn(there.double)).toBe(facts.length)
    await withDependencies(there.variables, async (parts) => {
      expect(await storedEvents(parts)).toEqual(facts)
      expect(await verified(parts)).toMatchObject({ finding: null, seals, facts: facts.length })
    })
    // Once more it finds all of it there.
    const again = await migrate(there)
    expect(again.stdout).toContain(`Facts: ${facts.length}, up to fact ${facts.at(-1)?.position}, 0 of them copied now.`)
    expect(again.code).toBe(0)
  })

  it('lets the portal go on there: people sign in, files are served, new facts follow and are sealed; and comes back into a folder', async () => {
    const there = await servers()
    expect(await migrate(there)).toMatchObject({ code: 0 })
    const portal = await openPortal({ dataDir: there.dataDir, environment: there.variables })
    try {
      const admin = await portal.admin()
      for (const { trader, address, content } of firm.certificates) {
        const browser = portal.browser()
        expect((await browser.post('/api/login', { email: trader.email, password: trader.password })).status).toBe(200)
        const served = await until(async () => {
          const answer = await browser.get(address)
          return answer.status === 200 ? answer : undefined
        }, 'the views to be built')
        expect(served.bytes.equals(content)).toBe(true)
        expect((await admin.patch(`/api/admin/user/${trader.id}/account`, { balance: '91000.00' })).status).toBe(200)
      }
      expect(await seal(portal.running.parts)).toBeGreaterThan(0)
    } finally {
      await portal.stop()
    }
    const moved = await withDependencies(there.variables, async (parts) => {
      expect(await verified(parts)).toMatchObject({ finding: null })
      return storedEvents(parts)
    })

    const folder = join(temporaryFolder(), 'for-the-auditor')
    expect(await migrate(there, folder)).toMatchObject({ code: 0 })
    await cp(join(there.dataDir, 'master.key'), join(folder, 'master.key'))
    const audit = await runProgram(['audit', 'verify', '--json'], { DATA_DIR: folder })
    expect(JSON.parse(audit.stdout)).toMatchObject({ facts: moved.length, finding: null })
    await withDependencies({ DATA_DIR: folder }, async (parts) => expect(await storedEvents(parts)).toEqual(moved))
    // It would not go over what has begun there.
    expect(await migrate(there)).toMatchObject({ code: 1, stderr: expect.stringContaining('Somebody has worked with it') })
  })

  it.skipIf(whyNoFerretDb)(
    `takes the keys to MongoDB, before anybody there could make others${whyNoFerretDb ? ` (skipped: ${whyNoFerretDb})` : ''}`,
    async () => {
      const there = await withMongoDb(await servers())
      const facts = await withDependencies({ DATA_DIR: original }, storedEvents)
      await killedAfter(1, there)
      // Somebody starts too early: there is no log yet, but the keys of this installation.
      await expect(withDependencies(there.variables, storedEvents)).rejects.toThrow('event store')
      const { code, stdout } = await migrate(there)
      expect(stdout).toContain('Verified: every fact is the same as in the original')
      expect(code).toBe(0)

      const secrets = await withDependencies({ DATA_DIR: original }, async (parts) => parts.secrets)
      // Another machine, with nothing of the old folder.
      const variables = { ...there.variables, DATA_DIR: temporaryFolder() }
      await withDependencies(variables, async (parts) => {
        expect(await storedEvents(parts)).toEqual(facts)
        expect(await verified(parts)).toMatchObject({ finding: null, facts: facts.length })
        expect(parts.secrets.emailHash('ada@example.com')).toBe(secrets.emailHash('ada@example.com'))
        expect((await parts.personKeys.get([firm.erased])).get(firm.erased)).toBe('destroyed')
      })
      await expect(withDependencies({ ...variables, MASTER_KEY: 'another master key, which is as long' }, storedEvents)).rejects.toThrow('MASTER_KEY')

      const portal = await openPortal({ dataDir: variables.DATA_DIR, environment: variables })
      try {
        for (const { trader, address, content } of firm.certificates) {
          const browser = portal.browser()
          const signedIn = await browser.post('/api/login', { email: trader.email, password: trader.password })
          expect(signedIn.body).toMatchObject({ id: trader.id, fullName: registration.fullName })
          const served = await until(async () => {
            const answer = await browser.get(address)
            return answer.status === 200 ? answer : undefined
          }, 'the views to be built')
          expect(served.bytes.equals(content)).toBe(true)
        }
      } finally {
        await portal.stop()
      }
      // The key can be exchanged there.
      const next = { ...variables, NEW_MASTER_KEY: 'the master key that it is exchanged for' }
      expect(await withDependencies(next, rotateMasterKey)).toBe(true)
      await withDependencies({ ...variables, MASTER_KEY: next.NEW_MASTER_KEY }, async (parts) => expect(await verified(parts)).toMatchObject({ finding: null }))
    },
  )

  it('is not begun where another installation has its log', async () => {
    const there = await servers()
    const portal = await openPortal({ environment: { EVENTSTORE_URL: there.double.url } })
    await portal.stop()
    const before = there.double.log.events.length
    expect(await migrate(there)).toMatchObject({ code: 1, stderr: expect.stringContaining('there is a log already') })
    expect(there.double.log.events.length).toBe(before)
  })

  it('ends with word to stop the portal when that has recorded more meanwhile', async () => {
    const there = await servers()
    await withDependencies({ DATA_DIR: there.dataDir }, async (parts) => {
      const copy = openFolderDestination(join(temporaryFolder(), 'copy'))
      onTestFinished(() => copy.close())
      if (!copy.log) throw new Error('There is no log')
      const begin = async () => void (await new AccessKeys(parts.repositories, parts.secrets).issue('Meanwhile', 'auditor', 'a test'))
      const growing = { ...copy, log: { ...copy.log, isSnapshot: false, begin } }
      await expect(copyInstallation(parts, growing)).rejects.toThrow('stop it and run this again')
      expect(await copyInstallation(parts, { ...growing, log: { ...growing.log, begin: async () => {} } })).toMatchObject({ verified: { finding: null } })
    })
  })

  it('says what to set when there is nowhere to move to', async () => {
    const folder = temporaryFolder()
    expect(await runProgram(['migrate', '--to', 'services'], { DATA_DIR: folder })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('EVENTSTORE_URL'),
    })
  })
})
