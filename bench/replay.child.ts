import { join } from 'node:path'
import Libsql from 'libsql'
import { openSqliteEventStore } from '../infra/event-store/sqlite-event-store.ts'
import type { EventStore, EventToAppend, StoredEvent } from '../infra/event-store/event-store.ts'
import { type Account, accountDecider, type AccountEvent } from '../services/domain/account/account.ts'
import { payoutId, userId } from '../services/domain/ids.ts'
import { toCents } from '../services/domain/money.ts'
import { decodeEvent, encodeEvent, type RecordedEvent } from '../services/event-sourcing/codec/event-codec.ts'
import type { Actor } from '../services/event-sourcing/codec/metadata.ts'
import { type AnyEvent, eventRegistry, accounts, streamName } from '../services/domain/streams.ts'
import { inputOf, say, scratchFolder } from './children.ts'
import { replayInput, type replayOutcome } from './replay-run.ts'
import { inTurn } from './statistics.ts'
import type { z } from 'zod'
import { randomUUID } from 'node:crypto'

/** Replays the account of somebody to whom very much happened, and parses the same texts. */

const { events: count, rounds } = inputOf(replayInput)

const id = userId.parse('trader000000000000000000')
const stream = streamName(accounts, id)
const key = new Uint8Array(32).fill(7)
const path = join(scratchFolder('replay'), 'events.sqlite')
const store = openSqliteEventStore(path)
await fill(store)
const stored = await all(store)
const database = new Libsql(path)
const select = database.prepare<[string]>('SELECT data, metadata FROM events WHERE stream = ? ORDER BY revision')

const sides = {
  replay: async () => fold(stored),
  parse: async () => parse(stored),
  'replay from the file': async () => {
    let state = accountDecider.initial
    for await (const page of store.readStream(stream)) state = fold(page, state)
    return state
  },
  'parse from the file': async () => {
    let parsed = 0
    for (const row of select.all(stream)) {
      if (!isTexts(row)) throw new TypeError('The file holds something else')
      parsed += parse([row])
    }
    return parsed
  },
}
const names = ['replay', 'parse', 'replay from the file', 'parse from the file'] as const

// V8 compiles what is run often: both sides get the time for it.
for (let turn = 0; turn < 15; turn++) for (const name of names) await sides[name]()
const took = await inTurn(rounds, names, async (name) => {
  const began = performance.now()
  await sides[name]()
  return performance.now() - began
})
const outcome: z.infer<typeof replayOutcome> = { took: Object.fromEntries(took) }
say(outcome)
await store.close()
process.disconnect()

function fold(events: readonly StoredEvent[], from: Account = accountDecider.initial): Account {
  let state = from
  for (const event of events) {
    const fact = decodeEvent(eventRegistry, event, key)
    if (!isOfAccount(fact)) throw new Error(`${event.type} does not belong in ${stream}`)
    state = accountDecider.evolve(state, fact)
  }
  return state
}

function isOfAccount(fact: RecordedEvent<AnyEvent>): fact is Extract<RecordedEvent<AnyEvent>, AccountEvent> {
  return Object.hasOwn(accounts.definitions, fact.type)
}

function parse(events: readonly Pick<StoredEvent, 'data' | 'metadata'>[]): number {
  let parsed = 0
  for (const { data, metadata } of events) {
    if (typeof JSON.parse(data) === 'object' && typeof JSON.parse(metadata) === 'object') parsed += 1
  }
  return parsed
}

function isTexts(row: unknown): row is Pick<StoredEvent, 'data' | 'metadata'> {
  return typeof row === 'object' && row !== null && 'data' in row && 'metadata' in row && typeof row.data === 'string' && typeof row.metadata === 'string'
}

async function all(from: EventStore): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for await (const page of from.readStream(stream)) events.push(...page)
  return events
}

/** A life of changing balances, and of payouts asked for and approved. */
async function fill(into: EventStore): Promise<void> {
  const actor: Actor = { kind: 'admin', id: '0123456789abcdef0123456789abcdef', label: 'Dana, payouts desk' }
  const facts: AccountEvent[] = [{ type: 'AccountOpened', data: { userId: id } }]
  let balance = toCents(0)
  for (let n = 1; facts.length < count; n++) {
    const before = balance
    balance = toCents(n * 1_050)
    facts.push({ type: 'BalanceChanged', data: { from: before, to: balance } }, { type: 'ProfitLossChanged', data: { from: before, to: balance } })
    if (n % 2 === 0) continue
    const payout = payoutId.parse(`${id}-p${n}`)
    const idempotency = { key: 'k'.repeat(64 - String(n).length) + n, digest: 'd'.repeat(64) }
    facts.push(
      {
        type: 'PayoutRequested',
        data: { payoutId: payout, amount: toCents(25_000), method: 'bank', details: 'IBAN DE89 3704 0044 0532 0130 00', idempotency },
      },
      { type: 'PayoutApproved', data: { payoutId: payout, from: 'pending', amount: toCents(25_000), notes: 'Checked by the payouts desk' } },
    )
  }
  const encoded = facts.slice(0, count).map((fact, n): EventToAppend => {
    const requestId = randomUUID()
    const context = { at: Date.UTC(2026, 0, 1) + n, actor, requestId, causationId: requestId, correlationId: requestId, previous: 'a'.repeat(64) }
    return encodeEvent(eventRegistry, randomUUID(), fact, context, key)
  })
  await into.append(stream, 'none', encoded)
}
