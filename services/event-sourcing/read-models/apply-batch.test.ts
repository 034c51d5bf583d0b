import { accountIdOf } from '#services/framework/ids.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import type { StoredDocument } from '#infra/read-model-store/read-model-store.ts'
import { eventRegistry, type AnyEvent, personIdOf } from '#services/oversight/event-catalogue.ts'
import { storedEvent, testKey } from '#test-support/recorded-events.ts'
import { allProjections } from '#services/portal/modules.ts'
import { projection, updateExisting, type Projection } from './projection.ts'
import { accountEvents } from '#services/trading/stream/account.ts'
import { BatchEvent } from '#services/event-sourcing/subscriptions/batch-event.ts'
import { applyEventBatch, routeBatch } from './apply-batch.ts'
import { firmOf, idOf, someWishes, type Wish } from '#test-support/projections/event-history.ts'

/** The log that wishes leave. */
function logOf(wished: readonly Wish[]): StoredEvent[] {
  const log: StoredEvent[] = []
  const revisions = new Map<string, number>()
  const { wish } = firmOf((stream, events) => {
    for (const event of events) log.push(stored(stream, revisions, log.length + 1, event))
  })
  for (const each of wished) wish(each)
  return log
}

function stored(stream: string, revisions: Map<string, number>, position: number, event: AnyEvent): StoredEvent {
  const revision = revisions.get(stream) ?? 0
  revisions.set(stream, revision + 1)
  return storedEvent(stream, revision, position, position * 1_000, event)
}

const entries = (events: readonly StoredEvent[]): BatchEvent[] =>
  events.map((event) => new BatchEvent(eventRegistry, event, testKey(personIdOf(event.stream) ?? '')))

/** Applies one event after the other, in the simplest way. */
function straightforward(projection: Projection, log: readonly StoredEvent[]): Map<string, StoredDocument> {
  const documents = new Map<string, StoredDocument>()
  for (const entry of entries(log)) {
    const event = entry.decode()
    const id = projection.documentIdOf(event)
    if (id === undefined) continue
    const before = documents.get(id)?.document
    const document = projection.apply(before, event)
    if (document !== before) documents.set(id, { id, document: document ?? null, position: event.position })
  }
  return documents
}

/** Applies a batch and writes the documents, guarded as in the store. */
function applyBatch(
  projection: Projection,
  batch: readonly StoredEvent[],
  documents: Map<string, StoredDocument>,
  blocked = new Map<string, number>(),
) {
  const { writes, deadLetters } = applyEventBatch(
    projection,
    routeBatch(projection, entries(batch)),
    documents,
    blocked,
  )
  for (const { expected, ...write } of writes) {
    expect(documents.get(write.id)?.position ?? null).toBe(expected)
    documents.set(write.id, write)
  }
  for (const { stored } of deadLetters) blocked.set(stored.stream, stored.revision)
  return deadLetters
}

describe('folding', () => {
  it('gives the same documents however the log is cut, and when batches repeat', () => {
    fc.assert(
      fc.property(
        someWishes,
        fc.array(fc.record({ size: fc.integer({ min: 1, max: 20 }), again: fc.nat(10) })),
        (wished, cuts) => {
          const log = logOf(wished)
          for (const projection of allProjections) {
            const documents = new Map<string, StoredDocument>()
            let next = 0
            for (const { size, again } of [...cuts, { size: log.length, again: 0 }]) {
              // A restart goes back to an older checkpoint.
              applyBatch(projection, log.slice(Math.max(0, next - again), next + size), documents)
              next = Math.min(log.length, next + size)
            }
            expect(documents).toEqual(straightforward(projection, log))
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  it('applies again only what was refused', () => {
    const log = logOf([
      { what: 'register', who: 0, which: 0 },
      { what: 'register', who: 1, which: 0 },
      { what: 'profile', who: 0, which: 1 },
    ])
    const { writes } = applyEventBatch(users, routeBatch(users, entries(log)), new Map(), new Map(), new Set([idOf(1)]))
    expect(writes.map(({ id }) => id)).toEqual([idOf(1)])
  })

  it('decodes an event once for all projections', () => {
    const [event] = logOf([{ what: 'register', who: 0, which: 0 }]).slice(-1)
    if (!event) throw new Error('nothing was recorded')
    const entry = new BatchEvent(eventRegistry, event, testKey(idOf(0)))
    expect(entry.decode()).toBe(entry.decode())
  })
})

const counters = projection(accountEvents, {
  name: 'counters',
  version: 1,
  document: z.object({ events: z.int() }),
  documentId: (event) => event.personId,
  on: {
    AccountOpened: () => ({ events: 1 }),
    PayoutsEnabled: updateExisting(({ events }) => ({ events: events + 1 })),
    PhaseChanged: updateExisting(({ events }, { data }) => {
      if (data.to === 'poison') throw new Error('can not be folded')
      return { events: events + 1 }
    }),
  },
})

describe('an event that cannot be applied', () => {
  const annas = `account-${idOf(1)}-a1`
  const bens = `account-${idOf(2)}-a1`
  const phase = (to: string): AnyEvent => ({ type: 'PhaseChanged', data: { from: null, to } })
  const log = (...events: (readonly [string, AnyEvent])[]) => {
    const revisions = new Map<string, number>()
    return events.map(([stream, event], index) => stored(stream, revisions, index + 1, event))
  }
  const opened = (who: number): AnyEvent => ({ type: 'AccountOpened', data: { accountId: accountIdOf(idOf(who), 1) } })
  const history = log(
    [annas, opened(1)],
    [bens, opened(2)],
    [annas, phase('poison')],
    [annas, phase('Phase 1')],
    [bens, phase('Phase 1')],
    [annas, { type: 'PayoutsEnabled', data: {} }],
  )

  it('blocks its own stream and no other', () => {
    const documents = new Map<string, StoredDocument>()
    const poison = applyBatch(counters, history, documents)
    expect(poison.map(({ stored }) => [stored.stream, stored.revision])).toEqual([[annas, 1]])
    expect(documents.get(idOf(1))?.document).toEqual({ events: 1 })
    expect(documents.get(idOf(2))?.document).toEqual({ events: 2 })
  })

  it('blocks it in later batches too, and is not reported again', () => {
    const documents = new Map<string, StoredDocument>()
    const blocked = new Map<string, number>()
    const poison = history.flatMap((event) => applyBatch(counters, [event], documents, blocked))
    expect(poison).toHaveLength(1)
    expect(documents.get(idOf(1))?.document).toEqual({ events: 1 })
    expect(documents.get(idOf(2))?.document).toEqual({ events: 2 })
  })

  it('does not block earlier events of the stream', () => {
    const documents = new Map<string, StoredDocument>()
    applyBatch(counters, history, documents, new Map([[annas, 1]]))
    expect(documents.get(idOf(1))?.document).toEqual({ events: 1 })
  })

  it('concerns the projections of its type, or all when its type is unknown', () => {
    const [first] = history
    if (!first) throw new Error('no history')
    const torn = { ...first, data: '{' }
    expect(routeBatch(counters, entries([torn])).steps).toHaveLength(1)
    expect(routeBatch(users, entries([torn])).steps).toHaveLength(1)
    expect(routeBatch(counters, entries([{ ...torn, type: 'PayoutsDisabled' }])).steps).toHaveLength(0)
    for (const each of [counters, ...allProjections])
      expect(routeBatch(each, entries([{ ...torn, type: 'FromTheFuture' }])).steps).toHaveLength(1)
  })

  it('is one whose document is missing', () => {
    const documents = new Map<string, StoredDocument>()
    const poison = applyBatch(counters, history.slice(3), documents)
    expect(poison.map(({ error }) => String(error))).toContain('Error: there is no document to change')
  })

  it('is one whose document has lost its shape', () => {
    const torn = new Map<string, StoredDocument>([
      [idOf(2), { id: idOf(2), document: { events: 'many' }, position: storedPosition(history, 1) }],
    ])
    expect(applyBatch(counters, history, torn).map(({ stored }) => stored.stream)).toContain(bens)
  })
})

function storedPosition(log: readonly StoredEvent[], index: number) {
  const event = log[index]
  if (!event) throw new Error('no such event')
  return event.position
}
