import { once } from 'node:events'
import { join } from 'node:path'
import fc from 'fast-check'
import Libsql from 'libsql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EventStore, start, WrongRevision } from '#infra/event-store/event-store.ts'
import { Unavailable } from '#infra/failures.ts'
import {
  type AccountState,
  type AccountStreamEvent,
  endAccount,
  accountStreams,
} from '#services/trading/stream/account-aggregate.ts'
import { changeAccount, openAccount } from '#services/trading/stream/account.ts'
import { accountIdOf, payoutId } from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import { approvePayout, type PayoutRequest, rejectPayout, requestPayout } from '#services/trading/stream/payout.ts'
import { Refused } from './refusal.ts'
import { UnreadableEvent } from './codec/event-codec.ts'
import { eventHash } from './codec/hash-chain.ts'
import { type Repositories, createRepositories } from './aggregate-repository.ts'
import type { Context } from './codec/metadata.ts'
import { createPersonKeys, MissingKey } from './crypto-shredding/person-keys.ts'
import { deriveSecrets } from '#services/process/keys/derived-secrets.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { streamName } from './aggregate-type.ts'
import { mailStreams, recordDelivery } from '#services/framework/streams/mail.ts'
import { userStreams } from '#services/identity/users/user.ts'
import { ada as owner, collect, createTestLog } from '#test-support/sample-events.ts'

const ada = accountIdOf(owner, 1)
const context: Context = {
  actor: { kind: 'trader', id: owner },
  requestId: 'r1',
  causationId: 'c1',
  correlationId: 'o1',
}
const stream = streamName(accountStreams, ada)
const request: PayoutRequest = {
  amount: toCents(100),
  method: 'bank',
  details: 'IBAN 1',
  destination: null,
  idempotency: null,
}
const first = payoutId.parse(`${ada}-p1`)

let log: ReturnType<typeof createTestLog>

beforeEach(async () => {
  log = createTestLog()
  // As after a registration: a person begins in the stream of the user.
  await log.keys.getOrCreate(owner)
  await fund(repositoriesOn(log.eventStore))
})

afterEach(() => log.close())

/** Retries without delays, which only help competing writers. */
const repositoriesOn = (store: EventStore) =>
  createRepositories(eventRegistry, store, log.keys, { pause: async () => undefined })
const change = (repositories: Repositories, decide: (account: AccountState) => AccountStreamEvent[]) =>
  repositories.of(accountStreams).decide(ada, context, decide)
const accountEvents = () => collect(repositoriesOn(log.eventStore).of(accountStreams).readEvents(ada))
const countOf = async (type: AccountStreamEvent['type']) =>
  (await accountEvents()).filter((event) => event.type === type).length

async function fund(repositories: Repositories) {
  await change(repositories, ({ account }) => openAccount(account, ada))
  await change(repositories, ({ account }) => changeAccount(account, { payoutEnabled: true }))
}

/** The real store with scripted failures: each entry decides about one append. */
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

describe('a decision', () => {
  it('records actor, time, reason and previous hash', async () => {
    const at = 1_770_000_000_000
    const repositories = createRepositories(eventRegistry, log.eventStore, log.keys, { now: () => at })
    await change(repositories, ({ account }) => changeAccount(account, { status: 'active' }))
    const event = (await accountEvents()).at(-1)
    expect(event).toMatchObject({
      type: 'AccountStatusChanged',
      at,
      personId: owner,
      revision: 2,
      data: { from: 'pending', to: 'active' },
    })
    expect(event?.metadata).toEqual({ ...context, version: 1, at, previous: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })

  it('chains each event to the previous one', async () => {
    await change(repositoriesOn(log.eventStore), ({ account }) =>
      changeAccount(account, { status: 'active', phase: 'Funded', balance: toCents(5) }),
    )
    const events = (await collect(log.eventStore.readStream(stream))).flat()
    const links = (await accountEvents()).map(({ metadata }) => metadata.previous)
    expect(links).toEqual([null, ...events.slice(0, -1).map((event) => eventHash(stream, event.revision, event))])
    expect(links).toHaveLength(5)
  })

  it('returns the recorded events, their ids and revisions', async () => {
    const {
      events: recorded,
      revision,
      position,
    } = await change(repositoriesOn(log.eventStore), ({ account }) =>
      changeAccount(account, { status: 'active', phase: 'Funded' }),
    )
    const last = (await accountEvents()).slice(-2)
    expect(recorded).toMatchObject(last.map(({ id, type, data, at, revision }) => ({ id, type, data, at, revision })))
    expect(recorded).toHaveLength(2)
    expect({ revision, position }).toEqual({ revision: last[1]?.revision, position: last[1]?.position })
  })

  it('appends nothing without events, and still returns the position', async () => {
    const repositories = repositoriesOn(log.eventStore)
    const before = await repositories.of(accountStreams).load(ada)
    const { events: recorded, position, revision } = await change(repositories, () => [])
    expect({ recorded, position, revision }).toEqual({
      recorded: [],
      position: before.position,
      revision: before.revision,
    })
  })

  it('is made again by the slower of two repositories', async () => {
    const [one, two] = [repositoriesOn(log.eventStore), repositoriesOn(log.eventStore)]
    await Promise.all([one.of(accountStreams).load(ada), two.of(accountStreams).load(ada)])
    await change(one, ({ account }) => changeAccount(account, { balance: toCents(5_000) }))
    await change(two, ({ account }) => changeAccount(account, { balance: toCents(account.balance + 1) }))
    expect((await two.of(accountStreams).load(ada)).state.account.balance).toBe(5_001)
    expect((await accountEvents()).at(-1)?.data).toEqual({ from: 5_000, to: 5_001, kind: 'trade-result' })
  })

  it('takes effect once for forty simultaneous approvals', async () => {
    const journals = [repositoriesOn(log.eventStore), repositoriesOn(log.eventStore)]
    await change(repositoriesOn(log.eventStore), (account) => requestPayout(account, request, 0))
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, each) =>
        change(journals[each % 2] ?? repositoriesOn(log.eventStore), (account) =>
          approvePayout(account, first, { now: 0 }),
        ),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ name: 'Refused', kind: 'conflict' })
    expect(await countOf('PayoutApproved')).toBe(1)
  })

  it('loses none of forty simultaneous payout requests', async () => {
    const repositories = repositoriesOn(log.eventStore)
    await Promise.all(
      Array.from({ length: 40 }, () => change(repositories, (account) => requestPayout(account, request, 0))),
    )
    expect(await countOf('PayoutRequested')).toBe(40)
    expect([...(await repositories.of(accountStreams).load(ada)).state.payouts.list.values()]).toHaveLength(40)
  })

  it('loses none of forty payout requests through two processes', async () => {
    const journals = [
      createRepositories(eventRegistry, log.eventStore, log.keys),
      createRepositories(eventRegistry, log.eventStore, log.keys),
    ]
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, each) =>
        change(journals[each % 2] ?? repositoriesOn(log.eventStore), (account) => requestPayout(account, request, 0)),
      ),
    )
    const ids = outcomes.flatMap((outcome) => outcome.events.map(({ data }) => Reflect.get(data, 'payoutId')))
    expect(ids.toSorted()).toEqual(Array.from({ length: 40 }, (_, each) => `${ada}-p${each + 1}`).toSorted())
    expect(await countOf('PayoutRequested')).toBe(40)
  })

  it('makes one payout of forty requests with one Idempotency-Key', async () => {
    const journals = [repositoriesOn(log.eventStore), repositoriesOn(log.eventStore)]
    const once = { ...request, idempotency: { key: 'k1', digest: 'd1' } }
    await Promise.all(
      Array.from({ length: 40 }, (_, each) =>
        change(journals[each % 2] ?? repositoriesOn(log.eventStore), (account) => requestPayout(account, once, 0)),
      ),
    )
    expect(await countOf('PayoutRequested')).toBe(1)
  })

  it('fails after repeated conflicts without appending anything', async () => {
    let balance = 0
    const other = repositoriesOn(log.eventStore)
    const crowded: EventStore = {
      ...log.eventStore,
      async append(name, expected, events) {
        await change(other, ({ account }) => changeAccount(account, { balance: toCents(++balance) }))
        return log.eventStore.append(name, expected, events)
      },
    }
    const pauses: number[] = []
    let decisions = 0
    const repositories = createRepositories(eventRegistry, crowded, log.keys, { pause: async (ms) => pauses.push(ms) })
    const wish = change(repositories, ({ account }) => {
      decisions++
      return changeAccount(account, { status: 'active' })
    })
    await expect(wish).rejects.toThrow(WrongRevision)
    expect(decisions).toBe(12)
    expect(await countOf('AccountStatusChanged')).toBe(0)
    // The delays grow up to a limit.
    expect(pauses).toHaveLength(11)
    for (const [each, ms] of pauses.entries()) {
      const about = Math.min(2 ** each, 200)
      expect(ms).toBeGreaterThanOrEqual(about * 0.5)
      expect(ms).toBeLessThanOrEqual(about * 1.5)
    }
  })

  it('that throws is not retried and blocks no other', async () => {
    const repositories = repositoriesOn(log.eventStore)
    let decisions = 0
    const failing = change(repositories, () => {
      decisions++
      throw new TypeError('a fault')
    })
    const next = change(repositories, ({ account }) => changeAccount(account, { status: 'active' }))
    await expect(failing).rejects.toThrow('a fault')
    expect((await next).events).toHaveLength(1)
    expect(decisions).toBe(1)
  })

  it('is refused for an erased person', async () => {
    const repositories = repositoriesOn(log.eventStore)
    await log.keys.destroy(owner)
    await expect(change(repositories, (account) => requestPayout(account, request, 0))).rejects.toMatchObject({
      name: 'Refused',
      kind: 'not-found',
    })
    expect(await countOf('PayoutRequested')).toBe(0)
    // Events without personal fields are still possible: a deletion continues after the key is destroyed.
    expect((await change(repositories, endAccount)).events.map(({ type }) => type)).toEqual(['AccountClosed'])
  })

  it('cannot put personal fields into a stream about no person', async () => {
    const unowned = repositoriesOn(log.eventStore).of({ ...userStreams, category: 'nobody' })
    await expect(
      unowned.decide('x', context, () => [{ type: 'PasswordReset', data: { passwordHash: 'hash', mailed: true } }]),
    ).rejects.toThrow(/about no person/)
  })

  it('leaves the same state in memory as in the log', async () => {
    const wish = fc.oneof(
      fc.integer({ min: -5, max: 5 }).map(
        (balance) =>
          ({ account }: AccountState) =>
            changeAccount(account, { balance: toCents(balance) }),
      ),
      fc.constantFrom('a', 'b', null).map(
        (login) =>
          ({ account }: AccountState) =>
            changeAccount(account, { login, masterPassword: login, server: 'MT5' }),
      ),
      fc.boolean().map(
        (payoutEnabled) =>
          ({ account }: AccountState) =>
            changeAccount(account, { payoutEnabled }),
      ),
      fc
        .constantFrom('k1', 'k2', null)
        .map(
          (key) => (account: AccountState) =>
            requestPayout(account, { ...request, idempotency: key === null ? null : { key, digest: 'd' } }, 0),
        ),
      fc.constant((account: AccountState) => approvePayout(account, first, { now: 0 })),
      fc.constant((account: AccountState) => rejectPayout(account, first, 'Not now')),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(wish, fc.nat(1)), { maxLength: 12 }), async (wishes) => {
        const journals = [repositoriesOn(log.eventStore), repositoriesOn(log.eventStore)]
        for (const [decide, who] of wishes) {
          const repositories = journals[who] ?? repositoriesOn(log.eventStore)
          const changed = await change(repositories, decide).catch((error: unknown) => {
            expect(error).toBeInstanceOf(Refused)
            return undefined
          })
          const { state, revision, position } = await repositoriesOn(log.eventStore).of(accountStreams).load(ada)
          if (changed)
            expect({ state: changed.state, revision: changed.revision, position: changed.position }).toEqual({
              state,
              revision,
              position,
            })
          expect((await repositories.of(accountStreams).load(ada)).state).toEqual(state)
        }
      }),
      { numRuns: 15 },
    )
  })

  it('is not refused because of an outdated cached state', async () => {
    const [remembering, other] = [repositoriesOn(log.eventStore), repositoriesOn(log.eventStore)]
    await change(remembering, ({ account }) => changeAccount(account, { payoutEnabled: false }))
    await change(other, ({ account }) => changeAccount(account, { payoutEnabled: true }))
    await expect(change(remembering, (account) => requestPayout(account, request, 0))).resolves.toMatchObject({
      events: [{ type: 'PayoutRequested' }],
    })
  })

  it('is refused because of a concurrent decision', async () => {
    const [remembering, other] = [repositoriesOn(log.eventStore), repositoriesOn(log.eventStore)]
    await remembering.of(accountStreams).load(ada)
    await change(other, ({ account }) => changeAccount(account, { payoutEnabled: false }))
    await expect(change(remembering, (account) => requestPayout(account, request, 0))).rejects.toThrow(Refused)
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
    const repositories = repositoriesOn(unreliable(log.eventStore, [...trouble]))
    await change(repositories, (account) => requestPayout(account, request, 0))
    expect(await countOf('PayoutRequested')).toBe(1)
    await change(repositories, (account) => approvePayout(account, first, { now: 0 }))
    expect(await countOf('PayoutApproved')).toBe(1)
  })

  it('is retried unchanged a limited number of times', async () => {
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
    await expect(change(repositories, (account) => requestPayout(account, request, 0))).rejects.toThrow(Unavailable)
    expect(tries).toHaveLength(4)
    expect(new Set(tries.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(pauses).toHaveLength(3)
  })

  it('is decided again if it failed and another append came first', async () => {
    const other = repositoriesOn(log.eventStore)
    let lost = false
    const slow: EventStore = {
      ...log.eventStore,
      async append(name, expected, events) {
        if (lost) return log.eventStore.append(name, expected, events)
        lost = true
        await change(other, ({ account }) => changeAccount(account, { balance: toCents(77) }))
        throw new Unavailable('event store')
      },
    }
    const repositories = repositoriesOn(slow)
    await change(repositories, ({ account }) => changeAccount(account, { balance: toCents(account.balance + 1) }))
    expect((await accountEvents()).at(-1)?.data).toEqual({ from: 77, to: 78, kind: 'trade-result' })
  })

  it('is recorded once if it succeeded and another append followed', async () => {
    const other = repositoriesOn(log.eventStore)
    let lost = false
    const slow: EventStore = {
      ...log.eventStore,
      async append(name, expected, events) {
        const appended = await log.eventStore.append(name, expected, events)
        if (lost) return appended
        lost = true
        await change(other, ({ account }) => changeAccount(account, { balance: toCents(77) }))
        throw new Unavailable('event store')
      },
    }
    const repositories = repositoriesOn(slow)
    await change(repositories, (account) => requestPayout(account, request, 0))
    expect(await countOf('PayoutRequested')).toBe(1)
    expect(await countOf('BalanceChanged')).toBe(1)
    expect((await repositories.of(accountStreams).load(ada)).state.account).toMatchObject({ balance: 77 })
  })

  it('fails after some retries, and the next decision sees its events', async () => {
    const repositories = repositoriesOn(
      unreliable(log.eventStore, ['answer lost', 'answer lost', 'answer lost', 'answer lost']),
    )
    await change(repositoriesOn(log.eventStore), (account) => requestPayout(account, request, 0))
    await expect(change(repositories, (account) => approvePayout(account, first, { now: 0 }))).rejects.toThrow(
      Unavailable,
    )
    await expect(change(repositories, (account) => approvePayout(account, first, { now: 0 }))).rejects.toThrow(Refused)
    expect(await countOf('PayoutApproved')).toBe(1)
  })
})

/** The real store, recording the revisions from which streams are read. */
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

describe('a cached stream', () => {
  it('is not read for a successful change', async () => {
    const { store, reads } = watched(log.eventStore)
    const repositories = repositoriesOn(store)
    await change(repositories, ({ account }) => changeAccount(account, { status: 'active' }))
    for (let balance = 1; balance <= 5; balance++)
      await change(repositories, ({ account }) => changeAccount(account, { balance: toCents(balance) }))
    expect(reads).toEqual([0])
  })

  it('is read only from its cached revision after a conflict', async () => {
    const { store, reads } = watched(log.eventStore)
    const repositories = repositoriesOn(store)
    await repositories.of(accountStreams).load(ada)
    await change(repositoriesOn(log.eventStore), ({ account }) => changeAccount(account, { balance: toCents(1) }))
    await change(repositories, ({ account }) => changeAccount(account, { balance: toCents(2) }))
    expect(reads).toEqual([0, 2])
  })

  it('stays cached while the log is unavailable', async () => {
    const { store, reads } = watched(
      unreliable(
        log.eventStore,
        Array.from({ length: 4 }, () => 'lost on the way' as const),
      ),
    )
    const repositories = repositoriesOn(store)
    await repositories.of(accountStreams).load(ada)
    await expect(change(repositories, ({ account }) => changeAccount(account, { status: 'active' }))).rejects.toThrow(
      Unavailable,
    )
    await change(repositories, ({ account }) => changeAccount(account, { status: 'active' }))
    expect(reads).toEqual([0])
  })

  it('keeps the newest state, in any order of finished reads and changes', async () => {
    const { store, reads } = watched(log.eventStore)
    const accessControl = new AbortController()
    let first = true
    const repositories = repositoriesOn({
      ...store,
      async *readStream(name, from) {
        const slow = first
        first = false
        yield* store.readStream(name, from)
        if (slow) await once(accessControl.signal, 'abort')
      },
    })
    const slow = repositories.of(accountStreams).load(ada)
    await change(repositories, ({ account }) => changeAccount(account, { status: 'active' }))
    accessControl.abort()
    expect((await slow).state.account.status).toBe('active')
    await repositories.of(accountStreams).load(ada)
    expect(reads).toEqual([0, 0, 3])
  })

  it('is shared by all users of its type', async () => {
    const { store, reads } = watched(log.eventStore)
    const repositories = repositoriesOn(store)
    await repositories.of(accountStreams).load(ada)
    await repositories
      .of(accountStreams)
      .decide(ada, context, ({ account }) => changeAccount(account, { status: 'active' }))
    expect(reads).toEqual([0])
  })

  it('is read only from its cached revision', async () => {
    const reads: number[] = []
    const watched: EventStore = {
      ...log.eventStore,
      readStream(name, from = 0) {
        reads.push(from)
        return log.eventStore.readStream(name, from)
      },
    }
    const repositories = repositoriesOn(watched)
    await repositories.of(accountStreams).load(ada)
    await repositories.of(accountStreams).load(ada)
    expect(reads).toEqual([0, 2])
  })

  it('is not read for a revision that its cached state includes', async () => {
    const { store, reads } = watched(log.eventStore)
    const repositories = repositoriesOn(store)
    await change(repositories, ({ account }) => changeAccount(account, { status: 'active' }))
    await change(repositoriesOn(log.eventStore), ({ account }) => changeAccount(account, { balance: toCents(1) }))
    expect((await repositories.of(accountStreams).load(ada, 2)).revision).toBe(2)
    expect(reads).toEqual([0])
    expect((await repositories.of(accountStreams).load(ada, 3)).revision).toBe(3)
    expect(reads).toEqual([0, 3])
  })

  it('that is usually new is read only if it is not', async () => {
    const { store, reads } = watched(log.eventStore)
    const mail = { kind: 'UserBanned', stream, revision: 1 }
    const record = (repositories: Repositories) =>
      repositories.of(mailStreams).decide('e1', context, (state) => recordDelivery(state, mail))
    expect((await record(repositoriesOn(store))).events).toHaveLength(1)
    expect(reads).toEqual([])
    expect((await record(repositoriesOn(store))).events).toHaveLength(0)
    expect(reads).toEqual([0])
  })

  it('of another type is refused instead of misread', async () => {
    const repositories = repositoriesOn(log.eventStore)
    await expect(repositories.of({ ...userStreams, category: accountStreams.category }).load(ada)).rejects.toThrow(
      /does not belong/,
    )
  })
})

describe('a stream', () => {
  it('without events has the initial state', async () => {
    expect(await repositoriesOn(log.eventStore).of(accountStreams).load('nobody00-a1')).toMatchObject({
      revision: 'none',
      position: start,
      state: { account: { open: false } },
    })
    expect(await collect(repositoriesOn(log.eventStore).of(accountStreams).readEvents('nobody00-a1'))).toEqual([])
  })

  it('returns its events from any revision on', async () => {
    expect(
      (await collect(repositoriesOn(log.eventStore).of(accountStreams).readEvents(ada, 1))).map(
        ({ type, revision }) => ({
          type,
          revision,
        }),
      ),
    ).toEqual([{ type: 'PayoutsEnabled', revision: 1 }])
  })

  it('gets no other key in place of a lost one', async () => {
    const database = new Libsql(join(log.folder, 'keys.sqlite'))
    database.exec('DELETE FROM keys')
    database.close()
    const keys = createPersonKeys(log.keyStore, deriveSecrets('a master key for tests of 32 characters'))
    const repositories = createRepositories(eventRegistry, log.eventStore, keys)
    await expect(change(repositories, (account) => requestPayout(account, request, 0))).rejects.toThrow(MissingKey)
    expect(await log.keyStore.get([owner])).toEqual(new Map())
    expect(await countOf('PayoutRequested')).toBe(0)
  })

  it('can be read while its first personal event is being written', async () => {
    const writing = repositoriesOn(log.eventStore)
    const reading = repositoriesOn({
      ...log.eventStore,
      async *readStream(name, from) {
        await change(writing, (account) => requestPayout(account, request, 0))
        yield* log.eventStore.readStream(name, from)
      },
    })
    expect((await collect(reading.of(accountStreams).readEvents(ada))).at(-1)).toMatchObject({
      type: 'PayoutRequested',
      data: { details: 'IBAN 1' },
    })
  })

  it('with an unreadable event is refused as a whole', async () => {
    const [last] = (await collect(log.eventStore.readStream(stream, 1))).flat()
    if (!last) throw new Error('Nothing was recorded')
    await log.eventStore.append(stream, 1, [
      { id: crypto.randomUUID(), type: 'PayoutForgotten', data: '{}', metadata: last.metadata },
    ])
    const repositories = repositoriesOn(log.eventStore)
    for (let each = 0; each < 2; each++)
      await expect(repositories.of(accountStreams).load(ada)).rejects.toThrow(UnreadableEvent)
    await expect(change(repositories, ({ account }) => changeAccount(account, { status: 'active' }))).rejects.toThrow(
      UnreadableEvent,
    )
  })
})
