import { connect, type Socket } from 'node:net'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * The attackers of siege.long.ts, in a process of their own so that honest clients are not slowed down by them: the portal's
 * address, and for how many ms. It prints as JSON how much of each attack it made, after each connection is closed.
 */
const [url = '', duration = ''] = process.argv.slice(2)
const { hostname, port } = new URL(url)
const end = Date.now() + Number(duration)
const besieging = () => Date.now() < end
const done: Record<string, number> = {}
const count = (attack: string, more = 1) => (done[attack] = (done[attack] ?? 0) + more)
const ADDRESSES = 10_000
/** One of the addresses, as a proxy would report it. Those of honest clients begin with 192. */
const address = (n: number) => `10.9.${Math.floor((n % ADDRESSES) / 250)}.${(n % ADDRESSES) % 250}`
const agent = new Agent({ keepAlive: true, maxSockets: 128 })

interface Ask {
  readonly method?: string
  readonly path: string
  readonly from: number
  readonly cookie?: string
  readonly body?: unknown
}

/** Resolves with status and cookies, or undefined for a connection that was closed. */
function ask({ method = 'GET', path, from, cookie, body }: Ask): Promise<{ readonly status: number; readonly cookies: string } | undefined> {
  return new Promise((resolve) => {
    const headers = {
      'x-forwarded-for': address(from),
      ...(cookie === undefined ? {} : { cookie }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const sent = request({ agent, hostname, port, method, path, headers }, (response) => {
      const cookies = (response.headers['set-cookie'] ?? []).map((line) => line.slice(0, line.indexOf(';'))).join('; ')
      response
        .on('error', () => resolve(undefined))
        .on('end', () => resolve({ status: response.statusCode ?? 0, cookies }))
        .resume()
    })
    sent.on('error', () => resolve(undefined))
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

function open(): Socket {
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  return socket
}

const head = (path: string, from: number, more = '') => `GET ${path} HTTP/1.1\r\nHost: portal.example\r\nX-Forwarded-For: ${address(from)}\r\n${more}\r\n`

/** As many at once as `width`, each without a pause. */
async function crowd(width: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let n = 0
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (besieging()) await work(n++)
    }),
  )
}

async function floods(): Promise<void> {
  const paths = ['/', '/auth', '/api/user', '/api/nothing', '/api/admin/users', '/log/checkpoint', '/readyz']
  await crowd(8, async (n) => {
    const answer = await ask({ path: paths[n % paths.length] ?? '/', from: n })
    count(`flood ${answer?.status ?? 'closed'}`)
  })
}

async function wrongKeys(): Promise<void> {
  await crowd(2, async (n) => {
    const answer = await ask({ method: 'POST', path: '/api/admin/login', from: n, body: { accessKey: `pdk_wrong-${n}` } })
    count(`wrong key ${answer?.status ?? 'closed'}`)
  })
}

async function wrongPasswords(): Promise<void> {
  await crowd(64, async (n) => {
    const answer = await ask({ method: 'POST', path: '/api/login', from: n, body: { email: `nobody${n}@example.com`, password: 'wrong password' } })
    count(`wrong password ${answer?.status ?? 'closed'}`)
  })
}

/** Sends its head a byte at a time. */
async function slowConnections(): Promise<void> {
  await crowd(200, async (n) => {
    const socket = open()
    for (const character of head('/auth', n)) {
      if (!besieging() || socket.destroyed) break
      socket.write(character)
      await delay(2_000)
    }
    socket.destroy()
    count('slow connection')
  })
}

/** Breaks off in the head, in the body, or in the answer. */
async function cutConnections(): Promise<void> {
  await crowd(4, async (n) => {
    const socket = open()
    socket.write(
      [
        head('/auth', n).slice(0, 40),
        head('/api/login', n, 'Content-Type: application/json\r\nContent-Length: 1000\r\n').replace('GET', 'POST'),
        head('/auth', n),
      ][n % 3] ?? '',
    )
    await delay(5)
    socket.resetAndDestroy()
    count('cut connection')
    await delay(5)
  })
}

/** Sends many requests at once and never reads an answer. */
async function pipelines(): Promise<void> {
  await crowd(20, async (n) => {
    const socket = open().pause()
    socket.write(head('/auth', n).repeat(n % 2 ? 16 : 500))
    await delay(1_000)
    socket.destroy()
    count('pipeline')
  })
}

const sessions: { readonly cookie: string; readonly from: number }[] = []

/** Registers enough traders for 5,000 streams. */
async function registrations(): Promise<void> {
  await crowd(2, async (n) => {
    if (sessions.length >= 350) return delay(1_000)
    const person = { fullName: 'Besieger', email: `besieger${n}@example.com`, password: 'correct horse battery', privacyPolicyAgreed: true }
    const home = { country: 'uk', city: 'London', street: 'St James Square', houseNumber: '12' }
    const registered = await ask({ method: 'POST', path: '/api/register', from: n, body: { ...person, ...home } })
    if (registered?.status === 201) sessions.push({ cookie: registered.cookies, from: n })
    count(`registration ${registered?.status ?? 'closed'}`)
  })
}

/** Opens as many live streams as it gets, up to 5,000 at once. Those that are refused or end are opened again. */
async function streams(): Promise<void> {
  const opened = new Set<Socket>()
  let most = 0
  await crowd(1, async (n) => {
    const session = sessions[n % sessions.length]
    if (!session || opened.size >= 5_000) return delay(100)
    const socket = open()
    opened.add(socket)
    socket.on('data', () => {})
    socket.once('close', () => opened.delete(socket))
    socket.write(head('/api/live', session.from, `Cookie: ${session.cookie}\r\nAccept: text/event-stream\r\n`))
    count('stream requested')
    most = Math.max(most, opened.size)
    if (n % 10 === 0) await delay(10)
  })
  count('most streams at once', most)
  for (const socket of opened) socket.destroy()
}

await Promise.all([floods(), wrongKeys(), wrongPasswords(), slowConnections(), cutConnections(), pipelines(), registrations(), streams()])
agent.destroy()
console.log(JSON.stringify(done))
