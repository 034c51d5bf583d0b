import { randomUUID } from 'node:crypto'
import type { EventStore, EventToAppend } from '#infra/event-store/event-store.ts'
import type { Actor } from '#services/framework/api/actor.ts'
import { eventRegistry, personIdOf } from '#services/oversight/event-catalogue.ts'
import { signEvent } from '#services/event-sourcing/codec/event-authentication.ts'
import { encodeEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventHash } from '#services/event-sourcing/codec/hash-chain.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { Secrets } from '#services/process/keys/derived-secrets.ts'
import type { HistoryEntry } from './history.ts'

interface LogWriterOptions {
  readonly eventStore: Pick<EventStore, 'append'>
  readonly personKeys: PersonKeys
  readonly secrets: Pick<Secrets, 'eventKey' | 'actorHash'>
  actorOf(entry: HistoryEntry): Actor
  /**
   * How many appends go to the store together. The embedded store keeps their order and lets them share a commit; a
   * server may not.
   */
  readonly groupSize?: number
}

/** Writes a history into a log, encrypted, signed and chained as the repositories do. Its streams must be new. */
export function createLogWriter({ eventStore, personKeys, secrets, actorOf, groupSize = 200 }: LogWriterOptions) {
  const heads = new Map<string, { readonly revision: number; readonly hash: string | null }>()
  const appends: { readonly stream: string; readonly revision: number; readonly events: readonly EventToAppend[] }[] =
    []
  let request = { id: randomUUID(), of: '' }

  const flush = async (): Promise<void> => {
    await Promise.all(
      appends
        .splice(0)
        .map(({ stream, revision, events }) => eventStore.append(stream, revision < 0 ? 'none' : revision, events)),
    )
  }

  /** All events of one user at one moment belong to one request. */
  const requestIdOf = ({ operation }: HistoryEntry): string => {
    const of = `${operation.at} ${'userId' in operation ? operation.userId : operation.keyId}`
    if (of !== request.of) request = { id: randomUUID(), of }
    return request.id
  }

  return {
    flush,
    /** Adds entries in their order; some wait in memory until {@link flush}. */
    async write(entries: readonly HistoryEntry[]): Promise<void> {
      for (const entry of entries) {
        const { stream, operation } = entry
        const person = personIdOf(stream)
        const key = person === undefined ? undefined : await personKeys.getOrCreate(person)
        if (key === 'destroyed') throw new Error(`The key of ${stream} was destroyed`)
        const actor = actorOf(entry)
        const actorHash = person === undefined ? undefined : secrets.actorHash(person, actor)
        const requestId = requestIdOf(entry)
        const context = { at: operation.at, actor, requestId, causationId: requestId, correlationId: requestId }
        const before = heads.get(stream) ?? { revision: -1, hash: null }
        let { revision, hash } = before
        const events = entry.events.map((event) => {
          const metadata = { ...context, previous: hash }
          const encoded = encodeEvent(eventRegistry, randomUUID(), event, metadata, key, actorHash)
          revision += 1
          const signed = signEvent(secrets.eventKey, stream, revision, encoded)
          hash = eventHash(stream, revision, signed)
          return signed
        })
        heads.set(stream, { revision, hash })
        appends.push({ stream, revision: before.revision, events })
        if (appends.length >= groupSize) await flush()
      }
    },
  }
}
