import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib'
import express from 'express'
import pino from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { askRaw, openConnection, type RawHeaders, requestText } from '#test-support/raw-connection.ts'
import { portOf } from '#test-support/servers/ports.ts'
import { until } from '#test-support/until.ts'
import { registerErrorHandling } from './express-app.ts'
import { registerStaticApp } from './static-app.ts'

/** The built web app's files, over a raw socket. */

const script = 'export const numbers = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n'
const LARGE = 30_000_000
const folder = mkdtempSync(join(tmpdir(), 'proofdesk-static-'))
mkdirSync(join(folder, 'assets'))
writeFileSync(join(folder, 'index.html'), '<head><meta name="session" content="unknown" /></head>')
writeFileSync(join(folder, 'assets', 'app-1.js'), script)
writeFileSync(join(folder, 'assets', 'app-1.js.br'), brotliCompressSync(script))
writeFileSync(join(folder, 'assets', 'app-1.js.gz'), gzipSync(script))
writeFileSync(join(folder, 'assets', 'gone-1.js'), script)
writeFileSync(join(folder, 'assets', 'large-1.js'), Buffer.alloc(LARGE, 'x'))
writeFileSync(join(folder, 'robots.txt'), 'User-agent: *\n')

const app = express()
app.disable('etag')
registerStaticApp(app, { folder })
registerErrorHandling(app, [], pino({ level: 'silent' }))
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${portOf(server)}`
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})

const ask = (headers: RawHeaders = {}, method = 'GET', path = '/assets/app-1.js') => askRaw(url, method, path, headers)

describe('a file of the web app', () => {
  it('is sent whole, and immutable if its name has a hash', async () => {
    const answer = await ask()
    expect([answer.status, answer.body]).toEqual([200, script])
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(answer.headers.get('content-length')).toBe(String(script.length))
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const other = await ask({}, 'GET', '/robots.txt')
    expect([other.status, other.headers.get('cache-control'), other.body]).toEqual([200, 'no-cache', 'User-agent: *\n'])
  })

  it('is served after it disappears from disk', async () => {
    rmSync(join(folder, 'assets', 'gone-1.js'))
    const answer = await ask({}, 'GET', '/assets/gone-1.js')
    expect([answer.status, answer.body]).toEqual([200, script])
  })

  it('keeps no file open for a client that stops reading', async () => {
    const openFiles = () => readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).startsWith(folder))
    const clients = await Promise.all(Array.from({ length: 5 }, () => openConnection(url, { reads: false })))
    for (const client of clients) client.send(requestText('GET', '/assets/large-1.js').repeat(3))
    await until(async () => clients.every(({ socket }) => socket.bytesWritten > 0), 'the requests to be sent')
    await ask()
    expect(openFiles()).toEqual([])
    for (const client of clients) await client.cut()
    expect((await ask()).status).toBe(200)
    expect(openFiles()).toEqual([])
  })

  it.each([
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0', undefined],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0, br;q=0.0', undefined],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['', undefined],
  ])('is sent in an accepted encoding: %j', async (accepted, encoding) => {
    const answer = await ask({ 'Accept-Encoding': accepted })
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, encoding])
    expect(answer.headers.get('vary')).toBe('Accept-Encoding')
    if (encoding === 'br') expect(brotliDecompressSync(Buffer.from(answer.body, 'latin1')).toString()).toBe(script)
    if (encoding === undefined) expect(answer.body).toBe(script)
  })

  it.each([
    'bytes=9-1',
    'bytes=-5',
    'bytes=0-0',
    'bytes=0-5,7-9',
    'items=0-5',
    'bytes=abc-def',
    'bytes=99999999-',
    'bytes',
  ])('is sent whole for a range request: %s', async (range) => {
    for (const headers of [
      { Range: range },
      { Range: range, 'If-Range': '"old"' },
      { Range: range, 'If-Range': (await ask()).headers.get('etag') ?? '' },
    ]) {
      const answer = await ask(headers)
      expect([answer.status, answer.body, answer.headers.get('content-range')]).toEqual([200, script, undefined])
    }
  })

  it('is answered 304 with the same headers when unchanged', async () => {
    for (const [path, encoding] of [
      ['/assets/app-1.js', 'br'],
      ['/robots.txt', 'identity'],
      ['/', 'gzip'],
    ] as const) {
      const first = await ask({ 'Accept-Encoding': encoding }, 'GET', path)
      const again = await ask(
        { 'Accept-Encoding': encoding, 'If-None-Match': `"other", ${first.headers.get('etag')}` },
        'GET',
        path,
      )
      expect([path, again.status, again.body]).toEqual([path, 304, ''])
      for (const name of ['etag', 'cache-control', 'vary']) {
        expect(again.headers.get(name), name).toBeDefined()
        expect(again.headers.get(name), name).toBe(first.headers.get(name))
      }
      expect((await ask({ 'If-None-Match': '"other"' }, 'GET', path)).status).toBe(200)
    }
  })

  it('answers HEAD like GET, without the content', async () => {
    const [get, head] = [await ask(), await ask({}, 'HEAD')]
    expect([head.status, head.body]).toEqual([200, ''])
    for (const name of ['content-length', 'content-type', 'etag', 'cache-control', 'vary'])
      expect(head.headers.get(name), name).toBe(get.headers.get(name))
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])(
    'refuses %s with the allowed methods',
    async (method) => {
      for (const path of ['/assets/app-1.js', '/robots.txt', '/', '/admin/users']) {
        const answer = await ask({}, method, path)
        expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD'])
        expect(answer.body).not.toContain('numbers')
      }
    },
  )

  it('that does not exist is answered 404', async () => {
    for (const path of [
      '/assets/app-2.js',
      '/assets/../index.html',
      '/assets/app-1.js.br',
      '/assets/%2e%2e/index.html',
    ]) {
      const answer = await ask({}, 'GET', path)
      expect([path, answer.status]).toEqual([path, 404])
    }
  })
})

function linkOf(fd: string): string {
  try {
    return readlinkSync(join('/proc/self/fd', fd))
  } catch {
    return ''
  }
}
