import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { afterAll, describe, expect, it } from 'vitest'
import { portOf } from '#test-support/servers/ports.ts'
import { ADMIN_COOKIE, SESSION_COOKIE } from '#services/framework/api/headers.ts'
import { type PageFirm, registerStaticApp } from './static-app.ts'

const folder = mkdtempSync(join(tmpdir(), 'proofdesk-pages-'))
const firm = '<title>Proofdesk</title><meta name="firm" content="" />'
const mark = '<svg><path /></svg>'
const policy = '<meta name="privacy-policy" content="" />'
writeFileSync(
  join(folder, 'index.html'),
  `<head><meta name="session" content="unknown" />${firm}${policy}</head>${mark}`,
)
let shown: PageFirm = { name: 'Proof & "Sons" $&', logo: null }
const app = express()
registerStaticApp(app, {
  folder,
  firm: async () => shown,
  privacyPolicyUrl: new URL('https://firm.example/$&"?a=1&amp'),
})
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${portOf(server)}`
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const request = (path: string, cookie?: string) =>
  fetch(`${origin}${path}`, { headers: cookie === undefined ? {} : { cookie: `${cookie}=some` } })

const head = (session: string) =>
  `<head><meta name="session" content="${session}" /><title>Proof &#38; &#34;Sons&#34; $&#38;</title>` +
  `<meta name="firm" content="{&#34;name&#34;:&#34;Proof &#38; \\&#34;Sons\\&#34; $&#38;&#34;,&#34;logo&#34;:null}" />` +
  `<meta name="privacy-policy" content="https://firm.example/$&amp;%22?a=1&amp;amp" /></head>${mark}`

describe('the page of the web app', () => {
  const paths = ['/', '/admin/users?search=ada', '/Ada/Lovelace', '/constructor']

  it('states that requests without a session cookie are signed out', async () => {
    for (const path of paths) expect(await (await request(path)).text()).toBe(head('none'))
  })

  it.each([SESSION_COOKIE, ADMIN_COOKIE, `__Host-${SESSION_COOKIE}`])(
    'leaves the session unknown for requests with %s',
    async (cookie) => {
      for (const path of paths) expect(await (await request(path, cookie)).text()).toBe(head('unknown'))
    },
  )

  it('is asked for again at each visit, and kept apart by cookies and encodings', async () => {
    for (const path of paths) {
      const { status, headers } = await request(path)
      expect([path, status, headers.get('cache-control'), headers.get('vary')]).toEqual([
        path,
        200,
        'no-cache',
        'Cookie, Accept-Encoding',
      ])
    }
  })
})

describe('the firm in the page', () => {
  it('is that of the moment, with its logo in place of ours', async () => {
    const before = shown
    shown = { name: null, logo: { path: '/firm/logo/1.svg', width: 120, height: 30 } }
    const page = await (await request('/')).text()
    expect(page).toContain('<title>Proofdesk</title>')
    expect(page).toContain('<img src="/firm/logo/1.svg" width="160" height="40" alt="" />')
    expect(page).not.toContain('<svg>')
    shown = before
    expect(await (await request('/')).text()).toBe(head('none'))
  })
})
