import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Checkpoint, type Position, toPosition, toCheckpoint } from '#infra/event-store/event-store.ts'
import { openSqliteReadModelStore } from '#infra/read-model-store/sqlite-read-model-store.ts'
import type { ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import { beginRebuild, initialState, switchOver } from './blue-green-rebuild.ts'
import { createReadModels } from './read-model-reader.ts'
import { projection } from './projection.ts'

const notes = projection(
  {},
  {
    name: 'notes',
    version: 1,
    document: z.object({ text: z.string(), stars: z.int().default(0) }),
    sorts: ['stars'],
    search: ['text'],
    documentId: () => undefined,
    on: {},
  },
)
const others = projection(
  {},
  {
    name: 'others',
    version: 1,
    document: z.object({}),
    documentId: () => undefined,
    on: {},
  },
)

let folder: string
let store: ReadModelStore
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'proofdesk-views-'))
  store = openSqliteReadModelStore(join(folder, 'views.db'))
  await store.documents.create(notes.collection('notes_m1'))
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const at = (position: number): { checkpoint: Checkpoint; position: Position } => ({
  checkpoint: toCheckpoint(String(position)),
  position: toPosition(String(position)),
})

const put = (collection: string, id: string, text: string, position: number) =>
  store.documents.write(
    collection,
    [{ id, document: { text }, position: toPosition(String(position)), expected: null }],
    {
      consumer: collection,
      ...at(position),
    },
  )

describe('reading a read model', () => {
  it('finds an empty one before any worker has created it', async () => {
    const readModels = createReadModels(store)
    expect(await readModels.get(others, 'x')).toBeUndefined()
    expect(await readModels.find(others, { limit: 10 })).toEqual({ documents: [], next: undefined })
    expect(await readModels.count(others, {}, 10)).toBe(0)
  })

  it('returns documents in the shape of the projection, new fields with their defaults', async () => {
    await put('notes_m1', 'a', 'first', 1)
    await put('notes_m1', 'b', 'second', 2)
    const readModels = createReadModels(store)
    expect(await readModels.get(notes, 'a')).toEqual({ text: 'first', stars: 0 })
    expect(await readModels.find(notes, { limit: 10 })).toEqual({
      documents: [
        { text: 'second', stars: 0 },
        { text: 'first', stars: 0 },
      ],
      next: undefined,
    })
    expect(await readModels.count(notes, {}, 10)).toBe(2)
  })

  it('rejects a document of another shape', async () => {
    await store.documents.write('notes_m1', [
      { id: 'torn', document: { text: 5 }, position: toPosition('1'), expected: null },
    ])
    await expect(createReadModels(store).get(notes, 'torn')).rejects.toThrow(z.ZodError)
  })

  it('does not find a deleted document', async () => {
    await store.documents.write('notes_m1', [{ id: 'gone', document: null, position: toPosition('1'), expected: null }])
    expect(await createReadModels(store).get(notes, 'gone')).toBeUndefined()
  })

  it('reads the new collection after a switch, even when the old one was dropped at once', async () => {
    await put('notes_m1', 'a', 'old', 1)
    const initial = await store.projections.create(initialState(notes))
    const readModels = createReadModels(store)
    expect(await readModels.get(notes, 'a')).toMatchObject({ text: 'old' })

    const rebuilding = { ...initial, ...beginRebuild(initial, notes) }
    await store.documents.create(notes.collection('notes_m1_2'))
    await put('notes_m1_2', 'a', 'new', 1)
    await store.projections.update('notes', { ...beginRebuild(initial, notes), ...switchOver(rebuilding) })
    await store.documents.drop('notes_m1')
    expect(await readModels.get(notes, 'a')).toMatchObject({ text: 'new' })
    expect(await readModels.find(notes, { limit: 10 })).toMatchObject({ documents: [{ text: 'new' }] })
    expect(await readModels.waitFor([notes], toPosition('1'))).toBe(true)
  })
})

describe('waiting for a position', () => {
  it('ends as soon as all read models have reached it', async () => {
    const readModels = createReadModels(store)
    const both = readModels.waitFor([notes, others], toPosition('5'))
    let one: boolean | undefined
    const first = readModels.waitFor([notes], toPosition('5')).then((reached) => (one = reached))
    await put('notes_m1', 'a', 'x', 5)
    await first
    expect(one).toBe(true)
    await store.checkpoints.save({ consumer: 'others_m1', ...at(7) })
    expect(await both).toBe(true)
  })

  it('reports the position that all read models have reached', async () => {
    const readModels = createReadModels(store)
    expect(await readModels.visibleUpTo([notes, others])).toBe('0')
    await put('notes_m1', 'a', 'x', 5)
    await store.checkpoints.save({ consumer: 'others_m1', ...at(7) })
    expect(await readModels.waitFor([notes, others], toPosition('5'))).toBe(true)
    expect(await readModels.visibleUpTo([notes, others])).toBe('5')
    expect(await readModels.visibleUpTo([others])).toBe('7')
  })

  it('gives up after its timeout', async () => {
    await put('notes_m1', 'a', 'x', 4)
    expect(await createReadModels(store, { waitTimeout: 30 }).waitFor([notes], toPosition('5'))).toBe(false)
  })

  it('compares positions as numbers', async () => {
    await put('notes_m1', 'a', 'x', 10)
    const readModels = createReadModels(store, { waitTimeout: 30 })
    expect(await readModels.waitFor([notes], toPosition('9'))).toBe(true)
    expect(await readModels.waitFor([notes], toPosition('100'))).toBe(false)
  })

  it('serves many waiting requests with few looks at the store', async () => {
    let looks = 0
    const { checkpoints } = store
    const counting = { ...store, checkpoints: { ...checkpoints, loadAll: () => (looks++, checkpoints.loadAll()) } }
    const readModels = createReadModels(counting)
    const waiting = Array.from({ length: 200 }, () => readModels.waitFor([notes], toPosition('3')))
    await put('notes_m1', 'a', 'x', 3)
    expect(await Promise.all(waiting)).toEqual(Array(200).fill(true))
    expect(looks).toBeLessThan(10)
  })
})
