import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Request, Response } from 'express'
import { routes } from '../../api/index.ts'
import { HttpError } from '../../http/http-errors.ts'
import { memoryFile, sendFile } from '../../http/memory-file.ts'
import type { RegisterQuery } from '../query-dependencies.ts'

/** The page that verifies exports: one file, built from web/verify. */

/** Beside this file's own build, or in `dist` when running from source. */
const PAGE = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../../../dist/verify/verify.html' : '../../../verify/verify.html')

/** Registers the page, to open here and to keep as a file. */
export function registerVerifyPage(read: RegisterQuery, file = PAGE): void {
  const html = existsSync(file) ? readFileSync(file) : undefined
  const page = html && memoryFile('html', html, { br: brotliCompressSync(html), gzip: gzipSync(html) })
  // The page's own policy names the hashes of its script and its styles, and allows nothing else.
  const [, policy] = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(html?.toString() ?? '') ?? []

  const send = (request: Request, response: Response): undefined => {
    if (!page || policy === undefined) throw new HttpError(503, { message: 'The verify page is not built. Run: npm run build' })
    response.setHeader('Content-Security-Policy', `${policy}; frame-ancestors 'none'`)
    response.setHeader('Cache-Control', 'no-cache')
    sendFile(request, response, page)
  }
  read(routes.verifyPage, [], async ({ request, response }) => send(request, response))
  read(routes.verifyFile, [], async ({ request, response }) => {
    if (page) response.setHeader('Content-Disposition', 'attachment; filename="verify.html"')
    return send(request, response)
  })
}
