import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'

/** A file kept in memory, with its compressed encodings. */
export interface MemoryFile {
  /** A media type or a file extension. */
  readonly type: string
  readonly etag: string
  readonly plain: Buffer
  readonly br?: Buffer
  readonly gzip?: Buffer
}

export function memoryFile(type: string, plain: Buffer, encoded: Pick<MemoryFile, 'br' | 'gzip'> = {}): MemoryFile {
  // A weak tag, since it is the same for every encoding.
  return { type, plain, ...encoded, etag: `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"` }
}

/**
 * Sends a file, or 304 to a client that has it, in an encoding that the client accepts. Range requests get the whole
 * file, as HTTP allows. Set headers specific to the path before.
 */
export function sendFile(request: Request, response: Response, file: MemoryFile): void {
  response.vary('Accept-Encoding')
  response.setHeader('ETag', file.etag)
  if (request.fresh) {
    response.status(304).end()
    return
  }
  const encoding = (['br', 'gzip'] as const).find((one) => file[one] && request.acceptsEncodings(one))
  if (encoding) response.setHeader('Content-Encoding', encoding)
  sendBytes(response, file.type, (encoding && file[encoding]) ?? file.plain)
}

/** Sends bytes without conditional handling: Express's `send` answers 304 to `If-None-Match: *`. */
export function sendBytes(response: Response, type: string, bytes: Buffer): void {
  response.type(type).setHeader('Content-Length', bytes.length)
  response.end(bytes)
}
