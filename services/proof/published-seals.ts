import { buffer } from 'node:stream/consumers'
import type { FileStore } from '../../infra/file-store/file-store.ts'
import { type SealData, sealEvents } from '../domain/seal/seal.ts'

/**
 * Seals published outside the log, out of reach of anyone who can change the log. Each is a file, with the leaves under it
 * beside it, so that verification can name an altered event.
 */
export type PublishedSeals = ReturnType<typeof createPublishedSeals>

/** A leaf, and the id of its event, by which verification finds a missing one. */
export interface PublishedLeaf {
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** A UUID. */
  readonly id: string
}

/** Bytes of a leaf's hash and of its event's id, as they are published. */
export const HASH = 32
export const ID = 16

/** The content of a published file; undefined if there is none. */
export async function readPublished(files: Pick<FileStore, 'get'>, key: string): Promise<Buffer | undefined> {
  const found = await files.get(key)
  return found && buffer(found.content)
}

/** Seals in a file store: a folder, or a bucket with its own credentials. */
export function createPublishedSeals(files: Pick<FileStore, 'get' | 'put'>) {
  return {
    /** Undefined if there is no such seal. @throws {Error} when its file is invalid. */
    async seal(number: number): Promise<SealData | undefined> {
      const bytes = await readPublished(files, `${nameOf(number)}.json`)
      return bytes && sealEvents.FactsSealed.schema.parse(JSON.parse(bytes.toString()))
    },
    /** The leaves of a seal in order; undefined if there is no such file. */
    async leaves(number: number): Promise<readonly PublishedLeaf[] | undefined> {
      const bytes = await readPublished(files, `${nameOf(number)}.leaves`)
      if (!bytes) return undefined
      return Array.from({ length: Math.floor(bytes.length / (HASH + ID)) }, (_, n) => {
        const at = n * (HASH + ID)
        return new StoredLeaf(bytes.subarray(at, at + HASH), bytes.subarray(at + HASH, at + HASH + ID))
      })
    },
    async publish(seal: SealData, leaves: readonly PublishedLeaf[]): Promise<void> {
      const bytes = Buffer.concat(leaves.flatMap(({ hash, id }) => [hash, Buffer.from(id.replaceAll('-', ''), 'hex')]))
      // The seal last: a published seal always has its leaves.
      await files.put(`${nameOf(seal.number)}.leaves`, bytes, 'application/octet-stream')
      await files.put(`${nameOf(seal.number)}.json`, Buffer.from(`${JSON.stringify(seal, null, 2)}\n`), 'application/json')
    },
  }
}

/** Formats its id only on demand: there is a leaf for each event. */
export class StoredLeaf implements PublishedLeaf {
  constructor(
    readonly hash: Uint8Array,
    private readonly idBytes: Buffer,
  ) {}

  get id(): string {
    return this.idBytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
}

function nameOf(number: number): string {
  return String(number).padStart(9, '0')
}
