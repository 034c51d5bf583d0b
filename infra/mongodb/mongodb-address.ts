import { createRequire } from 'node:module'
import type * as driver from 'mongodb'
import { messageOf } from '#infra/failures.ts'
import { parseServerAddress } from '#infra/server-address.ts'

/**
 * Checks `mongodb://name:password@host:27017/proofdesk`, or `mongodb+srv://…`, and returns it. The driver knows the
 * options; it connects to nothing here.
 *
 * @throws {TypeError} saying what is wrong with it, without repeating the password.
 */
export function checkMongodbAddress(text: string): string {
  const { user, password } = parseServerAddress(
    text,
    ['mongodb', 'mongodb+srv'],
    'mongodb://name:password@localhost:27017/proofdesk',
  )
  // It loads slowly, so only where there is an address.
  const { MongoClient }: typeof driver = createRequire(import.meta.url)('mongodb')
  try {
    const { options } = new MongoClient(text)
    for (const { port } of options.hosts) if (port === 0) throw new TypeError('must have a port from 1 to 65535')
    return text
  } catch (error) {
    const message = messageOf(error)
    const isSecret = [user, password].some((part) => part !== '' && message.includes(part))
    throw new TypeError(`can't be used: ${isSecret ? 'is its name percent-encoded?' : message}`, { cause: error })
  }
}
