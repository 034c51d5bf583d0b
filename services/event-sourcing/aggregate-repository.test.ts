import { once } from 'node:events'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EventStore, start, WrongRevision } from '../../infra/event-store/event-store.ts'
import { Unavailable } from '../../infra/failures.ts'
import { type Account, type AccountEvent, changeAccount, closeAccount, openAccount } from '../domain/account/account.ts'
import { payoutId } from '../domain/ids.ts'
import { toCents } from '../domain/money.ts'
import { approvePayout, type PayoutRequest, rejectPayout, requestPayout } from '../domain/payout/payout.ts'
import { Refused } from './refusal.ts'
import { UnreadableEvent } from './codec/event-codec.ts'
import { eventHash } from './codec/hash-chain.ts'
import { type Repositories, createRepositories } from './aggregate-repository.ts'
import type { Context } from './codec/metadata.ts'
import { eventRegistry, accounts, streamName, users } from '../domain/streams.ts'
import { ada, collect, createTestLog, samples } from '../../test-support/sample-events.ts'

const context: Context = { actor: { kind: 'trader', id: ada }, requestId: 'r1', causationId: 'c1', correlationId: 'o1' }
const stream = streamName(accounts, ada)
const asked: PayoutRequest = { amount: toCents(100), method: 'bank', details: 'IBAN 1', idempotency: null }
const first = payoutId.parse(`${ada}-p1`)

let log: ReturnType<typeof createTestLog>

beforeEach(async () => {
  log = createTestLog()
  await fund(journalOn(log.eventStore))
})

afterEach(() => log.close())

/** Without waits between tries: they are for others to finish, and here nobody is slow. */
const journalOn = (store: EventStore) => createRepositories(eventRegistry, store, log.keys, { pause: async () => undefined })
const change = (repositories: Repositories, decide: (account: Account) => AccountEvent[]) => repositories.of(accounts).decide(ada, context, decide)
const facts = () => collect(journalOn(log.eventStore).of(accounts).readEvents(ada))
const countOf = async (type: AccountEvent['type']) => (await facts()).filter((fact) => fact.type === type).length

async function fund(repositories: Repositories) {
  await change(repositories, (account) => openAccount(account, ada))
  await change(repositories, (account) => changeAccount(account, { payoutEnabled: true }))
}

/** The real store behind a line that fails: each entry says what happens to one append. */
function unreliable(store: EventStore, line: ('lost on the way' | 'answer lost')[]): EventStore {
  return {
    ...store,
    async append(name, expected, events) {
      const trouble = line.shift()
      if (trouble === 'lost on the way') throw new Unavailable('event store')
      const appended = await store.append(name, expected, events)
      if (trouble === 'answer lost') throw new Unavailable('event store')
      return appended
    },
  }
}

describe('a change', () => {
  it('records who, when, why and what before it', async () => {
    const at = 1_770_000_000_000
    const repositories = createRepositories(eventRegistry, log.eventStore, log.keys, { now: () => at })
    await change(repositories, (account) => changeAccount(account, { status: 'active' }))
    const fact = (await facts()).at(-1)
    expect(fact).toMatchObject({ type: 'AccountStatusChanged', at, userId: ada, revision: 2, data: { from: 'pending', to: 'active' } })
    expect(fact?.metadata).toEqual({ ...context, version: 2, at, previous: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })

  it('chains each fact to the one before, also within one change, beginning with none', async () => {
    await change(journalOn(log.eventStore), (account) => changeAccount(account, { status: 'active', phase: 'Funded', balance: toCents(5) }))
    const events = (await collect(log.eventStore.readStream(stream))).flat()
    const links = (await facts()).map(({ metadata }) => metadata.previous)
    expect(links).toEqual([null, ...events.slice(0, -1).map((event) => eventHash(stream, event.revision, event))])
    expect(links).toHaveLength(5)
  })

  it('answers with what it recorded: the facts, their ids and where they stand', async () => {
    const {
      events: recorded,
      eventIds,
      revision,
      position,
    } = await change(journalOn(log.eventStore), (account) => changeAccount(account, { status: 'active', phase: 'Funded' }))
    const last = (await facts()).slice(-2)
    expect(last.map(({ id }) => id)).toEqual(eventIds)
    expect(last.map(({ type, data, at, revision: place }) => ({ type, data, at, revision: place }))).toEqual(recorded)
    expect({ revision, position }).toEqual({ revision: last[1]?.revision, position: last[1]?.position })
  })

  it('appends nothing when nothing was decided, and still says where the stream stands', async () => {
    const repositories = journalOn(log.eventStore)
    const before = await repositories.of(accounts).load(ada)
    const { events: recorded, position, revision } = await change(repositories, () => [])
    expect({ recorded, position, revision }).toEqual({ recorded: [], position: before.position, revision: before.revision })
  })

  it('of two journals at once is decided again on the new state by the slower one', async () => {
    const [one, two] = [journalOn(log.eventStore), journalOn(log.eventStore)]
    await Promise.all([one.of(accounts).load(ada), two.of(accounts).load(ada)])
    await change(one, (account) => changeAccount(account, { balance: toCents(5_000) }))
    await change(two, (account) => changeAccount(account, { balance: toCents(account.balance + 1) }))
    expect((await two.of(accounts).load(ada)).state.balance).toBe(5_001)
    expect((await facts()).at(-1)?.data).toEqual({ from: 5_000, to: 5_001 })
  })

  it('takes effect once when forty approve the same payout at the same moment', async () => {
    const journals = [journalOn(log.eventStore), journalOn(log.eventStore)]
    await change(journalOn(log.eventStore), (account) => requestPayout(account, asked))
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, each) => change(journals[each % 2] ?? journalOn(log.eventStore), (account) => approvePayout(account, first))),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ name: 'Refused', kind: 'conflict' })
    expect(await countOf('PayoutApproved')).toBe(1)
  })

  it('loses none of forty payouts that one account asks for at once', async () => {
    const repositories = journalOn(log.eventStore)
    await Promise.all(Array.from({ length: 40 }, () => change(repositories, (account) => requestPayout(account, asked))))
    expect(await countOf('PayoutRequested')).toBe(40)
    expect([...(await repositories.of(accounts).load(ada)).state.payouts.values()]).toHaveLength(40)
  })

  it('loses none of forty payouts that are asked for through two processes at once', async () => {
    const journals = [createRepositories(eventRegistry, log.eventStore, log.keys), createRepositories(eventRegistry, log.eventStore, log.keys)]
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, each) => change(journals[each % 2] ?? journalOn(log.eventStore), (account) => requestPayout(account, asked))),
    )
    const ids = outcomes.flatMap((outcome) => outcome.events.map(({ data }) => Reflect.get(data, 'payoutId')))
    expect(ids.toSorted()).toEqual(Array.from({ length: 40 }, (_, each) => `${ada}-p${each + 1}`).toSorted())
    expect(await countOf('PayoutRequested')).toBe(40)
  })

  it('makes one payout of forty requests with one Idempotency-Key through two processes', async () => {
    const journals = [journalOn(log.eventStore), journalOn(log.eventStore)]
    const once = { ...asked, idempotency: { key: 'k1', digest: 'd1' } }
    await Promise.all(
      Array.from({ length: 40 }, (_, each) => change(journals[each % 2] ?? journalOn(log.eventStore), (account) => requestPayout(account, once))),
    )
    expect(await countOf('PayoutRequested')).toBe(1)
  })

  it('gives up when others are faster every time, and has appended nothing', async () => {
    let balance = 0
    const other = journalOn(log.eventStore)
    const crowded: EventStore = {
      ...log.eventStore,
      async append(name, expected, events) {
        await change(other, (account) => changeAccount(account, { balance: toCents(++balance) }))
        return log.eventStore.append(name, expected, events)
      },
    }
    const pauses: number[] = []
    let decisions = 0
    const repositories = createRepositories(eventRegistry, crowded, log.keys, { pause: async (ms) => pauses.push(ms) })
    const wish = change(repositories, (account) => {
      decisions++
      return changeAccount(account, { status: 'active' })
    })
    await expect(wish).rejects.toThrow(WrongRevision)
    expect(decisions).toBe(12)
    expect(await countOf('AccountStatusChanged')).toBe(0)
    // It leaves the others more time each time, but never more than a moment.
    expect(pauses).toHaveLength(11)
    for (const [each, ms] of pauses.entries()) {
      const about = Math.min(2 ** each, 200)
      expect(ms).toBeGreaterThanOrEqual(about * 0.5)
      expect(ms).toBeLessThanOrEqual(about * 1.5)
    }
  })

  it('that fails by a fault of ours is not tried again, appends nothing, and holds nobody up', async () => {
    const repositories = journalOn(log.eventStore)
    let decisions = 0
    const failing = change(repositories, () => {
      decisions++
      throw new TypeError('a fault')
    })
    const next = change(repositories, (account) => changeAccount(account, { status: 'active' }))
    await expect(failing).rejects.toThrow('a fault')
    expect((await next).events).toHaveLength(1)
    expect(decisions).toBe(1)
  })

  it('is refused for a person who was erased, and records nothing', async () => {
    const repositories = journalOn(log.eventStore)
    await log.keys.destroy(ada)
    await expect(change(repositories, (account) => requestPayout(account, asked))).rejects.toMatchObject({ name: 'Refused', kind: 'not-found' })
    expect(await countOf('PayoutRequested')).toBe(0)
    // What is not personal can still be recorded: deleting goes on after the key is gone.
    expect((await change(repositories, closeAccount)).events.map(({ type }) => type)).toEqual(['AccountClosed'])
  })

  it('can not put personal fields into a stream about nobody', async () => {
    const nobodys = journalOn(log.eventStore).of({ ...users, category: 'nobody' })
    await expect(nobodys.decide('x', context, () => [{ type: 'PasswordReset', data: samples.PasswordReset }])).rejects.toThrow(/about no person/)
  })

  it('leaves the same state in memory as in the log, whoever changed what', async () => {
    const wish = fc.oneof(
      fc.integer({ min: -5, max: 5 }).map((balance) => (account: Account) => changeAccount(account, { balance: toCents(balance) })),
      fc.constantFrom('a', 'b', null).map((login) => (account: Account) => changeAccount(account, { login, masterPassword: login, server: 'MT5' })),
      fc.boolean().map((payoutEnabled) => (account: Account) => changeAccount(account, { payoutEnabled })),
      fc
        .constantFrom('k1', 'k2', null)
        .map((key) => (account: Account) => requestPayout(account, { ...asked, idempotency: key === null ? null : { key, digest: 'd' } })),
      fc.constant((account: Account) => approvePayout(account, first)),
      fc.constant((account: Account) => rejectPayout(account, first, 'Not now')),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(wish, fc.nat(1)), { maxLength: 12 }), async (wishes) => {
        const journals = [journalOn(log.eventStore), journalOn(log.eventStore)]
        for (const [decide, who] of wishes) {
          const repositories = journals[who] ?? journalOn(log.eventStore)
          const changed = await change(repositories, decide).catch((error: unknown) => {
            expect(error).toBeInstanceOf(Refused)
            return undefined
          })
          const { state, revision, position } = await journalOn(log.eventStore).of(accounts).load(ada)
          if (changed) expect({ state: changed.state, revision: changed.revision, position: changed.position }).toEqual({ state, revision, position })
          expect((await repositories.of(accounts).load(ada)).state).toEqual(state)
        }
      }),
      { numRuns: 15 },
    )
  })

  it('is not refused because of what was remembered and is no longer so', async () => {
    const [remembering, other] = [journalOn(log.eventStore), journalOn(log.eventStore)]
    await change(remembering, (account) => changeAccount(account, { payoutEnabled: false }))
    await change(other, (account) => changeAccount(account, { payoutEnabled: true }))
    await expect(change(remembering, (account) => requestPayout(account, asked))).resolves.toMatchObject({ events: [{ type: 'PayoutRequested' }] })
  })

  it('is refused by what somebody else decided meanwhile', async () => {
    const [remembering, other] = [journalOn(log.eventStore), journalOn(log.eventStore)]
    await remembering.of(accounts).load(ada)
    await change(other, (account) => changeAccount(account, { payoutEnabled: false }))
    await expect(change(remembering, (account) => requestPayout(account, asked))).rejects.toThrow(Refused)
    expect(await countOf('PayoutRequested')).toBe(0)
  })
})

describe('an append whose outcome is unknown', () => {
  it.each([
    { trouble: ['answer lost' as const] },
    { trouble: ['lost on the way' as const] },
    { trouble: ['lost on the way' as const, 'answer lost' as const, 'lost on the way' as const] },
    { trouble: ['answer lost' as const, 'answer lost' as const, 'answer lost' as const] },
  ])('is recorded exactly once: $trouble', async ({ trouble }) => {
    const repositories = journalOn(unreliable(log.eventStore, [...trouble]))
    await change(repositories, (account) => requestPayout(account, asked))
    expect(await countOf('PayoutRequested')).toBe(1)
    await change(repositories, (account) => approvePayout(account, first))
    expect(await countOf('PayoutApproved')).toBe(1)
  })

  it('is tried again with the same ids, the same bytes and the same expected revision, a bounded number of times', async () => {
    const tries: Parameters<EventStore['append']>[] = []
    const pauses: number[] = []
    const away: EventStore = {
      ...log.eventStore,
      append(...wish) {
        tries.push(wish)
        return Promise.reject(new Unavailable('event store'))
      },
    }
    const repositories = createRepositories(eventRegistry, away, log.keys, { pause: async (ms) => pauses.push(ms) })
    await expect(change(repositories, (account) => requestPayout(account, asked))).rejects.toThrow(Unavailable)
    expect(tries).toHaveLength(4)
    expect(new Set(tries.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(pauses).toHaveLength(3)
  })

  it('is decided again when it did not happen and somebody else was there first', async () => {
    const other = journalOn(log.eventStore)
    let lost = false
    const slow: EventStore = {
      ...log.eventStore,
      async append(name, expected, events) {
        if (lost) return log.eventStore.append(name, expected, events)
        lost = true
        await change(other, (account) => changeAccount(account, { balance: toCents(77) }))
        throw new Unavailable('event store')
      },
    }
    const repositories = journalOn(slow)
    await change(repositories, (account) => changeAccount(account, { balance: toCents(account.balance + 1) }))
    expect((await facts()).at(-1)?.data).toEqual({ from: 77, to: 78 })
  })

  it('is recorded once when it did happen and somebody else went on from there', async () => {
    const other = journalOn(log.eventStore)
    let lost = false
    const slow: EventStore = {
      ...log.eventStore,
      async append(name, expected, events) {
        const appended = await log.eventStore.append(name, expected, events)
        if (lost) return appended
        lost = true
        await change(other, (account) => changeAccount(account, { balance: toCents(77) }))
        throw new Unavailable('event store')
      },
    }
    const repositories = journalOn(slow)
    await change(repositories, (account) => requestPayout(account, asked))
    expect(await countOf('PayoutRequested')).toBe(1)
    expect(await countOf('BalanceChanged')).toBe(1)
    expect((await repositories.of(accounts).load(ada)).state).toMatchObject({ balance: 77 })
  })

  it('gives up after some tries, and what was written after all is known to the next decision', async () => {
    const repositories = journalOn(unreliable(log.eventStore, ['answer lost', 'answer lost', 'answer lost', 'answer lost']))
    await change(journalOn(log.eventStore), (account) => requestPayout(account, asked))
    await expect(change(repositories, (account) => approvePayout(account, first))).rejects.toThrow(Unavailable)
    await expect(change(repositories, (account) => approvePayout(account, first))).rejects.toThrow(Refused)
    expect(await countOf('PayoutApproved')).toBe(1)
  })
})

/** The real store, with the revisions noted from which streams were read. */
function watched(store: EventStore): { store: EventStore; reads: number[] } {
  const reads: number[] = []
  return {
    reads,
    store: {
      ...store,
      readStream(name, from = 0) {
        reads.push(from)
        return store.readStream(name, from)
      },
    },
  }
}

describe('a stream that is known', () => {
  it('is not read at all for a change that goes through', async () => {
    const { store, reads } = watched(log.eventStore)
    const repositories = journalOn(store)
    await change(repositories, (account) => changeAccount(account, { status: 'active' }))
    for (let balance = 1; balance <= 5; balance++) await change(repositories, (account) => changeAccount(account, { balance: toCents(balance) }))
    expect(reads).toEqual([0])
  })

  it('is read only from where it is known when somebody else was faster', async () => {
    const { store, reads } = watched(log.eventStore)
    const repositories = journalOn(store)
    await repositories.of(accounts).load(ada)
    await change(journalOn(log.eventStore), (account) => changeAccount(account, { balance: toCents(1) }))
    await change(repositories, (account) => changeAccount(account, { balance: toCents(2) }))
    expect(reads).toEqual([0, 2])
  })

  it('is still known after the log was away', async () => {
    const { store, reads } = watched(
      unreliable(
        log.eventStore,
        Array.from({ length: 4 }, () => 'lost on the way' as const),
      ),
    )
    const repositories = journalOn(store)
    await repositories.of(accounts).load(ada)
    await expect(change(repositories, (account) => changeAccount(account, { status: 'active' }))).rejects.toThrow(Unavailable)
    await change(repositories, (account) => changeAccount(account, { status: 'active' }))
    expect(reads).toEqual([0])
  })

  it('stays known as it is newest, in whatever order reads and changes finish', async () => {
    const { store, reads } = watched(log.eventStore)
    const accessControl = new AbortController()
    let first = true
    const repositories = journalOn({
      ...store,
      async *readStream(name, from) {
        const slow = first
        first = false
        yield* store.readStream(name, from)
        if (slow) await once(accessControl.signal, 'abort')
      },
    })
    const slow = repositories.of(accounts).load(ada)
    await change(repositories, (account) => changeAccount(account, { status: 'active' }))
    accessControl.abort()
    expect((await slow).state.status).toBe('active')
    await repositories.of(accounts).load(ada)
    expect(reads).toEqual([0, 0, 3])
  })

  it('is shared by all who work with streams of its kind', async () => {
    const { store, reads } = watched(log.eventStore)
    const repositories = journalOn(store)
    await repositories.of(accounts).load(ada)
    await repositories.of(accounts).decide(ada, context, (account) => changeAccount(account, { status: 'active' }))
    expect(reads).toEqual([0])
  })

  it('is read only from where it is known', async () => {
    const reads: number[] = []
    const watched: EventStore = {
      ...log.eventStore,
      readStream(name, from = 0) {
        reads.push(from)
        return log.eventStore.readStream(name, from)
      },
    }
    const repositories = journalOn(watched)
    await repositories.of(accounts).load(ada)
    await repositories.of(accounts).load(ada)
    expect(reads).toEqual([0, 2])
  })

  it('of another kind is refused instead of misread', async () => {
    const repositories = journalOn(log.eventStore)
    await expect(repositories.of({ ...users, category: accounts.category }).load(ada)).rejects.toThrow(/does not belong/)
  })
})

describe('a stream', () => {
  it('that nobody wrote to is the beginning', async () => {
    expect(await journalOn(log.eventStore).of(accounts).load('nobody00')).toMatchObject({ revision: 'none', position: start, state: { open: false } })
    expect(await collect(journalOn(log.eventStore).of(accounts).readEvents('nobody00'))).toEqual([])
  })

  it('gives its facts from any revision on', async () => {
    expect((await collect(journalOn(log.eventStore).of(accounts).readEvents(ada, 1))).map(({ type, revision }) => ({ type, revision }))).toEqual([
      { type: 'PayoutsEnabled', revision: 1 },
    ])
  })

  it('can be read while its first personal fact is being written', async () => {
    const writing = journalOn(log.eventStore)
    const reading = journalOn({
      ...log.eventStore,
      async *readStream(name, from) {
        await change(writing, (account) => requestPayout(account, asked))
        yield* log.eventStore.readStream(name, from)
      },
    })
    expect((await collect(reading.of(accounts).readEvents(ada))).at(-1)).toMatchObject({ type: 'PayoutRequested', data: { details: 'IBAN 1' } })
  })

  it('with an event that can not be read is refused as a whole', async () => {
    const [last] = (await collect(log.eventStore.readStream(stream, 1))).flat()
    if (!last) throw new Error('Nothing was recorded')
    await log.eventStore.append(stream, 1, [{ id: crypto.randomUUID(), type: 'PayoutForgotten', data: '{}', metadata: last.metadata }])
    const repositories = journalOn(log.eventStore)
    for (let each = 0; each < 2; each++) await expect(repositories.of(accounts).load(ada)).rejects.toThrow(UnreadableEvent)
    await expect(change(repositories, (account) => changeAccount(account, { status: 'active' }))).rejects.toThrow(UnreadableEvent)
  })
})
