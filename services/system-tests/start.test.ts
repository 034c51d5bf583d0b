import { createServer } from 'node:net'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { toPosition } from '#infra/event-store/event-store.ts'
import { portOf } from '#test-support/servers/ports.ts'
import { readConfig } from '#services/process/config.ts'
import { services } from '#services/cli/server.ts'
import { collectionOf, loadProjectionState } from '#services/event-sourcing/read-models/blue-green-rebuild.ts'
import { allProjections } from '#services/portal/modules.ts'
import { type Browser, browser } from '#test-support/http-client.ts'
import { pdf } from '#test-support/http-calls.ts'
import { filesContaining } from '#test-support/files-containing.ts'
import { withStores } from '#test-support/stores.ts'
import { newEmail, openPortal, registration } from '#test-support/portal.ts'
import {
  ADMIN_KEY,
  buildProgram,
  type Program,
  runLauncher,
  runProgram,
  sharedProgram,
  startProgram,
  temporaryFolder,
} from '#test-support/program.ts'
import { runCommand } from '#test-support/command-line.ts'
import { processorTime } from '#test-support/processor-time.ts'
import { appendUnknownEvent } from '#test-support/unknown-event.ts'
import { until } from '#test-support/until.ts'
import { payouts } from '#services/trading/accounts/payout-read-model.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { System } from '#services/operations/installation/installation-api.ts'
import { firstAdminKeyPathIn } from '#services/process/keys/master-key-source.ts'

beforeAll(buildProgram, 600_000)
// Starting processes takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const shared = sharedProgram({ SEAL_SECONDS: '1' })

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

/** What a start that must fail says; it has to be one line. */
async function refusal(
  environment: Readonly<Record<string, string>>,
  run: typeof runCommand = runCommand,
): Promise<string> {
  const { code, stdout, stderr } = await run(['start'], {
    DATA_DIR: temporaryFolder(),
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    ...environment,
  })
  expect(code).toBe(1)
  expect(stdout).not.toContain('ready')
  expect(linesOf(stderr)).toHaveLength(1)
  return stderr.trim()
}

describe('a bad value stops the start with one line naming the variable', () => {
  const bad: readonly (readonly [name: string, value: string])[] = [
    ['PORT', 'eighty'],
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PUBLIC_URL', 'portal.example.com'],
    ['PUBLIC_URL', 'ftp://portal.example.com'],
    ['ADMIN_ACCESS_KEY', 'short'],
    ['MASTER_KEY', 'short'],
    ['PURCHASE_URL', 'not an address'],
    ['MAIL_FROM', 'nobody'],
    ['TRUSTED_PROXIES', 'all'],
    ['LOG_LEVEL', 'loud'],
    ['EVENTSTORE_URL', 'http://localhost:2113'],
    ['MONGODB_URL', 'localhost:27017'],
    ['REDIS_URL', 'localhost:6379'],
    ['S3_URL', 'http://localhost:9000'],
    ['SMTP_URL', 'mail.example.com'],
    ['SMTP_URL', 'http://mail.example.com'],
  ]
  it.each(bad)('%s=%s is refused by name', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name}: `))
  })

  it('the program names each of several and repeats no secret', async () => {
    const message = await refusal(
      { PORT: 'eighty', LOG_LEVEL: 'loud', MASTER_KEY: 'hush-hush', ADMIN_ACCESS_KEY: 'psst' },
      runProgram,
    )
    for (const name of ['PORT', 'LOG_LEVEL', 'MASTER_KEY', 'ADMIN_ACCESS_KEY'])
      expect(message).toMatch(new RegExp(`(^|; )${name}: `))
    expect(message).not.toMatch(/hush|psst/)
  })

  it.each([
    ['ADMIN_ACCESS_KEY', 'administrator'],
    ['MASTER_KEY', 'a'.repeat(32)],
  ])('%s that is easy to guess', async (name, value) => {
    const message = await refusal({ [name]: value })
    expect(message).toMatch(new RegExp(`^${name}: is too easy to guess`))
    expect(message).not.toContain(value)
  })

  it.each(['no.such.host.invalid', '203.0.113.1'])('HOST=%s, where the program cannot listen', async (HOST) => {
    expect(await refusal({ HOST })).toMatch(/^HOST: /)
  })

  it('PORT of another program', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    expect(await refusal({ PORT: String(portOf(other)) })).toMatch(/^PORT: /)
  })
})

describe('the keys of an installation', () => {
  it('are refused unless the installation was made with them', async () => {
    const dataDir = temporaryFolder()
    const made = 'the key that it was made with, long enough'
    await (await openPortal({ dataDir, environment: { MASTER_KEY: made } })).stop()
    expect(existsSync(join(dataDir, 'master.key'))).toBe(false)
    expect(await refusal({ DATA_DIR: dataDir, MASTER_KEY: 'another key, which is also long enough' })).toMatch(
      /^MASTER_KEY: /,
    )
    expect(await refusal({ DATA_DIR: dataDir })).toMatch(/^MASTER_KEY: /)
    // The right one still opens it, after all that was tried in between.
    await (await openPortal({ dataDir, environment: { MASTER_KEY: made } })).stop()
  })

  it('are readable only to their owner, and reported when missing', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const portal = await startProgram({ dataDir })
    await newTrader(portal)
    await portal.stop()
    expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600)
    const open = ['', ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' })].filter(
      (name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0,
    )
    expect(open, 'readable to others').toEqual([])

    rmSync(join(dataDir, 'master.key'))
    expect(await refusal({ DATA_DIR: dataDir })).toMatch(/^MASTER_KEY: .*master\.key/)
    expect(existsSync(join(dataDir, 'master.key'))).toBe(false)
  })
})

describe('the first admin key', () => {
  it('is made at the first start, is in no output that programs read, and after its removal stored nowhere', async () => {
    const dataDir = temporaryFolder()
    const environment = { ADMIN_ACCESS_KEY: '' }
    const first = await startProgram({ dataDir, environment })
    const path = firstAdminKeyPathIn(dataDir)
    expect(first.output()).not.toContain('pdk_')
    expect(first.output()).toContain(path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const key = readFileSync(path, 'utf8').trim()
    expect(key).toMatch(/^pdk_\S+$/)
    rmSync(path)
    expect((await signIn(first, key)).status).toBe(200)
    expect((await signIn(first, `${key}x`)).status).toBe(401)
    expect(await first.stop()).toBe(0)

    const second = await startProgram({ dataDir, environment })
    expect(second.output()).not.toMatch(/pdk_|admin key/i)
    expect((await signIn(second, key)).status).toBe(200)
    // While it runs, so that what waits beside the files is looked at too.
    expect(await filesContaining(key, dataDir)).toEqual([])
    expect(await second.stop()).toBe(0)
    expect(await filesContaining(key, dataDir)).toEqual([])

    // One may be configured later beside the generated one.
    const third = await startProgram({ dataDir })
    expect((await signIn(third, key)).status).toBe(200)
    expect((await signIn(third, ADMIN_KEY)).status).toBe(200)
  })

  it('is the configured one if set, and is not printed', async () => {
    const { portal, dataDir } = shared()
    expect(portal.output()).not.toMatch(/pdk_|admin key/i)
    expect((await signIn(portal, ADMIN_KEY)).body).toMatchObject({ isAdmin: true, role: 'admin' })
    expect(await filesContaining(ADMIN_KEY, dataDir)).toEqual([])
  })
})

it('is ready in under 2 s at a second start', async () => {
  const dataDir = temporaryFolder()
  const first = await startProgram({ dataDir })
  await newTrader(first)
  await first.stop()
  const times: number[] = []
  const best = () => Math.min(...times)
  while (times.length < 3 && best() >= 2_000) {
    const again = await startProgram({ dataDir })
    // On a busy machine the time that passes says how busy it is. Then what the start takes of a processor has to do.
    times.push(Math.min(again.readyAfter, processorTime(again.pid) || Infinity))
    expect((await fetch(new URL('/healthz', again.url))).status).toBe(200)
    expect(await again.stop()).toBe(0)
  }
  expect(best()).toBeLessThan(2_000)
})

describe('SIGTERM', () => {
  it('cuts no request and exits with code 0', async () => {
    const portal = await startProgram({ dataDir: temporaryFolder() })
    const admin = await administrator(portal)
    const { id } = await newTrader(portal)
    // An upload of which the server has the beginning only, for as long as the test likes.
    const upload = await begunUpload(portal, admin, id)
    const others = Promise.all(Array.from({ length: 12 }, () => begunRegistration(portal)))
    const finishers = await others
    const stopped = portal.stop()
    await until(async () => isRefused(portal.url), 'the portal to take no new connection')
    expect(portal.running()).toBe(true)

    expect(await Promise.all(finishers.map((finish) => finish()))).toEqual(finishers.map(() => 201))
    expect(await upload()).toBe(201)
    expect(await stopped).toBe(0)
  })

  it('answers a read that waits for the read models', async () => {
    const portal = await startProgram({ dataDir: temporaryFolder() })
    const admin = await administrator(portal)
    const { id } = await newTrader(portal)
    const statuses: number[] = []
    // Each change is followed by a read that has to wait for it, until no one is left.
    const clients = Array.from({ length: 8 }, async (_, client) => {
      const own = sameSession(portal, admin)
      for (let n = 0; ; n++) {
        try {
          statuses.push((await own.patch(`/api/admin/user/${id}/account`, { phase: `${client}.${n}` })).status)
          statuses.push((await own.get(`/api/admin/user/${id}`)).status)
        } catch (error) {
          if (error instanceof TypeError) return
          throw error
        }
      }
    })
    await until(async () => statuses.length > 50, 'the clients to be at work')
    expect(await portal.stop()).toBe(0)
    await Promise.all(clients)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
  })
})

it('three services started at once on an empty folder work together, and SIGTERM ends each', async () => {
  const dataDir = temporaryFolder()
  const started = await Promise.all(services.map((service) => startProgram({ dataDir, service })))
  for (const [index, service] of services.entries()) expect(started[index]?.output()).toContain(`(${service})`)
  const [command, query] = started
  if (!command || !query) throw new Error('Not all were started')
  const trader = browser((method) => (method === 'GET' ? query.url : command.url))
  expect((await trader.post('/api/register', { ...registration, email: newEmail() })).status).toBe(201)
  expect((await trader.get('/api/user/account')).body).toMatchObject({ status: 'pending', balance: '0.00' })
  for (const program of started) expect(await program.stop()).toBe(0)
})

describe('the command line', () => {
  const commands: readonly (readonly string[])[] = [
    [],
    ['start'],
    ['admin-key'],
    ['admin-key', 'create'],
    ['admin-key', 'list'],
    ['admin-key', 'revoke'],
    ['rebuild'],
    ['status'],
    ['poison', 'list'],
    ['poison', 'retry'],
    ['seal-key', 'list'],
    ['seal-key', 'rotate'],
  ]
  for (const command of commands)
    it(`proofdesk ${[...command, '--help'].join(' ')} explains itself with examples`, async () => {
      // The first one by the launcher, as an operator runs it.
      const { code, stdout } = await (command.length === 0 ? runLauncher : runCommand)([...command, '--help'], {})
      expect(code).toBe(0)
      expect(stdout).toContain('Usage: proofdesk')
      expect(stdout).toMatch(new RegExp(`\\$ npx proofdesk ${command.join(' ')}`))
    })

  it('refuses unknown arguments and creates no folder', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    for (const command of [
      ['begin'],
      ['start', 'everything'],
      ['rebuild'],
      ['rebuild', 'nothing'],
      ['admin-key', 'create', 'X', '--role', 'king'],
      ['status', '--yaml'],
      ['poison', 'retry'],
      ['seal-key', 'turn'],
    ]) {
      const { code, stderr } = await runCommand(command, { DATA_DIR: dataDir })
      expect(code, command.join(' ')).toBe(1)
      expect(stderr).toMatch(/error:/)
    }
    expect(existsSync(dataDir)).toBe(false)
  })

  it('issues, lists and revokes keys; a revoked key ends its sessions', async () => {
    const { portal, dataDir } = shared()
    const cli = (...command: string[]) => runCommand(command, { DATA_DIR: dataDir })

    const created = await cli('admin-key', 'create', 'Dana, payouts desk')
    expect(created).toMatchObject({ code: 0, stderr: '' })
    const [key = ''] = created.stdout.match(/pdk_\S+/) ?? []
    const [, id = ''] = /^Key (\w+) for "Dana, payouts desk" \(admin\)/.exec(created.stdout) ?? []
    const dana = browser(portal.url)
    expect((await dana.post('/api/admin/login', { accessKey: key })).body).toMatchObject({
      role: 'admin',
      label: 'Dana, payouts desk',
    })
    expect((await dana.get('/api/admin/stats')).status).toBe(200)

    const listed = await cli('admin-key', 'list')
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    for (const text of [id, 'Dana, payouts desk', 'ADMIN_ACCESS_KEY']) expect(listed.stdout).toContain(text)
    expect(listed.stdout).not.toContain(key)
    const json = await cli('admin-key', 'list', '--json')
    expect(JSON.parse(json.stdout)).toContainEqual(
      expect.objectContaining({ id, label: 'Dana, payouts desk', role: 'admin' }),
    )
    expect(json.stdout).not.toMatch(/keyHash/)

    expect(await cli('admin-key', 'revoke', id)).toMatchObject({ code: 0, stderr: '' })
    expect((await dana.get('/api/admin/stats')).status).toBe(401)
    expect((await dana.get('/api/admin/auth')).body).toEqual({ isAdmin: false })
    expect((await signIn(portal, key)).status).toBe(401)
    expect(await filesContaining(key, dataDir)).toEqual([])

    for (const unknown of ['0123456789abcdef', 'NO KEY']) {
      const { code, stderr } = await cli('admin-key', 'revoke', unknown)
      expect(code).toBe(1)
      expect(linesOf(stderr)).toEqual(['There is no such admin key'])
    }
  })

  it('issues auditor keys, which read everything and change nothing', async () => {
    const { portal, dataDir } = shared()
    const { id } = await newTrader(portal)
    const { stdout } = await runCommand(['admin-key', 'create', 'Ernst & Co', '--role', 'auditor'], {
      DATA_DIR: dataDir,
    })
    const [key = ''] = stdout.match(/pdk_\S+/) ?? []
    const auditor = browser(portal.url)
    expect((await auditor.post('/api/admin/login', { accessKey: key })).body).toMatchObject({ role: 'auditor' })
    for (const path of ['/api/admin/users', `/api/admin/user/${id}`, '/api/admin/payouts', '/api/admin/stats'])
      expect((await auditor.get(path)).status, path).toBe(200)
    const refused = [
      await auditor.patch(`/api/admin/user/${id}/ban`, { banned: true, banReason: 'Because' }),
      await auditor.patch(`/api/admin/user/${id}/account`, { balance: '1.00' }),
      await auditor.patch(`/api/admin/user/${id}`, { city: 'Paris' }),
      await auditor.post('/api/admin/users', { fullName: 'Some Body', email: newEmail() }),
      await auditor.patch(`/api/admin/payouts/${id}-p1`, { status: 'approved' }),
      await auditor.delete(`/api/admin/user/${id}`),
    ]
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403))
    expect((await auditor.get(`/api/admin/user/${id}`)).body).toMatchObject({
      banned: false,
      tradingAccount: { balance: '0.00' },
    })
  })

  it('says its version, and names the command that was probably meant in one line', async () => {
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')))
    expect(await runCommand(['--version'], {})).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
    expect(await runLauncher(['--version'], {})).toMatchObject({ code: 0, stdout: `${version}\n` })
    expect(await runCommand(['statsu'], {})).toEqual({
      code: 1,
      stdout: '',
      stderr: "error: unknown command 'statsu' (Did you mean status?) Help: npx proofdesk --help\n",
    })
    expect((await runCommand(['admin-key', 'revok'], {})).stderr).toBe(
      "error: unknown command 'revok' (Did you mean revoke?) Help: npx proofdesk --help\n",
    )
  })

  it('writes only JSON lines where no terminal reads them, the ready line too', async () => {
    const { portal } = shared()
    const lines = linesOf(portal.output()).map((line) =>
      z.looseObject({ level: z.int(), msg: z.string() }).parse(JSON.parse(line)),
    )
    // Who can read the mails takes accounts over.
    expect(lines.map(({ msg }) => msg)).toContainEqual(expect.stringMatching(/^SMTP_URL is not set: mails are written/))
    expect(lines.at(-1)?.msg).toMatch(new RegExp(`^Proofdesk is ready at ${portal.url} \\(version `))
  })

  it('shows version, disk, and the last backup and successful verification', async () => {
    const { portal, dataDir } = shared()
    const admin = browser(portal.url)
    await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })
    const installation = async () => System.parse((await admin.get('/api/admin/system')).body).installation
    const json = async () => JSON.parse((await runCommand(['status', '--json'], { DATA_DIR: dataDir })).stdout)
    expect(await installation()).toMatchObject({
      lastBackup: null,
      disk: { total: expect.any(Number) },
    })
    expect((await runCommand(['status'], { DATA_DIR: dataDir })).stdout).toMatch(/^Last backup: none known$/m)

    expect(await runCommand(['backup', join(temporaryFolder(), 'backup')], { DATA_DIR: dataDir })).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(await runCommand(['audit', 'verify'], { DATA_DIR: dataDir })).toMatchObject({ code: 0, stderr: '' })
    const { lastBackup, lastVerification, version } = await installation()
    for (const operation of [lastBackup, lastVerification]) {
      expect(operation).toEqual({
        startedAt: expect.any(String),
        at: expect.any(String),
        events: expect.any(Number),
        upTo: expect.any(Number),
      })
      expect(Date.now() - Date.parse(operation?.at ?? '')).toBeLessThan(60_000)
    }
    expect(await json()).toMatchObject({
      version,
      lastBackup,
      lastVerification,
      disk: { free: expect.any(Number) },
      portal: null,
    })
    const { stdout } = await runCommand(['status'], { DATA_DIR: dataDir })
    for (const line of [
      `Version: ${version}`,
      /^Disk of .*: .* free\.$/m,
      /^Last backup: .* ago: \d+ events, up to #\d+$/m,
      /^Last successful verification: .* ago: /m,
    ])
      expect(stdout).toMatch(line)
    expect(stdout).not.toMatch(/\(index\)|│/)
  })

  it('shows the status as a table and as JSON', async () => {
    const { portal, dataDir } = shared()
    await newTrader(portal)
    const table = await runCommand(['status'], { DATA_DIR: dataDir })
    expect(table).toMatchObject({ code: 0, stderr: '' })
    for (const view of views) expect(table.stdout).toContain(view)
    expect(table.stdout).toMatch(
      /Mail: (NOBODY GETS ANY\. SMTP_URL is not set: \d+ were written into files in .*, |)\d+ waiting, (\d+ sent, |)0 failed/,
    )
    expect(table.stdout).toMatch(/First week: \d of 8 to do\.\n {2}\[ \] The firm's name: /)

    // The log is sealed meanwhile, so that its end moves.
    const { views: states, mail } = await until(async () => {
      const status = await statusOf(dataDir)
      return status.views.every(({ position, end, caughtUp }) => caughtUp && position === end) && status
    }, 'the views to be up to date')
    expect(states.map(({ view }) => view)).toEqual(views)
    expect(states.every(({ poison }) => poison.length === 0)).toBe(true)
    expect(mail).toMatchObject({ failed: 0 })
  })

  it('lists and retries dead letters, with and without a running portal', async () => {
    const dataDir = temporaryFolder()
    const portal = await startProgram({ dataDir })
    const { id } = await newTrader(portal)
    const aside = await withStores(dataDir, async (parts) => {
      const { readModelStore } = parts
      // What an older program left: this one can use it.
      const older = {
        consumer: (await loadProjectionState(readModelStore.projections, users)).serving,
        stream: `user-${id}`,
        revision: 0,
        type: 'UserRegistered',
        error: 'not understood last week',
      }
      await readModelStore.deadLetters.add({ ...older, position: toPosition('3') })
      return Number(await appendUnknownEvent(parts, 'user-future01'))
    })
    await until(
      async () => (await statusOf(dataDir)).setAside.length === views.length + 2,
      'all readers to set the unknown aside',
    )
    const mended = await runCommand(['poison', 'retry', 'users.3'], { DATA_DIR: dataDir })
    expect(mended).toMatchObject({ code: 0, stdout: 'Retried: 1. Still dead letters: 0.\n' })
    await portal.stop()
    const { code, stdout } = await runCommand(['poison', 'retry', 'all'], { DATA_DIR: dataDir })
    expect({ code, closing: linesOf(stdout).at(-1) }).toEqual({
      code: 1,
      closing: `Retried: ${views.length + 1}. Still dead letters: ${views.length + 1}.`,
    })
    expect(stdout).toContain(`Dead letter of users (users.${aside}): FromTheFuture at user-future01#0: `)
    const list = await runCommand(['poison', 'list'], { DATA_DIR: dataDir })
    expect(linesOf(list.stdout)).toHaveLength(views.length + 1)
    expect((await runCommand(['poison', 'retry', 'users.3'], { DATA_DIR: dataDir })).stderr).toBe(
      'There is no dead letter users.3\n',
    )
  })

  it('rotates the sealing key; log and export verify with both keys', async () => {
    const { portal, dataDir } = shared()
    const { id, email } = await newTrader(portal)
    // Sign-ins from new browsers are in the timeline, and in no file with proof.
    expect((await browser(portal.url).post('/api/login', { email, password: registration.password })).status).toBe(200)
    const [, to = '', from = ''] =
      /^Key (\w+) follows key (\w+),/.exec((await runCommand(['seal-key', 'rotate'], { DATA_DIR: dataDir })).stdout) ??
      []
    expect(
      linesOf((await runCommand(['seal-key', 'list'], { DATA_DIR: dataDir })).stdout).map((line) => line.split(' ')[0]),
    ).toEqual([from, to])
    const admin = await administrator(portal)
    await admin.patch(`/api/admin/user/${id}/account`, { balance: '1.00' })
    await until(async () => (await statusOf(dataDir)).seals.unsealed === 0, 'the new key to seal')
    const published = z
      .object({ keys: z.array(z.object({ id: z.string(), until: z.string().nullable() })) })
      .parse((await admin.get('/.well-known/proofdesk-key.json')).body)
    expect(published.keys.map((key) => [key.id, key.until !== null])).toEqual([
      [from, true],
      [to, false],
    ])
    expect(await runCommand(['audit', 'verify'], { DATA_DIR: dataDir })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Sealing key: ${to}`),
    })
    const file = join(dataDir, '..', `${id}.json`)
    onTestFinished(() => rmSync(file, { force: true }))
    expect((await runCommand(['audit', 'export', id, '--out', file], { DATA_DIR: dataDir })).code).toBe(0)
    for (const trusted of [from, to])
      expect(await runCommand(['verify', file, '--key', trusted], {})).toMatchObject({ code: 0 })
  })

  it('rebuilds one or all read models while reads go on', async () => {
    const { portal, dataDir } = shared()
    const { trader, id } = await newTrader(portal)
    const admin = await administrator(portal)
    await admin.patch(`/api/admin/user/${id}/account`, { payoutEnabled: true })
    expect((await trader.post('/api/user/payouts', { amount: '10.00', paymentMethod: 'bank' })).status).toBe(201)
    let done = false
    const asking = (async () => {
      const lengths = new Set<number>()
      while (!done) {
        const { status, body } = await trader.get('/api/user/payouts')
        expect(status).toBe(200)
        lengths.add(z.array(z.unknown()).parse(body).length)
      }
      return [...lengths]
    })()
    for (const view of ['payouts', 'all']) {
      const { code, stdout, stderr } = await runCommand(['rebuild', view], { DATA_DIR: dataDir })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(
        view === 'all'
          ? new RegExp(`^Rebuilt ${allProjections.map(({ name }) => name).join(', ')} in \\d+\\.\\d s\\.$`, 'm')
          : /^Rebuilt payouts in /m,
      )
    }
    done = true
    expect(await asking).toEqual([1])
    const { views: states } = await statusOf(dataDir)
    expect(states.find(({ view }) => view === 'payouts')?.collection).toBe(collectionOf(payouts, 3))
    expect(states.find(({ view }) => view === 'users')?.collection).toBe(collectionOf(users, 2))
  })
})

const views = [
  'users',
  'firm',
  'balance-changes',
  'stage-events',
  'decisions',
  'tasks',
  'imports',
  'findings',
  'time-decisions',
  'cases',
  'payouts',
  'batches',
  'firm-account',
  'saved-destinations',
  'certificates',
  'programmes',
  'admin-keys',
  'program-keys',
  'user-notes',
  'firm-days',
  'activity',
]

const status = z.object({
  views: z.array(
    z.object({
      view: z.string(),
      collection: z.string(),
      position: z.string(),
      end: z.string(),
      caughtUp: z.boolean(),
      building: z.object({ collection: z.string(), position: z.string() }).nullable(),
      poison: z.array(z.unknown()),
    }),
  ),
  setAside: z.array(z.object({ id: z.string(), error: z.string() })),
  mail: z.object({ waiting: z.int(), sent: z.int(), failed: z.int() }),
  seals: z.object({ number: z.int(), sealedAt: z.string().nullable(), unsealed: z.int() }),
})

async function statusOf(dataDir: string) {
  const { code, stdout } = await runCommand(['status', '--json'], { DATA_DIR: dataDir })
  expect(code).toBe(0)
  return status.parse(JSON.parse(stdout))
}

const signIn = ({ url }: Program, accessKey: string) => browser(url).post('/api/admin/login', { accessKey })

async function administrator({ url }: Program): Promise<Browser> {
  const admin = browser(url)
  expect((await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })).status).toBe(200)
  return admin
}

function sameSession({ url }: Program, { cookies }: Browser): Browser {
  const another = browser(url)
  for (const [name, value] of cookies) another.cookies.set(name, value)
  return another
}

async function newTrader({ url }: Program) {
  const trader = browser(url)
  const email = newEmail()
  const { status: answered, body } = await trader.post('/api/register', { ...registration, email })
  expect(answered).toBe(201)
  return { trader, email, id: z.looseObject({ id: z.string() }).parse(body).id }
}

/** Sends a request up to the middle of its body; what it answers sends the rest and waits for the status. */
async function begun(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Promise<() => Promise<number>> {
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  // 'Expect' makes the server say that it has the head and is at work on it.
  const sent = request(url, {
    method: 'POST',
    agent,
    headers: { ...headers, 'content-length': String(body.length), expect: '100-continue' },
  })
  sent.flushHeaders()
  await once(sent, 'continue')
  const half = Math.floor(body.length / 2)
  sent.write(body.subarray(0, half))
  return async () => {
    const answered = once(sent, 'response')
    sent.end(body.subarray(half))
    const [response] = await answered
    response.resume()
    return Number(response.statusCode)
  }
}

function begunRegistration({ url }: Program): Promise<() => Promise<number>> {
  const body = Buffer.from(JSON.stringify({ ...registration, email: newEmail() }))
  return begun(new URL('/api/register', url), { 'content-type': 'application/json' }, body)
}

async function begunUpload({ url }: Program, { cookies }: Browser, userId: string): Promise<() => Promise<number>> {
  const form = new FormData()
  form.append('name', 'Phase 1 passed')
  form.append('userId', userId)
  form.append('certificateFile', new Blob([pdf(100_000)], { type: 'application/pdf' }), 'certificate.pdf')
  const { headers, body } = await encoded(form)
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return begun(new URL('/api/admin/certificates', url), { ...headers, cookie }, body)
}

async function encoded(form: FormData) {
  const response = new Response(form)
  return {
    headers: { 'content-type': response.headers.get('content-type') ?? '' },
    body: Buffer.from(await response.arrayBuffer()),
  }
}

async function isRefused(url: string): Promise<boolean> {
  try {
    await fetch(new URL('/healthz', url), { headers: { connection: 'close' } })
    return false
  } catch {
    return true
  }
}
