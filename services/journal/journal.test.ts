import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EventStore } from '../../infra/event-store/event-store.ts'
import { Unavailable } from '../../infra/failures.ts'
import { type Account, type AccountEvent, changeAccount, openAccount } from '../domain/account.ts'
import { payoutId } from '../domain/ids.ts'
import { toCents } from '../domain/money.ts'
import { approvePayout, type PayoutRequest, requestPayout } from '../domain/payout.ts'
import { Refused } from '../domain/refused.ts'
import { type Journal, openJournal } from './journal.ts'
import type { Context } from './metadata.ts'
import { accounts, streamName, users } from './streams.ts'
import { ada, collect, openLog } from './testing.ts'

const context: Context = { actor: { kind: 'trader', id: ada }, requestId: 'r1', causationId: 'c1', correlationId: 'o1' }
const stream = streamName(accounts, ada)
const asked: PayoutRequest = { amount: toCents(100), method: 'bank', details: 'IBAN 1', idempotency: null }
const first = payoutId.parse(`${ada}-p1`)

let log: ReturnType<typeof openLog>

beforeEach(async () => {
  log = openLog()
  await fund(journalOn(log.eventStore))
})

afterEach(() => log.close())

/** Without waits between tries: they are for others to finish, and here nobody is slow. */
const journalOn = (store: EventStore) => openJournal(store, log.keys, { pause: async () => undefined })
const change = (journal: Journal, decide: (account: Account) => AccountEvent[]) => journal.of(accounts).change(ada, context, decide)
const facts = () => collect(journalOn(log.eventStore).facts(stream))
const countOf = async (type: AccountEvent['type']) => (await facts()).filter((fact) => fact.type === type).length

async function fund(journal: Journal) {
  await change(journal, (account) => openAccount(account, ada))
  await change(journal, (account) => changeAccount(account, { payoutEnabled: true }))
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
    const journal = openJournal(log.eventStore, log.keys, { now: () => at })
    await change(journal, (account) => changeAccount(account, { status: 'active' }))
    const fact = (await facts()).at(-1)
    expect(fact).toMatchObject({ type: 'AccountStatusChanged', at, userId: ada, revision: 2, data: { from: 'pending', to: 'active' } })
    expect(fact?.metadata).toEqual({ ...context, version: 1, at, previous: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })

  it('appends nothing when nothing was decided, and still says where the stream stands', async () => {
    const journal = journalOn(log.eventStore)
    const before = await journal.of(accounts).load(ada)
    const { facts: recorded, position, revision } = await change(journal, () => [])
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
    const journal = journalOn(log.eventStore)
    await Promise.all(Array.from({ length: 40 }, () => change(journal, (account) => requestPayout(account, asked))))
    expect(await countOf('PayoutRequested')).toBe(40)
    expect([...(await journal.of(accounts).load(ada)).state.payouts.values()]).toHaveLength(40)
  })

  it('is not refused because of what was remembered and is no longer so', async () => {
    const [remembering, other] = [journalOn(log.eventStore), journalOn(log.eventStore)]
    await change(remembering, (account) => changeAccount(account, { payoutEnabled: false }))
    await change(other, (account) => changeAccount(account, { payoutEnabled: true }))
    await expect(change(remembering, (account) => requestPayout(account, asked))).resolves.toMatchObject({ facts: [{ type: 'PayoutRequested' }] })
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
    const journal = journalOn(unreliable(log.eventStore, [...trouble]))
    await change(journal, (account) => requestPayout(account, asked))
    expect(await countOf('PayoutRequested')).toBe(1)
    await change(journal, (account) => approvePayout(account, first))
    expect(await countOf('PayoutApproved')).toBe(1)
  })

  it('gives up after some tries, and what was written after all is known to the next decision', async () => {
    const journal = journalOn(unreliable(log.eventStore, ['answer lost', 'answer lost', 'answer lost', 'answer lost']))
    await change(journalOn(log.eventStore), (account) => requestPayout(account, asked))
    await expect(change(journal, (account) => approvePayout(account, first))).rejects.toThrow(Unavailable)
    await expect(change(journal, (account) => approvePayout(account, first))).rejects.toThrow(Refused)
    expect(await countOf('PayoutApproved')).toBe(1)
  })
})

describe('a stream that is known', () => {
  it('is read only from where it is known', async () => {
    const reads: number[] = []
    const watched: EventStore = {
      ...log.eventStore,
      readStream(name, from = 0) {
        reads.push(from)
        return log.eventStore.readStream(name, from)
      },
    }
    const journal = journalOn(watched)
    await journal.of(accounts).load(ada)
    await journal.of(accounts).load(ada)
    expect(reads).toEqual([0, 2])
  })

  it('of another kind is refused instead of misread', async () => {
    const journal = journalOn(log.eventStore)
    await expect(journal.of({ ...users, category: accounts.category }).load(ada)).rejects.toThrow(/does not belong/)
  })
})
