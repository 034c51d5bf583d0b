import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  EMPTY,
  emptyMap,
  fromBytes,
  headIn,
  headsUnder,
  isSameUnder,
  type HeadMap,
  type HeadProof,
  type KeyedHead,
  keyOf,
  mapOf,
  proveHead,
  rootOf,
  subtreeOf,
  toBytes,
  withHead,
} from './head-map.ts'
import { keyOfStream, type ProvenHead, rootByHead } from './head-verification.ts'

/** The map in the words of its definition, to compare with: bits are texts of 0 and 1. */
function naiveRoot(heads: readonly KeyedHead[], depth = 0): Buffer {
  const [only] = heads
  if (!only) return Buffer.alloc(32)
  if (heads.length === 1) {
    const revision = Buffer.alloc(8)
    revision.writeBigUInt64BE(BigInt(only.revision))
    return sha256(Buffer.of(2), fromBytes(only.key), revision, fromBytes(only.leaf))
  }
  const half = (bit: string) => heads.filter(({ key }) => bitsOf(key)[depth] === bit)
  return sha256(Buffer.of(3), naiveRoot(half('0'), depth + 1), naiveRoot(half('1'), depth + 1))
}

const bitsOf = (key: KeyedHead['key']) => [...fromBytes(key)].map((byte) => byte.toString(2).padStart(8, '0')).join('')

const sha256 = (...parts: readonly Uint8Array[]) => {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part)
  return digest.digest()
}

const mapWith = (heads: Iterable<KeyedHead>) => [...heads].reduce(withHead, emptyMap)
const plain = (head: KeyedHead): ProvenHead => ({ ...head, key: fromBytes(head.key), leaf: fromBytes(head.leaf) })
const rootByProof = async (key: KeyedHead['key'], { head, siblings }: HeadProof) => {
  const root = await rootByHead(fromBytes(key), head && plain(head), siblings)
  return root && Buffer.from(root)
}

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toBytes)
/** Many keys that share long beginnings. */
const closeBytes = fc
  .tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 31 }))
  .map(([value, at]) => toBytes(new Uint8Array(32).fill(value, at, at + 1)))
const head = fc.record({ key: fc.oneof(bytes, closeBytes), revision: fc.nat(), leaf: bytes })
const heads = fc.array(head, { maxLength: 60 })
/** The last of each key, which is what remains. */
const lastOf = (all: readonly KeyedHead[]) => [...new Map(all.map((one) => [one.key, one])).values()]

describe('the map of heads', () => {
  it('has the root that its definition gives, in whatever order heads were set', () =>
    fc.assert(
      fc.property(heads, (all) => {
        const [map, last] = [mapWith(all), lastOf(all)]
        expect(rootOf(map)).toEqual(naiveRoot(last))
        expect(rootOf(mapWith(last.toReversed()))).toEqual(rootOf(map))
        expect(map.streams).toBe(last.length)
        for (const one of last) expect(headIn(map, one.key)).toEqual(one)
      }),
    ))

  it('does not change when another is made of it', () =>
    fc.assert(
      fc.property(heads, head, (all, next) => {
        const map = mapWith(all)
        const [root, before] = [rootOf(map), headIn(map, next.key)]
        withHead(map, next)
        expect([rootOf(map), headIn(map, next.key)]).toEqual([root, before])
      }),
    ))

  it('proves every head, and of every other stream that there is none', () =>
    fc.assert(
      fc.asyncProperty(heads, head, async (all, other) => {
        const map = mapWith(all)
        for (const { key } of [...lastOf(all), other]) {
          const proof = proveHead(map, key)
          expect(proof.head?.key === key).toBe(headIn(map, key) !== undefined)
          expect(await rootByProof(key, proof)).toEqual(rootOf(map))
        }
      }),
      { numRuns: 20 },
    ))

  it('lists its heads by the beginning of their keys, and knows where two maps are the same', () =>
    fc.assert(
      fc.property(heads, head, fc.integer({ min: 0, max: 10 }), (all, next, bits) => {
        const map = mapWith(all)
        const indexes = Array.from({ length: 2 ** bits }, (_, index) => index)
        const listed = indexes.map((index) => [...headsUnder(map, bits, index)])
        expect(listed.flat()).toEqual(lastOf(all).toSorted((one, other) => (one.key < other.key ? -1 : 1)))
        const begins = (index: number) => (bits === 0 ? '' : index.toString(2).padStart(bits, '0'))
        for (const [index, some] of listed.entries())
          for (const { key } of some) expect(bitsOf(key).startsWith(begins(index))).toBe(true)
        const changed = indexes.filter((index) => !isSameUnder(map, withHead(map, next), bits, index))
        expect(changed.map(begins)).toEqual([bitsOf(next.key).slice(0, bits)])
      }),
      { numRuns: 50 },
    ))

  it('is the same when it is made of its subtrees', () =>
    fc.assert(
      fc.property(heads, head, fc.integer({ min: 0, max: 10 }), (all, next, bits) => {
        const map = mapWith(all)
        const subtrees = Array.from({ length: 2 ** bits }, (_, index) => {
          const made = subtreeOf([...headsUnder(map, bits, index)], bits, index)
          if (!made) throw new Error(`Subtree ${index} was refused`)
          return made.subtree
        })
        const again = mapOf(subtrees, map.streams)
        expect(rootOf(again)).toEqual(rootOf(map))
        expect(again.streams).toBe(map.streams)
        for (const one of all) expect(headIn(again, one.key)).toEqual(headIn(map, one.key))
        expect(rootOf(withHead(again, next))).toEqual(rootOf(withHead(map, next)))
      }),
      { numRuns: 50 },
    ))

  it('is not made of heads that are out of order, there twice, or of another subtree', () => {
    const ordered = Array.from({ length: 40 }, (_, n) => ({
      key: keyOf(`account-${n}`),
      revision: n,
      leaf: EMPTY,
    })).toSorted((one, other) => (one.key < other.key ? -1 : 1))
    const [first, second] = ordered
    if (!first || !second) throw new Error('There are no heads')
    expect(subtreeOf(ordered, 0, 0)).toBeDefined()
    expect(subtreeOf(ordered.toReversed(), 0, 0)).toBeUndefined()
    expect(subtreeOf([first, first, second], 0, 0)).toBeUndefined()
    expect(subtreeOf(ordered, 1, 0)).toBeUndefined()
    expect(subtreeOf(ordered, 1, 1)).toBeUndefined()
  })

  it('has short proofs', () => {
    const map = mapWith(
      Array.from({ length: 10_000 }, (_, n) => ({ key: keyOf(`account-${n}`), revision: n, leaf: EMPTY })),
    )
    const lengths = Array.from({ length: 1_000 }, (_, n) => proveHead(map, keyOf(`account-${n}`)).siblings.length)
    expect(lengths.reduce((sum, length) => sum + length, 0) / 1_000).toBeLessThan(16)
    expect(Math.max(...lengths)).toBeLessThan(40)
  })

  it('has the key of a stream that anyone computes', async () => {
    expect(fromBytes(keyOf('account-ada00000-a1'))).toEqual(Buffer.from(await keyOfStream('account-ada00000-a1')))
  })
})

describe('an attacker without the root', () => {
  const map = mapWith(Array.from({ length: 200 }, (_, n) => headOf(n)))
  const root = rootOf(map)
  const here = proveHead(map, headOf(7).key)
  const none = proveHead(map, keyOf('nobody'))

  function headOf(n: number, revision = n): KeyedHead {
    return { key: keyOf(`account-${n}`), revision, leaf: keyOf(`leaf ${n} ${revision}`) }
  }

  /** A claim about a key: what is at the end of its path. */
  type Claim = readonly [string, () => Parameters<typeof rootByHead>]
  const claim = (key: KeyedHead['key'], found: KeyedHead | undefined, siblings: readonly Uint8Array[]) =>
    [fromBytes(key), found && plain(found), siblings] as const satisfies Parameters<typeof rootByHead>
  const own = headOf(7)

  const claims: readonly Claim[] = [
    ['an earlier revision', () => claim(own.key, headOf(7, 6), here.siblings)],
    ['a later revision', () => claim(own.key, headOf(7, 8), here.siblings)],
    ['another last event', () => claim(own.key, { ...own, leaf: keyOf('other') }, here.siblings)],
    ['one level less', () => claim(own.key, own, here.siblings.slice(1))],
    ['one level less at the top', () => claim(own.key, own, here.siblings.slice(0, -1))],
    ['one level more', () => claim(own.key, own, [fromBytes(EMPTY), ...here.siblings])],
    ['one level more at the top', () => claim(own.key, own, [...here.siblings, fromBytes(EMPTY)])],
    ['siblings in the other order', () => claim(own.key, own, here.siblings.toReversed())],
    ['two siblings swapped', () => claim(own.key, own, swapped(here.siblings))],
    ['a sibling too short', () => claim(own.key, own, here.siblings.with(0, Buffer.alloc(31)))],
    ['absent, though it is there', () => claim(own.key, undefined, here.siblings)],
    ['absent, with an empty end below it', () => claim(own.key, undefined, [fromBytes(EMPTY), ...here.siblings])],
    ['absent, by the head of another stream', () => claim(own.key, headOf(8), here.siblings)],
    ['absent, by the proof of another stream', () => withProof(own.key, proveHead(map, headOf(8).key))],
    ['absent, by the proof of an absent one', () => withProof(own.key, none)],
    ['present, though it is not', () => claim(keyOf('nobody'), { ...own, key: keyOf('nobody') }, none.siblings)],
    ['present, by the proof of another stream', () => withProof(keyOf('nobody'), here)],
    ['absent, though a stream is beside it', () => claim(keyOf('nobody'), undefined, none.siblings.slice(1))],
    ['a branch taken for a head', () => claim(own.key, { ...own, leaf: toBytes(root) }, [])],
    ['a revision below 0', () => claim(own.key, { ...own, revision: -1 }, here.siblings)],
    ['a revision of half a number', () => claim(own.key, { ...own, revision: 6.5 }, here.siblings)],
    ['more levels than a key has bits', () => claim(own.key, own, Array(257).fill(fromBytes(EMPTY)))],
  ]

  function withProof(key: KeyedHead['key'], { head: found, siblings }: HeadProof) {
    return claim(key, found, siblings)
  }

  it('has an honest proof to start from', async () => {
    expect(await rootByHead(...claim(own.key, own, here.siblings))).toEqual(new Uint8Array(root))
    expect(await rootByHead(...withProof(keyOf('nobody'), none))).toEqual(new Uint8Array(root))
    expect(none.head?.key).not.toBe(keyOf('nobody'))
  })

  it.each(claims)('does not prove %s', async (_, forge) => {
    const found = await rootByHead(...forge())
    expect(found && Buffer.from(found)).not.toEqual(root)
  })

  it('does not prove two things of one stream, even in a map of their own', () =>
    fc.assert(
      fc.asyncProperty(fc.array(bytes, { maxLength: 4 }), bytes, bytes, async (siblings, one, leaf) => {
        // Any list of hashes is the proof of some map: under its root there is no second one for the same key.
        const hashes = siblings.map(fromBytes)
        const first = await rootByHead(...claim(one, { key: one, revision: 1, leaf }, hashes))
        for (const other of [
          claim(one, { key: one, revision: 0, leaf }, hashes),
          claim(one, undefined, hashes),
          claim(one, undefined, hashes.slice(1)),
          claim(one, { key: one, revision: 1, leaf }, [fromBytes(EMPTY), ...hashes]),
        ])
          expect(await rootByHead(...other)).not.toEqual(first)
      }),
    ))
})

function swapped(siblings: readonly Buffer[]): Buffer[] {
  const [first, second, ...rest] = siblings
  return [second, first, ...rest].flatMap((hash) => hash ?? [])
}

describe('the beginning of a key', () => {
  /** Two keys that are the same up to a bit. */
  const twins = (bit: number): readonly [KeyedHead, KeyedHead] => {
    const [one, other] = [Buffer.alloc(32, 0xaa), Buffer.alloc(32, 0xaa)]
    other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (128 >> (bit & 7))
    return [
      { key: toBytes(one), revision: 1, leaf: EMPTY },
      { key: toBytes(other), revision: 2, leaf: EMPTY },
    ]
  }

  it.each([0, 1, 7, 8, 100, 254, 255])('may be shared up to bit %i', async (bit) => {
    const pair = twins(bit)
    const map: HeadMap = mapWith(pair)
    expect(rootOf(map)).toEqual(naiveRoot(pair))
    for (const { key } of pair) {
      const proof = proveHead(map, key)
      expect(proof.siblings).toHaveLength(bit + 1)
      expect(await rootByProof(key, proof)).toEqual(rootOf(map))
    }
    const [one, other] = pair
    // Neither is proven absent by the other, on their common path or beside it.
    for (const length of [0, 1, bit, bit + 1]) {
      const { siblings } = proveHead(map, other.key)
      const found = await rootByHead(fromBytes(one.key), plain(other), siblings.slice(siblings.length - length))
      expect(found && Buffer.from(found)).not.toEqual(rootOf(map))
    }
  })
})
