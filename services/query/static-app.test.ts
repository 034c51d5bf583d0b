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
writeFileSync(join(folder, 'index.html'), '<head><meta name="session" content="unknown" /></head>')
const requests = (page: string, ...reads: string[]) => ({ modules: [`/assets/${page}.js`], reads })
writeFileSync(
  join(folder, 'first-requests.json'),
  JSON.stringify({ '/': requests('dashboard', '/api/user'), '/auth': requests('auth'), '/admin/users': requests('users', '/api/admin/users?limit=25') }),
)
writeFileSync(join(folder, 'page-paths.json'), JSON.stringify(['/', '/$name', '/admin', '/admin/users', '/admin/audit/$id']))
const app = express()
registerStaticApp(app, folder)
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${portOf(server)}`
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

async function page(path: string, cookie?: string): Promise<string> {
  const response = await fetch(`${origin}${path}`, { headers: cookie === undefined ? {} : { cookie: `${cookie}=some` } })
  return response.text()
}

describe('the page of the web app', () => {
  it('names what it will ask for first, to whoever has a session for it', async () => {
    const html = await page('/', SESSION_COOKIE)
    expect(html).toContain('<link rel="modulepreload" crossorigin href="/assets/dashboard.js" />')
    expect(html).toContain('<link rel="preload" as="fetch" crossorigin href="/api/user" />')
    expect(await page('/admin/users', ADMIN_COOKIE)).toContain('href="/api/admin/users?limit=25"')
  })

  it('names nothing that another session is needed for', async () => {
    expect(await page('/admin/users', SESSION_COOKIE)).not.toContain('<link')
    expect(await page('/', ADMIN_COOKIE)).not.toContain('<link')
  })

  it('names nothing where search parameters ask for something else', async () => {
    expect(await page('/admin/users?search=ada', ADMIN_COOKIE)).not.toContain('<link')
  })

  it('names the sign-in screen alone to strangers, wherever they come', async () => {
    for (const path of ['/', '/auth', '/admin/users', '/constructor']) {
      const html = await page(path)
      expect(html).toContain('<meta name="session" content="none" />')
      expect(html.match(/href="[^"]*"/g)).toEqual(['href="/assets/auth.js"'])
    }
  })

  it('is found at every path of the list and at no other', async () => {
    const statusOf = async (path: string) => (await fetch(`${origin}${path}`)).status
    for (const path of ['/', '/Ada', '/admin', '/admin/', '/admin/users', '/admin/audit/abc']) expect([path, await statusOf(path)]).toEqual([path, 200])
    for (const path of ['/Ada/Lovelace', '/admin/audit', '/admin/audit/abc/def', '/admin/usersX', '/admin/audit/'])
      expect([path, await statusOf(path)]).toEqual([path, 404])
  })

  it('is the same where nothing is known about it', async () => {
    expect(await page('/constructor', SESSION_COOKIE)).toBe('<head><meta name="session" content="unknown" /></head>')
  })
})
