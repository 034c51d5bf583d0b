import { accountIdOf } from '#services/framework/ids.ts'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { anyText } from '#test-support/any-text.ts'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { changeAccount, openAccount } from '#services/trading/stream/account.ts'
import { toCents } from '#services/rules/money.ts'
import { eventHash } from './hash-chain.ts'
import { createRepositories } from '#services/event-sourcing/aggregate-repository.ts'
import { metadata, systemContext } from './metadata.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import { ada as owner, collect, createTestLog } from '#test-support/sample-events.ts'

let log: ReturnType<typeof createTestLog>
let events: StoredEvent[]

/** Whether each event has the hash of the previous one. */
const holds = (chain: readonly StoredEvent[]) =>
  chain.every((event, index) => {
    const before = chain[index - 1]
    return (
      metadata.parse(JSON.parse(event.metadata)).previous ===
      (before ? eventHash(before.stream, before.revision, before) : null)
    )
  })

const ada = accountIdOf(owner, 1)

beforeEach(async () => {
  log = createTestLog()
  // A new repository for each change: the chain continues across writers.
  for (const balance of [0, 100, 250, 75]) {
    const repository = createRepositories(eventRegistry, log.eventStore, log.keys).of(accountStreams)
    await repository.decide(ada, systemContext('test', 'r1'), ({ account }) =>
      account.open
        ? changeAccount(account, { balance: toCents(balance), phase: `Phase ${balance}` })
        : openAccount(account, ada),
    )
  }
  events = (await collect(log.eventStore.readStream(streamName(accountStreams, ada)))).flat()
})

afterEach(() => log.close())

describe('a stream', () => {
  it('is a chain of hashes over its stored bytes', () => {
    expect(events).toHaveLength(7)
    expect(holds(events)).toBe(true)
  })

  it('breaks when an event is altered, in any of its parts', () => {
    for (const [index, event] of events.slice(0, -1).entries()) {
      const altered = [
        { ...event, data: event.data.replace('}', ' }') },
        { ...event, metadata: event.metadata.replace('"test"', '"tesT"') },
        { ...event, type: `${event.type}s` },
        { ...event, id: event.id.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')) },
      ]
      for (const one of altered) expect(holds(events.with(index, one))).toBe(false)
    }
  })

  it('breaks when any single character of any stored text is changed', () => {
    const before = events.slice(0, -1)
    fc.assert(
      fc.property(
        fc.nat(before.length - 1),
        fc.constantFrom('id', 'type', 'data', 'metadata'),
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        (index, part, at, by) => {
          const event = events[index]
          if (!event) throw new Error('no such event')
          const text = event[part]
          const offset = at % text.length
          const altered = { ...event, [part]: text.slice(0, offset) + by + text.slice(offset + 1) }
          fc.pre(altered[part] !== text)
          expect(eventHash(altered.stream, altered.revision, altered)).not.toBe(
            eventHash(event.stream, event.revision, event),
          )
        },
      ),
    )
  })

  it('breaks when an event is moved within or between streams', () => {
    for (const event of events) {
      const hash = eventHash(event.stream, event.revision, event)
      expect(eventHash('account-bob00000-a1', event.revision, event)).not.toBe(hash)
      expect(eventHash(event.stream, event.revision + 1, event)).not.toBe(hash)
    }
  })

  it('breaks when an event is removed or two are swapped', () => {
    for (let index = 0; index < events.length - 1; index++) {
      const [one, next] = [events[index], events[index + 1]]
      if (!one || !next) throw new Error('no such events')
      expect(holds(events.toSpliced(index, 1))).toBe(false)
      expect(holds(events.with(index, next).with(index + 1, one))).toBe(false)
    }
  })
})

describe('the hash of an event', () => {
  const text = anyText({ maxLength: 8 })
  const anyEvent = fc.record({ id: text, type: text, data: text, metadata: text }, { noNullPrototype: true })

  it('depends on all bytes and on the boundaries of texts', () => {
    fc.assert(
      fc.property(anyEvent, anyEvent, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other)
        expect(eventHash('s', 0, one) === eventHash('s', 0, other)).toBe(same)
      }),
    )
    const event = { id: 'ab', type: 'c', data: '1:d', metadata: '' }
    const moved = [
      { ...event, id: 'a', type: 'bc' },
      { ...event, data: '', metadata: '1:d' },
      { ...event, data: '1:', metadata: 'd' },
      { ...event, type: 'c3:1:d', data: '' },
    ]
    for (const each of moved) expect(eventHash('s', 0, each)).not.toBe(eventHash('s', 0, event))
  })

  it('counts bytes, not characters', () => {
    const event = { id: 'é', type: '', data: '', metadata: '' }
    expect(eventHash('s', 0, event)).not.toBe(eventHash('s', 0, { ...event, id: 'e' }))
    expect(eventHash('s', 0, event)).toMatch(/^[0-9a-f]{64}$/)
  })

  it('never changes between versions', () => {
    const event = { id: 'id', type: 'BalanceChanged', data: '{"from":"0.00","to":"1.00"}', metadata: '{"version":1}' }
    expect(eventHash('account-ada00000', 3, event)).toBe(
      'ebecfb29aec9cac91f5b69ec56ef287777a83f9debf653e4300d6a0dda175c93',
    )
  })
})
