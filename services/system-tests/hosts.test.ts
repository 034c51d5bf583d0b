import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Libsql from 'libsql'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { startChild } from '#test-support/child-process.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, registration } from '#test-support/portal.ts'
import { ADMIN_KEY, buildProgram, startProgram, temporaryFolder } from '#test-support/program.ts'
import { startMailServer } from '#test-support/servers/mail-server.ts'
import { freePort } from '#test-support/servers/ports.ts'
import { type FerretDb, startFerretDb, whyNoFerretDb } from '#test-support/servers/ferretdb.ts'
import { startRedis, whyNoRedis } from '#test-support/servers/redis.ts'
import { openRelay } from '#test-support/servers/relay.ts'
import { startS3 } from '#test-support/servers/s3.ts'
import { until } from '#test-support/until.ts'
import { embeddedPaths } from '#services/process/data-folder.ts'

// The machines, proxies and servers that a portal meets.

beforeAll(buildProgram, 600_000)
// Starting processes takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const isHealthy = async (url: string) => (await fetch(new URL('/healthz', url))).status === 200

describe('a host', () => {
  it.each([
    ['::1', /^http:\/\/\[::1\]:\d+$/],
    ['[::1]', /^http:\/\/\[::1\]:\d+$/],
    ['127.0.0.2', /^http:\/\/127\.0\.0\.2:\d+$/],
  ])('may be any literal address: HOST=%s', async (HOST, address) => {
    const portal = await startProgram({ dataDir: temporaryFolder(), environment: { HOST } })
    expect(portal.url).toMatch(address)
    expect(await isHealthy(portal.url)).toBe(true)
  })

  it('may be without IPv6: then it listens on all IPv4 addresses', async () => {
    const folder = temporaryFolder()
    const preload = join(folder, 'no-ipv6.cjs')
    // As a kernel that was started with ipv6.disable=1: EAFNOSUPPORT. The test itself stays on the loopback interface.
    writeFileSync(
      preload,
      `const { TCP } = process.binding('tcp_wrap')
       const { bind } = TCP.prototype
       TCP.prototype.bind6 = () => -97
       TCP.prototype.bind = function (address, ...others) { return bind.call(this, address === '0.0.0.0' ? '127.0.0.1' : address, ...others) }`,
    )
    const portal = await startProgram({
      dataDir: join(folder, 'data'),
      environment: { HOST: '', NODE_OPTIONS: `--no-deprecation --require ${preload}` },
    })
    expect(portal.url).toMatch(/^http:\/\/localhost:\d+$/)
    expect(await isHealthy(portal.url.replace('localhost', '127.0.0.1'))).toBe(true)
  })

  it('with few file handles serves few connections at a time, and says so with the limit', async () => {
    const portal = await startProgram({ dataDir: temporaryFolder(), before: 'ulimit -n 300' })
    await until(async () => portal.output().includes('may open 300 files'), 'the limit to be named')
    expect(portal.output()).toMatch(/serves 44 connections at a time\. Raise the limit/)
  })
})

describe('a signal', () => {
  it('SIGHUP ends a portal as SIGTERM does', async () => {
    const portal = await startProgram({ dataDir: temporaryFolder() })
    process.kill(portal.pid, 'SIGHUP')
    await until(async () => !portal.running(), 'the portal to end')
    expect(await portal.stop()).toBe(0)
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s to `npm start` ends the portal, and leaves its port free',
    async (signal) => {
      const port = await freePort()
      const environment = {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        DATA_DIR: temporaryFolder(),
        PORT: String(port),
        HOST: '127.0.0.1',
        ADMIN_ACCESS_KEY: ADMIN_KEY,
      }
      const npm = startChild(['npm', 'start'], environment, onTestFinished)
      await npm.says(/is ready at (http\S+)/)
      await npm.end(signal)
      await until(
        () =>
          fetch(`http://127.0.0.1:${port}/healthz`).then(
            () => false,
            () => true,
          ),
        'the port to be free',
      )
    },
  )
})

describe('a proxy', () => {
  it('may state an address with a port: all connections of a client count together', async () => {
    const portal = await openPortal({ environment: { TRUSTED_PROXIES: '1', REGISTRATIONS_PER_HOUR: '3' } })
    onTestFinished(() => portal.stop())
    const register = async (address: string, n: number) => {
      const email = `${n}-${address.replaceAll(/\W/g, '')}@mail.example`
      const headers = { 'x-forwarded-for': address }
      return (await portal.browser().post('/api/register', { ...registration, email }, { headers })).status
    }
    const clients = [
      (n: number) => `203.0.113.8:${50_000 + n}`,
      (n: number) => `[2001:db8::7]:${50_000 + n}`,
      (n: number) => `198.51.100.1:80, "[2001:db8:1::9]:${50_000 + n}"`,
    ]
    for (const addressOf of clients) {
      const statuses: number[] = []
      for (let n = 0; n < 4; n++) statuses.push(await register(addressOf(n), n))
      expect(statuses, addressOf(0)).toEqual([201, 201, 201, 429])
    }
  })

  it('that is not declared is told of once', async () => {
    const portal = await startProgram({ dataDir: temporaryFolder() })
    const ask = (name: string) => fetch(new URL('/healthz', portal.url), { headers: { [name]: '203.0.113.7' } })
    await ask('x-request-id')
    expect(portal.output()).not.toContain('TRUSTED_PROXIES')
    await ask('x-forwarded-for')
    await ask('x-forwarded-for')
    await until(async () => portal.output().includes('TRUSTED_PROXIES'), 'the proxy to be told of')
    expect(portal.output().match(/A request came through a proxy/g)).toHaveLength(1)
  })
})

describe('a mail server', () => {
  it('that is used without PUBLIC_URL: the start says where the links in mails lead', async () => {
    const mail = await startMailServer()
    onTestFinished(mail.disconnect)
    const environment = { SMTP_URL: mail.url.href }
    const portal = await startProgram({ dataDir: temporaryFolder(), environment })
    expect(portal.output()).toMatch(/PUBLIC_URL is not set: the links in mails lead to http:\/\/127\.0\.0\.1/)
    const other = await startProgram({
      dataDir: temporaryFolder(),
      environment: { ...environment, PUBLIC_URL: 'https://portal.example' },
    })
    expect(other.output()).not.toContain('PUBLIC_URL')
  })

  it('hears the host of PUBLIC_URL as a greeting: relays refuse that of a machine without a name', async () => {
    const greetings = new Set<string>()
    const mail = await startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth({ username }, { hostNameAppearsAs }, callback) {
        greetings.add(hostNameAppearsAs)
        callback(null, { user: username })
      },
    })
    onTestFinished(mail.disconnect)
    const portal = await openPortal({
      environment: { SMTP_URL: `smtp://jo:secret@${mail.url.host}`, PUBLIC_URL: 'https://portal.example' },
    })
    onTestFinished(() => portal.stop())
    expect((await fetch(new URL('/readyz', portal.running.address))).status).toBe(200)
    expect([...greetings]).toEqual(['portal.example'])
  })

  it('is asked once in five seconds, however many ask whether the portal is ready', async () => {
    let signIns = 0
    const mail = await startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth({ username }, _, callback) {
        signIns++
        callback(null, { user: username })
      },
    })
    onTestFinished(mail.disconnect)
    const portal = await openPortal({ environment: { SMTP_URL: `smtp://jo:secret@${mail.url.host}` } })
    onTestFinished(() => portal.stop())
    const ask = () => fetch(new URL('/readyz', portal.running.address)).then(({ status }) => status)
    const statuses = new Set<number>()
    for (let n = 0; n < 20; n++)
      for (const status of await Promise.all(Array.from({ length: 50 }, ask))) statuses.add(status)
    expect([...statuses]).toEqual([200])
    // The thousand may take longer than five seconds on a busy machine.
    expect(signIns).toBeLessThanOrEqual(3)
  })

  it('that is away makes the portal degraded, for a proxy, for metrics and for people, and nobody waits for it', async () => {
    const mail = await startMailServer()
    const metricsPort = await freePort()
    const portal = await openPortal({
      environment: { SMTP_URL: mail.url.href, METRICS_PORT: String(metricsPort) },
    })
    onTestFinished(() => portal.stop())
    await mail.disconnect()
    const admin = await portal.admin()
    const state = async () => (await portal.browser().get('/readyz')).text
    await until(async () => (await state()) === '{"status":"degraded"}', 'the portal to be degraded', 10_000)
    expect((await portal.browser().get('/readyz')).status).toBe(200)
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    expect(metrics).toMatch(/^proofdesk_health\{state="degraded"\} 1$/m)
    expect(metrics).toMatch(/^proofdesk_health\{state="ok"\} 0$/m)
    const { parts } = z
      .object({ parts: z.array(z.object({ name: z.string(), ready: z.boolean(), needed: z.boolean() })) })
      .parse((await admin.get('/api/admin/system')).body)
    expect(parts.filter(({ ready }) => !ready)).toEqual([{ name: 'mail transport', ready: false, needed: false }])
    expect((await portal.browser().post('/api/register', { ...registration, email: 'new@mail.example' })).status).toBe(
      201,
    )
  })
})

describe('servers', () => {
  it('see one connection in five seconds, however many ask whether the portal is ready', async () => {
    const [mail, s3, redis] = [await startMailServer(), await startS3(), whyNoRedis ? undefined : await startRedis()]
    onTestFinished(async () => void (await Promise.all([mail.disconnect(), s3.close(), redis?.close()])))
    const relayTo = async (port: number) => {
      const relay = await openRelay(() => port)
      onTestFinished(() => relay.close())
      return relay
    }
    const relays = {
      mail: await relayTo(Number(mail.url.port)),
      bucket: await relayTo(s3.port),
      ...(redis && { redis: await relayTo(redis.port) }),
    }
    const portal = await openPortal({
      environment: {
        SMTP_URL: `smtp://127.0.0.1:${relays.mail.port}`,
        S3_URL: s3.urlOf('files', { port: relays.bucket.port }),
        ...(relays.redis && { REDIS_URL: `redis://127.0.0.1:${relays.redis.port}` }),
      },
    })
    onTestFinished(() => portal.stop())
    const ask = () => fetch(new URL('/readyz', portal.running.address)).then(({ status }) => status)
    await until(async () => (await ask()) === 200, 'the portal to be ready')
    const opened = () => Object.entries(relays).map(([name, relay]) => [name, relay.opened()] as const)
    const before = new Map(opened())
    const began = performance.now()
    for (let n = 0; n < 20; n++) await Promise.all(Array.from({ length: 50 }, ask))
    const most = 1 + Math.floor((performance.now() - began) / 5_000)
    for (const [name, count] of opened()) expect(count - (before.get(name) ?? 0), name).toBeLessThanOrEqual(most)
  })
})

describe.skipIf(whyNoRedis)('a Redis', () => {
  it('that is full makes the portal unavailable until it takes writes again', async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.close())
    const portal = await openPortal({ environment: { REDIS_URL: redis.url } })
    onTestFinished(() => portal.stop())
    const status = async () => (await portal.browser().get('/readyz')).status
    await until(async () => (await status()) === 200, 'the portal to be ready')
    const configure = async (...setting: readonly string[]) => {
      const set = startChild(['redis-cli', '-p', String(redis.port), 'config', 'set', ...setting], process.env)
      expect((await set.finished).stdout).toBe('OK\n')
    }
    await configure('maxmemory', '1')
    await until(async () => (await status()) === 503, 'the portal to be unavailable')
    await configure('maxmemory', '0')
    await until(async () => (await status()) === 200, 'the portal to be ready again')
  })

  it('whose user may not write stops the start by the name of the variable', async () => {
    const users = [
      'user default on nopass ~* &* +@all',
      'user proofdesk on >redis-password-of-tests ~* &* +@all -@write',
    ]
    const redis = await startRedis({ users: users.map((rules) => rules.replace('user ', '')) })
    onTestFinished(() => redis.close())
    const dataDir = temporaryFolder()
    await expect(startProgram({ dataDir, environment: { REDIS_URL: redis.url } })).rejects.toThrow(
      /Redis refuses the user of REDIS_URL/,
    )
  })
})

describe('a registration that failed while the key store was away', () => {
  interface Away {
    readonly environment?: Readonly<Record<string, string>>
    /** Takes the store away, until the returned function is called. */
    take(dataDir: string): Promise<() => unknown>
  }
  const inMongoDb = async (take: (mongodb: FerretDb) => ReturnType<Away['take']>): Promise<Away> => {
    const mongodb = await startFerretDb()
    onTestFinished(() => mongodb.close())
    const environment = { MONGODB_URL: mongodb.newUrl(), MASTER_KEY: 'for a test only, and long enough' }
    return { environment, take: () => take(mongodb) }
  }
  const ways: Readonly<Record<string, () => Promise<Away>>> = {
    'a MongoDB that hangs': () =>
      inMongoDb(async (mongodb) => {
        await mongodb.pause()
        return () => mongodb.resume()
      }),
    'a MongoDB that is gone': () =>
      inMongoDb(async (mongodb) => {
        await mongodb.kill()
        return () => mongodb.start()
      }),
    // As a backup program does that copies the files of the data folder.
    'a file that another program holds': async () => ({
      async take(dataDir) {
        const holder = new Libsql(embeddedPaths.keys(dataDir))
        holder.exec('BEGIN IMMEDIATE')
        return () => holder.close()
      },
    }),
  }
  it.for(Object.entries(ways))('can be made again, and is never "already registered": %s', async ([way, make], own) => {
    own.skip(way.includes('MongoDB') && whyNoFerretDb !== undefined, whyNoFerretDb)
    const { environment = {}, take } = await make()
    const portal = await openPortal({ environment })
    onTestFinished(() => portal.stop())
    const admin = await portal.admin()
    const tries = [
      (email: string) => portal.browser().post('/api/register', { ...registration, email }),
      (email: string) => admin.post('/api/admin/users', { fullName: 'Jo Doe', email }),
    ]
    for (const [n, attempt] of tries.entries()) {
      const email = `again-${n}@mail.example`
      const release = await take(portal.dataDir)
      expect((await attempt(email)).status).toBe(503)
      await release()
      const statuses: number[] = []
      await until(
        async () => {
          statuses.push((await attempt(email)).status)
          return statuses.at(-1) === 201
        },
        'the same again to work',
        60_000,
      )
      expect(new Set(statuses.slice(0, -1))).toEqual(new Set(statuses.length > 1 ? [503] : []))
    }
  })
})

it('a HEAD of a file records nothing, and counts for nothing', async () => {
  const portal = await openPortal()
  onTestFinished(() => portal.stop())
  const trader = await portal.trader()
  const [admin, auditor] = [await portal.admin(), await portal.auditor()]
  const account = `${trader.id}-a1`
  const files: readonly (readonly [Browser, string])[] = [
    [trader, '/api/user/export'],
    [trader, `/api/user/history/proof?account=${account}`],
    [admin, '/api/admin/users.csv'],
    [admin, '/api/admin/payouts.csv'],
    [admin, `/api/admin/accounts/${account}/ledger.csv`],
    [auditor, `/api/audit/accounts/${account}/export`],
    [auditor, '/api/audit/events.csv'],
    [trader, `/api/user/ledger.csv?account=${account}`],
  ]
  const head = async ({ cookies }: Pick<Browser, 'cookies'>, path: string): Promise<number> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return (await fetch(new URL(path, portal.running.address), { method: 'HEAD', headers: { cookie } })).status
  }
  for (const [client, path] of files) {
    for (let n = 0; n < 25; n++) expect([path, await head(client, path)]).toEqual([path, 200])
    expect(await head(portal.browser(), path), path).toBe(401)
  }
  const downloads = async () => (await portal.events()).filter(({ type }) => /Downloaded|Exported/.test(type)).length
  expect(await downloads()).toBe(0)
  for (const [client, path] of files) expect([path, (await client.get(path)).status]).toEqual([path, 200])
  expect(await downloads()).toBeGreaterThan(0)
})
