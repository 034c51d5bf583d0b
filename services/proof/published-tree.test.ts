import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDiskFileStore } from '#infra/file-store/disk-file-store.ts'
import { MerkleTree } from '#test-support/merkle-tree.ts'
import { leafOf } from './merkle-tree.ts'
import { compareTiles } from './published-tiles.ts'
import {
  checkpointName,
  copyPublishedTree,
  createPublishedTree,
  isTilePath,
  type PublishedTree,
  tilePath,
  tilesOf,
} from './published-tree.ts'
import { checkpointBody, checkpointNote } from './tree-checkpoint.ts'
import { signingKeyOf } from './seal-signing.ts'

const key = signingKeyOf(new Uint8Array(32).fill(9))
const leaves = Array.from({ length: 600 }, (_, n) => leafOf(`leaf ${n}`))
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const tree = {
  hashesOf: async (subtrees: readonly { low: number; high: number }[]) =>
    subtrees.map(({ low, high }) => new MerkleTree(leaves.slice(low, high)).root()),
  idsOf: async (low: number, high: number) =>
    Array.from({ length: high - low }, (_, n) => Buffer.from(idOf(low + n).replaceAll('-', ''), 'hex')),
}
const noteOf = (size: number) => {
  const body = checkpointBody({
    origin: 'portal.example/log',
    size,
    root: new MerkleTree(leaves.slice(0, size)).root(),
  })
  return checkpointNote(body, key.publicKey, Buffer.from(key.sign(body), 'base64'))
}

let folder: string
let published: PublishedTree

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proofdesk-tiles-'))
  published = createPublishedTree(createDiskFileStore(join(folder, 'seals')))
})
afterEach(() => rmSync(folder, { recursive: true }))

const leavesIn = async (from: PublishedTree, low: number, high: number) => {
  const found: { hash: string; id: string }[] = []
  for await (const piece of from.leaves(low, high))
    for (const { hash, id } of piece) found.push({ hash: Buffer.from(hash).toString('hex'), id })
  return found
}
const expected = (low: number, high: number) =>
  leaves.slice(low, high).map((hash, n) => ({ hash: hash.toString('hex'), id: idOf(low + n) }))

describe('the published tree, compared', () => {
  const compared = async () => {
    const comparison = compareTiles(published)
    for (;;) {
      const { done, value } = await comparison.next()
      if (done) return value?.says
    }
  }

  it('is told when any tile of it is changed or gone', async () => {
    await published.publish(await noteOf(600), tree, 0)
    expect(await compared()).toBeUndefined()
    for (const tile of tilesOf(0, 600)) {
      const path = tilePath(tile)
      const right = Buffer.from((await published.file(path)) ?? [])
      for (const at of [0, right.length - 1]) {
        const changed = Buffer.from(right)
        changed[at] = (changed[at] ?? 0) ^ 1
        await published.store(path, changed)
        expect(await compared(), path).toMatch(/^The published tile/)
      }
      await published.store(path, right.subarray(0, -32))
      expect(await compared(), path).toBe(`The published tile ${path} is missing or cut off`)
      await published.store(path, right)
    }
    expect(await compared()).toBeUndefined()
  })
})

describe('the published tree', () => {
  it('has the tiles of tlog-tiles', () => {
    // The examples of c2sp.org/tlog-tiles.
    expect(tilePath({ level: 0, index: 1_234_067, width: 256 })).toBe('tile/0/x001/x234/067')
    expect(tilePath({ level: 1, index: 0, width: 17 })).toBe('tile/1/000.p/17')
    const tiles = tilesOf(0, 70_000)
    expect([0, 1, 2].map((level) => tiles.filter((tile) => tile.level === level && tile.width === 256).length)).toEqual(
      [273, 1, 0],
    )
    expect(tiles.filter(({ width }) => width < 256)).toEqual([
      { level: 0, index: 273, width: 112 },
      { level: 1, index: 1, width: 17 },
      { level: 2, index: 0, width: 1 },
    ])
    expect(tilesOf(0, 256)).toEqual([
      { level: 0, index: 0, width: 256 },
      { level: 1, index: 0, width: 1 },
    ])
    expect(tilesOf(300, 310)).toEqual([{ level: 0, index: 1, width: 54 }])
  })

  it('grows with each checkpoint, and keeps the earlier ones', async () => {
    let before = 0
    for (const size of [5, 255, 256, 300, 513, 600]) {
      const note = await noteOf(size)
      await published.publish(note, tree, before)
      expect([await published.checkpoint(), await published.checkpointOf(size)]).toEqual([note, note])
      for (const tile of tilesOf(0, size)) {
        const under = 256 ** tile.level
        const hashes = Array.from({ length: tile.width }, (_, n) => {
          const low = (tile.index * 256 + n) * under
          return new MerkleTree(leaves.slice(low, low + under)).root()
        })
        expect(await published.file(tilePath(tile)), tilePath(tile)).toEqual(Buffer.concat(hashes))
      }
      expect(await leavesIn(published, before, size)).toEqual(expected(before, size))
      before = size
    }
    expect(await leavesIn(published, 3, 600)).toEqual(expected(3, 600))
    expect(await published.checkpointOf(5)).toBe(await noteOf(5))
    expect(await published.checkpointOf(6)).toBeUndefined()
    rmSync(join(folder, 'seals', 'tile', '0', '001'))
    expect(await leavesIn(published, 0, 600)).toEqual(expected(0, 256))
  })

  it('is copied as far as a log has it', async () => {
    for (const [before, size] of [
      [0, 300],
      [300, 513],
    ] as const)
      await published.publish(await noteOf(size), tree, before)
    await published.store(checkpointName('cosignatures', 300), Buffer.from('a cosignature'))
    await published.store(checkpointName('timestamps', 300), Buffer.from('a token'))
    const copies = [1, 2].map((n) => createPublishedTree(createDiskFileStore(join(folder, `copy ${n}`))))
    const [first, second] = copies
    if (!first || !second) throw new Error('There are no copies')
    // Taken while the portal ran: the newest checkpoint came later.
    expect(await copyPublishedTree(published, first, [300])).toBe(1)
    expect([await first.checkpoint(), await first.checkpointOf(513)]).toEqual([await noteOf(300), undefined])
    expect(await leavesIn(first, 0, 300)).toEqual(expected(0, 300))
    const attested = [
      await first.file(checkpointName('cosignatures', 300)),
      await first.file(checkpointName('timestamps', 300)),
    ]
    expect(attested.map(String)).toEqual(['a cosignature', 'a token'])
    expect(await copyPublishedTree(published, second, [300, 513])).toBe(2)
    expect(await leavesIn(second, 0, 513)).toEqual(expected(0, 513))
    expect(await copyPublishedTree(published, second, [300, 513, 600])).toBe(0)
  })
})

describe('paths of tiles', () => {
  it('are only those of hashes', () => {
    for (const path of ['tile/0/000', 'tile/0/x001/x234/067', 'tile/63/999.p/255', 'tile/10/000.p/1'])
      expect(isTilePath(path), path).toBe(true)
    for (const path of [
      'tile/entries/000',
      'ids/000',
      'checkpoint',
      'tile/64/000',
      'tile/00/000',
      'tile/0/00',
      'tile/0/0000',
      'tile/0/001/002',
      'tile/0/000.p/0',
      'tile/0/000.p/256',
      'tile/0/000.p/01',
      'tile/0/../ids/000',
      '000000001.json',
      '',
    ])
      expect(isTilePath(path), path).toBe(false)
  })
})
