import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { parseCookie } from 'cookie'
import type { Express, Request, Response } from 'express'
import { ADMIN_COOKIE, SESSION_COOKIE } from '../api/index.ts'
import { type MemoryFile, memoryFile, sendFile } from '../http/memory-file.ts'
import { pageMatcher } from './page-paths.ts'

/** The web app: its files, and its page for every page path (specification §2). */

/** The folder of the build: beside this file's own build, or in `dist` when running from source. */
export const WEB_FOLDER = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../../dist/web' : '../../web')

const YEAR_SECONDS = 31_536_000

interface StaticApp {
  readonly folder?: string
  /** Whom people ask for help. */
  readonly supportEmail?: string | undefined
  /** Where the privacy policy is that people agree to. */
  readonly privacyPolicyUrl?: URL | undefined
}

/** Serves the web app from memory; register it after all other GET routes, before the fallback below /api. */
export function registerStaticApp(app: Express, { folder = WEB_FOLDER, ...contents }: StaticApp = {}): void {
  const files = filesIn(folder)
  const [index, paths] = [files.get('/index.html'), files.get('/page-paths.json')]
  files.delete('/index.html')
  files.delete('/page-paths.json')
  const hasPage = pageMatcher(paths?.plain.toString())
  const pages = index && pagesOf(index.plain.toString(), contents)

  app.get('/assets/*path', (request, response) => {
    const file = files.get(request.path)
    if (!file) return void response.status(404).type('text').send('Not found\n')
    // The name contains a hash, so the file never changes.
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
    const page = hasSession(request) ? pages.signedIn : pages.signedOut
    response.setHeader('Cache-Control', 'no-cache')
    response.vary('Cookie')
    sendFile(request, response.status(hasPage(path) ? 200 : 404), page)
  }
}

/** All files of a build by path ('/index.html'), with their compressed encodings. */
export function filesIn(folder: string): Map<string, MemoryFile> {
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

/** The page with and without a session cookie: without one, the app need not request who is signed in. */
function pagesOf(built: string, { supportEmail = '', privacyPolicyUrl }: StaticApp) {
  // The configuration refuses email addresses with characters that HTML would have to escape; of URLs only & is left.
  const html = built
    .replace('<meta name="support-email" content="" />', () => `<meta name="support-email" content="${supportEmail}" />`)
    .replace(
      '<meta name="privacy-policy" content="" />',
      () => `<meta name="privacy-policy" content="${privacyPolicyUrl?.href.replaceAll('&', '&amp;') ?? ''}" />`,
    )
  const unknown = '<meta name="session" content="unknown" />'
  if (!html.includes(unknown)) throw new Error('The web app was built without a session placeholder')
  return { signedIn: encoded(html), signedOut: encoded(html.replace(unknown, '<meta name="session" content="none" />')) }
}

function encoded(html: string): MemoryFile {
  const plain = Buffer.from(html)
  return memoryFile('html', plain, { br: brotliCompressSync(plain), gzip: gzipSync(plain) })
}

function hasSession(request: Request): boolean {
  const cookies = parseCookie(request.headers.cookie ?? '')
  return [SESSION_COOKIE, ADMIN_COOKIE].some((name) => cookies[name] !== undefined || cookies[`__Host-${name}`] !== undefined)
}
