import { createHash } from 'node:crypto'
import { pipeline, type Readable, Transform } from 'node:stream'

/** What a content must be. */
export interface ExpectedContent {
  readonly size: number
  /** Hex; without one nothing can be checked, and nothing is let through. */
  readonly sha256: string | undefined
}

/**
 * Lets a content through while it is hashed, and holds its end back until it is known to be what was kept: what was altered
 * never ends as if it were whole, but with an error. So does what was cut.
 */
export function verifyContent(content: Readable, { size, sha256 }: ExpectedContent, failed: (error: unknown) => Error): Readable {
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
      else if (sha256 === undefined) done(failed(new Error('A file has no SHA-256 beside it')))
      else if (hash.digest('hex') !== sha256) done(failed(new Error('A file is not what its SHA-256 says: it was altered')))
      else done(null, held)
    },
  })
  // An error of the content's own is told as every other.
  content.once('error', (error) => through.destroy(failed(error)))
  pipeline(content, through, () => {})
  return through
}
