import { createServer } from 'node:http'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { read, uploadCertificate } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { askRaw, openConnection } from '#test-support/raw-connection.ts'
import { portOf } from '#test-support/servers/ports.ts'
import { allRoutes } from '#services/portal/routes.ts'
import { Certificate } from '#services/trading/certificates/certificate-api.ts'
import { createLogger } from '#services/process/logger.ts'
import { registerErrorHandling, registerMiddleware } from './express-app.ts'
import { HttpError } from './http-errors.ts'

/** Requirements of OWASP ASVS that no other test shows (docs/security.md cites these). */

let portal: Portal
let admin: Browser
let trader: Trader
beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
  trader = await portal.trader()
})
afterAll(() => portal.stop())

describe('answers', () => {
  it('name their type, and texts their character set', async () => {
    // Event streams are UTF-8 without saying so.
    const paths = allRoutes
      .filter(({ method, path }) => method === 'get' && !/[:*]|^\/api\/live$/.test(path))
      .map(({ path }) => path)
    for (const path of [...paths, '/', '/nothing', '/api/nothing', '/assets/nothing.js']) {
      const answer = await (path.startsWith('/api/a') ? admin : trader).get(path)
      const type = answer.headers.get('content-type') ?? ''
      expect([path, type]).toEqual([path, expect.stringMatching(/^(text\/[a-z-]+|application\/json); charset=utf-8$/)])
      if (type.startsWith('application/json')) expect(() => JSON.parse(answer.text)).not.toThrow()
    }
  })

  it('with a certificate cannot run scripts on this site, nor be read by another', async () => {
    const { fileUrl } = read(Certificate, await uploadCertificate(admin, { userId: trader.id }))
    const { headers } = await trader.get(fileUrl)
    expect(headers.get('content-type')).toBe('application/pdf')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-disposition')).toMatch(/^inline; filename="[^"]+\.pdf"/)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('list no folder, and hold no file of the program, its sources or its data', async () => {
    // The page `/$name` answers paths of one segment (specification §2): with the app, never with a file.
    const app = (await portal.browser().get('/visitor')).text
    for (const path of [
      '/assets',
      '/assets/',
      '/.git/config',
      '/.env',
      '/package.json',
      '/data/master.key',
      '/index.html/../../package.json',
    ]) {
      const { status, text } = await portal.browser().get(path)
      // 503 where the web app is not built.
      if (status === 200) expect([path, text]).toEqual([path, app])
      else expect([path, status]).toEqual([path, expect.toBeOneOf([404, 503])])
      expect([path, /Index of|\[core\]|"dependencies"/.test(text)]).toEqual([path, false])
    }
  })
})

describe('a request', () => {
  it('that repeats a parameter is refused, never read by one of its values', async () => {
    for (const path of [
      '/api/admin/users?limit=1&limit=2',
      '/api/admin/payouts?status=pending&status=approved',
      '/api/audit/events?order=asc&order=desc',
    ])
      expect([path, (await admin.get(path)).status]).toEqual([path, 400])
    // A parameter is not taken from elsewhere.
    expect((await trader.patch('/api/user/profile?city=Paris', {})).status).toBe(200)
    expect((await trader.get('/api/user')).body).not.toMatchObject({ city: 'Paris' })
  })

  it('whose length can be read in two ways is refused, and its connection closed', async () => {
    const head = 'POST /api/login HTTP/1.1\r\nHost: portal.example\r\nContent-Type: application/json\r\n'
    const hidden = 'GET /healthz HTTP/1.1\r\nHost: portal.example\r\n\r\n'
    for (const lengths of [
      'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
      'Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n',
    ]) {
      const connection = await openConnection(portal.url)
      connection.send(head + lengths + hidden)
      const text = await connection.ended
      expect([lengths, text.slice(0, 12), text.includes('"status":"ok"')]).toEqual([lengths, 'HTTP/1.1 400', false])
    }
  })

  it('is counted by its own address despite its headers, unless a proxy is trusted', async () => {
    const headers = {
      'x-forwarded-for': '203.0.113.9',
      'x-real-ip': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'evil.example',
    }
    const visitor = portal.browser()
    const answer = await visitor.post('/api/login', { email: trader.email, password: trader.password }, { headers })
    expect(answer.status).toBe(200)
    expect((await visitor.get('/api/user/sessions')).text).not.toContain('203.0.113.9')
    await portal.browser().post('/api/forgot-password', { email: trader.email }, { headers })
    const mail = await portal.mailWith(trader.email, ({ subject }) => subject === 'Reset your Proofdesk password')
    expect(mail.text).not.toContain('evil.example')
  })

  it('is not upgraded to another protocol', async () => {
    const answer = await askRaw(portal.url, 'GET', '/healthz', {
      Connection: 'Upgrade, close',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': 'x',
      'Sec-WebSocket-Version': '13',
    })
    expect(answer.status).toBe(200)
  })
})

it('logs every refused request at the level of operators, whatever the reason', async () => {
  const lines: string[] = []
  const log = createLogger('info', { write: (line) => void lines.push(line) })
  const app = express()
  registerMiddleware(app, {
    log,
    publicUrl: new URL('http://localhost'),
    trustedProxies: 0,
    recordedDownloads: [],
    largeBodies: [],
  })
  const statuses = [400, 401, 403, 409, 413, 415, 429] as const
  for (const status of statuses)
    app.get(`/${status}`, () => {
      throw new HttpError(status, { message: 'No' })
    })
  app.get('/200', (_request, response) => void response.json({}))
  registerErrorHandling(app, [], log)
  const server = createServer(app).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  for (const status of [...statuses, 200, 404]) await askRaw(`http://127.0.0.1:${portOf(server)}`, 'GET', `/${status}`)
  expect(lines.map((line) => Number(/"status":(\d+)/.exec(line)?.[1]))).toEqual(statuses)
})
