import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Libsql from 'libsql'
import { expect, it, onTestFinished } from 'vitest'
import type { EventStore } from '#infra/event-store/event-store.ts'
import { createDiskFileStore } from '#infra/file-store/disk-file-store.ts'
import { createTestLog } from '#test-support/sample-events.ts'
import { createRepositories } from '#services/event-sourcing/aggregate-repository.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { deriveSecrets } from '#services/process/keys/derived-secrets.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { createAuthenticRecords, createSealSnapshots } from './authentic-records.ts'
import { SEALS_ID, type SealEvent, sealStreams } from './seal.ts'

const secrets = deriveSecrets('a master key for tests of 32 characters')

/** A log whose stream of seals has 2,500 events, and what is kept of it. */
async function openLog() {
  const { folder, eventStore, keys, close } = createTestLog()
  onTestFinished(close)
  const snapshots = createSealSnapshots(createAuthenticRecords(createDiskFileStore(join(folder, 'files')), secrets))
  let events = 0
  const counting: EventStore = {
    ...eventStore,
    async *readStream(...from) {
      for await (const page of eventStore.readStream(...from)) {
        events += page.length
        yield page
      }
    },
  }
  /** As a process that starts loads it. */
  const load = async () => {
    events = 0
    const repositories = createRepositories(eventRegistry, counting, keys, { snapshots })
    const { state, revision } = await repositories.of(sealStreams).load(SEALS_ID)
    return { state, revision, events }
  }
  const append = async (count: number) => {
    const key: SealEvent = {
      type: 'SealingKeyIntroduced',
      data: { keyId: 'k1', publicKey: 'AAAA', endorsement: null },
    }
    await createRepositories(eventRegistry, eventStore, keys)
      .of(sealStreams)
      .decide(SEALS_ID, systemContext('test', 'r1'), () => Array.from({ length: count }, () => key))
  }
  for (let n = 0; n < 25; n++) await append(100)
  return { load, append, path: join(folder, 'events.sqlite'), kept: join(folder, 'files', 'operations', 'seals.json') }
}

it('a start reads only what is newer than the state that was kept', async () => {
  const { load, append } = await openLog()
  const first = await load()
  expect(first.events).toBe(2_500)
  expect((await load()).events).toBe(1)
  await append(10)
  const { state, revision, events } = await load()
  expect([events, revision, state.keys.length]).toEqual([11, 2_509, 2_510])
  expect(state.keys.slice(0, 2_500)).toEqual(first.state.keys)
})

it('an earlier state that is put back gives the same, and one that the portal did not write is not believed', async () => {
  const { load, append, kept } = await openLog()
  await load()
  const earlier = await readFile(kept, 'utf8')
  await append(100)
  for (let n = 0; n < 10; n++) await append(100)
  const { state } = await load()
  expect(await readFile(kept, 'utf8')).not.toBe(earlier)
  await writeFile(kept, earlier)
  expect(await load()).toEqual({ state, revision: 3_599, events: 1_101 })
  await writeFile(kept, earlier.replace('"k1"', '"k2"'))
  expect(await load()).toEqual({ state, revision: 3_599, events: 3_600 })
})

it.each([
  ['cut off before it', 'DELETE FROM events WHERE revision > 2000', 2_001],
  ['another event in its place', "UPDATE events SET data = data || ' ' WHERE revision = 2499", 2_500],
])('a state is not believed when the log does not have its last event any more: %s', async (_, change, length) => {
  const { load, path } = await openLog()
  await load()
  const database = new Libsql(path)
  database.exec(change)
  database.close()
  const { state, events } = await load()
  expect(state.keys).toHaveLength(length)
  expect(events).toBeGreaterThanOrEqual(length)
})
