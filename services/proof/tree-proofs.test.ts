import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomSeed } from '#test-support/random-seed.ts'
import { hashOfSubtree, MerkleTree } from '#test-support/merkle-tree.ts'
import { leafOf, nodeOf } from './merkle-tree.ts'
import {
  consistencyPath,
  inclusionPath,
  multiProof,
  nodesOf,
  subtreesByInclusion,
  type TreeNode,
} from './tree-proofs.ts'
import { hashLeaf, hashNode, isConsistent, rootByMultiProof, type Subtree } from './tree-verification.ts'

const leaves = Array.from({ length: 300 }, (_, n) => leafOf(`leaf ${n}`))
const treeOf = (size: number) => new MerkleTree(leaves.slice(0, size))

const hashOf = ({ level, index }: TreeNode): Uint8Array =>
  level === 0
    ? (leaves[index] ?? new Uint8Array())
    : nodeOf(hashOf({ level: level - 1, index: index * 2 }), hashOf({ level: level - 1, index: index * 2 + 1 }))
const hashes = (subtrees: readonly Subtree[]) => subtrees.map((subtree) => hashOfSubtree(subtree, hashOf))
const known = (indexes: readonly number[]) =>
  indexes.map((index) => ({ index, hash: leaves[index] ?? new Uint8Array() }))

const sizes = fc.integer({ min: 1, max: 300 })
const sizeAndIndexes = sizes.chain((size) =>
  fc.record({
    size: fc.constant(size),
    indexes: fc
      .uniqueArray(fc.nat(size - 1), { minLength: 1, maxLength: 40 })
      .map((all) => all.toSorted((a, b) => a - b)),
  }),
)
const options = { seed: randomSeed(), numRuns: 150 }

describe('a multi-proof', () => {
  it('leads from any leaves to the root', async () => {
    await fc.assert(
      fc.asyncProperty(sizeAndIndexes, async ({ size, indexes }) => {
        const proof = hashes([...multiProof(indexes, size)])
        expect(Buffer.from((await rootByMultiProof(known(indexes), size, proof)) ?? [])).toEqual(treeOf(size).root())
      }),
      options,
    )
  })

  it('is refused with any hash changed, dropped, doubled or swapped, with another leaf, index or order', async () => {
    await fc.assert(
      fc.asyncProperty(sizeAndIndexes, fc.nat(), async ({ size, indexes }, choice) => {
        const proof = hashes([...multiProof(indexes, size)])
        const at = choice % (proof.length || 1)
        const root = treeOf(size).root()
        const isAccepted = async (leafList: ReturnType<typeof known>, list: readonly Buffer[], ofSize = size) => {
          const found = await rootByMultiProof(leafList, ofSize, list)
          return found !== undefined && Buffer.from(found).equals(root)
        }
        const honest = known(indexes)
        const [first] = honest
        if (!first) return
        expect(await isAccepted(honest, proof)).toBe(true)
        for (const edited of [
          proof.toSpliced(at, 1, leafOf('another')),
          proof.toSpliced(at, 1, Buffer.alloc(31)),
          proof.toSpliced(at, proof.length > 0 ? 1 : 0, ...(proof.length > 0 ? [] : [leafOf('more')])),
          [...proof, leafOf('more')],
          proof.toSpliced(at, 0, proof[at] ?? leafOf('more')),
        ])
          expect(await isAccepted(honest, edited)).toBe(false)
        if (proof.length > 1) expect(await isAccepted(honest, [...proof.slice(1), ...proof.slice(0, 1)])).toBe(false)
        expect(await isAccepted([{ ...first, hash: leafOf('another') }, ...honest.slice(1)], proof)).toBe(false)
        expect(await isAccepted([{ ...first, index: first.index + 0.5 }, ...honest.slice(1)], proof)).toBe(false)
        expect(await isAccepted([{ ...first, index: -1 }, ...honest.slice(1)], proof)).toBe(false)
        expect(await isAccepted([], proof)).toBe(false)
        expect(await isAccepted([...honest, first], proof)).toBe(false)
        if (honest.length > 1) expect(await isAccepted(honest.toReversed(), proof)).toBe(false)
        for (const wrong of [0, -1, Number.NaN, indexes.at(-1) ?? 0])
          expect(await isAccepted(honest, proof, wrong)).toBe(false)
      }),
      options,
    )
  })

  it('has the fewest hashes: neighbours share their path', () => {
    expect([...multiProof([0, 1, 2, 3], 4)]).toEqual([])
    expect([...multiProof([5], 8)]).toEqual([
      { low: 0, high: 4 },
      { low: 4, high: 5 },
      { low: 6, high: 8 },
    ])
    expect([...multiProof([], 8)]).toEqual([{ low: 0, high: 8 }])
  })

  it('is not made for leaves that do not exist, or twice the same', () => {
    for (const indexes of [[-1], [8], [3, 3], [4, 3]]) expect(() => multiProof(indexes, 8)).toThrow(RangeError)
  })
})

describe('an inclusion path', () => {
  it('is that of RFC 6962, and leads to the root', async () => {
    for (const size of [1, 2, 3, 7, 8, 9, 70, 255, 256, 257])
      for (let index = 0; index < size; index += 1 + Math.floor(size / 20)) {
        const path = hashes(inclusionPath(index, size))
        expect(path).toEqual(treeOf(size).inclusion(index))
        const leaf = { index, hash: leaves[index] ?? new Uint8Array() }
        expect(Buffer.from((await subtreesByInclusion(leaf, size, path))?.at(-1)?.hash ?? [])).toEqual(
          treeOf(size).root(),
        )
        expect(await subtreesByInclusion(leaf, size, [...path, leafOf('more')])).toBeUndefined()
        expect(await subtreesByInclusion({ ...leaf, index: size }, size, path)).toBeUndefined()
        if (path.length > 0) expect(await subtreesByInclusion(leaf, size, path.slice(1))).toBeUndefined()
      }
    expect(() => inclusionPath(8, 8)).toThrow(RangeError)
  })
})

describe('a consistency path', () => {
  it('is that of RFC 6962, and proves a beginning', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, sizes, async (one, two) => {
        const [first, second] = [Math.min(one, two), Math.max(one, two)]
        const path = hashes(consistencyPath(first, second))
        expect(path).toEqual(treeOf(second).consistency(first))
        const [before, after] = [first, second].map((size) => ({ size, root: treeOf(size).root() }))
        if (!before || !after) return
        expect(await isConsistent(before, after, path)).toBe(true)
        expect(await isConsistent({ ...before, root: leafOf('another') }, after, path)).toBe(false)
        expect(await isConsistent(before, { ...after, root: leafOf('another') }, path)).toBe(false)
        expect(await isConsistent(before, after, [...path, leafOf('more')])).toBe(false)
        if (path.length > 0) expect(await isConsistent(before, after, path.slice(1))).toBe(false)
      }),
      options,
    )
    for (const [first, second] of [
      [0, 8],
      [9, 8],
    ] as const)
      expect(() => consistencyPath(first, second)).toThrow(RangeError)
  })
})

describe('a subtree', () => {
  it('consists of complete ones', () => {
    expect(nodesOf({ low: 0, high: 7 })).toEqual([
      { level: 2, index: 0 },
      { level: 1, index: 2 },
      { level: 0, index: 6 },
    ])
    expect(nodesOf({ low: 8, high: 12 })).toEqual([{ level: 2, index: 2 }])
  })
})

describe('hashing in a browser', () => {
  it('is that of the server', async () => {
    expect(Buffer.from(await hashLeaf('Grüße'))).toEqual(leafOf('Grüße'))
    expect(Buffer.from(await hashNode(leafOf('a'), leafOf('b')))).toEqual(nodeOf(leafOf('a'), leafOf('b')))
  })
})
