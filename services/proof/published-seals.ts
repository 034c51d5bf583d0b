import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import type { FileStore } from '../../infra/file-store/file-store.ts'
import type { Seal } from './signed-texts.ts'

/**
 * Seals published outside the log, out of reach of anyone who can change the log. Each is a file, with the leaves under it
 * beside it, so that verification can name an altered event.
 */
export interface PublishedSeals {
  /** Undefined if there is no such seal. @throws {Error} when its file is invalid. */
  seal(number: number): Promise<Seal | undefined>
  /** The leaves of a seal in order; undefined if there is no such file. */
  leaves(number: number): Promise<readonly PublishedLeaf[] | undefined>
  publish(seal: Seal, leaves: readonly PublishedLeaf[]): Promise<void>
}

/** A leaf, and the id of its event, by which verification finds a missing one. */
export interface PublishedLeaf {
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** A UUID. */
  readonly id: string
}

export const sealSchema = z.object({
  number: z.int(),
  first: z.string(),
  last: z.string(),
  count: z.int(),
  root: z.string(),
  previous: z.string().nullable(),
  sealedAt: z.int(),
  keyId: z.string(),
  history: z.string(),
  signature: z.string(),
})

const HASH = 32
const ID = 16

/** Seals in a file store: a folder, or a bucket with its own credentials. */
export function createPublishedSeals(files: Pick<FileStore, 'get' | 'put'>): PublishedSeals {
  const read = async (key: string): Promise<Buffer | undefined> => {
    const found = await files.get(key)
    return found && buffer(found.content)
  }
  return {
    async seal(number) {
      const bytes = await read(`${nameOf(number)}.json`)
      return bytes && sealSchema.parse(JSON.parse(bytes.toString()))
    },
    async leaves(number) {
      const bytes = await read(`${nameOf(number)}.leaves`)
      if (!bytes) return undefined
      return Array.from({ length: Math.floor(bytes.length / (HASH + ID)) }, (_, n) => new StoredLeaf(bytes.subarray(n * (HASH + ID), (n + 1) * (HASH + ID))))
    },
    async publish(seal, leaves) {
      const bytes = Buffer.concat(leaves.flatMap(({ hash, id }) => [hash, Buffer.from(id.replaceAll('-', ''), 'hex')]))
      // The seal last: a published seal always has its leaves.
      await files.put(`${nameOf(seal.number)}.leaves`, bytes, 'application/octet-stream')
      await files.put(`${nameOf(seal.number)}.json`, Buffer.from(`${JSON.stringify(seal, null, 2)}\n`), 'application/json')
    },
  }
}

/** Formats its id only on demand: there is a leaf for each event. */
class StoredLeaf implements PublishedLeaf {
  readonly hash: Buffer
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.hash = bytes.subarray(0, HASH)
  }

  get id(): string {
    return uuidOf(this.#bytes.subarray(HASH))
  }
}

function nameOf(number: number): string {
  return String(number).padStart(9, '0')
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
