import { readFileSync } from 'node:fs'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { type EventStoreDouble, startDouble } from '#test-support/eventstoredb-double/double.ts'
import { freePort } from '#test-support/servers/ports.ts'
import { Health, Readiness } from '#services/framework/api/health-schemas.ts'
import { RETRY_HEADER } from '#services/framework/api/headers.ts'
import { browser } from '#test-support/http-client.ts'
import { read } from '#test-support/http-calls.ts'
import { newEmail, registration } from '#test-support/portal.ts'
import {
  ADMIN_KEY,
  buildProgram,
  launchProgram,
  runProgram,
  startProgram,
  temporaryFolder,
} from '#test-support/program.ts'
import { withDependencies } from '#test-support/stores.ts'
import { until } from '#test-support/until.ts'
import { firstAdminKeyPathIn } from '#services/process/keys/master-key-source.ts'

beforeAll(buildProgram, 600_000)

/** An event store that is not there yet. */
async function absentEventStore(): Promise<EventStoreDouble> {
  const double = await startDouble()
  onTestFinished(() => double.close())
  double.kill()
  return double
}

/** Waits until something answers there at all. */
const listening = (url: string) =>
  until(
    async () =>
      fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(5_000) }).then(
        ({ ok }) => ok,
        () => false,
      ),
    `${url} to listen`,
    60_000,
  )

it('started before its event store, it reports that and recovers', async () => {
  const double = await absentEventStore()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const metricsPort = await freePort()
  const environment = { EVENTSTORE_URL: double.url, PORT: String(port), METRICS_PORT: String(metricsPort) }
  const program = launchProgram({ dataDir: temporaryFolder(), environment })
  await listening(url)
  const somebody = browser(url)
  expect(read(Health, await somebody.get('/healthz'))).toEqual({ status: 'ok' })
  expect(await somebody.get('/readyz')).toMatchObject({ status: 503, body: { status: 'unavailable' } })
  const readiness = await fetch(`http://127.0.0.1:${metricsPort}/readyz`)
  expect(readiness.status).toBe(503)
  expect(Readiness.parse(await readiness.json())).toMatchObject({
    parts: { 'event store': { ready: false }, 'key store': { ready: true } },
  })
  for (const answer of [
    await somebody.get('/api/user'),
    await somebody.post('/api/register', { ...registration, email: newEmail() }),
    await somebody.post('/api/admin/login', { accessKey: ADMIN_KEY }),
  ]) {
    expect(answer.status).toBe(503)
    expect(answer.body).toEqual({
      message: expect.stringMatching(
        /^(We can't reach our servers right now|Proofdesk is starting)\. Please try again in a moment\.$/,
      ),
    })
    expect(Number(answer.headers.get(RETRY_HEADER))).toBeGreaterThan(0)
  }
  expect(program.output()).not.toContain('ready at')

  await double.restart()
  expect(await program.ready).toBe(url)
  expect((await somebody.post('/api/register', { ...registration, email: newEmail() })).status).toBe(201)
  await until(async () => (await somebody.get('/readyz')).status === 200, 'all to be ready')
  expect(await program.stop()).toBe(0)
})

it('answers a request that comes while it starts once it works', async () => {
  const double = await startDouble()
  onTestFinished(() => double.close())
  double.relay.delay(10)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const program = launchProgram({
    dataDir: temporaryFolder(),
    environment: { EVENTSTORE_URL: double.url, PORT: String(port) },
  })
  await listening(url)
  const sentAt = performance.now()
  const { status } = await browser(url).post('/api/register', { ...registration, email: newEmail() })
  // On a very busy machine the start takes longer than requests wait for it.
  if (performance.now() - sentAt < 5_000) expect(status).toBe(201)
  expect(await program.stop()).toBe(0)
})

it('stops at once while it waits', async () => {
  const double = await absentEventStore()
  const port = await freePort()
  const program = launchProgram({
    dataDir: temporaryFolder(),
    environment: { EVENTSTORE_URL: double.url, PORT: String(port) },
  })
  await listening(`http://127.0.0.1:${port}`)
  expect(await program.stop()).toBe(0)
  expect(program.output()).not.toContain('ready at')
})

it('of several waiting for an empty log, one makes the first admin key', async () => {
  const double = await absentEventStore()
  const dataDir = temporaryFolder()
  const programs = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const port = await freePort()
      const program = launchProgram({
        dataDir,
        service: 'command',
        environment: { EVENTSTORE_URL: double.url, ADMIN_ACCESS_KEY: '', PORT: String(port) },
      })
      await listening(`http://127.0.0.1:${port}`)
      return program
    }),
  )
  await double.restart()
  const urls = await Promise.all(programs.map(({ ready }) => ready))
  const path = firstAdminKeyPathIn(dataDir)
  expect(programs.filter((program) => program.output().includes(path))).toHaveLength(1)
  const accessKey = readFileSync(path, 'utf8').trim()
  for (const url of urls) expect((await browser(url).post('/api/admin/login', { accessKey })).status).toBe(200)
  // Later starts make none.
  const later = await startProgram({
    dataDir,
    service: 'command',
    environment: { EVENTSTORE_URL: double.url, ADMIN_ACCESS_KEY: '' },
  })
  expect(later.output()).not.toMatch(/pdk_|first-admin-key/)
})

it('fails at once with a wrong MASTER_KEY', async () => {
  const double = await startDouble()
  onTestFinished(() => double.close())
  const dataDir = temporaryFolder()
  const made = await startProgram({
    dataDir,
    environment: { EVENTSTORE_URL: double.url, MASTER_KEY: 'the key that it was made with, long enough' },
  })
  await made.stop()
  double.kill()
  const { code, stdout, stderr } = await runProgram(['start'], {
    DATA_DIR: dataDir,
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    EVENTSTORE_URL: double.url,
    MASTER_KEY: 'another key, which is also long enough',
  })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^MASTER_KEY: .*\n$/)
})

it('generates no master key when the keys are on a server', async () => {
  const { code, stderr } = await runProgram(['start'], {
    DATA_DIR: temporaryFolder(),
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    MONGODB_URL: 'mongodb://127.0.0.1:9/proofdesk',
  })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^MASTER_KEY: .*MONGODB_URL.*\n$/)
})

it('reports in one line the server that a command needs', async () => {
  const double = await absentEventStore()
  const dataDir = temporaryFolder()
  // An installation whose log is on a server.
  await withDependencies({ DATA_DIR: dataDir }, async () => {})
  const { code, stderr } = await runProgram(['admin-key', 'list'], {
    DATA_DIR: dataDir,
    EVENTSTORE_URL: double.url,
  })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^The event store is not available.*\n$/)
})
