import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { browser, type Browser } from '#test-support/http-client.ts'
import { newEmail, registration } from '#test-support/portal.ts'
import { ADMIN_KEY, buildProgram, type Program, startProgram, temporaryFolder } from '#test-support/program.ts'
import { quantile } from '#test-support/quantile.ts'
import { seededRandom } from '#test-support/random-seed.ts'
import { until } from '#test-support/until.ts'

/** `SIEGE_MINUTES=1` for less. */
const minutes = Number(process.env['SIEGE_MINUTES'] ?? 10)
const TRADERS = 24
const ADMINISTRATORS = 8
/** Between two requests of an honest client, in ms: people read what they get. */
const PAUSE_MS = 500
/** The goal for honest clients, in ms. */
const P99_MS = 500
/**
 * More memory than before the siege that is accepted after it: the garbage collector keeps some of it reserved, in MB.
 */
const MEMORY_MB = 100

beforeAll(buildProgram, 600_000)

const openFiles = ({ pid }: Program) => readdirSync(`/proc/${pid}/fd`).length
const memory = ({ pid }: Program) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)

interface HonestClient {
  readonly browser: Browser
  readonly paths: readonly string[]
  readonly address: string
  readonly random: ReturnType<typeof seededRandom>
}

const options = (address: string) => ({ headers: { 'x-forwarded-for': address } })

/** Asks with pauses until `signal` aborts, and returns how long each answer took, in ms. */
async function useHonestly(
  { browser: client, paths, address, random }: HonestClient,
  signal: AbortSignal,
): Promise<number[]> {
  const waits: number[] = []
  for (let n = 0; !signal.aborted; n++) {
    const began = performance.now()
    const path = paths[n % paths.length] ?? ''
    const { status } = await client.get(path, options(address))
    waits.push(performance.now() - began)
    expect(status, path).toBe(200)
    await delay(PAUSE_MS * (0.5 + random.next()))
  }
  return waits
}

async function honestClients(program: Program): Promise<HonestClient[]> {
  const clients: HonestClient[] = []
  for (let n = 0; n < TRADERS; n++) {
    const [client, address] = [browser(program.url), `192.0.2.${n}`]
    expect((await client.post('/api/register', { ...registration, email: newEmail() }, options(address))).status).toBe(
      201,
    )
    clients.push({
      browser: client,
      address,
      random: seededRandom(clients.length),
      paths: ['/api/user', '/api/user/account', '/api/user/payouts', '/api/user/certificates'],
    })
  }
  for (let n = 0; n < ADMINISTRATORS; n++) {
    const [client, address] = [browser(program.url), `192.0.2.${100 + n}`]
    expect((await client.post('/api/admin/login', { accessKey: ADMIN_KEY }, options(address))).status).toBe(200)
    clients.push({
      browser: client,
      address,
      random: seededRandom(clients.length),
      paths: ['/api/admin/users', '/api/admin/users?search=love', '/api/admin/payouts', '/api/admin/stats'],
    })
  }
  return clients
}

it(
  `serves ${TRADERS + ADMINISTRATORS} honest clients during a siege of ${minutes} minutes, and keeps nothing of it`,
  async () => {
    const program = await startProgram({
      dataDir: temporaryFolder(),
      environment: { TRUSTED_PROXIES: '1', REGISTRATIONS_PER_HOUR: '', LOG_LEVEL: 'error' },
    })
    const clients = await honestClients(program)
    // Reads everything once, so that what is loaded at first use does not count as left over.
    const warm = new AbortController()
    const warming = clients.map((client) => useHonestly(client, warm.signal))
    await delay(10_000)
    warm.abort()
    const quiet = (await Promise.all(warming)).flat()
    const [filesBefore, memoryBefore] = [openFiles(program), memory(program)]

    const besiegers = spawn(
      process.execPath,
      [
        '--import',
        'tsx',
        fileURLToPath(new URL('../../test-support/chaos/besiegers.child.ts', import.meta.url)),
        program.url,
        String(minutes * 60_000),
      ],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const attacks = text(besiegers.stdout)
    const siege = new AbortController()
    const using = clients.map((client) => useHonestly(client, siege.signal))
    let most = { files: 0, memory: 0 }
    const watch = setInterval(
      () =>
        (most = { files: Math.max(most.files, openFiles(program)), memory: Math.max(most.memory, memory(program)) }),
      1_000,
    )
    const made = await attacks
    clearInterval(watch)
    siege.abort()
    const waits = (await Promise.all(using)).flat()

    expect(program.running()).toBe(true)
    // Connections that the clients of this test keep are not part of the siege.
    await until(
      async () => openFiles(program) <= filesBefore + clients.length,
      `at most ${filesBefore + clients.length} open files`,
      180_000,
    )
    await until(
      async () => memory(program) <= memoryBefore + MEMORY_MB,
      `at most ${memoryBefore + MEMORY_MB} MB`,
      300_000,
    )
    const percentiles = (of: number[]) =>
      [0.5, 0.95, 0.99, 1].map((share) => `${quantile(of, share).toFixed(0)} ms`).join(' / ')
    process.stdout.write(
      `Siege of ${minutes} minutes: ${made.trim()}\n` +
        `Honest requests: ${waits.length}, p50/p95/p99/max ${percentiles(waits)} (before: ${percentiles(quiet)})\n` +
        `Open files ${filesBefore} before, ${most.files} at most, ${openFiles(program)} after; ` +
        `memory ${memoryBefore} MB before, ${most.memory} at most, ${memory(program)} after\n`,
    )
    expect(quantile(waits, 0.99)).toBeLessThan(P99_MS)
    expect(await program.stop()).toBe(0)
  },
  900_000 + minutes * 60_000,
)
