import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Express, Request, Response } from 'express'
import { ADMIN_COOKIE, SESSION_COOKIE } from '../api/index.ts'
import { BUILT_FOLDER } from '../http/built-folder.ts'
import { cookieName, cookiesOf } from '../http/cookies.ts'
import { type MemoryFile, memoryFile, sendBytes, sendFile } from '../http/memory-file.ts'
import type { PageData } from './page-data.ts'
import { type PageLoad, pageFinder, parsePages } from './page-paths.ts'

/** The web app: its files, and its page for every page path (specification §2). */

export const WEB_FOLDER = join(BUILT_FOLDER, 'web')

const YEAR_SECONDS = 31_536_000

interface StaticApp {
  readonly folder?: string
  /** Whom people ask for help. */
  readonly supportEmail?: string | undefined
  /** Where the privacy policy is that people agree to. */
  readonly privacyPolicyUrl?: URL | undefined
  /** The first data of a page, for requests with a session. */
  readonly dataOf?: PageData
}

/** Serves the web app from memory; register it after all other GET routes, before the fallback below /api. */
export function registerStaticApp(app: Express, { folder = WEB_FOLDER, dataOf, ...contents }: StaticApp = {}): void {
  const files = filesIn(folder)
  const [index, paths] = [files.get('/index.html'), files.get('/page-paths.json')]
  files.delete('/index.html')
  files.delete('/page-paths.json')
  const html = index && withContents(index.plain.toString(), contents)
  const notFound = html === undefined ? undefined : pageOf(html, '', { session: 'none', code: [] })
  const findPage = pageFinder(html === undefined ? [] : parsePages(paths?.plain.toString()).map(([path, load]) => [path, pageOf(html, path, load)]))

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

  async function sendPage(request: Request, response: Response): Promise<void> {
    if (!notFound) {
      response.status(503).type('text').send('The web app is not built. Run: npm run build\n')
      return
    }
    const path = request.path.replace(/(?<=.)\/$/, '')
    const page = findPage(path)
    const kind = sessionOf(request, page?.session)
    response.vary('Cookie')
    const data = page && kind === 'with' ? await dataOf?.(request, response, page) : undefined
    if (page && data !== undefined) {
      // For one person, and for this moment: no cache may keep it, and the browser's "back" requests it again.
      response.setHeader('Cache-Control', 'no-store')
      // Not compressed: what belongs to one person keeps its length to itself, and it is short.
      return sendBytes(response, 'html', Buffer.from(page.with.html.replace('</head>', () => `${data}</head>`)))
    }
    response.setHeader('Cache-Control', 'no-cache')
    sendFile(request, response.status(page ? 200 : 404), (page ?? notFound)[kind].file())
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

/** One page for each state of the cookies. */
interface Page extends Readonly<Record<'with' | 'other' | 'without', PageFile>> {
  readonly path: string
  readonly session: PageLoad['session']
}

interface PageFile {
  readonly html: string
  file(): MemoryFile
}

function withContents(built: string, { supportEmail = '', privacyPolicyUrl }: StaticApp): string {
  // The configuration refuses email addresses with characters that HTML would have to escape; of URLs only & is left.
  return built
    .replace('<meta name="support-email" content="" />', () => `<meta name="support-email" content="${supportEmail}" />`)
    .replace(
      '<meta name="privacy-policy" content="" />',
      () => `<meta name="privacy-policy" content="${privacyPolicyUrl?.href.replaceAll('&', '&amp;') ?? ''}" />`,
    )
}

/**
 * A page with the session that it needs, with another one only, and without any. Without any, the app need not request who is signed in. With the
 * one it needs, the page names its code, so that the browser requests it with the code of every page and not after that.
 */
function pageOf(html: string, path: string, { session, code }: PageLoad): Page {
  const unknown = '<meta name="session" content="unknown" />'
  if (!html.includes(unknown)) throw new Error('The web app was built without a session placeholder')
  const signedOut = html.replace(unknown, '<meta name="session" content="none" />')
  const links = code.map((href) => `<link rel="modulepreload" crossorigin href="${href}">`).join('')
  const whole = (page: string) => page.replace('</head>', () => `${links}</head>`)
  return { path, session, with: pageFile(whole(html)), other: pageFile(html), without: pageFile(session === 'none' ? whole(signedOut) : signedOut) }
}

/** Compressed at the first request: all pages together would take a third of a start. */
function pageFile(html: string): PageFile {
  let file: MemoryFile | undefined
  return { html, file: () => (file ??= compressed(Buffer.from(html))) }
}

const compressed = (plain: Buffer): MemoryFile => memoryFile('html', plain, { br: brotliCompressSync(plain), gzip: gzipSync(plain) })

function sessionOf(request: Request, needed: PageLoad['session'] = 'none'): 'with' | 'other' | 'without' {
  const cookies = cookiesOf(request)
  const has = (name: string) => [true, false].some((secure) => cookies[cookieName(name, secure)] !== undefined)
  const sessions = { trader: has(SESSION_COOKIE), admin: has(ADMIN_COOKIE) }
  if (!sessions.trader && !sessions.admin) return 'without'
  return needed === 'none' || sessions[needed] ? 'with' : 'other'
}
