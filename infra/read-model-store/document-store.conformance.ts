import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { DocumentModel } from '#test-support/document-model.ts'
import { type Position, toCheckpoint, toPosition } from '#infra/event-store/event-store.ts'
import {
  BadCursor,
  type CollectionDefinition,
  type Document,
  type DocumentStore,
  type DocumentWrite,
  type Json,
  type Page,
  type Query,
  type ReadModelStore,
  type Scalar,
  type ScannedRow,
} from './read-model-store.ts'

/** A position, and a checkpoint there. */
export const at = (position: number): Position => toPosition(String(position))
export const savedAt = (position: number) => ({
  checkpoint: toCheckpoint(`checkpoint ${position}`),
  position: at(position),
})
export const checkpointAt = (consumer: string, position: number) => ({ consumer, ...savedAt(position) })

interface DocumentStoreUnderTest {
  readonly store: ReadModelStore
  /** A new name: the data may be shared with other tests. */
  readonly collection: string
  /** Opens another store on the same data. */
  open(): ReadModelStore
}

/** What every document store promises. */
export function documentStoreConformance(underTest: () => DocumentStoreUnderTest): void {
  let store: DocumentStore
  let collection: string
  beforeEach(() => {
    collection = underTest().collection
    store = underTest().store.documents
  })
  const open = (): DocumentStore => underTest().open().documents
  const write = (...writes: readonly DocumentWrite[]): Promise<string[]> => store.write(collection, writes)

  const people = (more: Partial<CollectionDefinition> = {}): CollectionDefinition => ({
    name: collection,
    filters: ['status', 'name', 'age', 'city'],
    sorts: ['name', 'age', 'status', 'account.balance'],
    search: ['name', 'email'],
    ...more,
  })
  const made = (id: string, document: Document | null, position: number): DocumentWrite => ({
    id,
    document,
    position: at(position),
    expected: null,
  })
  const changed = (id: string, document: Document | null, position: number, expected: number): DocumentWrite => ({
    id,
    document,
    position: at(position),
    expected: at(expected),
  })
  /** Makes documents `0`, `1`, … in this order. */
  const fill = async (documents: readonly Document[]): Promise<void> => {
    await store.create(people())
    await store.createIndexes(people())
    expect(await write(...documents.map((document, n) => made(String(n), document, n + 1)))).toEqual([])
  }
  const found = async (query: Partial<Query>): Promise<string[]> =>
    idsOf(await store.find(collection, { limit: 100, ...query }))

  const expectFound = async (query: Partial<Query>, ids: readonly string[]): Promise<void> => {
    expect(await found(query)).toEqual(ids)
    expect(await store.count(collection, query, 1_000)).toBe(ids.length)
  }

  describe('documents', () => {
    it('reads what was written, with the position of the last event applied', async () => {
      const document = {
        name: 'Ann "Quote" 🦔',
        nested: { list: [1, null, { deep: true }], none: null },
        zero: 0,
        small: -0.5,
        large: 2 ** 53 - 1,
      }
      await store.create(people())
      expect(await write(made('ann', document, 7), made('bob', {}, 8))).toEqual([])
      expect(await store.read(collection, ['bob', 'nobody', 'ann'])).toEqual(
        new Map([
          ['ann', { id: 'ann', document, position: '7' }],
          ['bob', { id: 'bob', document: {}, position: '8' }],
        ]),
      )
      expect(await store.read(collection, [])).toEqual(new Map())
    })

    it('scans all rows in pages in the order of ids, each as the store wrote it', async () => {
      const documents: readonly Document[] = [
        { name: 'Ann "Quote" 🦔', email: 'ann@x.example', age: -0.5, status: true, account: { balance: 7 } },
        { name: '', status: false, city: null, age: [1], email: { deep: 'x' } },
        { name: 'İ ß ſ\u0000 \u0001', email: 'A', status: 'open', age: 2 ** 53 - 1 },
        {},
        { name: 'ab', city: 'Nowhereham-on-Quill' },
      ]
      await fill(documents)
      await write(changed('4', { name: 'Zoë Vanishquill', city: 'x' }, 10, 5), changed('3', null, 11, 4))
      const pages: (readonly ScannedRow[])[] = []
      for await (const rows of store.scan(collection, 2)) pages.push(rows)
      expect(pages.map(({ length }) => length)).toEqual([2, 2, 1])
      expect(pages.flat().map(({ rank: _rank, ...row }) => row)).toEqual([
        ...documents
          .slice(0, 3)
          .map((document, n) => ({ id: String(n), document, position: at(n + 1), isSound: true })),
        { id: '3', document: null, position: at(11), isSound: true },
        { id: '4', document: { name: 'Zoë Vanishquill', city: 'x' }, position: at(10), isSound: true },
      ])
      const ranks = pages.flat().flatMap(({ rank }) => rank ?? [])
      expect(ranks).toEqual(ranks.toSorted((one, other) => one - other))
    })

    it('reads thousands at once', async () => {
      await fill(Array.from({ length: 2_500 }, (_, n) => ({ n })))
      const stored = await store.read(collection, [...Array.from({ length: 2_500 }, (_, n) => String(n)), 'nobody'])
      expect(stored.size).toBe(2_500)
      expect(stored.get('1234')).toEqual({ id: '1234', document: { n: 1234 }, position: '1235' })
    })

    it('changes hundreds at once while others are changed', async () => {
      await fill(Array.from({ length: 160 }, (_, n) => ({ n })))
      const writes = Array.from({ length: 160 }, (_, n) => changed(String(n), { n, again: true }, 1_000 + n, n + 1))
      expect(await Promise.all([write(...writes.slice(0, 120)), write(...writes.slice(120))])).toEqual([[], []])
      const stored = await store.read(
        collection,
        writes.map(({ id }) => id),
      )
      expect(writes.filter(({ id, position }) => stored.get(id)?.position !== position)).toEqual([])
    })

    it('takes positions of any length', async () => {
      await store.create(people())
      const [first, last] = [toPosition('9999999999999999999'), toPosition('18446744073709551615')]
      await write({ id: 'ann', document: {}, position: first, expected: null })
      expect(await write({ id: 'ann', document: { n: 1 }, position: last, expected: first })).toEqual([])
      expect((await store.read(collection, ['ann'])).get('ann')?.position).toBe(last)
    })

    it('refuses one document twice in a call, and an earlier position', async () => {
      await fill([{}])
      await expect(write(made('x', {}, 5), changed('x', {}, 6, 5))).rejects.toThrow(TypeError)
      await expect(write(changed('0', {}, 1, 1))).rejects.toThrow(TypeError)
      expect(await store.read(collection, ['x', '0'])).toEqual(
        new Map([['0', { id: '0', document: {}, position: '1' }]]),
      )
    })
  })

  describe('collections', () => {
    it("supports other definitions' filters and orders, and its own search", async () => {
      await fill([
        { name: 'Ann', tag: 'x', rank: 2 },
        { name: 'Bob', tag: 'y', rank: null },
        { name: 'Cid', tag: 'x', rank: 1 },
        { name: 'Dan' },
      ])
      for (const each of [store, open()]) {
        const other = people({ filters: ['status', 'tag'], sorts: ['name', 'rank'], search: ['tag'] })
        await each.create(other)
        await each.createIndexes(other)
        const ids = async (query: Partial<Query>) => idsOf(await each.find(collection, { limit: 2, ...query }))
        expect(await ids({ where: { tag: 'x' } })).toEqual(['2', '0'])
        expect(await ids({ where: { tag: ['y', null] }, sort: { by: 'name', direction: 1 } })).toEqual(['1', '3'])
        expect(await each.count(collection, { where: { tag: 'x' } }, 5)).toBe(2)
        const first = await each.find(collection, { limit: 2, sort: { by: 'rank', direction: -1 } })
        expect(idsOf(first)).toEqual(['0', '2'])
        expect(await ids({ sort: { by: 'rank', direction: -1 }, cursor: first.next ?? '' })).toEqual(['3', '1'])
        expect(await ids({ search: 'ann', where: { tag: 'x' }, sort: { by: 'rank', direction: 1 } })).toEqual(['0'])
      }
      await write(changed('0', { name: 'Eve', tag: 'z' }, 10, 1))
      expect(idsOf(await store.find(collection, { limit: 1, where: { tag: 'z' }, search: 'eve' }))).toEqual(['0'])
    })

    it('drops a collection with everything in it', async () => {
      await fill(Array.from({ length: 1_200 }, (_, n) => ({ name: `Person ${n}`, age: n })))
      await store.drop(collection)
      await store.drop(collection)
      await expect(store.find(collection, { limit: 1 })).rejects.toThrow(Error)
      await store.create(people())
      expect(await found({})).toEqual([])
      expect(await store.read(collection, ['1'])).toEqual(new Map())
      await write(made('1', { name: 'New' }, 1))
      expect(await found({ search: 'new' })).toEqual(['1'])
      expect(await found({ search: 'person' })).toEqual([])
    })

    it.each(['', 'Upper', '1st', 'a-b', 'a"b', 'a.b', "a';--"])(
      'refuses %j as the name of a collection',
      async (bad) => {
        await expect(store.create(people({ name: bad }))).rejects.toThrow(TypeError)
      },
    )

    it.each(['', 'a..b', "a'b", 'a"b', '$where', 'a b'])('refuses %j as a path', async (bad) => {
      await expect(store.create(people({ sorts: [bad] }))).rejects.toThrow(TypeError)
      await fill([{}])
      await expect(store.find(collection, { limit: 1, where: { [bad]: 1 } })).rejects.toThrow(TypeError)
    })
  })

  describe('finding', () => {
    it('sorts texts by code points, and nested fields', async () => {
      await fill([
        { name: 'b', account: { balance: 2 } },
        { name: 'B' },
        { name: 'ä', account: { balance: 3 } },
        { name: '🦔' },
        { name: '\uffee' },
        { name: '' },
      ])
      expect(await found({ sort: { by: 'name', direction: 1 } })).toEqual(['5', '1', '0', '2', '4', '3'])
      expect(await found({ sort: { by: 'account.balance', direction: -1 }, limit: 2 })).toEqual(['2', '0'])
    })

    it('refuses orders and filters without an index', async () => {
      await fill([{}])
      await expect(store.count(collection, { where: { shoeSize: 1 } }, 1)).rejects.toThrow(TypeError)
      await expect(store.find(collection, { limit: 1, sort: { by: 'shoeSize', direction: 1 } })).rejects.toThrow(
        TypeError,
      )
    })

    it('finds the documents of hundreds of values at once', async () => {
      await fill(Array.from({ length: 700 }, (_, n) => ({ status: `owner ${n % 600}` })))
      const owners = Array.from({ length: 500 }, (_, n) => `owner ${n}`)
      const first = await store.find(collection, { where: { status: owners }, limit: 3 })
      expect(idsOf(first)).toEqual(['699', '698', '697'])
      expect(await store.count(collection, { where: { status: owners } }, 10_000)).toBe(600)
    })
  })

  describe('searching', () => {
    /** Searches by the ids that they find. */
    const searches = (byIds: Readonly<Record<string, readonly string[]>>) =>
      Object.entries(byIds).flatMap(([ids, found]) =>
        found.map((search) => [search, ids.split(' ').filter(Boolean)] as const),
      )
    const texts = [
      { name: 'Anna Smith', email: 'anna@example.com' },
      { name: 'ÄNNE Öztürk-Smithers', email: 'a.oez+50%@ex_ample.com' },
      { name: "Joanna O'Neil", email: 'jo*"quoted"@example.com' },
      { name: 'Οδυσσέας', email: 'straße 12345678' },
      { name: null, email: 'ulm' },
      { name: 'José', email: 'C:\\back\\slash' },
    ]
    it('finds texts that contain the search, in any letter case', async () => {
      await fill(texts)
      const expected = searches({
        '0': ['anna sm', 'anna@ex'],
        '1': ['änne ö', 'ÖZTÜRK', 'öztürk-smithers', '50%', 'ex_am'],
        '1 0': ['smith', 'SMITH'],
        '2': ['o*"q', '"quoted"', "o'neil"],
        '2 0': ['nna', 'example.com'],
        '2 1 0': ['@ex', 'e.com'],
        '3': ['ΟΔΥΣΣ', 'έας', 'ΣΣΈΑΣ', 'STRASSE', '3456', '12345678'],
        '5': ['\\back\\', 'jose\u0301'],
        '': ['anna  sm', 'exampleXcom', '5%%', 'ex_mple', '" OR "a', '12345679', 'smith anna', 'com jo'],
      })
      for (const [search, ids] of expected) await expectFound({ search }, ids)
    })

    it('finds words that begin with a short search', async () => {
      await fill(texts)
      const expected = searches({
        '1': ['Ö', 'öz', '5', 'am', 'a.'],
        '1 0': ['a', 'sm'],
        '2': ["o'"],
        '2 1': ['o'],
        '3': ['1', '12'],
        '4': ['ul'],
        '5 3 1 0': ['s'],
        '': ['mi', 'om', '23', '@', '%', '_a', '"', 'a@'],
      })
      for (const [search, ids] of expected) await expectFound({ search }, ids)
    })

    it('finds no match across two texts', async () => {
      await fill([{ name: 'Anna', email: 'Smith' }])
      for (const search of ['annasmith', 'anna smith', 'anna\nsmith', 'anna\u0001smith', 'nasm'])
        expect(await found({ search })).toEqual([])
    })

    it('finds nothing in a collection without search texts', async () => {
      await store.create({ name: collection })
      await write(made('0', { name: 'Ann' }, 1))
      expect(await found({ search: 'ann' })).toEqual([])
      expect(await found({})).toEqual(['0'])
    })

    it('keeps and finds any text', async () => {
      const strange = [
        '\0nul',
        'a\u0000b\u0001c\u0002d',
        '\u0002\u0002x',
        '\ud800 half',
        'a �',
        '\ue000\ue001\ue002',
        'x'.repeat(5_000),
        ' spaces  ',
        "'; DROP TABLE",
        '{"json":1}',
      ]
      await fill(strange.map((text) => ({ name: text, status: text })))
      const stored = await store.read(collection, Array.from(strange.keys(), String))
      for (const [n, text] of strange.entries()) {
        expect(stored.get(String(n))?.document).toEqual({ name: text, status: text })
        expect(await found({ where: { status: text } })).toContain(String(n))
        expect(await found({ search: text.slice(0, 200) })).toContain(String(n))
      }
    })
  })

  describe('pages', () => {
    it('continue correctly while documents are created, changed and deleted', async () => {
      await fill([{ age: 1 }, { age: 2 }, { age: 3 }, { age: 4 }, { age: 5 }])
      const sort = { by: 'age', direction: 1 } as const
      const first = await store.find(collection, { sort, limit: 2 })
      await write(changed('1', null, 10, 2), made('new', { age: 2.5 }, 11), made('old', { age: 0 }, 12))
      expect(await found({ sort, cursor: first.next ?? '' })).toEqual(['new', '2', '3', '4'])
      const newest = await store.find(collection, { limit: 2 })
      await write(made('newer', {}, 13), changed('new', null, 14, 11))
      expect(await found({ cursor: newest.next ?? '' })).toEqual(['4', '3', '2', '0'])
    })

    it('refuse a cursor of another query, and invalid ones', async () => {
      await fill(Array.from({ length: 8 }, (_, n) => ({ name: `Person ${n}`, age: n % 5, status: 'on' })))
      const query: Query = { sort: { by: 'age', direction: 1 }, where: { status: 'on' }, limit: 2 }
      const { next: cursor = '' } = await store.find(collection, query)
      expect(idsOf(await store.find(collection, { ...query, limit: 5, cursor }))).toHaveLength(5)
      const others: Query[] = [
        { ...query, cursor, sort: { by: 'age', direction: -1 } },
        { ...query, cursor, sort: { by: 'name', direction: 1 } },
        { where: { status: 'on' }, limit: 2, cursor },
        { ...query, cursor, where: { status: 'off' } },
        { ...query, cursor, search: 'person' },
        ...['', 'x', '!!', 'null', `${cursor}x`, cursor.slice(1), Buffer.from('[1,2,3]').toString('base64url')].map(
          (bad) => ({ ...query, cursor: bad }),
        ),
      ]
      for (const other of others)
        await expect(store.find(collection, other), JSON.stringify(other)).rejects.toThrow(BadCursor)
      // The order of values in a filter does not matter.
      const again = { where: { status: 'on', age: [1, 2] }, limit: 1 }
      const page = await store.find(collection, again)
      await store.find(collection, { limit: 1, where: { age: [1, 2], status: 'on' }, cursor: page.next ?? '' })
    })

    it.each([0, -1, 1.5, Number.NaN])('refuse a limit of %d', async (limit) => {
      await fill([{}])
      await expect(store.find(collection, { limit })).rejects.toThrow(TypeError)
    })
  })

  it('writes, finds, counts and pages like a simple model, before and after its indexes are created', async () => {
    const { store: first, open: openAnother } = underTest()
    const second = openAnother()
    const run = async (
      batches: readonly (readonly ModelWrite[])[],
      queries: readonly Query[],
      indexedAt: number,
    ): Promise<void> => {
      const definition = { name: `model_${randomUUID().slice(0, 8)}`, ...modelDefinition }
      const { name } = definition
      for (const each of [first, second]) await each.documents.create(definition)
      const model = new DocumentModel(modelDefinition.search)
      let position = 0
      for (const [n, steps] of batches.entries()) {
        const writes = steps.map(({ id, document, basis }) => {
          const expected =
            basis === 'another' ? at(1_000_000) : basis === 'none' ? null : (model.read(id)?.position ?? null)
          return { id, document, position: at((basis === 'another' ? 1_000_000 : 0) + ++position), expected }
        })
        const indexed = n === indexedAt ? first.documents.createIndexes(definition) : undefined
        const refused = await (n % 2 === 0 ? first : second).documents.write(name, writes, checkpointAt(name, position))
        await indexed
        expect(refused.sort()).toEqual(model.write(writes).sort())
        if (refused.length === 0) expect(await first.checkpoints.load(name)).toEqual(savedAt(position))
        else expect((await first.checkpoints.load(name))?.position).not.toBe(String(position))
      }
      // Creating it again changes nothing.
      await second.documents.create(definition)
      expect(await second.documents.read(name, modelIds)).toEqual(model.all(modelIds))
      for (const query of queries) {
        const expected = model.find(query)
        expect(await second.documents.find(name, { ...query, limit: 1_000 })).toEqual({
          documents: expected,
          next: undefined,
        })
        expect(await first.documents.count(name, query, 1_000)).toBe(expected.length)
        expect(await first.documents.count(name, query, 2)).toBe(Math.min(2, expected.length))
        expect((await walk(first.documents, name, query)).documents).toEqual(expected)
      }
      await first.documents.drop(name)
    }
    const drawn = [
      fc.array(batch, { maxLength: 6 }),
      fc.array(anyQuery, { minLength: 1, maxLength: 8 }),
      fc.nat(7),
    ] as const
    await fc.assert(fc.asyncProperty(...drawn, run), { numRuns: 60 })
  }, 120_000)
}

const idsOf = (page: Page): string[] => page.documents.map(({ id }) => id)

/** All pages of a query as one. */
async function walk(store: DocumentStore, collection: string, query: Omit<Query, 'cursor'>): Promise<Page> {
  const documents: Page['documents'][number][] = []
  for (let page: Page | undefined; !page || page.next !== undefined;) {
    page = await store.find(collection, { ...query, ...(page?.next !== undefined && { cursor: page.next }) })
    expect(page.documents.length).toBeLessThanOrEqual(query.limit)
    if (page.next !== undefined) expect(page.documents).toHaveLength(query.limit)
    documents.push(...page.documents)
  }
  return { documents, next: undefined }
}

const modelIds = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const modelDefinition = {
  filters: ['flag', 'number', 'deep.value', 'mixed', 'unsorted'],
  sorts: ['flag', 'number', 'text', 'deep.value', 'mixed'],
  search: ['text', 'deep.name'],
}
const someText = fc
  .array(fc.constantFrom('a', 'A', 'b', 'B', 'ä', 'Ä', ' ', '.', '@', '1', '2', '%', '"'), { maxLength: 9 })
  .map((letters) => letters.join(''))
const someFlag = fc.constantFrom(null, true, false)
const someNumber = fc.constantFrom(null, 0, 1, -1.5, 9, 30, 0.25, 1e15)
const someRange = fc.record({ from: fc.constantFrom(-9, 0, 1, 9), to: fc.constantFrom(-1, 0.25, 1, 1e16) })
const someScalar = fc.constantFrom(null, true, false, 1, 0, '1', '0', 'true', '', 1.5, 0.1, 'null')
/** Values that can't be compared count as null. */
const someValue = fc.oneof(
  { weight: 5, arbitrary: someScalar },
  { weight: 1, arbitrary: fc.constantFrom<Json>([1], { deep: 1 }) },
)
const optional = { requiredKeys: [] }
const someDocument = fc.record(
  {
    flag: someFlag,
    number: someNumber,
    text: fc.oneof(fc.constant(null), someText),
    deep: fc.record({ value: someNumber, name: someText }, optional),
    mixed: someValue,
    unsorted: someValue,
  },
  optional,
)
/** A write, and which position it expects. */
interface ModelWrite {
  readonly id: string
  readonly document: Document | null
  readonly basis: 'current' | 'another' | 'none'
}
const modelWrite: fc.Arbitrary<ModelWrite> = fc.record({
  id: fc.constantFrom(...modelIds),
  document: fc.oneof({ weight: 5, arbitrary: someDocument }, { weight: 1, arbitrary: fc.constant(null) }),
  basis: fc.oneof(
    { weight: 12, arbitrary: fc.constant('current' as const) },
    { weight: 1, arbitrary: fc.constantFrom('another', 'none') },
  ),
})
const batch = fc.uniqueArray(modelWrite, { selector: ({ id }) => id, maxLength: 8 })
const oneOrMore = <Value>(value: fc.Arbitrary<Value>) => fc.oneof(value, fc.array(value, { maxLength: 3 }))
const anyQuery: fc.Arbitrary<Query> = fc.record(
  {
    where: fc.dictionary(
      fc.constantFrom('flag', 'number', 'deep.value', 'mixed', 'unsorted'),
      fc.oneof(oneOrMore<Scalar>(fc.oneof(someFlag, someNumber, someScalar)), someRange),
      {
        maxKeys: 2,
      },
    ),
    search: someText,
    sort: fc.record({
      by: fc.constantFrom('created', 'flag', 'number', 'text', 'deep.value'),
      direction: fc.constantFrom(1, -1),
    }),
    limit: fc.integer({ min: 1, max: 4 }),
  },
  { requiredKeys: ['limit'] },
)
