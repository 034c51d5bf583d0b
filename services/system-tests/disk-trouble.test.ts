import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { Certificate } from '#services/trading/certificates/certificate-api.ts'
import { RETRY_HEADER } from '#services/framework/api/headers.ts'
import { embeddedPaths } from '#services/process/data-folder.ts'
import { type Browser, browser } from '#test-support/http-client.ts'
import { after, pdf, read, uploadCertificate } from '#test-support/http-calls.ts'
import { runCommand } from '#test-support/command-line.ts'
import { isCaughtUp } from '#test-support/chaos/workload.ts'
import { allDocuments, rebuildReadModels, expectUnbrokenChains } from '#test-support/chaos/log-inspection.ts'
import { decodeEvents, readLog, withStores } from '#test-support/stores.ts'
import { newEmail, openPortal, registration } from '#test-support/portal.ts'
import {
  ADMIN_KEY,
  afterSuite,
  buildProgram,
  type Program,
  runProgram,
  startProgram,
  temporaryFolder,
} from '#test-support/program.ts'
import type { OnEnd } from '#test-support/child-process.ts'
import { until } from '#test-support/until.ts'

beforeAll(buildProgram, 600_000)
// Starting processes takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const isLinux = process.platform === 'linux'

describe.runIf(isLinux)('a full disk', () => {
  const onEnd = afterSuite()
  let original: AlmostFull
  beforeAll(async () => void (original = await makeAlmostFull(onEnd)))
  const almostFull = () => ({ ...original, dataDir: copyOf(original.dataDir) })

  it('refuses changes with 503, serves reads, and loses nothing', async () => {
    const { dataDir, id, changes, email, signedIn } = almostFull()
    // Files may grow up to the size of the log and no further: so there is room for everything but the log.
    const full = await startProgram({ dataDir, before: `ulimit -f ${blocksOf(dataDir)}` })
    const admin = browserWithSession(full, signedIn)
    await upToDate(admin)
    const refused = [
      await admin.patch(`/api/admin/user/${id}/account`, { balance: '7.77', phase: 'never recorded' }),
      await admin.patch(`/api/admin/user/${id}/ban`, { banned: true, banReason: 'never recorded' }),
      await uploadCertificate(admin, { userId: id, name: 'never recorded' }),
      await browser(full.url).post('/api/register', { ...registration, email: newEmail() }),
    ]
    for (const { status, body, headers } of refused) {
      expect(status).toBe(503)
      expect(body).toEqual({ message: "We can't reach our servers right now. Please try again in a moment." })
      expect(Number(headers.get(RETRY_HEADER))).toBeGreaterThan(0)
    }
    for (const address of [email, newEmail()])
      expect(
        [address, (await browser(full.url).post('/api/forgot-password', { email: address })).status],
        'known or not',
      ).toEqual([address, 503])
    const trader = browser(full.url)
    expect((await trader.post('/api/login', { email, password: registration.password })).status).toBe(200)
    expect((await trader.get('/api/user')).body).toMatchObject({ id, banned: false })
    expect((await trader.get('/api/user/account')).body).toMatchObject({ phase: changes.at(-1), balance: '0.00' })
    expect((await admin.get('/api/admin/users')).body).toHaveLength(1)
    expect((await admin.get('/healthz')).status).toBe(200)
    expect((await admin.get('/readyz')).status).toBe(503)
    await full.stop()

    const roomy = await startProgram({ dataDir })
    const again = await administrator(roomy)
    expect((await again.patch(`/api/admin/user/${id}/account`, { phase: 'recorded again' })).status).toBe(200)
    expect(await roomy.stop()).toBe(0)
    expect(await phasesOnRecord(dataDir)).toEqual([...changes, 'recorded again'])
  })

  it('recovers by itself when space is freed', async () => {
    const { dataDir, id, changes, signedIn } = almostFull()
    // A soft limit, which may be lifted from outside.
    const portal = await startProgram({ dataDir, before: `ulimit -S -f ${blocksOf(dataDir)}` })
    const admin = browserWithSession(portal, signedIn)
    expect((await admin.patch(`/api/admin/user/${id}/account`, { phase: 'no room' })).status).toBe(503)
    expect((await admin.patch(`/api/admin/user/${id}/account`, { phase: 'no room' })).status).toBe(503)

    execFileSync('prlimit', ['--pid', String(portal.pid), '--fsize=unlimited:'])
    const accepted = await admin.patch(`/api/admin/user/${id}/account`, { phase: 'room' })
    expect(accepted.status).toBe(200)
    expect((await admin.get(`/api/admin/user/${id}`, after(accepted))).body).toMatchObject({
      tradingAccount: { phase: 'room' },
    })
    expect((await admin.get('/readyz')).status).toBe(200)
    expect(await portal.stop()).toBe(0)
    expect(await phasesOnRecord(dataDir)).toEqual([...changes, 'room'])
  })

  it('keeps every acknowledged change when every file is full', async () => {
    const dataDir = temporaryFolder()
    // Every file, views and mails too, may grow to this much only; which one is full first is a matter of chance. The
    // tables of the views take half of it.
    const portal = await startProgram({ dataDir, before: 'ulimit -f 2600' })
    const { id, trader } = await newTrader(portal)
    // Later reads are answered with at least this.
    const admin = await administrator(portal)
    await upToDate(admin)
    const accepted: string[] = []
    let refusals = 0
    for (let n = 1; refusals < 3; n++) {
      const phase = `Phase ${n}${' and more of it'.repeat(30)}`
      const { status } = await admin.patch(`/api/admin/user/${id}/account`, { phase })
      expect([200, 503]).toContain(status)
      if (status === 200) accepted.push(phase)
      else refusals += 1
      // A reader that changed nothing gets an answer, at worst the older data.
      if (n % 20 === 0) expect((await browserWithSession(portal, trader).get('/api/user')).status).toBe(200)
    }
    expect(accepted.length).toBeGreaterThan(20)
    await portal.stop()

    const roomy = await startProgram({ dataDir })
    await upToDate(browserWithSession(roomy, admin))
    expect((await browserWithSession(roomy, trader).get('/api/user/account')).body).toMatchObject({
      phase: accepted.at(-1),
    })
    expect(await roomy.stop()).toBe(0)
    expect(await phasesOnRecord(dataDir)).toEqual(accepted)
    await withStores(dataDir, async (parts) =>
      expect(await allDocuments(parts.readModelStore)).toEqual(await rebuildReadModels(parts)),
    )
  })
})

it('answers 503 to an upload that cannot be stored and issues nothing', async () => {
  const dataDir = temporaryFolder()
  const portal = await openPortal({ dataDir })
  const { id } = await newTrader(portal)
  const admin = await administrator(portal)
  const files = embeddedPaths.files(dataDir)
  renameSync(files, `${files}.away`)
  writeFileSync(files, 'no folder')

  const refused = await uploadCertificate(admin, { userId: id, name: 'Nowhere to go' })
  expect(refused.status).toBe(503)
  expect(refused.body).toEqual({ message: "We can't reach our servers right now. Please try again in a moment." })
  expect((await admin.get('/readyz')).body).toMatchObject({
    parts: { 'file store': { ready: false }, 'event store': { ready: true } },
  })
  expect((await admin.patch(`/api/admin/user/${id}/account`, { phase: 'One' })).status).toBe(200)

  rmSync(files)
  renameSync(`${files}.away`, files)
  const file = pdf(4_000)
  const issued = await uploadCertificate(admin, { userId: id, name: 'Kept', file })
  expect(issued.status).toBe(201)
  expect((await admin.get(read(Certificate, issued).fileUrl)).bytes.equals(file)).toBe(true)
  await portal.stop()
  const names = await withStores(dataDir, async (parts) =>
    (await decodeEvents(parts, (await readLog(parts)).events)).flatMap((event) =>
      event.type === 'CertificateIssued' ? [event.data.name] : [],
    ),
  )
  expect(names).toEqual(['Kept'])
})

describe('an unusable DATA_DIR', () => {
  const places: Record<string, (folder: string) => string> = {
    'a regular file': (folder) => {
      writeFileSync(join(folder, 'file'), 'in the way')
      return join(folder, 'file')
    },
    'below a regular file': (folder) => {
      writeFileSync(join(folder, 'file'), 'in the way')
      return join(folder, 'file', 'below')
    },
    // Not even root may.
    ...(isLinux && { 'where nobody may write': () => '/sys/proofdesk' }),
  }

  for (const [name, place] of Object.entries(places))
    for (const MASTER_KEY of [undefined, 'a master key that is long enough for it'])
      it(`stops the start with one line: ${name}, ${MASTER_KEY ? 'with' : 'without'} a MASTER_KEY`, async () => {
        const dataDir = place(temporaryFolder())
        const { code, stdout, stderr } = await runCommand(['start'], {
          DATA_DIR: dataDir,
          PORT: '0',
          ...(MASTER_KEY && { MASTER_KEY }),
        })
        expect(code).toBe(1)
        expect(linesOf(stderr)).toEqual([expect.stringMatching(/DATA_DIR|event store/)])
        expect(stderr).toContain(dataDir)
        expect(stdout).not.toContain('ready')
      })
})

describe('a damaged folder', () => {
  const onEnd = afterSuite()
  let original: StoppedPortal
  beforeAll(async () => void (original = await makeStoppedPortal(onEnd)))
  const portalWithViews = () => ({ ...original, dataDir: copyOf(original.dataDir) })

  const damages: Record<string, (path: string) => void> = {
    'that is garbage': (path) => writeFileSync(path, Buffer.alloc(50_000, 'this was a database once ')),
    'that was torn in two': (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
    'whose beginning is gone': (path) =>
      writeFileSync(path, Buffer.concat([Buffer.alloc(4_096), readFileSync(path).subarray(4_096)])),
    'with holes in it': (path) => {
      const bytes = readFileSync(path)
      for (let page = 2; page < bytes.length / 4_096; page += 2) bytes.fill(0, page * 4_096, (page + 1) * 4_096)
      writeFileSync(path, bytes)
    },
  }

  for (const [name, damage] of Object.entries(damages))
    it(`with a view file ${name} says how to rebuild, which restores it`, async () => {
      const { dataDir, documents } = portalWithViews()
      damage(embeddedPaths.views(dataDir))

      // As a process, for it has to end by itself.
      const { code, stderr } = await runProgram(['start'], {
        DATA_DIR: dataDir,
        PORT: '0',
        HOST: '127.0.0.1',
        LOG_LEVEL: 'silent',
      })
      expect(linesOf(stderr)).toEqual([expect.stringContaining('npx proofdesk rebuild all')])
      expect(stderr).toContain('view store')
      expect(code).toBe(1)

      const rebuilt = await runCommand(['rebuild', 'all'], { DATA_DIR: dataDir })
      expect(rebuilt).toMatchObject({ code: 0, stderr: '' })
      expect(rebuilt.stdout).toContain(
        'Rebuilt users, firm, balance-changes, stage-events, decisions, tasks, imports, findings, time-decisions, cases, payouts, batches, firm-account, saved-destinations, certificates, programmes, admin-keys, program-keys, user-notes, firm-days, activity',
      )
      expect(await documentsIn(dataDir)).toEqual(documents)
      await (await openPortal({ dataDir })).stop()
    })

  it('without a view file rebuilds it at the start and repeats no mail', async () => {
    const { dataDir, documents, signedIn } = portalWithViews()
    const outbox = embeddedPaths.outbox(dataDir)
    const mailsIn = () =>
      readdirSync(outbox).map((name) => [name, statSync(join(outbox, name)).mtimeMs, statSync(join(outbox, name)).ino])
    const mails = mailsIn()
    const counts = () => withStores(dataDir, async ({ outbox }) => outbox.counts())
    const sent = await counts()
    expect(mails).toHaveLength(27)
    for (const ending of ['', '-wal', '-shm']) rmSync(`${embeddedPaths.views(dataDir)}${ending}`, { force: true })

    const portal = await openPortal({ dataDir })
    await upToDate(browserWithSession(portal, signedIn))
    await portal.stop()
    expect(await documentsIn(dataDir)).toEqual(documents)
    expect(mailsIn()).toEqual(mails)
    expect(await counts()).toEqual(sent)
  })

  it('with a damaged log names the log and offers no rebuild', async () => {
    const { dataDir } = portalWithViews()
    writeFileSync(embeddedPaths.events(dataDir), Buffer.alloc(50_000, 'this was a log once '))
    for (const command of [['start'], ['rebuild', 'all']]) {
      const { code, stderr } = await runCommand(command, {
        DATA_DIR: dataDir,
        PORT: '0',
        HOST: '127.0.0.1',
        LOG_LEVEL: 'silent',
      })
      expect(linesOf(stderr)).toEqual([expect.stringContaining('event store')])
      expect(stderr).not.toContain('rebuild')
      expect(code).toBe(1)
    }
    expect(existsSync(embeddedPaths.views(dataDir))).toBe(true)
  })
})

interface AlmostFull {
  readonly dataDir: string
  readonly id: string
  readonly email: string
  /** An administrator: signing in is a fact as well, for which a full log has no room. */
  readonly signedIn: Browser
  /** The phases that were set and answered, in their order. */
  readonly changes: readonly string[]
}

/** A folder whose log is by far its largest file: written by a command service alone, which was then killed. */
async function makeAlmostFull(onEnd: OnEnd): Promise<AlmostFull> {
  const dataDir = temporaryFolder(onEnd)
  const command = await startProgram({ dataDir, service: 'command', onEnd })
  const { id, email } = await newTrader(command)
  const admin = await administrator(command)
  const changes: string[] = []
  while (logSize(dataDir) < 2_000_000) {
    const phase = `Phase ${changes.length} ${'. '.repeat(200)}end`
    expect((await admin.patch(`/api/admin/user/${id}/account`, { phase })).status).toBe(200)
    changes.push(phase)
  }
  // A graceful stop would make the log's files smaller.
  await command.kill()
  return { dataDir, id, email, signedIn: admin, changes }
}

/** The same folder for one test to spoil. */
function copyOf(folder: string): string {
  const copy = temporaryFolder()
  cpSync(folder, copy, { recursive: true })
  return copy
}

function logSize(dataDir: string): number {
  return statSync(`${embeddedPaths.events(dataDir)}-wal`).size
}

/** What `ulimit -f` calls the size of the log: no more than what is there, and the rest of the block. */
function blocksOf(dataDir: string): number {
  return Math.ceil(logSize(dataDir) / 1024)
}

async function phasesOnRecord(dataDir: string): Promise<string[]> {
  return withStores(dataDir, async (parts) => {
    const { events } = await readLog(parts)
    expectUnbrokenChains(events)
    const history = await decodeEvents(parts, events)
    const others = new Set(history.map(({ type }) => type))
    // Nothing of what was refused: neither alone nor beside what was not.
    for (const type of ['BalanceChanged', 'UserBanned', 'CertificateIssued'] as const)
      expect(others).not.toContain(type)
    expect(history.filter(({ type }) => type === 'UserRegistered')).toHaveLength(1)
    return history.flatMap((event) => (event.type === 'PhaseChanged' ? [event.data.to ?? ''] : []))
  })
}

async function newTrader({ url }: Pick<Program, 'url'>) {
  const trader = browser(url)
  const email = newEmail()
  const answer = await trader.post('/api/register', { ...registration, email })
  expect(answer.status).toBe(201)
  const { id } = Object(answer.body)
  return { id: String(id), email, trader }
}

/** The same session, without a position: as if it had changed nothing lately. */
function browserWithSession({ url }: Pick<Program, 'url'>, { cookies }: Browser): Browser {
  const another = browser(url)
  for (const [name, value] of cookies) if (!name.includes('position')) another.cookies.set(name, value)
  return another
}

async function administrator({ url }: Pick<Program, 'url'>): Promise<Browser> {
  const admin = browser(url)
  expect((await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })).status).toBe(200)
  return admin
}

async function upToDate(admin: Browser): Promise<void> {
  await until(async () => isCaughtUp((await admin.get('/readyz')).body), 'the views to be up to date')
}

interface StoppedPortal {
  readonly dataDir: string
  /** An administrator's session. */
  readonly signedIn: Browser
  readonly documents: Awaited<ReturnType<typeof documentsIn>>
}

/** A folder with some of everything in its read models, left by a portal that was stopped. */
async function makeStoppedPortal(onEnd: OnEnd): Promise<StoppedPortal> {
  const dataDir = temporaryFolder(onEnd)
  const portal = await openPortal({ dataDir })
  onEnd(() => portal.stop())
  const admin = await administrator(portal)
  for (let n = 0; n < 12; n++) {
    const { id, trader } = await newTrader(portal)
    await admin.patch(`/api/admin/user/${id}/account`, {
      balance: `${n}000.50`,
      status: 'active',
      payoutEnabled: true,
      phase: 'Phase 1 '.repeat(20),
    })
    await trader.post('/api/user/payouts', {
      amount: '12.34',
      paymentMethod: 'crypto',
      paymentDetails: 'a wallet '.repeat(20),
    })
    if (n < 2) await admin.patch(`/api/admin/user/${id}/ban`, { banned: true, banReason: 'Late' })
    if (n === 2) await uploadCertificate(admin, { userId: id })
  }
  await upToDate(admin)
  await until(
    async () => readdirSync(embeddedPaths.outbox(dataDir)).filter((name) => name.endsWith('.eml')).length === 27,
    'the mails about sign-ups, payouts, bans and the certificate',
  )
  await portal.stop()
  const documents = await documentsIn(dataDir)
  expect(documents['users']?.order).toHaveLength(12)
  return { dataDir, documents, signedIn: admin }
}

function documentsIn(dataDir: string) {
  return withStores(dataDir, ({ readModelStore }) => allDocuments(readModelStore))
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')
