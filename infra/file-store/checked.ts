import { createHash } from 'node:crypto'
import { pipeline, type Readable, Transform } from 'node:stream'
import { AlteredContent } from './file-store.ts'

/** The expected size and hash of a content. */
export interface ExpectedContent {
  readonly size: number
  /** Hex; without it the content can't be checked and is refused. */
  readonly sha256: string | undefined
}

/**
 * Passes a content through while hashing it, and holds back its last chunk until the hash is right. Altered or
 * truncated content ends with an error.
 */
export function verifyContent(
  content: Readable,
  { size, sha256 }: ExpectedContent,
  failed: (error: unknown) => Error,
): Readable {
  const hash = createHash('sha256')
  let seen = 0
  let held: Buffer | undefined
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      seen += chunk.length
      const before = held
      held = chunk
      done(null, before)
    },
    flush(done) {
      if (seen !== size) done(failed(new Error(`A file of ${size} bytes ended after ${seen}`)))
      else if (sha256 === undefined) done(failed(new AlteredContent('A file has no SHA-256 beside it')))
      else if (hash.digest('hex') !== sha256)
        done(failed(new AlteredContent('A file does not match its SHA-256: it was altered')))
      else done(null, held)
    },
  })
  // Errors of the source are reported the same way.
  content.once('error', (error) => through.destroy(failed(error)))
  pipeline(content, through, () => {})
  return through
}
