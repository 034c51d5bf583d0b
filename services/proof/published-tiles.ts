import { type Finding, findingAt } from './log-finding.ts'
import { GrowingMerkleTree } from './merkle-tree.ts'
import { HASH, type PublishedTree, readTile, tilePath, tilesOf, TILE_WIDTH } from './published-tree.ts'
import { parseCheckpoint } from './tree-checkpoint.ts'

/**
 * Compares the published tiles with the published checkpoint, which is one of the log by then: the tiles of each level
 * lead to those above them, and all to its root. Only the tiles of the newest tree are compared.
 *
 * Yields after each tile. Memory: 32 bytes for each tile.
 */
export async function* compareTiles(
  tree: Pick<PublishedTree, 'checkpoint' | 'file'>,
): AsyncGenerator<undefined, Finding | undefined> {
  const note = await tree.checkpoint()
  if (note === undefined) return undefined
  const { size, root } = parseCheckpoint(note)
  const whole = new GrowingMerkleTree()
  /** Of the full tiles of each level: the hashes of the level above. */
  const roots: Buffer[][] = []
  for (const tile of tilesOf(0, size)) {
    const { level, index, width } = tile
    const wrong = (says: string) => findingAt('seal', {}, `The published tile ${tilePath(tile)} ${says}`)
    const bytes = await readTile((path) => tree.file(path), `tile/${level}`, tile)
    if (!bytes || bytes.length < width * HASH) return wrong('is missing or cut off')
    const hashes = Array.from({ length: width }, (_, n) => bytes.subarray(n * HASH, (n + 1) * HASH))
    const below = roots[level - 1]
    const other = hashes.findIndex((hash, n) => below && !below[index * TILE_WIDTH + n]?.equals(hash))
    if (other >= 0) {
      const one = tilePath({ level: level - 1, index: index * TILE_WIDTH + other, width: TILE_WIDTH })
      return wrong(`does not have the hash of ${one}: one of the two was changed`)
    }
    const block = new GrowingMerkleTree()
    for (const hash of hashes) block.append(hash)
    if (level === 0) whole.append(block.root())
    if (width === TILE_WIDTH) (roots[level] ??= []).push(block.root())
    yield
  }
  if (whole.root().equals(root)) return undefined
  return findingAt('seal', {}, `The published tiles do not lead to the published checkpoint of ${size} events`)
}
