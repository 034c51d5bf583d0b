import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Checkpoint, type Position, toPosition } from '../../../infra/event-store/event-store.ts'
import { toCheckpoint } from '../../../infra/event-store/event-store.ts'
import { openSqliteViewStore } from '../../../infra/read-model-store/sqlite.ts'
import type { ViewStore } from '../../../infra/read-model-store/read-model-store.ts'
import { startRebuild, dropCollection, recordLiveCollection, readRebuildState, promoteShadow } from './rebuild-state.ts'
import { createReadModels } from './read-models.ts'
import { defineProjection } from '../../projections/define-projection.ts'

const notes = defineProjection({
  name: 'notes',
  version: 1,
  document: z.object({ text: z.string(), stars: z.int().default(0) }),
  indexes: [{ created: -1 }, { stars: 1 }],
  search: ['text'],
  documentId: () => undefined,
  on: {},
})
const others = defineProjection({ name: 'others', version: 1, document: z.object({}), indexes: [], documentId: () => undefined, on: {} })

let folder: string
let viewStore: ViewStore
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'proofdesk-views-'))
  viewStore = openSqliteViewStore(join(folder, 'views.db'))
  await viewStore.open(notes.collection('notes_v1'))
})
afterEach(async () => {
  await viewStore.close()
  rmSync(folder, { recursive: true, force: true })
})

const at = (position: number): { checkpoint: Checkpoint; position: Position } => ({
  checkpoint: toCheckpoint(String(position)),
  position: toPosition(String(position)),
})

const put = (collection: string, id: string, text: string, position: number) =>
  viewStore.write(collection, [{ id, document: { text }, position: toPosition(String(position)), expected: null }], { reader: collection, ...at(position) })

describe('reading a view', () => {
  it('finds an empty view before any worker has made it', async () => {
    const views = createReadModels(viewStore)
    expect(await views.get(others, 'x')).toBeUndefined()
    expect(await views.find(others, { limit: 10 })).toEqual({ documents: [], next: undefined })
    expect(await views.count(others, {}, 10)).toBe(0)
  })

  it('gives documents in the shape of the view, new fields with their defaults', async () => {
    await put('notes_v1', 'a', 'first', 1)
    await put('notes_v1', 'b', 'second', 2)
    const views = createReadModels(viewStore)
    expect(await views.get(notes, 'a')).toEqual({ text: 'first', stars: 0 })
    expect(await views.find(notes, { limit: 10 })).toEqual({
      documents: [
        { text: 'second', stars: 0 },
        { text: 'first', stars: 0 },
      ],
      next: undefined,
    })
    expect(await views.count(notes, {}, 10)).toBe(2)
  })

  it('takes a document of another shape for an error, not for a document', async () => {
    await viewStore.write('notes_v1', [{ id: 'torn', document: { text: 5 }, position: toPosition('1'), expected: null }])
    await expect(createReadModels(viewStore).get(notes, 'torn')).rejects.toThrow(z.ZodError)
  })

  it('does not find a deleted document', async () => {
    await viewStore.write('notes_v1', [{ id: 'gone', document: null, position: toPosition('1'), expected: null }])
    expect(await createReadModels(viewStore).get(notes, 'gone')).toBeUndefined()
  })

  it('reads the new collection after a switch, also when the old one is gone before that was noticed', async () => {
    await put('notes_v1', 'a', 'old', 1)
    await recordLiveCollection(viewStore, notes)
    const views = createReadModels(viewStore)
    expect(await views.get(notes, 'a')).toMatchObject({ text: 'old' })

    await startRebuild(viewStore, notes, await readRebuildState(viewStore, notes))
    const { shadow = '' } = await readRebuildState(viewStore, notes)
    await viewStore.open(notes.collection(shadow))
    await put(shadow, 'a', 'new', 1)
    await promoteShadow(viewStore, notes, await readRebuildState(viewStore, notes))
    await dropCollection(viewStore, notes, 'notes_v1')
    expect(await views.get(notes, 'a')).toMatchObject({ text: 'new' })
    expect(await views.find(notes, { limit: 10 })).toMatchObject({ documents: [{ text: 'new' }] })
    expect(await views.waitFor([notes], toPosition('1'))).toBe(true)
  })
})

describe('waiting for a position', () => {
  it('ends as soon as all the views have reached it', async () => {
    const views = createReadModels(viewStore)
    const both = views.waitFor([notes, others], toPosition('5'))
    let one: boolean | undefined
    const first = views.waitFor([notes], toPosition('5')).then((reached) => (one = reached))
    await put('notes_v1', 'a', 'x', 5)
    await first
    expect(one).toBe(true)
    await viewStore.saveProgress('others_v1', at(7))
    expect(await both).toBe(true)
  })

  it('tells up to where all the views show everything, never more than that', async () => {
    const views = createReadModels(viewStore)
    expect(await views.visibleUpTo([notes, others])).toBe('0')
    await put('notes_v1', 'a', 'x', 5)
    await viewStore.saveProgress('others_v1', at(7))
    expect(await views.waitFor([notes, others], toPosition('5'))).toBe(true)
    expect(await views.visibleUpTo([notes, others])).toBe('5')
    expect(await views.visibleUpTo([others])).toBe('7')
  })

  it('gives up when its patience is at an end', async () => {
    await put('notes_v1', 'a', 'x', 4)
    expect(await createReadModels(viewStore, { waitTimeout: 30 }).waitFor([notes], toPosition('5'))).toBe(false)
  })

  it('compares positions as numbers', async () => {
    await put('notes_v1', 'a', 'x', 10)
    const views = createReadModels(viewStore, { waitTimeout: 30 })
    expect(await views.waitFor([notes], toPosition('9'))).toBe(true)
    expect(await views.waitFor([notes], toPosition('100'))).toBe(false)
  })

  it('lets many wait at once with few looks at the store', async () => {
    let looks = 0
    const counting: ViewStore = { ...viewStore, readers: () => (looks++, viewStore.readers()) }
    const views = createReadModels(counting)
    const waiting = Array.from({ length: 200 }, () => views.waitFor([notes], toPosition('3')))
    await put('notes_v1', 'a', 'x', 3)
    expect(await Promise.all(waiting)).toEqual(Array(200).fill(true))
    expect(looks).toBeLessThan(10)
  })
})
