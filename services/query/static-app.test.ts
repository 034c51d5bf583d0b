import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { afterAll, describe, expect, it } from 'vitest'
import { portOf } from '../../test-support/servers/ports.ts'
import { ADMIN_COOKIE, SESSION_COOKIE } from '../api/index.ts'
import { registerStaticApp } from './static-app.ts'

const folder = mkdtempSync(join(tmpdir(), 'proofdesk-pages-'))
const support = '<meta name="support-email" content="" />'
const policy = '<meta name="privacy-policy" content="" />'
writeFileSync(join(folder, 'index.html'), `<head><meta name="session" content="unknown" />${support}${policy}</head>`)
const pages = {
  '/': { session: 'trader', code: ['/assets/a.js'] },
  '/$name': { session: 'none', code: ['/assets/public.js'] },
  '/admin': { session: 'admin', code: ['/assets/b.js'] },
  '/admin/users': { session: 'admin', code: [] },
  '/admin/audit/$id': { session: 'admin', code: [] },
}
writeFileSync(join(folder, 'page-paths.json'), JSON.stringify(pages))
const app = express()
/** The answer of a session store that knows only this cookie. */
const VALID = 'valid'
registerStaticApp(app, {
  folder,
  dataOf: async ({ headers }, _response, { path }) => (headers.cookie?.endsWith(`=${VALID}`) ? `<script>"data of ${path}"</script>` : undefined),
  supportEmail: 'help@firm.example',
  privacyPolicyUrl: new URL('https://firm.example/$&"?a=1&amp'),
})
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${portOf(server)}`
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const request = (path: string, cookie?: string, value = 'some') =>
  fetch(`${origin}${path}`, { headers: cookie === undefined ? {} : { cookie: `${cookie}=${value}` } })

async function page(path: string, cookie?: string, value?: string): Promise<string> {
  return (await request(path, cookie, value)).text()
}

const head = (session: string, links = '') =>
  `<head><meta name="session" content="${session}" /><meta name="support-email" content="help@firm.example" />` +
  `<meta name="privacy-policy" content="https://firm.example/$&amp;%22?a=1&amp;amp" />${links}</head>`
const codeLink = (href: string) => `<link rel="modulepreload" crossorigin href="${href}">`

describe('the page of the web app', () => {
  it('states that requests without a session cookie are signed out, and names nothing of pages that need a session', async () => {
    for (const path of ['/', '/admin', '/admin/users']) expect(await page(path)).toBe(head('none'))
    for (const path of ['/auth', '/constructor']) expect(await page(path)).toBe(head('none', codeLink('/assets/public.js')))
  })

  it.each([SESSION_COOKIE, ADMIN_COOKIE, `__Host-${SESSION_COOKIE}`])('leaves the session unknown for requests with %s', async (cookie) => {
    for (const path of ['/admin/users?search=ada', '/nothing/here']) expect(await page(path, cookie)).toBe(head('unknown'))
    expect(await page('/constructor', cookie)).toBe(head('unknown', codeLink('/assets/public.js')))
  })

  it('names the code of a page to those with the session that it needs', async () => {
    const [trader, admin] = [codeLink('/assets/a.js'), codeLink('/assets/b.js')]
    expect(await page('/?tab=details', SESSION_COOKIE)).toBe(head('unknown', trader))
    expect(await page('/', `__Host-${SESSION_COOKIE}`)).toBe(head('unknown', trader))
    expect(await page('/', ADMIN_COOKIE)).toBe(head('unknown'))
    expect(await page('/admin/', ADMIN_COOKIE)).toBe(head('unknown', admin))
    expect(await page('/admin', SESSION_COOKIE)).toBe(head('unknown'))
  })

  it('holds first data for the session that it needs, and only then must not be stored', async () => {
    const withData = head('unknown', `${codeLink('/assets/a.js')}<script>"data of /"</script>`)
    const answer = await request('/?tab=details', SESSION_COOKIE, VALID)
    expect(await answer.text()).toBe(withData)
    const headersOf = ({ headers }: Response) => ['cache-control', 'vary', 'etag', 'content-encoding'].map((name) => headers.get(name))
    expect(headersOf(answer)).toEqual(['no-store', 'Cookie', null, null])
    expect(await page('/admin/', ADMIN_COOKIE, VALID)).toBe(head('unknown', `${codeLink('/assets/b.js')}<script>"data of /admin"</script>`))
    const without = [
      ['/', SESSION_COOKIE, 'ended'],
      ['/', ADMIN_COOKIE, VALID],
      ['/admin', SESSION_COOKIE, VALID],
      ['/nothing/here', SESSION_COOKIE, VALID],
      ['/'],
    ] as const
    for (const [path, cookie, value] of without) {
      const plain = await request(path, cookie, value)
      expect([path, await plain.text()]).toEqual([path, expect.not.stringContaining('data of')])
      expect([path, ...headersOf(plain)]).toEqual([path, 'no-cache', 'Cookie, Accept-Encoding', expect.any(String), expect.any(String)])
    }
  })

  it('is served at listed paths only', async () => {
    const statusOf = async (path: string) => (await fetch(`${origin}${path}`)).status
    for (const path of ['/', '/Ada', '/admin', '/admin/', '/admin/users', '/admin/audit/abc']) expect([path, await statusOf(path)]).toEqual([path, 200])
    for (const path of ['/Ada/Lovelace', '/admin/audit', '/admin/audit/abc/def', '/admin/usersX', '/admin/audit/'])
      expect([path, await statusOf(path)]).toEqual([path, 404])
  })
})
