import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'undici'
import { z } from 'zod'
import { registration } from '#test-support/portal.ts'
import { quantile } from '#test-support/quantile.ts'
import { until } from '#test-support/until.ts'

/** Clients of the program over HTTP. */

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  /** In headers and body '{n}' is replaced by a number that no other request has. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const CONNECTIONS = 32
const WARM_UP = 1_000
const MEASURED = 4_000
let uniqueNumber = 0

/**
 * Sends requests in turn over 32 connections, each with one under way, and counts after a second.
 *
 * @throws {Error} for any answer but 2xx.
 */
export async function load(url: string, requests: readonly LoadRequest[]) {
  const countFrom = performance.now() + WARM_UP
  const end = countFrom + MEASURED
  const times: number[] = []
  let next = 0
  let answered = 0
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const client = new Client(url, { pipelining: 1 })
      while (performance.now() < end) {
        const request = requests[next++ % requests.length]
        if (!request) throw new RangeError('There is nothing to request')
        const sent = performance.now()
        await send(client, request)
        const now = performance.now()
        answered += 1
        if (sent >= countFrom && now <= end) times.push(now - sent)
      }
      await client.close()
    }),
  )
  return {
    /** How many were answered, with those of the warm-up. */
    answered,
    perSecond: (times.length * 1_000) / MEASURED,
    /** Of the answers, in ms. */
    p99: quantile(times, 0.99),
  }
}

/**
 * Sends requests in turn at a fixed rate over some connections, for four seconds after a second, and returns the ms from
 * the moment when each was due until its answer: a late one counts with its delay.
 *
 * @throws {Error} for any answer but 2xx.
 */
export async function loadAtRate(
  url: string,
  requests: readonly LoadRequest[],
  { connections, perSecond }: { readonly connections: number; readonly perSecond: number },
): Promise<number[]> {
  const start = performance.now()
  const times: number[] = []
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      const client = new Client(url, { pipelining: 1 })
      for (let turn = connection; (turn * 1_000) / perSecond < WARM_UP + MEASURED; turn += connections) {
        const due = start + (turn * 1_000) / perSecond
        await delay(Math.max(0, due - performance.now()))
        const request = requests[turn % requests.length]
        if (!request) throw new RangeError('There is nothing to request')
        await send(client, request)
        if (due >= start + WARM_UP) times.push(performance.now() - due)
      }
      await client.close()
    }),
  )
  return times
}

/** Sends a request and returns its answer. @throws {Error} for any answer but 2xx. */
export async function send(client: Client, { method, path, headers, body }: LoadRequest) {
  const n = String((uniqueNumber += 1))
  const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('{n}', n)]))
  const response = await client.request({ method, path, headers: filled, body: body?.replace('{n}', n) ?? null })
  const text = await response.body.text()
  if (response.statusCode < 200 || response.statusCode > 299)
    throw new Error(`${method} ${path} was answered ${response.statusCode}: ${text}`)
  return { text, headers: response.headers }
}

/**
 * Reads so many addresses, one after the other, and returns the ms that each took. A tenth more come first and warm up.
 */
export async function timeReads(
  url: string,
  cookie: string,
  count: number,
  pathOf: (n: number) => string,
): Promise<number[]> {
  const client = new Client(url)
  const times: number[] = []
  for (let n = -count / 10; n < count; n++) {
    const began = performance.now()
    await send(client, { method: 'GET', path: pathOf(Math.abs(n)), headers: { cookie } })
    if (n >= 0) times.push(performance.now() - began)
  }
  await client.close()
  return times
}

/** Sends requests of someone signed in, one after the other. */
export function createClient(url: string, cookie: string) {
  /** @param body A form, or what is sent as JSON. @throws {Error} for any answer but 2xx. */
  const ask = async (method: string, path: string, body?: object) => {
    const isForm = body instanceof FormData
    const began = performance.now()
    const answer = await fetch(new URL(path, url), {
      method,
      headers: isForm ? { cookie } : jsonHeaders(cookie),
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`)
    return { text, ms: performance.now() - began }
  }
  return {
    ask,
    /** The answer as its schema says. */
    read: async <Body>(schema: z.ZodType<Body>, method: string, path: string, body?: object): Promise<Body> =>
      schema.parse(JSON.parse((await ask(method, path, body)).text)),
    times: (count: number, pathOf: (n: number) => string) => timeReads(url, cookie, count, pathOf),
  }
}

/** Signs a person or key in and returns the session cookie and the answer, which another version may have given. */
export async function signIn(
  url: string,
  path: string,
  credentials: object,
): Promise<{ readonly cookie: string; readonly body: unknown }> {
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${text}`)
  // Without the position that the sign-in reached: load does not read its own writes.
  const cookie = response.headers
    .getSetCookie()
    .flatMap((header) => (/^[^=]*position=/.test(header) ? [] : header.replace(/;.*/, '')))
    .join('; ')
  return { cookie, body: JSON.parse(text) }
}

export interface SignedIn {
  readonly id: string
  readonly cookie: string
}

/** Registers traders whose accounts are active and may request payouts. */
export async function signUpTraders(url: string, count: number, admin: string): Promise<SignedIn[]> {
  const client = new Client(url)
  const eligible = { status: 'active', payoutEnabled: true, balance: '50000.00' }
  const changes = { ...eligible, server: 'Live-1', masterPassword: 's3cret' }
  const traders: SignedIn[] = []
  for (let n = 0; n < count; n++) {
    const { cookie, body } = await signIn(url, '/api/register', { ...registration, email: `trader${n}@example.com` })
    const { id } = z.object({ id: z.string() }).parse(body)
    const account = { ...changes, login: String(10_000_000 + n) }
    const change = { path: `/api/admin/user/${id}/account`, headers: jsonHeaders(admin) }
    await send(client, { method: 'PATCH', ...change, body: JSON.stringify(account) })
    traders.push({ id, cookie })
  }
  await client.close()
  return traders
}

export function jsonHeaders(cookie: string): Record<string, string> {
  return { cookie, 'content-type': 'application/json' }
}

const readiness = z.object({
  status: z.string(),
  parts: z.object({ views: z.object({ views: z.array(z.object({ caughtUp: z.boolean() })) }) }),
})

/** Waits until the whole log is visible. @param admin A cookie; at the address of the metrics none is needed. */
export async function untilCaughtUp(url: string, admin = ''): Promise<void> {
  const isCaughtUp = async (): Promise<boolean> => {
    const { data } = readiness.safeParse(
      await (await fetch(new URL('/readyz', url), { headers: { cookie: admin } })).json(),
    )
    return data?.status === 'ok' && data.parts.views.views.every(({ caughtUp }) => caughtUp)
  }
  await until(isCaughtUp, 'the read models to catch up', 1_800_000)
}
