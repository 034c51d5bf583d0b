import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Position, toCheckpoint, toPosition } from '../event-store/event-store.ts'
import { Unavailable } from '../failures.ts'
import { ModelCollection } from '../../test-support/document-model.ts'
import { BadCursor, type CollectionDefinition, type Document, type DocumentWrite, type Page, type Query, type ViewStore } from './read-model-store.ts'

/** A store to test with: others may use it too, so only names made here count. */
export interface OpenedViewStore {
  readonly store: ViewStore
  /** Another store on the same views, as another process has it. */
  reopen(): Promise<ViewStore>
  /** Called last, with every store closed. */
  remove?(): Promise<void>
}

const at = (position: number): Position => toPosition(String(position))
const progressAt = (position: number) => ({ checkpoint: toCheckpoint(`checkpoint ${position}`), position: at(position) })

/** What every view store promises, whatever is behind it. */
export function viewStoreContract(name: string, open: () => Promise<OpenedViewStore>): void {
  describe(name, () => {
    let place: OpenedViewStore
    let store: ViewStore
    /** Part of every name, as views may be shared with other tests. */
    let mark: string
    let collection: string
    const stores: ViewStore[] = []

    beforeEach(async () => {
      place = await open()
      store = place.store
      stores.push(store)
      mark = randomUUID().slice(0, 8)
      collection = `people_${mark}`
    })
    afterEach(async () => {
      for (const each of stores.splice(0)) await each.close()
      await place.remove?.()
    })
    const another = async (): Promise<ViewStore> => {
      const opened = await place.reopen()
      stores.push(opened)
      return opened
    }

    const people = (more: Partial<CollectionDefinition> = {}): CollectionDefinition => ({
      name: collection,
      indexes: [{ created: -1 }, { status: 1, created: -1 }, { name: 1 }, { age: 1 }, { 'account.balance': -1 }, { status: 1, age: 1 }],
      search: ['name', 'email'],
      ...more,
    })
    const made = (id: string, document: Document | null, position: number): DocumentWrite => ({ id, document, position: at(position), expected: null })
    const changed = (id: string, document: Document | null, position: number, expected: number): DocumentWrite => ({
      id,
      document,
      position: at(position),
      expected: at(expected),
    })
    /** Makes documents `0`, `1`, … in this order. */
    const fill = async (documents: readonly Document[]): Promise<void> => {
      await store.open(people())
      expect(
        await store.write(
          collection,
          documents.map((document, n) => made(String(n), document, n + 1)),
        ),
      ).toEqual([])
    }
    const idsOf = (page: Page): string[] => page.documents.map(({ id }) => id)
    const found = async (query: Partial<Query>): Promise<string[]> => idsOf(await store.find(collection, { limit: 100, ...query }))

    describe('documents', () => {
      it('reads what was written, with the position of the last event folded in', async () => {
        const document = { name: 'Ann "Quote" 🦔', nested: { list: [1, null, { deep: true }], none: null }, zero: 0, small: -0.5, large: 2 ** 53 - 1 }
        await store.open(people())
        expect(await store.write(collection, [made('ann', document, 7), made('bob', {}, 8)])).toEqual([])
        expect(await store.read(collection, ['bob', 'nobody', 'ann'])).toEqual(
          new Map([
            ['ann', { id: 'ann', document, position: '7' }],
            ['bob', { id: 'bob', document: {}, position: '8' }],
          ]),
        )
        expect(await store.read(collection, [])).toEqual(new Map())
      })

      it('reads thousands at once', async () => {
        await store.open(people())
        const ids = Array.from({ length: 2_500 }, (_, n) => `person-${n}`)
        await store.write(
          collection,
          ids.map((id, n) => made(id, { n }, n + 1)),
        )
        const stored = await store.read(collection, [...ids, 'nobody'])
        expect(stored.size).toBe(2_500)
        expect(stored.get('person-1234')).toEqual({ id: 'person-1234', document: { n: 1234 }, position: '1235' })
      })

      it('changes hundreds at once, and others beside them', async () => {
        await store.open(people())
        const ids = Array.from({ length: 160 }, (_, n) => `person-${n}`)
        await store.write(
          collection,
          ids.map((id, n) => made(id, { n }, n + 1)),
        )
        const writes = ids.map((id, n) => changed(id, { n, again: true }, 1_000 + n, n + 1))
        const halves = [writes.slice(0, 120), writes.slice(120)]
        expect(await Promise.all(halves.map((half) => store.write(collection, half)))).toEqual([[], []])
        const stored = await store.read(collection, ids)
        expect(ids.filter((id, n) => stored.get(id)?.position !== String(1_000 + n))).toEqual([])
      })

      it('takes positions of any length', async () => {
        await store.open(people())
        const [first, last] = [toPosition('9999999999999999999'), toPosition('18446744073709551615')]
        await store.write(collection, [{ id: 'ann', document: {}, position: first, expected: null }])
        expect(await store.write(collection, [{ id: 'ann', document: { n: 1 }, position: last, expected: first }])).toEqual([])
        expect((await store.read(collection, ['ann'])).get('ann')?.position).toBe(last)
      })

      it('refuses a write where the document does not stand at the position expected, and does the others', async () => {
        await fill([{ name: 'Ann' }, { name: 'Bob' }])
        const refused = await store.write(collection, [
          changed('0', { name: 'Ann 2' }, 10, 1),
          changed('1', { name: 'Bob 2' }, 10, 1),
          made('0b', { name: 'Cid' }, 11),
          made('1b', null, 12),
          changed('nobody', { name: 'Dan' }, 13, 1),
        ])
        expect(refused.sort()).toEqual(['1', 'nobody'])
        expect(await store.write(collection, [made('0', {}, 14), made('1b', {}, 14)])).toEqual(['0', '1b'])
        const stored = await store.read(collection, ['0', '1', '0b', '1b', 'nobody'])
        expect([...stored.values()].map(({ id, document, position }) => [id, document?.['name'], position]).sort()).toEqual([
          ['0', 'Ann 2', '10'],
          ['0b', 'Cid', '11'],
          ['1', 'Bob', '2'],
          ['1b', undefined, '12'],
        ])
      })

      it('does not write a document twice in one call, nor to a position it is past', async () => {
        await fill([{}])
        await expect(store.write(collection, [made('x', {}, 5), changed('x', {}, 6, 5)])).rejects.toThrow(TypeError)
        await expect(store.write(collection, [changed('0', {}, 1, 1)])).rejects.toThrow(TypeError)
        expect(await store.read(collection, ['x', '0'])).toEqual(new Map([['0', { id: '0', document: {}, position: '1' }]]))
      })

      it('leaves a tombstone with its position, found by nobody', async () => {
        await fill([
          { name: 'Ann', status: 'on', age: 1 },
          { name: 'Anna', status: 'on', age: 2 },
        ])
        expect(await store.write(collection, [changed('0', null, 9, 1)])).toEqual([])
        expect(await store.read(collection, ['0'])).toEqual(new Map([['0', { id: '0', document: null, position: '9' }]]))
        for (const query of [
          {},
          { where: { status: 'on' } },
          { search: 'ann' },
          { sort: { by: 'age', direction: 1 } },
          { where: { name: ['Ann', 'Anna'] } },
        ] as const) {
          expect(await found(query)).toEqual(['1'])
          expect(await store.count(collection, query, 10)).toBe(1)
        }
        expect(await found({ where: { nothing: null } })).toEqual(['1'])
      })

      it('writes over a tombstone only at its position; what comes back keeps its place', async () => {
        await fill([{ name: 'Ann' }, { name: 'Bob' }])
        await store.write(collection, [changed('0', null, 9, 1)])
        expect(await store.write(collection, [changed('0', { name: 'Ann' }, 10, 1)])).toEqual(['0'])
        expect(await store.write(collection, [changed('0', null, 10, 9)])).toEqual([])
        expect(await store.write(collection, [changed('0', { name: 'Ann' }, 11, 10)])).toEqual([])
        expect(await found({})).toEqual(['1', '0'])
        expect(await found({ search: 'ann' })).toEqual(['0'])
      })

      it('shows each store what another wrote, and refuses what is out of date', async () => {
        await fill([{ name: 'Ann', age: 1 }])
        const other = await another()
        await other.open(people())
        expect(await other.write(collection, [changed('0', { name: 'Bea', age: 2 }, 5, 1)])).toEqual([])
        expect(await store.write(collection, [changed('0', { name: 'Cid', age: 3 }, 6, 1)])).toEqual(['0'])
        expect(await found({ search: 'bea' })).toEqual(['0'])
        expect(await store.write(collection, [changed('0', { name: 'Cid', age: 3 }, 6, 5)])).toEqual([])
        expect(idsOf(await other.find(collection, { limit: 1, search: 'cid', where: { age: 3 } }))).toEqual(['0'])
        expect(await other.count(collection, { where: { age: [1, 2] } }, 10)).toBe(0)
      })
    })

    describe('collections', () => {
      it('keeps everything when a collection is opened again', async () => {
        await fill([{ name: 'Ann' }])
        await store.open(people())
        await (await another()).open(people())
        expect(await found({ search: 'ann' })).toEqual(['0'])
      })

      it('makes the indexes of a definition that has become longer', async () => {
        await fill([{ name: 'Ann', city: 'Bonn', tag: 'x' }, { name: 'Bob', city: 'Aachen', tag: 'y' }, { name: 'Cid' }])
        await store.write(collection, [changed('2', null, 9, 3)])
        await store.open(people({ indexes: [{ city: 1 }, { name: 1 }], search: ['name', 'tag', 'city'] }))
        expect(await found({ sort: { by: 'city', direction: 1 } })).toEqual(['1', '0'])
        expect(await found({ search: 'bon' })).toEqual(['0'])
        expect(await found({})).toEqual(['1', '0'])
        expect(await store.write(collection, [changed('2', { name: 'Cid', city: 'Bonn' }, 10, 9), changed('0', { name: 'Al' }, 11, 1)])).toEqual([])
        expect(await found({ search: 'bon' })).toEqual(['2'])
        expect(await found({ sort: { by: 'city', direction: 1 } })).toEqual(['0', '1', '2'])
      })

      it('finds the same while a collection is being loaded as after', async () => {
        await store.open(people(), { loading: true })
        const documents = Array.from({ length: 700 }, (_, n): Document => ({ name: `Person ${n}`, age: n % 7, status: n % 3 === 0 ? 'on' : null }))
        await store.write(
          collection,
          documents.map((document, n) => made(String(n), document, n + 1)),
        )
        await store.write(collection, [changed('5', null, 1_000, 6), changed('6', { name: 'Renamed', age: 3 }, 1_001, 7)])
        const ask = async () => [
          await found({ search: 'son 1' }),
          await found({ search: 'renamed' }),
          await found({ where: { status: 'on' }, limit: 20 }),
          await found({ sort: { by: 'age', direction: -1 }, limit: 20 }),
          await store.count(collection, { search: 'person', where: { age: 3 } }, 1_000),
        ]
        const before = await ask()
        const completed = store.open(people())
        // Written in the midst of it.
        await store.write(collection, [made('late', { name: 'Latecomer' }, 2_000), changed('7', { name: 'Seven' }, 2_001, 8)])
        await completed
        expect(await found({ search: 'latecomer' })).toEqual(['late'])
        expect(await found({ search: 'seven' })).toEqual(['7'])
        expect(await found({ search: 'person 6', limit: 3 })).toEqual(['699', '698', '697'])
        await store.write(collection, [changed('late', null, 3_000, 2_000), changed('7', documents[7] ?? {}, 3_001, 2_001)])
        expect(await ask()).toEqual(before)
        await store.open(people(), { loading: true })
        expect(await ask()).toEqual(before)
      })

      it('drops a collection with all that was in it', async () => {
        await fill(Array.from({ length: 1_200 }, (_, n) => ({ name: `Person ${n}`, age: n })))
        await store.drop(collection)
        await store.drop(collection)
        await expect(store.find(collection, { limit: 1 })).rejects.toThrow(Error)
        await store.open(people())
        expect(await found({})).toEqual([])
        expect(await store.read(collection, ['1'])).toEqual(new Map())
        await store.write(collection, [made('1', { name: 'New' }, 1)])
        expect(await found({ search: 'new' })).toEqual(['1'])
        expect(await found({ search: 'person' })).toEqual([])
      })

      it.each(['', 'Upper', '1st', 'a-b', 'a"b', 'a.b', "a';--"])('does not take %j for the name of a collection', async (bad) => {
        await expect(store.open(people({ name: bad }))).rejects.toThrow(TypeError)
      })

      it.each(['', 'a..b', "a'b", 'a"b', '$where', 'a b'])('does not take %j for a path', async (bad) => {
        await expect(store.open(people({ indexes: [{ [bad]: 1 }] }))).rejects.toThrow(TypeError)
        await fill([{}])
        await expect(store.find(collection, { limit: 1, where: { [bad]: 1 } })).rejects.toThrow(TypeError)
      })
    })

    describe('finding', () => {
      it('answers the newest made first, whatever was changed since', async () => {
        await fill([{}, {}, {}])
        await store.write(collection, [changed('0', { name: 'changed' }, 10, 1), made('3', {}, 11), made('2b', {}, 9)])
        expect(await found({})).toEqual(['2b', '3', '2', '1', '0'])
        expect(await found({ sort: { by: 'created', direction: 1 } })).toEqual(['0', '1', '2', '3', '2b'])
        expect(await found({ limit: 2 })).toEqual(['2b', '3'])
      })

      it('sorts by an indexed path, null first, ties in the order in which they were made', async () => {
        await fill([{ age: 30 }, { age: 9 }, {}, { age: -1.5 }, { age: 9 }, { age: null }, { age: 1e15 }])
        const ascending = ['2', '5', '3', '1', '4', '0', '6']
        expect(await found({ sort: { by: 'age', direction: 1 } })).toEqual(ascending)
        expect(await found({ sort: { by: 'age', direction: -1 } })).toEqual(ascending.toReversed())
      })

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

      it('does not sort by a path that has no index', async () => {
        await fill([{}])
        await expect(store.find(collection, { limit: 1, sort: { by: 'shoeSize', direction: 1 } })).rejects.toThrow(TypeError)
      })

      it('finds by equality and by membership, of one path or several', async () => {
        await fill([
          { status: 'on', age: 1, city: 'Bonn' },
          { status: 'off', age: 2, city: 'Bonn' },
          { status: 'on', age: 3, city: 'Ulm' },
          { status: 'odd', age: 3 },
        ])
        expect(await found({ where: { status: 'on' } })).toEqual(['2', '0'])
        expect(await found({ where: { status: ['on', 'odd', 'none', 'on'] } })).toEqual(['3', '2', '0'])
        expect(await found({ where: { status: ['on', 'odd'], age: [3, 4] } })).toEqual(['3', '2'])
        expect(await found({ where: { status: ['on', 'off'] }, sort: { by: 'age', direction: 1 } })).toEqual(['0', '1', '2'])
        expect(await found({ where: { status: ['on', 'off'], city: 'Bonn' }, sort: { by: 'age', direction: -1 } })).toEqual(['1', '0'])
        expect(await found({ where: { city: ['Bonn'] } })).toEqual(['1', '0'])
        expect(await found({ where: { status: [] } })).toEqual([])
        expect(await store.count(collection, { where: { status: [] } }, 5)).toBe(0)
        expect(await found({ where: {} })).toHaveLength(4)
      })

      it.each(['status', 'unindexed'])('tells null, booleans, numbers and texts apart (%s)', async (path) => {
        const values = [null, true, false, 1, 0, '1', '0', 'true', '', 1.5, 0.1, [1], { deep: 1 }, 'null']
        await fill([...values.map((value) => ({ [path]: value })), {}])
        for (const value of [true, false, 1, 0, '1', '0', 'true', '', 1.5, 0.1, 'null']) {
          expect(await found({ where: { [path]: value } })).toEqual([String(values.indexOf(value))])
          expect(await found({ where: { [path]: [value, 'no such'] } })).toEqual([String(values.indexOf(value))])
          expect(await store.count(collection, { where: { [path]: value } }, 5)).toBe(1)
        }
        expect(await found({ where: { [path]: [true, '1', 0] } })).toEqual(['5', '4', '1'])
        // What is not there counts as null, and so does what can't be compared.
        expect(await found({ where: { [path]: null } })).toEqual(['14', '12', '11', '0'])
        expect(await found({ where: { [path]: [null, 0.1] } })).toEqual(['14', '12', '11', '10', '0'])
      })

      it('finds the documents of hundreds of owners at once', async () => {
        await fill(Array.from({ length: 1_500 }, (_, n) => ({ status: `owner ${n % 600}` })))
        const owners = Array.from({ length: 500 }, (_, n) => `owner ${n}`)
        const first = await store.find(collection, { where: { status: owners }, limit: 3 })
        expect(idsOf(first)).toEqual(['1499', '1498', '1497'])
        expect(await store.count(collection, { where: { status: owners } }, 10_000)).toBe(1_300)
      })

      it('counts no further than asked', async () => {
        await fill(Array.from({ length: 30 }, (_, n) => ({ name: `Person ${n}`, status: n < 20 ? 'on' : 'off' })))
        expect(await store.count(collection, {}, 1_000)).toBe(30)
        expect(await store.count(collection, {}, 7)).toBe(7)
        expect(await store.count(collection, { where: { status: 'on' } }, 1_000)).toBe(20)
        expect(await store.count(collection, { where: { status: 'on' } }, 3)).toBe(3)
        expect(await store.count(collection, { search: 'person' }, 3)).toBe(3)
        expect(await store.count(collection, { search: 'person 1', where: { status: 'on' } }, 100)).toBe(11)
        expect(await store.count(collection, { search: '2', where: { status: ['on', 'off'] } }, 100)).toBe(11)
      })
    })

    describe('searching', () => {
      const texts = [
        { name: 'Anna Smith', email: 'anna@example.com' },
        { name: 'ÄNNE Öztürk-Smithers', email: 'a.oez+50%@ex_ample.com' },
        { name: "Joanna O'Neil", email: 'jo*"quoted"@example.com' },
        { name: 'Οδυσσέας', email: 'straße 12345678' },
        { name: null, email: 'ulm' },
        { name: 'José', email: 'C:\\back\\slash' },
      ]
      it.each([
        ['smith', ['1', '0']],
        ['SMITH', ['1', '0']],
        ['anna sm', ['0']],
        ['anna  sm', []],
        ['nna', ['2', '0']],
        ['anna@ex', ['0']],
        ['@ex', ['2', '1', '0']],
        ['example.com', ['2', '0']],
        ['e.com', ['2', '1', '0']],
        ['exampleXcom', []],
        ['änne ö', ['1']],
        ['ÖZTÜRK', ['1']],
        ['öztürk-smithers', ['1']],
        ['50%', ['1']],
        ['5%%', []],
        ['ex_am', ['1']],
        ['ex_mple', []],
        ['o*"q', ['2']],
        ['"quoted"', ['2']],
        ["o'neil", ['2']],
        ['" OR "a', []],
        ['ΟΔΥΣΣ', ['3']],
        ['έας', ['3']],
        ['ΣΣΈΑΣ', ['3']],
        ['STRASSE', ['3']],
        ['3456', ['3']],
        ['12345678', ['3']],
        ['12345679', []],
        ['\\back\\', ['5']],
        ['jose\u0301', ['5']],
        ['smith anna', []],
        ['com jo', []],
      ])('finds texts that contain %j, whatever the letter case', async (search, expected) => {
        await fill(texts)
        expect(await found({ search })).toEqual(expected)
        expect(await store.count(collection, { search }, 10)).toBe(expected.length)
      })

      it.each([
        ['a', ['1', '0']],
        ['s', ['5', '3', '1', '0']],
        ['sm', ['1', '0']],
        ['mi', []],
        ['Ö', ['1']],
        ['öz', ['1']],
        ['o', ['2', '1']],
        ["o'", ['2']],
        ['om', []],
        ['1', ['3']],
        ['12', ['3']],
        ['23', []],
        ['5', ['1']],
        ['@', []],
        ['%', []],
        ['_a', []],
        ['am', ['1']],
        ['"', []],
        ['a@', []],
        ['a.', ['1']],
        ['ul', ['4']],
      ])('finds words that begin with %j', async (search, expected) => {
        await fill(texts)
        expect(await found({ search })).toEqual(expected)
        expect(await store.count(collection, { search }, 10)).toBe(expected.length)
      })

      it('finds all for a blank text', async () => {
        await fill(texts)
        expect(await found({ search: '' })).toHaveLength(6)
        expect(await found({ search: ' \t\n ' })).toHaveLength(6)
        expect(await store.count(collection, { search: ' ' }, 10)).toBe(6)
      })

      it('does not find a text that goes over the end of one into the next', async () => {
        await fill([{ name: 'Anna', email: 'Smith' }])
        for (const search of ['annasmith', 'anna smith', 'anna\nsmith', 'anna\u0001smith', 'nasm']) expect(await found({ search })).toEqual([])
      })

      it('does not find what a document no longer says', async () => {
        await fill([{ name: 'Anna Smith', email: 'one', age: 1 }])
        await store.write(collection, [changed('0', { name: 'Berta Jones', email: 'one', age: 2 }, 5, 1)])
        expect(await found({ search: 'smith' })).toEqual([])
        expect(await found({ search: 'jon' })).toEqual(['0'])
        await store.write(collection, [changed('0', { name: null, email: 'one', age: 2 }, 6, 5)])
        expect(await found({ search: 'jon' })).toEqual([])
        expect(await found({ search: 'one' })).toEqual(['0'])
      })

      it('searches, filters and sorts at once', async () => {
        await fill(Array.from({ length: 40 }, (_, n) => ({ name: `Smith ${n}`, email: `m${n}@example.com`, age: n % 5, status: n % 2 ? 'on' : 'off' })))
        expect(await found({ search: 'smith 1', where: { status: 'on' }, sort: { by: 'age', direction: 1 } })).toEqual(['15', '1', '11', '17', '13', '19'])
        expect(await found({ search: 'smith 1', where: { status: ['on'] }, limit: 2 })).toEqual(['19', '17'])
      })

      it('finds nothing in a collection without texts to search in', async () => {
        await store.open({ name: collection, indexes: [] })
        await store.write(collection, [made('0', { name: 'Ann' }, 1)])
        expect(await found({ search: 'ann' })).toEqual([])
        expect(await found({})).toEqual(['0'])
      })

      it('takes any text, to keep and to look for', async () => {
        await store.open(people())
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
        await store.write(
          collection,
          strange.map((text, n) => made(String(n), { name: text, status: text }, n + 1)),
        )
        const stored = await store.read(
          collection,
          strange.map((_, n) => String(n)),
        )
        for (const [n, text] of strange.entries()) {
          expect(stored.get(String(n))?.document).toEqual({ name: text, status: text })
          expect(await found({ where: { status: text } })).toContain(String(n))
          expect(await found({ search: text.slice(0, 200) })).toContain(String(n))
        }
      })
    })

    describe('pages', () => {
      const walk = async (query: Omit<Query, 'cursor'>): Promise<string[]> => {
        const ids: string[] = []
        for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
          const page: Page = await store.find(collection, { ...query, ...(cursor !== undefined && { cursor }) })
          expect(page.documents.length).toBeLessThanOrEqual(query.limit)
          if (page.next !== undefined) expect(page.documents).toHaveLength(query.limit)
          ids.push(...idsOf(page))
          cursor = page.next
        }
        return ids
      }
      const documents = Array.from({ length: 53 }, (_, n): Document => ({
        name: `Person ${n % 10}`,
        email: n % 4 ? 'yes@example.com' : 'no',
        age: n % 6 === 0 ? null : n % 5,
        status: n % 3 === 0 ? 'on' : n % 3 === 1 ? null : true,
      }))
      const queries: Omit<Query, 'cursor' | 'limit'>[] = [
        {},
        { sort: { by: 'created', direction: 1 } },
        { sort: { by: 'age', direction: 1 } },
        { sort: { by: 'age', direction: -1 } },
        { sort: { by: 'status', direction: -1 } },
        { where: { status: 'on' } },
        { where: { status: [null, true] } },
        { where: { status: ['on', true] }, sort: { by: 'age', direction: -1 } },
        { where: { status: null }, sort: { by: 'age', direction: 1 } },
        { where: { age: [1, 2, null] }, sort: { by: 'name', direction: 1 } },
        { search: 'example' },
        { search: 'pe', where: { status: 'on' } },
        { search: 'yes@', sort: { by: 'age', direction: -1 } },
        { search: 'yes@', sort: { by: 'created', direction: 1 } },
        { search: 'person 1', sort: { by: 'age', direction: 1 }, where: { status: [null, 'on'] } },
      ]
      it.each(queries.map((query) => [JSON.stringify(query), query] as const))('have each document once, in order: %s', async (_, query) => {
        await fill(documents)
        const whole = await found(query)
        expect(whole.length).toBeGreaterThan(2)
        expect(new Set(whole).size).toBe(whole.length)
        expect(await store.count(collection, query, 1_000)).toBe(whole.length)
        for (const limit of [1, 7, whole.length]) expect(await walk({ ...query, limit })).toEqual(whole)
      })

      it('go on where they were when documents come, change and go in between', async () => {
        await fill([{ age: 1 }, { age: 2 }, { age: 3 }, { age: 4 }, { age: 5 }])
        const sort = { by: 'age', direction: 1 } as const
        const first = await store.find(collection, { sort, limit: 2 })
        await store.write(collection, [changed('1', null, 10, 2), made('new', { age: 2.5 }, 11), made('old', { age: 0 }, 12)])
        expect(await found({ sort, cursor: first.next ?? '' })).toEqual(['new', '2', '3', '4'])
        const newest = await store.find(collection, { limit: 2 })
        await store.write(collection, [made('newer', {}, 13), changed('new', null, 14, 11)])
        expect(await found({ cursor: newest.next ?? '' })).toEqual(['4', '3', '2', '0'])
      })

      it('refuse a cursor of another query, and what is none', async () => {
        await fill(documents)
        const query: Query = { sort: { by: 'age', direction: 1 }, where: { status: 'on' }, limit: 2 }
        const { next: cursor = '' } = await store.find(collection, query)
        expect(idsOf(await store.find(collection, { ...query, limit: 5, cursor }))).toHaveLength(5)
        const others: Query[] = [
          { ...query, cursor, sort: { by: 'age', direction: -1 } },
          { ...query, cursor, sort: { by: 'name', direction: 1 } },
          { where: { status: 'on' }, limit: 2, cursor },
          { ...query, cursor, where: { status: 'off' } },
          { ...query, cursor, search: 'person' },
          ...['', 'x', '!!', 'null', `${cursor}x`, cursor.slice(1), Buffer.from('[1,2,3]').toString('base64url')].map((bad) => ({ ...query, cursor: bad })),
        ]
        for (const other of others) await expect(store.find(collection, other), JSON.stringify(other)).rejects.toThrow(BadCursor)
        // The order of what is asked for means nothing.
        const again = { where: { status: 'on', age: [1, 2] }, limit: 1 }
        const page = await store.find(collection, again)
        await store.find(collection, { limit: 1, where: { age: [1, 2], status: 'on' }, cursor: page.next ?? '' })
      })

      it.each([0, -1, 1.5, Number.NaN])('do not have %d documents', async (limit) => {
        await fill([{}])
        await expect(store.find(collection, { limit })).rejects.toThrow(TypeError)
      })
    })

    it('says the same as a plain model, for any writes and any queries', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(batch, { maxLength: 6 }),
          fc.array(anyQuery, { minLength: 1, maxLength: 8 }),
          fc.boolean(),
          async (batches, queries, switching) => {
            const name = `model_${randomUUID().slice(0, 8)}`
            const definition = { name, ...modelDefinition }
            const other = switching ? await another() : store
            for (const each of new Set([store, other])) await each.open(definition)
            const model = new ModelCollection(modelDefinition.search)
            let position = 0
            for (const [n, steps] of batches.entries()) {
              const writes = steps.map(({ id, document, stale }) => {
                const expected = stale ? at(1_000_000) : (model.read(id)?.position ?? null)
                return { id, document, position: at((stale ? 1_000_000 : 0) + ++position), expected }
              })
              const writer = n % 2 === 0 ? store : other
              const refused = await writer.write(name, writes, { reader: name, ...progressAt(position) })
              expect(refused.sort()).toEqual(model.write(writes).sort())
              if (refused.length === 0) expect(await store.progress(name)).toEqual(progressAt(position))
              else expect((await store.progress(name))?.position).not.toBe(String(position))
            }
            expect(await other.read(name, modelIds)).toEqual(model.all(modelIds))
            for (const query of queries) {
              const expected = model.find(query)
              const whole = await other.find(name, { ...query, limit: 1_000 })
              expect(whole).toEqual({ documents: expected, next: undefined })
              expect(await store.count(name, query, 1_000)).toBe(expected.length)
              expect(await store.count(name, query, 2)).toBe(Math.min(2, expected.length))
              const pages: Page['documents'][number][] = []
              for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
                const page: Page = await store.find(name, { ...query, limit: query.limit, ...(cursor !== undefined && { cursor }) })
                pages.push(...page.documents)
                cursor = page.next
              }
              expect(pages).toEqual(expected)
            }
            await store.drop(name)
            if (other !== store) await stores.pop()?.close()
          },
        ),
        { numRuns: 60 },
      )
    }, 120_000)

    describe('progress', () => {
      it('is kept for each reader until it is forgotten', async () => {
        const [one, two] = [`one-${mark}`, `two-${mark}`]
        expect(await store.progress(one)).toBeUndefined()
        await store.saveProgress(one, progressAt(5))
        await store.saveProgress(two, progressAt(7))
        await store.saveProgress(one, progressAt(6))
        expect(await store.progress(one)).toEqual(progressAt(6))
        const readers = await (await another()).readers()
        expect([readers.get(one), readers.get(two)]).toEqual([progressAt(6), progressAt(7)])
        await store.forgetReader(one)
        await store.forgetReader(one)
        expect(await store.progress(one)).toBeUndefined()
        expect((await store.readers()).has(one)).toBe(false)
        expect(await store.progress(two)).toEqual(progressAt(7))
      })

      it('never moves back, whoever was paused and says now how far it had come', async () => {
        await store.open(people())
        const late = await another()
        await store.saveProgress(mark, progressAt(10))
        await late.saveProgress(mark, progressAt(9))
        expect(await store.progress(mark)).toEqual(progressAt(10))
        expect(await late.write(collection, [made('0', {}, 3)], { reader: mark, ...progressAt(3) })).toEqual([])
        expect(await store.progress(mark)).toEqual(progressAt(10))
        await late.saveProgress(mark, progressAt(11))
        expect(await store.progress(mark)).toEqual(progressAt(11))
      })

      it('is saved with the documents, and not when a write was refused', async () => {
        await store.open(people())
        expect(await store.write(collection, [made('0', {}, 1)], { reader: mark, ...progressAt(1) })).toEqual([])
        expect(await store.progress(mark)).toEqual(progressAt(1))
        expect(await store.write(collection, [made('0', {}, 2), made('1', {}, 2)], { reader: mark, ...progressAt(2) })).toEqual(['0'])
        expect(await store.progress(mark)).toEqual(progressAt(1))
        expect(await found({})).toEqual(['1', '0'])
        expect(await store.write(collection, [], { reader: mark, ...progressAt(3) })).toEqual([])
        expect(await store.progress(mark)).toEqual(progressAt(3))
      })

      it('wakes who waits for it, here and in another store', async () => {
        await store.open(people())
        const other = await another()
        const waiting = [store.progressed(60_000), store.progressed(60_000), other.progressed(60_000)]
        await store.saveProgress(mark, progressAt(1))
        await Promise.all(waiting)
        const again = [store.progressed(60_000), other.progressed(60_000)]
        await other.write(collection, [made('0', {}, 2)], { reader: mark, ...progressAt(2) })
        await Promise.all(again)
      })

      it('wakes for nothing else, and nobody twice', async () => {
        await store.open(people())
        const other = await another()
        await store.saveProgress(mark, progressAt(1))
        const woken: string[] = []
        const waits = [store, other].map((each, n) => each.progressed(1_000).then(() => woken.push(`store ${n}`)))
        await other.saveSetting(`setting-${mark}`, 'x')
        await store.write(collection, [made('0', {}, 1)])
        await store.write(collection, [made('0', {}, 2), made('1', {}, 2)], { reader: mark, ...progressAt(2) })
        const before = Date.now()
        await other.progressed(20)
        expect(Date.now() - before).toBeGreaterThanOrEqual(18)
        expect(woken).toEqual([])
        await Promise.all(waits)
      })

      it('lets go of who waits when the time is over, or the store is closed', async () => {
        await store.progressed(1)
        const other = await another()
        const waiting = other.progressed(60_000)
        await other.close()
        await waiting
      })
    })

    it('keeps settings until they are taken back', async () => {
      const [one, two] = [`view:${mark}`, `view:${mark}2`]
      expect(await store.setting(one)).toBeUndefined()
      await store.saveSetting(one, 'a')
      await store.saveSetting(one, 'ü "b"')
      await store.saveSetting(two, '')
      const other = await another()
      expect([await other.setting(one), await other.setting(two)]).toEqual(['ü "b"', ''])
      const all = await other.settings()
      expect([all.get(one), all.get(two), all.has(`${two}3`)]).toEqual(['ü "b"', '', false])
      await other.saveSetting(one, null)
      await other.saveSetting(one, null)
      expect(await store.setting(one)).toBeUndefined()
    })

    it('keeps poison events, one note for each, until they are forgotten', async () => {
      const note = { reader: mark, stream: 'account-1', revision: 3, position: at(10), type: 'BalanceChanged', error: 'odd' }
      const earlier = { ...note, stream: 'account-2', position: at(9) }
      const elsewhere = { ...note, reader: `${mark}-other` }
      for (const each of [note, earlier, elsewhere, { ...note, error: 'odder' }]) await store.setAside(each)
      expect(await store.poison(mark)).toEqual([earlier, { ...note, error: 'odder' }])
      const all = await (await another()).poison()
      expect(all.filter(({ reader }) => reader.startsWith(mark))).toHaveLength(3)
      await store.forgetPoison(mark, { stream: 'account-1', revision: 2 })
      await store.forgetPoison(mark, earlier)
      expect(await store.poison(mark)).toEqual([{ ...note, error: 'odder' }])
      await store.setAside(earlier)
      await store.forgetPoison(mark)
      expect(await store.poison(mark)).toEqual([])
      expect(await store.poison(elsewhere.reader)).toEqual([elsewhere])
      await store.forgetPoison(elsewhere.reader)
    })

    describe('leases', () => {
      // A process of another machine: nobody here knows whether it is gone.
      const far = (name: string): string => `elsewhere.example:${process.pid}:${name}`

      it('are held by one at a time, and renewed by that one', async () => {
        const other = await another()
        expect(await store.lease(mark, far('a'), 60_000)).toBe(true)
        expect(await other.lease(mark, far('b'), 60_000)).toBe(false)
        expect(await other.lease(`${mark}-2`, far('b'), 60_000)).toBe(true)
        expect(await store.lease(mark, far('a'), 60_000)).toBe(true)
        expect(await other.lease(mark, far('b'), 60_000)).toBe(false)
      })

      it('are free when they were given back, by their holder only', async () => {
        await store.lease(mark, far('a'), 60_000)
        await store.release(mark, far('b'))
        expect(await store.lease(mark, far('b'), 60_000)).toBe(false)
        await store.release(mark, far('a'))
        expect(await store.lease(mark, far('b'), 60_000)).toBe(true)
        await store.release(`${mark}-never-taken`, far('a'))
      })

      it('are free when their time is over', async () => {
        await store.lease(mark, far('a'), 20)
        await vi.waitFor(async () => expect(await store.lease(mark, far('b'), 60_000)).toBe(true), { interval: 5 })
        expect(await store.lease(mark, far('a'), 60_000)).toBe(false)
      })

      it('are given to one of many who ask at once', async () => {
        const others = [store, await another(), await another()]
        const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => others[n % 3]?.lease(mark, far(String(n)), 60_000)))
        expect(answers.filter(Boolean)).toHaveLength(1)
      })

      it('are kept by a holder whose process lives', async () => {
        const holder = `${hostname()}:${process.ppid}:parent`
        expect(await store.lease(mark, holder, 60_000)).toBe(true)
        expect(await store.lease(mark, `${hostname()}:${process.pid}:${mark}`, 60_000)).toBe(false)
      })
    })

    it('is ready until it is closed', async () => {
      await store.open(people())
      await store.ready()
      await store.close()
      await store.close()
      await expect(store.ready()).rejects.toThrow(Unavailable)
      await expect(store.find(collection, { limit: 1 })).rejects.toThrow(Unavailable)
      await expect(store.saveProgress(mark, progressAt(1))).rejects.toThrow(Unavailable)
    })
  })
}

const modelIds = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const modelDefinition = {
  indexes: [{ flag: 1, created: -1 }, { number: 1 }, { text: 1 }, { flag: 1, number: -1 }, { 'deep.value': 1 }] as const,
  search: ['text', 'deep.name'],
}
const someText = fc.array(fc.constantFrom('a', 'A', 'b', 'ä', 'Ä', ' ', '.', '@', '1', '2', '%', '"'), { maxLength: 9 }).map((letters) => letters.join(''))
const someFlag = fc.constantFrom(null, true, false)
const someNumber = fc.constantFrom(null, 0, 1, -2, 0.25, 12_345)
const someDocument = fc.record(
  {
    flag: someFlag,
    number: someNumber,
    text: fc.oneof(fc.constant(null), someText),
    deep: fc.record({ value: someNumber, name: someText }, { requiredKeys: [] }),
    other: someFlag,
  },
  { requiredKeys: [] },
)
const step = fc.record({
  id: fc.constantFrom(...modelIds),
  document: fc.oneof({ weight: 5, arbitrary: someDocument }, { weight: 1, arbitrary: fc.constant(null) }),
  stale: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
})
const batch = fc.uniqueArray(step, { selector: ({ id }) => id, maxLength: 8 })
const oneOrMore = <Value>(value: fc.Arbitrary<Value>) => fc.oneof(value, fc.array(value, { maxLength: 3 }))
const sometimes = <Value>(value: fc.Arbitrary<Value>) => fc.oneof(fc.constant(undefined), value)
const anyQuery: fc.Arbitrary<Query> = fc
  .record({
    where: sometimes(
      fc.record(
        { flag: oneOrMore(someFlag), number: oneOrMore(someNumber), 'deep.value': oneOrMore(someNumber), other: oneOrMore(someFlag) },
        { requiredKeys: [] },
      ),
    ),
    search: sometimes(someText),
    sort: sometimes(fc.record({ by: fc.constantFrom('created', 'flag', 'number', 'text', 'deep.value'), direction: fc.constantFrom(1 as const, -1 as const) })),
    limit: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ where, search, sort, limit }) => ({ limit, ...(where && { where }), ...(search !== undefined && { search }), ...(sort && { sort }) }))
