import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StoredEvent } from '../../infra/event-store/event-store.ts'
import { changeAccount, openAccount } from '../domain/account.ts'
import { toCents } from '../domain/money.ts'
import { hashOf } from './hash-chain.ts'
import { openJournal } from './journal.ts'
import { metadata, systemContext } from './metadata.ts'
import { accounts, streamName } from './streams.ts'
import { ada, collect, openLog } from './testing.ts'

let log: ReturnType<typeof openLog>
let events: StoredEvent[]

/** Whether each event names the hash of the one before. */
const holds = (chain: readonly StoredEvent[]) =>
  chain.every((event, index) => {
    const before = chain[index - 1]
    return metadata.parse(JSON.parse(event.metadata)).previous === (before ? hashOf(before.stream, before.revision, before) : null)
  })

beforeEach(async () => {
  log = openLog()
  // A journal a change: the chain goes on whoever writes.
  for (const balance of [0, 100, 250, 75]) {
    const account = openJournal(log.eventStore, log.keys).of(accounts)
    await account.change(ada, systemContext('test', 'r1'), (state) =>
      state.open ? changeAccount(state, { balance: toCents(balance), phase: `Phase ${balance}` }) : openAccount(state, ada),
    )
  }
  events = (await collect(log.eventStore.readStream(streamName(accounts, ada)))).flat()
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

  it('breaks when an event is removed or two are swapped', () => {
    for (let index = 0; index < events.length - 1; index++) {
      const [one, next] = [events[index], events[index + 1]]
      if (!one || !next) throw new Error('no such events')
      expect(holds(events.toSpliced(index, 1))).toBe(false)
      expect(holds(events.with(index, next).with(index + 1, one))).toBe(false)
    }
  })
})
