import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * The attackers of siege.long.ts, in a process of their own so that honest clients are not slowed down by them: the
 * portal's address, and for how many ms. It prints as JSON how many of each attack ended in which way, after each
 * connection is closed.
 */
const [url = '', duration = ''] = process.argv.slice(2)
const { hostname, port } = new URL(url)
const end = Date.now() + Number(duration)
const besieging = () => Date.now() < end
const done: Record<string, number> = {}
const ADDRESSES = 10_000
/** One of the addresses, as a proxy would report it. Those of honest clients begin with 192. */
const address = (n: number) => `10.9.${Math.floor((n % ADDRESSES) / 250)}.${(n % ADDRESSES) % 250}`
const agent = new Agent({ keepAlive: true, maxSockets: 128 })

/** Resolves with the status and cookies, or 'closed' for a connection that was closed. */
function ask(
  path: string,
  from: number,
  body?: object,
): Promise<{ readonly status: number | 'closed'; readonly cookies: string }> {
  return new Promise((resolve) => {
    const headers = { 'x-forwarded-for': address(from), ...(body && { 'content-type': 'application/json' }) }
    const onClosed = () => resolve({ status: 'closed', cookies: '' })
    const sent = request({ agent, hostname, port, method: body ? 'POST' : 'GET', path, headers }, (response) => {
      const cookies = (response.headers['set-cookie'] ?? []).map((line) => line.slice(0, line.indexOf(';'))).join('; ')
      response
        .on('error', onClosed)
        .on('end', () => resolve({ status: response.statusCode ?? 0, cookies }))
        .resume()
    })
    sent.on('error', onClosed)
    sent.end(body && JSON.stringify(body))
  })
}

function open(): Socket {
  return connect({ host: hostname, port: Number(port) }).on('error', () => {})
}

const head = (path: string, from: number, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: portal.example\r\nX-Forwarded-For: ${address(from)}\r\n${more}\r\n`
const postHead = (from: number) =>
  head('/api/login', from, 'Content-Type: application/json\r\nContent-Length: 1000\r\n').replace('GET', 'POST')

const paths = ['/', '/auth', '/api/user', '/api/nothing', '/api/admin/users', '/log/checkpoint', '/readyz']
const besieger = { fullName: 'Besieger', password: 'correct horse battery', privacyPolicyAgreed: true }
const home = { country: 'uk', city: 'London', street: 'St James Square', houseNumber: '12' }
const sessions: { readonly cookie: string; readonly from: number }[] = []
const streams = new Set<Socket>()

interface Attack {
  /** As many at once, each without a pause. */
  readonly width: number
  /** Attacks for the nth time, and returns how that ended, if it was an attack. */
  readonly attempt: (n: number) => Promise<number | string | undefined>
}

const attacks: Record<string, Attack> = {
  flood: { width: 8, attempt: async (n) => (await ask(paths[n % paths.length] ?? '/', n)).status },
  'wrong key': {
    width: 2,
    attempt: async (n) => (await ask('/api/admin/login', n, { accessKey: `pdk_wrong-${n}` })).status,
  },
  'wrong password': {
    width: 64,
    attempt: async (n) =>
      (await ask('/api/login', n, { email: `nobody${n}@example.com`, password: 'wrong password' })).status,
  },
  'slow connection, a byte at a time': {
    width: 200,
    async attempt(n) {
      const socket = open()
      for (const character of head('/auth', n)) {
        if (!besieging() || socket.destroyed) break
        socket.write(character)
        await delay(2_000)
      }
      socket.destroy()
      return 'ended'
    },
  },
  'connection cut in the head, the body or the answer': {
    width: 4,
    async attempt(n) {
      const socket = open()
      socket.write([head('/auth', n).slice(0, 40), postHead(n), head('/auth', n)][n % 3] ?? '')
      await delay(5)
      socket.resetAndDestroy()
      await delay(5)
      return 'ended'
    },
  },
  'pipeline whose answers are not read': {
    width: 20,
    async attempt(n) {
      const socket = open().pause()
      socket.write(head('/auth', n).repeat(n % 2 ? 16 : 500))
      await delay(1_000)
      socket.destroy()
      return 'ended'
    },
  },
  // Enough traders for 5,000 streams.
  registration: {
    width: 2,
    async attempt(n) {
      if (sessions.length >= 350) return void (await delay(1_000))
      const { status, cookies } = await ask('/api/register', n, {
        ...besieger,
        ...home,
        email: `besieger${n}@example.com`,
      })
      if (status === 201) sessions.push({ cookie: cookies, from: n })
      return status
    },
  },
  // As many live streams as it gets, up to 5,000 at once. Those that are refused or end are opened again.
  stream: {
    width: 1,
    async attempt(n) {
      const session = sessions[n % sessions.length]
      if (!session || streams.size >= 5_000) return void (await delay(100))
      const socket = open().resume()
      streams.add(socket)
      socket.once('close', () => streams.delete(socket))
      socket.write(head('/api/live', session.from, `Cookie: ${session.cookie}\r\nAccept: text/event-stream\r\n`))
      done['most streams at once'] = Math.max(done['most streams at once'] ?? 0, streams.size)
      if (n % 10 === 0) await delay(10)
      return 'requested'
    },
  },
}

async function besiege(name: string, { width, attempt }: Attack): Promise<void> {
  let n = 0
  const attack = async (): Promise<void> => {
    while (besieging()) {
      const result = await attempt(n++)
      if (result !== undefined) done[`${name} ${result}`] = (done[`${name} ${result}`] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: width }, attack))
}

await Promise.all(Object.entries(attacks).map(([name, attack]) => besiege(name, attack)))
for (const socket of streams) socket.destroy()
agent.destroy()
console.log(JSON.stringify(done))
