import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Express, Request, Response } from 'express'
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
  /** The firm that pays, as its receipts name it. */
  readonly firmName?: string | undefined
  /** Whom people ask for help. */
  readonly supportEmail?: string | undefined
  /** Where the privacy policy is that people agree to. */
  readonly privacyPolicyUrl?: URL | undefined
}

/** Serves the web app from memory; register it after all other GET routes, before the fallback below /api. */
export function registerStaticApp(app: Express, { folder = WEB_FOLDER, ...contents }: StaticApp = {}): void {
  const files = filesIn(folder)
  const index = files.get('/index.html')
  files.delete('/index.html')
  const page = index && pageOf(withContents(index.plain.toString(), contents))

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
    if (!file) return sendPage(request, response)
    response.setHeader('Cache-Control', 'no-cache')
    sendFile(request, response, file)
  })
  app.get('/', sendPage)

  /** The app for every other path: it shows its own page for those that it does not know (specification §2). */
  function sendPage(request: Request, response: Response): void {
    if (!page) return void response.status(503).type('text').send('The web app is not built. Run: npm run build\n')
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

function withContents(built: string, { firmName = '', supportEmail = '', privacyPolicyUrl }: StaticApp): string {
  // In URLs only & has to be escaped.
  return built
    .replace('<meta name="firm-name" content="" />', () => `<meta name="firm-name" content="${escaped(firmName)}" />`)
    .replace(
      '<meta name="support-email" content="" />',
      () => `<meta name="support-email" content="${escaped(supportEmail)}" />`,
    )
    .replace(
      '<meta name="privacy-policy" content="" />',
      () => `<meta name="privacy-policy" content="${privacyPolicyUrl?.href.replaceAll('&', '&amp;') ?? ''}" />`,
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
