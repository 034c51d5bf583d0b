import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Express, Request, Response } from 'express'
import { withTimeout } from '#infra/async.ts'
import { ADMIN_COOKIE, SESSION_COOKIE } from '#services/framework/api/headers.ts'
import { cookieName, cookiesOf } from './cookies.ts'
import { type MemoryFile, memoryFile, sendFile } from './memory-file.ts'

/** The web app: its files, and its page for every page path (specification §2). */

/** The folder of all builds: this file is in one of them, or runs from source. */
export const BUILT_FOLDER = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../../../dist' : '..')

export const WEB_FOLDER = join(BUILT_FOLDER, 'web')

const YEAR_SECONDS = 31_536_000

export interface StaticApp {
  readonly folder?: string
  /** The firm as every page shows it: read for each page, so that none shows a name or a colour that it left. */
  readonly firm?: () => Promise<PageFirm>
  /** Where the privacy policy is that people agree to. */
  readonly privacyPolicyUrl?: URL | undefined
}

/** The page carries all of it. */
export interface PageFirm {
  readonly name: string | null
  readonly logo: { readonly path: string; readonly width: number; readonly height: number } | null
}

/** A page does not wait longer for the firm, in ms: the log may be away, and the page says so better than none. */
const FIRM_PATIENCE_MS = 500

/** Serves the web app from memory; register it after all other GET routes, before the fallback below /api. */
export function registerStaticApp(app: Express, { folder = WEB_FOLDER, firm, privacyPolicyUrl }: StaticApp = {}): void {
  const files = filesIn(folder)
  const index = files.get('/index.html')
  files.delete('/index.html')
  const built = index && withPolicy(index.plain.toString(), privacyPolicyUrl)
  const pageNow = built === undefined ? undefined : pageFor(built, firm)

  app.get('/assets/*path', (request, response) => {
    const file = files.get(request.path)
    if (!file) return void response.status(404).type('text').send('Not found\n')
    // The name contains a hash, so the file never changes.
    response.setHeader('Cache-Control', `public, max-age=${YEAR_SECONDS}, immutable`)
    sendFile(request, response, file)
  })
  app.get('/*path', (request, response, next) => {
    if (isForPrograms(request.path)) return next()
    const file = files.get(request.path)
    if (!file) return void sendPage(request, response)
    response.setHeader('Cache-Control', 'no-cache')
    sendFile(request, response, file)
  })
  app.get('/', (request, response) => void sendPage(request, response))

  /** The app for every other path: it shows its own page for those that it does not know (specification §2). */
  async function sendPage(request: Request, response: Response): Promise<void> {
    if (!pageNow) return void response.status(503).type('text').send('The web app is not built. Run: npm run build\n')
    const page = await pageNow()
    response.vary('Cookie')
    response.setHeader('Cache-Control', 'no-cache')
    sendFile(request, response, hasSession(request) ? page.unknown : page.signedOut)
  }
}

/** Programs ask below these paths, and understand no page. */
function isForPrograms(path: string): boolean {
  return /^\/(?:api|log|\.well-known)(?:\/|$)/.test(path)
}

/** All files of a build by path ('/index.html'), with their compressed encodings. */
export function filesIn(folder: string): Map<string, MemoryFile> {
  const entries = existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    : []
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

function withPolicy(built: string, policy: URL | undefined): string {
  // In URLs only & has to be escaped.
  return built.replace(
    '<meta name="privacy-policy" content="" />',
    () => `<meta name="privacy-policy" content="${policy?.href.replaceAll('&', '&amp;') ?? ''}" />`,
  )
}

/** The page with the firm of the moment. It is made again only when the firm is another one. */
function pageFor(built: string, firm: StaticApp['firm']): () => Promise<ReturnType<typeof pageOf>> {
  let shown = ''
  let page = pageOf(built)
  const update = async (): Promise<void> => {
    const now = await firm?.()
    const text = now ? JSON.stringify(now) : ''
    if (!now || text === shown) return
    page = pageOf(withFirm(built, now, text))
    shown = text
  }
  return async () => {
    // What was shown last stays where the firm cannot be read.
    await withTimeout(update(), FIRM_PATIENCE_MS, () => new Error('The firm is not known in time')).catch(() => {})
    return page
  }
}

/** With its name, and its logo in place of ours, before any script runs. */
function withFirm(built: string, { name, logo }: PageFirm, text: string): string {
  const named = name === null ? built : built.replaceAll('Proofdesk', () => escaped(name))
  const { path, width, height } = logo ?? { path: '', width: 1, height: 1 }
  const mark = `<img src="${escaped(path)}" width="${Math.round((40 * width) / height)}" height="40" alt="" />`
  return (logo ? named.replace(/<svg[^]*?<\/svg>/, () => mark) : named).replace(
    '<meta name="firm" content="" />',
    () => `<meta name="firm" content="${escaped(text)}" />`,
  )
}

/** A text in an attribute of HTML. */
function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** The page as it is built, and for requests without a session, whose app need not ask who is signed in. */
function pageOf(html: string) {
  const unknown = '<meta name="session" content="unknown" />'
  if (!html.includes(unknown)) throw new Error('The web app was built without a session placeholder')
  return {
    unknown: compressed(html),
    signedOut: compressed(html.replace(unknown, '<meta name="session" content="none" />')),
  }
}

function compressed(html: string): MemoryFile {
  const plain = Buffer.from(html)
  return memoryFile('html', plain, { br: brotliCompressSync(plain), gzip: gzipSync(plain) })
}

function hasSession(request: Request): boolean {
  const cookies = cookiesOf(request)
  return [SESSION_COOKIE, ADMIN_COOKIE].some((name) =>
    [true, false].some((secure) => cookies[cookieName(name, secure)] !== undefined),
  )
}
