import { createHmac, timingSafeEqual } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import type { FileStore } from '#infra/file-store/file-store.ts'
import { unlessFails } from '#infra/failures.ts'
import type { Snapshots } from '#services/event-sourcing/aggregate-repository.ts'

/**
 * The portal notes its own operation in small files that every process reaches. Each has a MAC over its name
 * and content in front, so who writes to the file store without the key can remove one or put an earlier one back, but
 * not invent one. docs/decisions/029-operation-records.md
 */
export type AuthenticRecords = ReturnType<typeof createAuthenticRecords>

const files = {
  backup: 'operations/last-backup.json',
  /** The last verification that found nothing. */
  verification: 'operations/last-verification.json',
  /** How far the worker's verification has come. */
  round: 'operations/verification.json',
  /** What the worker's comparisons of the read models with the log have found. */
  comparison: 'operations/comparison.json',
  /** How the worker's sealing goes. */
  sealing: 'operations/sealing.json',
  /** The folded state of the stream of seals. */
  seals: 'operations/seals.json',
} as const
type RecordName = keyof typeof files

/** In bytes; a larger file is none of ours. */
const LARGEST = 256 * 1024

/** @param secrets Have the key of the MACs, which is unknown until the root secret is unwrapped. */
export function createAuthenticRecords(
  fileStore: Pick<FileStore, 'get' | 'put'>,
  secrets: { readonly recordKey: Uint8Array },
) {
  const macOf = (name: RecordName, content: string) =>
    createHmac('sha256', secrets.recordKey).update(`${files[name]}\n${content}`).digest()

  return {
    /**
     * @returns Undefined where there is no record.
     * @throws {Unavailable}
     */
    async read<Content>(name: RecordName, schema: z.ZodType<Content>): Promise<Content | 'altered' | undefined> {
      const file = await fileStore.get(files[name])
      if (!file) return undefined
      if (file.size > LARGEST) {
        file.content.destroy()
        return 'altered'
      }
      const [mac = '', content = ''] = (await text(file.content)).split('\n', 2)
      const [given, expected] = [Buffer.from(mac, 'base64url'), macOf(name, content)]
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'altered'
      // One of another version of the program is made again.
      return schema.safeParse(JSON.parse(content)).data
    },

    /** @throws {Unavailable} */
    async write(name: RecordName, record: object): Promise<void> {
      const content = JSON.stringify(record)
      const file = `${macOf(name, content).toString('base64url')}\n${content}\n`
      await fileStore.put(files[name], Buffer.from(file), 'application/json')
    },
  }
}

const ofStream = z.looseObject({ stream: z.string() })

/**
 * Keeps the folded state of the stream of seals, the only one that grows for ever, in a record with a MAC. Without it,
 * the stream is folded from its beginning.
 */
export function createSealSnapshots(records: Pick<AuthenticRecords, 'read' | 'write'>): Snapshots {
  return {
    async read(stream) {
      const found = await unlessFails(records.read('seals', ofStream))
      return typeof found === 'object' && found.stream === stream ? found : undefined
    },
    write: (stream, snapshot) => unlessFails(records.write('seals', { ...snapshot, stream })),
  }
}
