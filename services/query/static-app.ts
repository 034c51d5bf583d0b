import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { parseCookie } from 'cookie'
import type { Express, Request, Response } from 'express'
import { z } from 'zod'
import { ADMIN_COOKIE, SESSION_COOKIE } from '../api/index.ts'
import { type MemoryFile, memoryFile, sendFile } from '../http/memory-file.ts'
import { pageMatcher } from './page-paths.ts'

/** The web app: its files for ever, its one page for every address (specification §2). */

/** Where the build puts it: beside this file's own build, or in `dist` when the sources run as they are. */
export const WEB_FOLDER = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../../dist/web' : '../../web')

const YEAR_SECONDS = 31_536_000

/** Serves the web app, which is read once, here; call it after everything else that answers a GET, but for what is left below /api. */
export function registerStaticApp(app: Express, folder: string = WEB_FOLDER): void {
  const files = filesIn(folder)
  const [index, paths] = [files.get('/index.html'), files.get('/page-paths.json')]
  files.delete('/index.html')
  files.delete('/page-paths.json')
  const hasPage = pageMatcher(paths?.plain.toString())
  const pages = index && pagesOf(index.plain.toString(), firstRequestsOf(files.get('/first-requests.json')))

  app.get('/assets/*path', (request, response) => {
    const file = files.get(request.path)
    if (!file) return void response.status(404).type('text').send('Not found\n')
    // Named after what is in it: it never changes.
    response.setHeader('Cache-Control', `public, max-age=${YEAR_SECONDS}, immutable`)
    sendFile(request, response, file)
  })
  app.get('/*path', (request, response, next) => {
    if (/^\/api(?:\/|$)/.test(request.path)) return next()
    const file = files.get(request.path)
    if (!file) return sendPage(request, response)
    response.setHeader('Cache-Control', 'no-cache')
    sendFile(request, response, file)
  })
  app.get('/', sendPage)

  function sendPage(request: Request, response: Response): void {
    if (!pages) {
      response.status(503).type('text').send('The web app is not built. Run: npm run build\n')
      return
    }
    const path = request.path.replace(/(?<=.)\/$/, '')
    const page = hasSession(request)
      ? pages.forSession(request.originalUrl, hasCookie(request, path.startsWith('/admin') ? ADMIN_COOKIE : SESSION_COOKIE))
      : pages.forStrangers
    response.setHeader('Cache-Control', 'no-cache')
    response.vary('Cookie')
    sendFile(request, response.status(hasPage(path) ? 200 : 404), page)
  }
}

/** All files of the built web app by their paths, each with the encodings that the build made of it. */
function filesIn(folder: string): Map<string, MemoryFile> {
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()) : []
  const bytes = new Map(
    entries.map((entry) => {
      const file = join(entry.parentPath, entry.name)
      return [`/${relative(folder, file).replaceAll(sep, '/')}`, readFileSync(file)]
    }),
  )
  const plain = [...bytes].filter(([path]) => !/\.(br|gz)$/.test(path))
  return new Map(
    plain.map(([path, content]) => {
      const [br, gzip] = [bytes.get(`${path}.br`), bytes.get(`${path}.gz`)]
      return [path, memoryFile(extname(path), content, { ...(br && { br }), ...(gzip && { gzip }) })]
    }),
  )
}

/** What the web app's build says that its pages ask for first (web/first-requests.ts), by their path. */
const FirstRequests = z.record(z.string(), z.object({ modules: z.array(z.string()), reads: z.array(z.string()) }))
type FirstRequests = z.infer<typeof FirstRequests>

function firstRequestsOf(file: MemoryFile | undefined): FirstRequests {
  return file ? FirstRequests.parse(JSON.parse(file.plain.toString())) : {}
}

/**
 * The page in its variants. Without a session cookie it leads to the sign-in screen without asking the server first. Each
 * variant names the scripts and reads that its page begins with, so that the browser fetches them at once.
 */
function pagesOf(html: string, firstRequests: FirstRequests) {
  const unknown = '<meta name="session" content="unknown" />'
  if (!html.includes(unknown)) throw new Error('The web app was built without the meta element for the session')
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

function encoded(html: string): MemoryFile {
  const plain = Buffer.from(html)
  return memoryFile('html', plain, { br: brotliCompressSync(plain), gzip: gzipSync(plain) })
}

function hasSession(request: Request): boolean {
  return [SESSION_COOKIE, ADMIN_COOKIE].some((name) => hasCookie(request, name))
}

function hasCookie(request: Request, name: string): boolean {
  const cookies = parseCookie(request.headers.cookie ?? '')
  return cookies[name] !== undefined || cookies[`__Host-${name}`] !== undefined
}
