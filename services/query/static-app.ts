import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { parseCookie } from 'cookie'
import type { Express, Request, Response } from 'express'
import sirv from 'sirv'
import { z } from 'zod'
import { ADMIN_COOKIE, SESSION_COOKIE } from '../api/index.ts'

/** The web app: its files for ever, its one page for every address (specification §2). */

/** Where the build puts it: beside this file's own build, or in `dist` when the sources run as they are. */
export const WEB_FOLDER = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../../dist/web' : '../../web')

const YEAR_SECONDS = 31_536_000

/** The paths with more than one part that have a page; each of one part has (specification §2: /{name}). */
const nestedPaths = new Set(['/admin/dashboard', '/admin/payouts', '/admin/users', '/admin/audit', '/admin/system'])
/** And those that hold an id: the history of a user. */
const pagesById = /^\/admin\/audit\/[^/]+$/

/** Serves the web app; call it after everything else that answers a GET, but for what is left below /api. */
export function registerStaticApp(app: Express, folder: string = WEB_FOLDER): void {
  const index = join(folder, 'index.html')
  if (existsSync(index)) {
    // What is in /assets is named after what is in it and never changes; the rest is asked for again.
    const setHeaders = (response: { setHeader(name: string, value: string): unknown }, path: string) =>
      response.setHeader('Cache-Control', path.startsWith('/assets/') ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache')
    const files = sirv(folder, { brotli: true, gzip: true, etag: true, setHeaders, extensions: [] })
    app.use((request, response, next) => (request.path === '/' || request.path === '/index.html' ? next() : files(request, response, next)))
  }
  app.get('/assets/*path', (_request, response) => void response.status(404).type('text').send('Not found\n'))
  const pages = existsSync(index) ? pagesOf(readFileSync(index, 'utf8'), firstRequestsIn(folder)) : undefined
  app.get('/*path', (request, response, next) => {
    if (/^\/api(?:\/|$)/.test(request.path)) return next()
    return sendPage(request, response)
  })
  app.get('/', sendPage)

  async function sendPage(request: Request, response: Response): Promise<void> {
    if (!pages) {
      response.status(503).type('text').send('The web app is not built. Run: npm run build\n')
      return
    }
    const path = request.path.replace(/(?<=.)\/$/, '')
    const hasPage = !path.slice(1).includes('/') || nestedPaths.has(path) || pagesById.test(path)
    const page = hasSession(request)
      ? pages.forSession(request.originalUrl, hasCookie(request, path.startsWith('/admin') ? ADMIN_COOKIE : SESSION_COOKIE))
      : pages.forStrangers
    response.setHeader('Cache-Control', 'no-cache')
    response.vary('Accept-Encoding, Cookie')
    response.setHeader('ETag', page.etag)
    response.status(hasPage ? 200 : 404).type('html')
    const encoding = request.acceptsEncodings(['br', 'gzip', 'identity'])
    if (hasPage && request.fresh) {
      response.status(304).end()
      return
    }
    if (encoding === 'br' || encoding === 'gzip') response.setHeader('Content-Encoding', encoding)
    response.send(encoding === 'br' ? await page.br : encoding === 'gzip' ? await page.gzip : page.plain)
  }
}

/** What the web app's build says that its pages ask for first (web/first-requests.ts), by their path. */
const FirstRequests = z.record(z.string(), z.object({ modules: z.array(z.string()), reads: z.array(z.string()) }))
type FirstRequests = z.infer<typeof FirstRequests>

function firstRequestsIn(folder: string): FirstRequests {
  const file = join(folder, 'first-requests.json')
  return existsSync(file) ? FirstRequests.parse(JSON.parse(readFileSync(file, 'utf8'))) : {}
}

/**
 * The page in the ways it is sent: whoever brings no session need not ask the server who they are, and is led to the
 * sign-in screen. A browser is told at once what it will be asked to ask for.
 */
function pagesOf(html: string, firstRequests: FirstRequests) {
  const unknown = '<meta name="session" content="unknown" />'
  if (!html.includes(unknown)) throw new Error('The web app was built without a place for the session')
  const linked = (session: string, path: string) => encoded(html.replace(unknown, () => session + linksTo(firstRequests[path])))
  const plain = encoded(html)
  const ofPaths = new Map(Object.keys(firstRequests).map((path) => [path, linked(unknown, path)]))
  return {
    // With search parameters other things are read. And who has no session for a page is led away from it.
    forSession: (url: string, admitted: boolean) => (admitted && ofPaths.get(url)) || plain,
    forStrangers: linked('<meta name="session" content="none" />', '/auth'),
  }
}

function linksTo(requests: FirstRequests[string] | undefined): string {
  const modules = requests?.modules.map((file) => `<link rel="modulepreload" crossorigin href="${file}" />`) ?? []
  const reads = requests?.reads.map((address) => `<link rel="preload" as="fetch" crossorigin href="${address}" />`) ?? []
  return [...reads, ...modules].join('')
}

function encoded(html: string) {
  const plain = Buffer.from(html)
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { plain, etag, br: promisify(brotliCompress)(plain), gzip: promisify(gzip)(plain) }
}

function hasSession(request: Request): boolean {
  return [SESSION_COOKIE, ADMIN_COOKIE].some((name) => hasCookie(request, name))
}

function hasCookie(request: Request, name: string): boolean {
  const cookies = parseCookie(request.headers.cookie ?? '')
  return cookies[name] !== undefined || cookies[`__Host-${name}`] !== undefined
}
