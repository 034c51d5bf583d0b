import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { IncomingMessage, ServerResponse } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { eligibleTrader, read, uploadCertificate } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal } from '#test-support/portal.ts'
import { askRaw, countAnswers, openConnection, requestText } from '#test-support/raw-connection.ts'
import { until } from '#test-support/until.ts'
import { Certificate } from '#services/trading/certificates/certificate-api.ts'
import { limits } from './limits.ts'

/** A raw connection, and what the client received on it. */

const portal = await openPortal()
afterAll(() => portal.stop())

const Exchange = z.object({ request: z.instanceof(IncomingMessage), response: z.instanceof(ServerResponse) })

setFlagsFromString('--expose-gc')
const collectGarbage = z.custom<() => void>((value) => typeof value === 'function').parse(runInNewContext('gc'))

/** Collects the exchanges that begin until the end of the test. */
function exchangesBegun<Kept>(keep: (exchange: z.infer<typeof Exchange>) => Kept): Kept[] {
  const begun: Kept[] = []
  const note = (started: unknown) => void begun.push(keep(Exchange.parse(started)))
  subscribe('http.server.request.start', note)
  onTestFinished(() => void unsubscribe('http.server.request.start', note))
  return begun
}

const cookieOf = (who: { readonly cookies: ReadonlyMap<string, string> }) =>
  [...who.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

describe('pipelined requests', () => {
  it('are answered in their order', async () => {
    const connection = await openConnection(portal.url)
    connection.send(
      requestText('GET', '/healthz') +
        requestText('GET', '/api/offers') +
        requestText('GET', '/api/nothing', { Connection: 'close' }),
    )
    const text = await connection.ended
    const found = ['"status":"ok"', '"oneStep"', 'There is no GET /api/nothing'].map((part) => text.indexOf(part))
    expect(found).toEqual([...found].sort((a, b) => a - b))
    expect(found[0]).toBeGreaterThan(0)
  })

  it('are released when their connection closes', async () => {
    const responses = exchangesBegun(({ response }) => new WeakRef(response))
    for (let n = 0; n < 5; n++) {
      const connection = await openConnection(portal.url, { reads: false })
      connection.send(requestText('GET', '/api/openapi.json').repeat(1_000))
      // The first answer is under way: the requests were taken in.
      await until(
        async () => connection.socket.destroyed || connection.socket.bytesWritten > 0,
        'the requests to be sent',
      )
      await portal.browser().get('/healthz')
      await connection.cut()
    }
    const held = () => {
      collectGarbage()
      return responses.filter((response) => response.deref()).length
    }
    expect(responses.length).toBeGreaterThan(20)
    await until(async () => held() <= 10, 'the responses to be forgotten')
  })

  it('close the connection when there are too many', async () => {
    const connection = await openConnection(portal.url, { reads: false })
    connection.send(requestText('GET', '/api/openapi.json').repeat(1_300))
    await until(async () => connection.socket.resume() && connection.socket.closed, 'the connection to be closed')
  })

  it('reach the handlers only after the previous answer', async () => {
    const trader = await portal.trader()
    const connection = await openConnection(portal.url)
    const Cookie = cookieOf(trader)
    // A stream never ends: a request behind it waits, and is dropped when the client disconnects.
    connection.send(
      requestText('GET', '/api/live', { Cookie }) +
        requestText('POST', '/api/logout', { Cookie, 'Content-Length': '0' }),
    )
    await until(async () => connection.received().includes('event: ready'), 'the stream to begin')
    await connection.cut()
    await portal.browser().get('/healthz')
    expect((await trader.get('/api/user')).status).toBe(200)
  })
})

describe('a live stream', () => {
  it('frees its slot when its connection closes, also with pipelined requests', async () => {
    const trader = await portal.trader()
    const headers = { Cookie: cookieOf(trader) }
    const connection = await openConnection(portal.url)
    connection.send(requestText('GET', '/api/live', headers).repeat(8))
    await until(async () => connection.received().includes('event: ready'), 'a stream to begin')
    await connection.cut()
    const streams = await Promise.all(Array.from({ length: 8 }, () => openConnection(portal.url)))
    for (const stream of streams) stream.send(requestText('GET', '/api/live', headers))
    await until(async () => streams.every((stream) => countAnswers(stream.received()) === 1), 'all to be answered')
    expect(streams.map((stream) => stream.received().slice(0, 12))).toEqual(streams.map(() => 'HTTP/1.1 200'))
  })

  it('answers HEAD without taking a slot', async () => {
    const trader = await portal.trader()
    const headers = { Cookie: cookieOf(trader) }
    for (let n = 0; n < 9; n++) {
      const answer = await askRaw(portal.url, 'HEAD', '/api/live', headers)
      expect([answer.status, answer.headers.get('content-type'), answer.body]).toEqual([200, 'text/event-stream', ''])
    }
  })
})

describe('live streams of one trader', () => {
  it('are limited over all sessions', async () => {
    const trader = await portal.trader()
    const sessions = [trader, portal.browser(), portal.browser()]
    for (const session of sessions.slice(1))
      await session.post('/api/login', { email: trader.email, password: trader.password })
    const open = async (session: Browser) => {
      const stream = await openConnection(portal.url)
      stream.send(requestText('GET', '/api/live', { Cookie: cookieOf(session) }))
      await until(async () => countAnswers(stream.received()) === 1, 'an answer')
      return stream.received().slice(9, 12)
    }
    const statuses: string[] = []
    for (const session of sessions) for (let n = 0; n < limits.live.perSession; n++) statuses.push(await open(session))
    expect(statuses.filter((status) => status === '200')).toHaveLength(limits.live.perTrader)
    expect(statuses.slice(limits.live.perTrader).every((status) => status === '429')).toBe(true)
  })
})

describe('a connection', () => {
  it('accepts a limited number of header lines and bytes', async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`X-Header-${n}`, '1']))
    expect((await askRaw(portal.url, 'GET', '/healthz', many)).status).toBe(431)
    expect((await askRaw(portal.url, 'GET', '/healthz', { 'X-Long': 'x'.repeat(20_000) })).status).toBe(431)
  })

  it('closes when a body is declared far too large', async () => {
    const connection = await openConnection(portal.url)
    const headers = { 'Content-Type': 'application/json', 'Content-Length': String(1e12) }
    connection.send(`${requestText('POST', '/api/login', headers)}{"email":"`)
    expect(await connection.ended).toMatch(/^HTTP\/1\.1 413 .*The request is too large/s)
  })
})

it('creates messages with the prototypes that Express gives them', async () => {
  const created = exchangesBegun(({ request, response }) =>
    [request, response].map((message) => ({ message, prototype: Object.getPrototypeOf(message) })),
  )
  await portal.browser().get('/healthz')
  // A proxy in front has no app.
  const ofApp = created.flat().filter(({ message }) => 'app' in message)
  expect(ofApp.length).toBeGreaterThan(1)
  expect(ofApp.every(({ message, prototype }) => Object.getPrototypeOf(message) === prototype)).toBe(true)
})

it('releases a download when the client disconnects', async () => {
  const admin = await portal.admin()
  const trader = await eligibleTrader(portal, admin)
  const { fileUrl } = read(Certificate, await uploadCertificate(admin, { userId: trader.id }))
  const connection = await openConnection(portal.url)
  connection.send(requestText('GET', fileUrl, { Cookie: cookieOf(trader) }).repeat(10))
  await until(async () => connection.received().includes('%PDF'), 'a file to come')
  await connection.cut()
  expect((await trader.get(fileUrl)).status).toBe(200)
})
