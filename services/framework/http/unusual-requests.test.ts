import { runsSeparately } from '#test-support/separate-services.ts'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { openPortal } from '#test-support/portal.ts'
import { askRaw, type RawAnswer } from '#test-support/raw-connection.ts'
import { allRoutes } from '#services/portal/routes.ts'

/** Requests that our web app never sends, over a raw socket. */

const portal = await openPortal()
afterAll(() => portal.stop())

const messageOf = ({ body }: RawAnswer): unknown => Reflect.get(Object(JSON.parse(body)), 'message')

describe('a body', () => {
  const credentials = JSON.stringify({ email: 'nobody@example.com', password: 'a password' })
  const send = (encoding: string, body: string | Uint8Array, method = 'POST', path = '/api/login') =>
    askRaw(portal.url, method, path, { 'Content-Type': 'application/json', 'Content-Encoding': encoding }, body)

  it('is read in each supported encoding', async () => {
    for (const [encoding, body] of [
      ['identity', credentials],
      ['gzip', gzipSync(credentials)],
      ['GZIP', gzipSync(credentials)],
      ['deflate', deflateSync(credentials)],
      ['br', brotliCompressSync(credentials)],
    ] as const)
      expect([encoding, (await send(encoding, body)).status]).toEqual([encoding, 401])
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('that does not match its Content-Encoding %s is refused with 400', async (encoding, encode) => {
    for (const body of ['not encoded at all', encode(credentials).subarray(0, -8)]) {
      const answer = await send(encoding, body)
      expect([answer.status, messageOf(answer)]).toEqual([400, 'The request does not match its Content-Encoding'])
    }
  })

  it('that exceeds the limit once decoded is refused with 413', async () => {
    expect((await send('gzip', gzipSync(Buffer.alloc(5_000_000, ' ')))).status).toBe(413)
  })

  it.each(['zstd', 'compress', 'gzip, gzip', 'x'])(
    'in the encoding %s is refused with 415, by every version of Node',
    async (encoding) => {
      const answer = await send(encoding, credentials)
      expect([answer.status, messageOf(answer)]).toEqual([415, 'The request has an encoding that is not supported'])
    },
  )

  it.each<{ length: unknown }>([
    { length: '' },
    { length: null },
    { length: {} },
    { length: { toString: '' } },
    { length: '9' },
  ])('whose fields are no texts but %j is refused with 400', async ({ length }) => {
    const answer = await send('identity', JSON.stringify({ email: { length }, password: { length } }))
    expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringMatching(/./)])
  })

  it('of a read is ignored', async () => {
    for (const encoding of ['gzip', 'zstd'])
      expect((await send(encoding, 'not encoded at all', 'GET', '/api/offers')).status).toBe(200)
  })

  it('of an upload cannot be encoded', async () => {
    const admin = await portal.admin()
    const Cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { Cookie, 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Encoding': 'gzip' }
    expect((await askRaw(portal.url, 'POST', '/api/admin/certificates', headers, gzipSync('--x--'))).status).toBe(415)
  })
})

/** Whether a path such as '/api/admin/payouts/figures' is also meant by '/api/admin/payouts/:id'. */
const isMeantBy = (path: string, pattern: string): boolean =>
  path === pattern || new RegExp(`^${pattern.replaceAll('*', '\\*').replace(/:\w+/g, '[^/]+')}$`).test(path)

describe('an unsupported method', () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']

  it('is refused with 405 as JSON, with the allowed methods', async () => {
    for (const path of new Set(allRoutes.map((route) => route.path))) {
      const taken = allRoutes
        .filter((route) => isMeantBy(path, route.path))
        .flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
      for (const method of methods.filter((one) => !taken.includes(one))) {
        const answer = await askRaw(portal.url, method, path.replace(':id', 'some'))
        expect([method, path, answer.status, answer.headers.get('allow')]).toEqual([
          method,
          path,
          405,
          taken.join(', '),
        ])
        expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
      }
    }
  })

  it('of an unknown path is refused with 404', async () => {
    for (const method of methods) {
      const answer = await askRaw(portal.url, method, '/api/nothing')
      expect([method, answer.status]).toEqual([method, 404])
      expect(messageOf(answer)).toBe(`There is no ${method} /api/nothing`)
    }
  })

  // A proxy before the services answers it.
  it.skipIf(runsSeparately)('without a path is refused as JSON', async () => {
    for (const method of ['GET', 'OPTIONS'])
      expect((await askRaw(portal.url, method, '*')).headers.get('content-type')).toMatch(/^application\/json/)
  })
})

it('ignores conditional request headers below /api', async () => {
  for (const headers of [
    { 'If-None-Match': '*' },
    { 'If-None-Match': '"x"' },
    { 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
  ])
    for (const path of ['/api/offers', '/api/openapi.json', '/healthz', '/.well-known/proofdesk-key.json']) {
      const answer = await askRaw(portal.url, 'GET', path, headers)
      expect([path, answer.status]).toEqual([path, 200])
      expect(answer.body.length).toBeGreaterThan(0)
    }
})
