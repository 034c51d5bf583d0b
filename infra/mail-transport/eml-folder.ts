import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { openStoreFolder, syncFolder, writeDurably } from '#infra/file-store/durable-file.ts'
import { PermanentMailFailure } from '#infra/outbox/outbox.ts'
import type { Mail, MailAddress, MailTransport } from './mail-transport.ts'
import { toMessage } from './message.ts'

/** Ids in a file's name are separated by a dot, which no id has, so a prefix match never finds another id. */
const ID = /^[A-Za-z0-9_-]{1,100}$/

/** A part of a message, of nodemailer. */
interface Part {
  readonly content?: unknown
  getHeader(name: string): unknown
  readonly childNodes: readonly Part[]
  getTransferEncoding: () => string | false
}

/** The longest line of a message, in bytes without its end (RFC 5322). */
const LONGEST_LINE = 998
const fitsOnLine = (line: string): boolean => Buffer.byteLength(line) <= LONGEST_LINE

/** Nothing carries these mails, so their lines need not be short: people copy links from them with a text editor. */
function leaveTextsWhole(part: Part): void {
  const isPlain = String(part.getHeader('Content-Type')).startsWith('text/plain')
  if (isPlain && typeof part.content === 'string' && part.content.split('\n').every(fitsOnLine))
    part.getTransferEncoding = () => '8bit'
  part.childNodes.forEach(leaveTextsWhole)
}

/**
 * Stores each mail as '<recipientId>.<id>.eml' in a folder, for an installation without a mail server.
 *
 * @throws {Unavailable} when the folder can't be created.
 */
export function createEmlFolder(folder: string, from: MailAddress): MailTransport {
  const { use, ready } = openStoreFolder(folder, 'outbox')
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  composer.use('stream', ({ message }, callback) => {
    leaveTextsWhole(message)
    callback(null)
  })
  /** Persons erased since the start: a mail to one of them may be under way. */
  const forgotten = new Set<string>()

  const compose = async (mail: Mail): Promise<Buffer> => {
    const { message } = await composer.sendMail(toMessage(mail, from))
    if (!Buffer.isBuffer(message)) throw new TypeError('The composer must return a buffer')
    return message
  }

  const refuseForgotten = (recipientId: string) => {
    if (forgotten.has(recipientId)) throw new PermanentMailFailure('The recipient was erased')
  }

  return {
    async send(mail) {
      for (const id of [mail.recipientId, mail.id]) {
        if (!ID.test(id)) throw new PermanentMailFailure(`An id can't be part of a file's name: ${JSON.stringify(id)}`)
      }
      refuseForgotten(mail.recipientId)
      const bytes = await compose(mail)
      const name = `${mail.recipientId}.${mail.id}.eml`
      const path = join(folder, name)
      // A draft's name begins like the mail's, so that erasing a person removes drafts left by a kill.
      await use(() => writeDurably(path, bytes, `${path}.`)).catch((error: unknown) => {
        // Its draft may have been erased meanwhile.
        refuseForgotten(mail.recipientId)
        throw error
      })
      if (forgotten.has(mail.recipientId)) await use(() => rm(path, { force: true }))
      refuseForgotten(mail.recipientId)
    },

    async forget(recipientId) {
      // No mail was stored under an invalid id, and as a prefix it might match other persons.
      if (!ID.test(recipientId)) return
      forgotten.add(recipientId)
      await use(async () => {
        const names = (await readdir(folder)).filter((name) => name.startsWith(`${recipientId}.`))
        if (names.length === 0) return
        await Promise.all(names.map((name) => rm(join(folder, name), { force: true })))
        await syncFolder(folder)
      })
    },

    ready,

    async close() {
      composer.close()
    },
  }
}
