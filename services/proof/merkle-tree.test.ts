import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MerkleTree } from '#test-support/merkle-tree.ts'
import { GrowingMerkleTree, leafOf, nodeOf } from './merkle-tree.ts'
import { subtreesByInclusion } from './tree-proofs.ts'
import { hashLeaf, hashNode, isConsistent } from './tree-verification.ts'

/**
 * The known trees of certificate transparency: https://github.com/google/certificate-transparency, merkle_tree_test.
 */
const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

const leavesOf = (count: number) => Array.from({ length: count }, (_, n) => leafOf(`leaf ${n}`))
const hex = (hash: Uint8Array | undefined) => hash && Buffer.from(hash).toString('hex')
const rootFrom = async (leaf: Buffer, index: number, size: number, path: readonly Buffer[]) =>
  hex((await subtreesByInclusion({ index, hash: leaf }, size, path))?.at(-1)?.hash)

describe('a tree', () => {
  it('has the roots of certificate transparency', () => {
    const growing = new GrowingMerkleTree()
    expect(growing.root().toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    const leaves: Buffer[] = []
    for (const [n, input] of inputs.entries()) {
      const leaf = createHash('sha256')
        .update(Buffer.concat([Buffer.of(0), Buffer.from(input, 'hex')]))
        .digest()
      leaves.push(leaf)
      growing.append(leaf)
      expect([growing.root().toString('hex'), new MerkleTree(leaves).root().toString('hex')]).toEqual([
        roots[n],
        roots[n],
      ])
    }
  })

  it('has the same root however it is built', () => {
    for (let count = 0; count < 70; count++) {
      const leaves = leavesOf(count)
      const growing = new GrowingMerkleTree()
      for (const leaf of leaves) growing.append(leaf)
      expect(growing.root()).toEqual(new MerkleTree(leaves).root())
    }
  })

  it('hashes the same in browsers', async () => {
    expect(hex(await hashLeaf('Grüße'))).toBe(hex(leafOf('Grüße')))
    const [left, right] = [leafOf('a'), leafOf('b')]
    expect(hex(await hashNode(left, right))).toBe(hex(nodeOf(left, right)))
  })
})

describe('a path', () => {
  it('leads to the root from its own leaf only', async () => {
    for (let count = 1; count < 34; count++) {
      const leaves = leavesOf(count)
      const tree = new MerkleTree(leaves)
      const root = tree.root().toString('hex')
      for (const [index, leaf] of leaves.entries()) {
        const path = tree.inclusion(index)
        expect(await rootFrom(leaf, index, count, path)).toBe(root)
        expect(await rootFrom(leafOf('another'), index, count, path)).not.toBe(root)
        if (count > 1) {
          expect(await rootFrom(leaf, (index + 1) % count, count, path)).not.toBe(root)
          expect(await rootFrom(leaf, index, count, path.slice(1))).not.toBe(root)
        }
        expect(await rootFrom(leaf, index, count, [...path, tree.root()])).not.toBe(root)
        expect(await rootFrom(leaf, index, index, path)).toBeUndefined()
      }
    }
  })

  it('proves that a tree is the unchanged beginning of a larger one', async () => {
    for (let count = 1; count < 26; count++) {
      const leaves = leavesOf(count)
      const tree = new MerkleTree(leaves)
      const second = { size: count, root: tree.root() }
      for (let size = 1; size <= count; size++) {
        const path = tree.consistency(size)
        const first = { size, root: new MerkleTree(leaves.slice(0, size)).root() }
        expect(await isConsistent(first, second, path), `${size} of ${count}`).toBe(true)
        const changed = { size, root: new MerkleTree(leaves.with(size - 1, leafOf('changed')).slice(0, size)).root() }
        expect(await isConsistent(changed, second, path)).toBe(false)
        expect(await isConsistent(first, { size: count, root: leafOf('x') }, path)).toBe(false)
        if (size < count) expect(await isConsistent({ ...first, size: size + 1 }, second, path)).toBe(false)
      }
    }
  })

  it('fails with any single bit changed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 300 }),
        fc.nat(),
        fc.nat(),
        fc.nat(255),
        async (count, leaf, step, bit) => {
          const tree = new MerkleTree(leavesOf(count))
          const index = leaf % count
          const path = tree.inclusion(index)
          const broken = path[step % path.length]
          const byte = broken?.[bit >> 3]
          if (!broken || byte === undefined) throw new Error('no such hash')
          broken[bit >> 3] = byte ^ (1 << (bit & 7))
          expect(await rootFrom(leafOf(`leaf ${index}`), index, count, path)).not.toBe(tree.root().toString('hex'))
        },
      ),
    )
  })
})
