import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'

/**
 * Sends a file piece by piece. A failure before the first piece is answered as an error; a later one breaks the
 * connection.
 */
export async function sendDownload(
  response: Response,
  { name, type }: { readonly name: string; readonly type: string },
  pieces: AsyncIterator<string, void>,
): Promise<void> {
  const first = await pieces.next()
  response.setHeader('Content-Type', type)
  response.setHeader('Content-Disposition', `attachment; filename="${name}"`)
  const content = async function* () {
    for (let piece = first; !piece.done; piece = await pieces.next()) yield piece.value
  }
  try {
    await pipeline(Readable.from(content()), response)
  } catch (error) {
    // The client has disconnected.
    if (!response.destroyed || response.errored) throw error
  }
}
