import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteEventStore } from '#infra/event-store/sqlite-event-store.ts'
import { type StoredEvent, toPosition } from '#infra/event-store/event-store.ts'
import { openSqliteKeyStore } from '#infra/key-store/sqlite-key-store.ts'
import { userId } from '#services/framework/ids.ts'
import { encodeEvent } from '#services/event-sourcing/codec/event-codec.ts'
import type { Metadata } from '#services/event-sourcing/codec/metadata.ts'
import { createPersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { deriveSecrets } from '#services/process/keys/derived-secrets.ts'
import { definitionOf } from '#services/event-sourcing/event-registry.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import { userStreams } from '#services/identity/users/user.ts'
import { readSample, sampleFile } from './recorded-event-samples.ts'

/** For tests of the repositories: the recorded sample of every event type, and a real log to put them in. */

export const ada = userId.parse('ada00000')

/** The data of an event type in its recorded sample. */
export function sampleData(type: string): Readonly<Record<string, unknown>> {
  return readSample(sampleFile(type, definitionOf(eventRegistry, type).version)).expected
}

export const sampleMetadata: Omit<Metadata, 'version'> = {
  at: 1_760_000_000_000,
  actor: { kind: 'admin', id: 'a1', label: 'Dana' },
  requestId: 'r1',
  causationId: 'r1',
  correlationId: 'r1',
  previous: null,
}

/** A person's key that everybody may know. */
export const sampleKey = new Uint8Array(32).fill(7)

/** An event as the log holds it, in a stream about a person. */
export function storedSample(
  type: string,
  data: unknown = sampleData(type),
  key: Uint8Array = sampleKey,
  id: string = randomUUID(),
): StoredEvent {
  const event = encodeEvent(eventRegistry, id, { type, data }, sampleMetadata, key)
  return { ...event, stream: streamName(userStreams, ada), revision: 0, position: toPosition('1') }
}

/** A real log and real keys in a folder, by default a new one. `close` removes it. */
export function createTestLog(folder = mkdtempSync(join(tmpdir(), 'proofdesk-log-'))) {
  const eventStore = openSqliteEventStore(join(folder, 'events.sqlite'))
  const keyStore = openSqliteKeyStore(join(folder, 'keys.sqlite'))
  const keys = createPersonKeys(keyStore, deriveSecrets('a master key for tests of 32 characters'))
  return {
    folder,
    eventStore,
    keyStore,
    keys,
    async close() {
      await eventStore.close()
      await keyStore.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Everything that comes, in an array. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
