import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { newFolder } from '#test-support/store-suite.ts'
import { eventStoreConformance } from './event-store.conformance.ts'
import { type EventStore, type StoredEvent, toCheckpoint } from './event-store.ts'
import { withOriginalPositions } from './renumbered.ts'
import { openSqliteEventStore } from './sqlite-event-store.ts'

let folder = ''
let store: EventStore
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renumbered-'))
  store = openSqliteEventStore(join(folder, 'events.sqlite'))
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

eventStoreConformance('a renumbered event store without migrated events', async () => ({
  ...(await newFolder((folder) =>
    withOriginalPositions(openSqliteEventStore(join(folder, 'events.sqlite')), async () => undefined),
  )),
  checkpointBeyondEnd: toCheckpoint('1000000'),
}))

const newEvent = () => ({ id: randomUUID(), type: 'Happened', data: '{}', metadata: '{}' })

/** Three migrated events, and one that came after. */
const currentPositions = [1, 2, 3]
const fill = async () => {
  for (const stream of ['a', 'b']) await store.append(stream, 'none', [newEvent()])
  await store.append('a', 0, [newEvent()])
  await store.append('b', 0, [newEvent()])
}

const positionsIn = async (reader: EventStore, from?: string): Promise<string[]> => {
  const stopped = new AbortController()
  const collected: StoredEvent[] = []
  if (from !== undefined) for await (const page of reader.readStream(from)) collected.push(...page)
  else
    for await (const { events, caughtUp } of reader.subscribe(undefined, { signal: stopped.signal })) {
      collected.push(...events)
      if (caughtUp) stopped.abort()
    }
  return collected.map(({ position }) => position)
}

it.each([
  ['the same', [1, 2, 3], ['1', '2', '3', '4']],
  ['higher', [700, 900, 5000], ['700', '900', '5000', '5001']],
])('gives migrated events their original positions (%s)', async (_, originalPositions, expected) => {
  await fill()
  const read = withOriginalPositions(store, async () => ({ currentPositions, originalPositions }))
  expect(await positionsIn(read)).toEqual(expected)
  expect(await positionsIn(read, 'a')).toEqual([expected[0], expected[2]])
  expect(await positionsIn(read, 'b')).toEqual([expected[1], expected[3]])
  expect(await read.end()).toBe(expected[3])
  const { position } = await read.append('c', 'none', [newEvent()])
  expect(position).toBe(await read.end())
  expect((await positionsIn(read)).at(-1)).toBe(position)
})

it('answers a repeated append with the original position', async () => {
  const event = newEvent()
  await store.append('a', 'none', [event])
  const read = withOriginalPositions(store, async () => ({ currentPositions: [1], originalPositions: [42] }))
  expect(await read.append('a', 'none', [event])).toEqual({ revision: 0, position: '42' })
})

it('resumes after a checkpoint despite renumbering', async () => {
  await fill()
  const read = withOriginalPositions(store, async () => ({ currentPositions, originalPositions: [10, 20, 30] }))
  const checkpoint = await read.checkpointAtEnd()
  const { position } = await read.append('c', 'none', [newEvent()])
  const stopped = new AbortController()
  const collected: string[] = []
  for await (const { events } of read.subscribe(checkpoint, { signal: stopped.signal })) {
    collected.push(...events.map((event) => event.position))
    if (collected.length > 0) stopped.abort()
  }
  expect(collected).toEqual([position])
})

it('is unavailable until the mapping loads, and retries', async () => {
  await fill()
  let isThere = false
  const read = withOriginalPositions(store, async () => {
    if (!isThere) throw new Unavailable('event store')
    return { currentPositions, originalPositions: [10, 20, 30] }
  })
  await expect(read.end()).rejects.toThrow(Unavailable)
  await expect(positionsIn(read)).rejects.toThrow(Unavailable)
  await expect(read.ready()).rejects.toThrow(Unavailable)
  isThere = true
  expect(await read.end()).toBe('31')
})
