import { buffer } from 'node:stream/consumers'
import type { FileStore } from '#infra/file-store/file-store.ts'
import type { EventTree } from './event-tree.ts'
import { parseCheckpoint } from './tree-checkpoint.ts'

/**
 * The tree published outside the log, out of reach of anyone who can change the log, as C2SP tlog-tiles: `checkpoint`
 * and
 * `tile/…`. Beside them are earlier checkpoints and the ids of the events, by which verification names what was
 * changed.
 */
export type PublishedTree = ReturnType<typeof createPublishedTree>

/** A leaf, and the id of its event, by which verification finds a missing one. */
export interface PublishedLeaf {
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** A UUID. */
  readonly id: string
}

/** Bytes of a leaf's hash and of its event's id, as they are published. */
export const HASH = 32
const ID = 16

/** Formats its id only on demand: there is a leaf for each event. */
class StoredLeaf implements PublishedLeaf {
  constructor(
    readonly hash: Uint8Array,
    private readonly idBytes: Buffer,
  ) {}

  get id(): string {
    return this.idBytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
}

/** Tiles published at once. */
const SIDE_BY_SIDE = 8

/** Hashes in a full tile. */
export const TILE_WIDTH = 256

/** A tile of a level, of the first `width` hashes. */
export interface Tile {
  readonly level: number
  readonly index: number
  readonly width: number
}

/**
 * The path of a tile: the index in groups of three digits, all but the last with an `x`, and the width of a partial
 * one.
 */
export function tilePath(tile: Tile): string {
  return `tile/${tile.level}/${tileName(tile)}`
}

function tileName({ index, width }: Omit<Tile, 'level'>): string {
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? []
  const name = groups.map((group, n) => (n < groups.length - 1 ? `x${group}` : group)).join('/')
  return width === TILE_WIDTH ? name : `${name}.p/${width}`
}

const TILE_PATH =
  /^tile\/(?:0|[1-5]?[1-9]|[1-5]0|6[0-3])\/(?:x\d{3}\/){0,4}\d{3}(?:\.p\/(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-5]))?$/

/** Whether a text is the path of a tile of hashes. Entry bundles have none: what happened to people is not public. */
export function isTilePath(path: string): boolean {
  return TILE_PATH.test(path)
}

/** The tiles of a tree of `size` leaves that one of `from` does not have, full or partial, lowest level first. */
export function tilesOf(from: number, size: number): Tile[] {
  const tiles: Tile[] = []
  for (let level = 0; TILE_WIDTH ** level <= size; level++) {
    const hashes = Math.floor(size / TILE_WIDTH ** level)
    if (hashes === Math.floor(from / TILE_WIDTH ** level)) continue
    for (let index = Math.floor(from / TILE_WIDTH ** (level + 1)); index * TILE_WIDTH < hashes; index++)
      tiles.push({ level, index, width: Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH) })
  }
  return tiles
}

/** The tree in a file store: a folder, or a bucket with its own credentials. */
export function createPublishedTree(files: Pick<FileStore, 'get' | 'put'>) {
  const read = async (key: string): Promise<Buffer | undefined> => {
    const found = await files.get(key)
    return found && buffer(found.content)
  }
  const note = async (key: string) => (await read(key))?.toString()

  return {
    /** The note of the newest checkpoint; undefined before the first. */
    checkpoint: () => note('checkpoint'),
    /** The note of the checkpoint of a size; undefined if there is none. */
    checkpointOf: (size: number) => note(checkpointName('checkpoints', size)),
    /** A file of the tree; undefined if there is none. @param path Such as `tile/0/x001/234.p/5`. */
    file: read,
    /** Stores a file of the tree as it is. */
    store: (path: string, bytes: Uint8Array) => files.put(path, bytes, BYTES),

    /** The leaves of a tree from one index to another, tile by tile. Ends early where a file is missing. */
    async *leaves(low: number, high: number): AsyncGenerator<readonly PublishedLeaf[]> {
      for (let index = Math.floor(low / TILE_WIDTH); index * TILE_WIDTH < high; index++) {
        const width = Math.min(TILE_WIDTH, high - index * TILE_WIDTH)
        const [hashes, ids] = await Promise.all([
          readTile(read, 'tile/0', { index, width }),
          readTile(read, 'ids', { index, width }),
        ])
        if (!hashes || !ids || hashes.length < width * HASH || ids.length < width * ID) return
        const from = Math.max(0, low - index * TILE_WIDTH)
        yield Array.from({ length: width - from }, (_, n) => {
          const at = from + n
          return new StoredLeaf(hashes.subarray(at * HASH, (at + 1) * HASH), ids.subarray(at * ID, (at + 1) * ID))
        })
      }
    },

    /** Publishes the tree of a checkpoint: the tiles that a tree of `from` leaves does not have, and then its note. */
    async publish(text: string, tree: Pick<EventTree, 'hashesOf' | 'idsOf'>, from: number): Promise<void> {
      const { size } = parseCheckpoint(text)
      const publishTile = async (tile: Tile): Promise<void> => {
        const { level, index, width } = tile
        const [low, leaves] = [index * TILE_WIDTH, TILE_WIDTH ** level]
        const subtrees = Array.from({ length: width }, (_, n) => ({
          low: (low + n) * leaves,
          high: (low + n + 1) * leaves,
        }))
        if (level === 0)
          await files.put(`ids/${tileName(tile)}`, Buffer.concat(await tree.idsOf(low, low + width)), BYTES)
        await files.put(tilePath(tile), Buffer.concat(await tree.hashesOf(subtrees)), BYTES)
      }
      const tiles = tilesOf(from, size)
      for (let next = 0; next < tiles.length; next += SIDE_BY_SIDE)
        await Promise.all(tiles.slice(next, next + SIDE_BY_SIDE).map(publishTile))
      // The checkpoint after its tiles, and its copy last: the newest is never older than a copy.
      await files.put('checkpoint', Buffer.from(text), 'text/plain; charset=utf-8')
      await files.put(checkpointName('checkpoints', size), Buffer.from(text), 'text/plain; charset=utf-8')
    },
  }
}

const BYTES = 'application/octet-stream'

/** A tile or its ids, from its own file or that of the full tile. */
export async function readTile(
  read: PublishedTree['file'],
  folder: string,
  tile: Omit<Tile, 'level'>,
): Promise<Buffer | undefined> {
  return (await read(`${folder}/${tileName(tile)}`)) ?? read(`${folder}/${tileName({ ...tile, width: TILE_WIDTH })}`)
}

/**
 * Copies the published tree of some checkpoints to another place, as far as it is complete. The next sealing publishes
 * what is missing there.
 *
 * @param sizes Of the checkpoints that the copied log has, ascending.
 * @returns How many checkpoints were copied.
 */
export async function copyPublishedTree(
  source: PublishedTree,
  copy: PublishedTree,
  sizes: readonly number[],
): Promise<number> {
  const notes = new Map<number, Buffer>()
  for (const size of sizes) {
    const note = await source.file(checkpointName('checkpoints', size))
    if (note) notes.set(size, note)
  }
  const newest = [...notes.keys()].at(-1)
  const note = newest === undefined ? undefined : notes.get(newest)
  if (newest === undefined || !note || newest !== sizes.at(-1)) return 0
  for (const tile of tilesOf(0, newest))
    for (const [folder, bytesEach] of Object.entries({
      [`tile/${tile.level}`]: HASH,
      ...(tile.level === 0 && { ids: ID }),
    })) {
      const bytes = await readTile((path) => source.file(path), folder, tile)
      if (!bytes || bytes.length < tile.width * bytesEach) return 0
      await copy.store(`${folder}/${tileName(tile)}`, bytes.subarray(0, tile.width * bytesEach))
    }
  await copy.store('checkpoint', note)
  for (const [size, text] of notes) {
    for (const folder of ['cosignatures', 'timestamps'] as const) {
      const attestation = await source.file(checkpointName(folder, size))
      if (attestation) await copy.store(checkpointName(folder, size), attestation)
    }
    await copy.store(checkpointName('checkpoints', size), text)
  }
  return notes.size
}

/** The name of a file about the checkpoint of a size: its note, its cosignatures, or its time-stamp token. */
export function checkpointName(folder: 'checkpoints' | 'cosignatures' | 'timestamps', size: number): string {
  return `${folder}/${String(size).padStart(12, '0')}`
}
