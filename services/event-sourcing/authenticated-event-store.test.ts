import { accountIdOf } from '#services/framework/ids.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { changeAccount, openAccount } from '#services/trading/stream/account.ts'
import { toCents } from '#services/rules/money.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { streamName } from './aggregate-type.ts'
import { ada as owner, collect, createTestLog } from '#test-support/sample-events.ts'
import { createRepositories } from './aggregate-repository.ts'
import { withAuthentication } from './authenticated-event-store.ts'
import { ForgedEvent } from './codec/event-codec.ts'
import { forgeryOf } from './codec/event-authentication.ts'
import { eventHash } from './codec/hash-chain.ts'
import { systemContext } from './codec/metadata.ts'

const eventKey = new Uint8Array(32).fill(5)
const ada = accountIdOf(owner, 1)
const stream = streamName(accountStreams, ada)
const context = systemContext('test', 'r1')

let log: ReturnType<typeof createTestLog>
beforeEach(() => void (log = createTestLog()))
afterEach(() => log.close())

const authenticated = (key = eventKey) => withAuthentication(log.eventStore, { eventKey: key })

/** A new one each time: nothing is cached. */
const accountsIn = () =>
  createRepositories(eventRegistry, authenticated(), log.keys, { secrets: { eventKey } }).of(accountStreams)

async function setBalance(balance: number): Promise<void> {
  await accountsIn().decide(ada, context, ({ account }) =>
    account.open
      ? changeAccount(account, { balance: toCents(balance) })
      : [
          ...openAccount(account, ada),
          { type: 'BalanceChanged', data: { from: toCents(0), to: toCents(balance), kind: 'deposit' } },
        ],
  )
}

const stored = async (): Promise<StoredEvent[]> => (await collect(log.eventStore.readStream(stream))).flat()
const forgeries = async (store: ReturnType<typeof authenticated>) =>
  (await collect(store.readStream(stream))).flat().map(forgeryOf)
const currentBalance = async () => (await accountsIn().load(ada)).state.account.balance

/** Appends past the portal, with the right hash of the event before. */
async function insert(change: (event: StoredEvent) => Partial<StoredEvent>): Promise<void> {
  const events = await stored()
  const last = events.at(-1)
  if (!last) throw new Error('The log is empty')
  const { data, metadata, type } = { ...last, ...change(last) }
  const linked = metadata.replace(/"previous":.*\}$/, `"previous":"${eventHash(stream, last.revision, last)}"}`)
  await log.eventStore.append(stream, last.revision, [{ id: crypto.randomUUID(), type, data, metadata: linked }])
}

const withoutMac = ({ metadata }: StoredEvent) => ({ metadata: metadata.replace(/,"mac":"[^"]+"/, '') })

describe('a log whose events are authentic', () => {
  it('is read as it was appended', async () => {
    for (const balance of [100, 200, 300]) await setBalance(balance)
    expect(await forgeries(authenticated())).toEqual(Array.from({ length: 4 }, () => undefined))
    expect(await currentBalance()).toBe(300)
  })

  it('is refused under another key', async () => {
    await setBalance(100)
    expect(await forgeries(authenticated(new Uint8Array(32)))).toEqual([
      expect.stringContaining('not authentic'),
      expect.stringContaining('not authentic'),
    ])
  })

  it.each([
    ['without a MAC', withoutMac],
    ['with the MAC of another event', () => ({ data: '{"from":"1.00","to":"9000.00"}' })],
    ['that repeats an earlier event', () => ({})],
  ])('blocks the stream of an inserted event %s', async (_, change) => {
    await setBalance(100)
    const repositories = accountsIn()
    expect((await repositories.load(ada)).state.account.balance).toBe(100)
    await insert(change)
    expect(await forgeries(authenticated())).toEqual([undefined, undefined, expect.stringContaining('not authentic')])
    // For who knows the account already, and for who reads it first.
    for (const each of [repositories, accountsIn()]) {
      await expect(each.load(ada)).rejects.toThrow(ForgedEvent)
      await expect(
        each.decide(ada, context, ({ account }) => changeAccount(account, { balance: toCents(5) })),
      ).rejects.toThrow(`BalanceChanged at ${stream}#2`)
    }
    expect(await stored()).toHaveLength(3)
  })

  it('blocks a stream whose events are authentic but of two histories', async () => {
    await setBalance(100)
    await setBalance(200)
    const [, , first] = await stored()
    const other = createTestLog()
    try {
      // The same stream once more, with another second change.
      const [opened, begun] = await stored()
      for (const event of [opened, begun])
        if (event) await other.eventStore.append(stream, event.revision === 0 ? 'none' : event.revision - 1, [event])
      const repositories = createRepositories(eventRegistry, other.eventStore, log.keys, { secrets: { eventKey } }).of(
        accountStreams,
      )
      for (const balance of [300, 400])
        await repositories.decide(ada, context, ({ account }) => changeAccount(account, { balance: toCents(balance) }))
      const last = (await collect(other.eventStore.readStream(stream))).flat()[3]
      if (!last || !first) throw new Error('No event found')
      await log.eventStore.append(stream, first.revision, [last])
    } finally {
      await other.close()
    }
    expect(await forgeries(authenticated())).toEqual([undefined, undefined, undefined, undefined])
    await expect(accountsIn().load(ada)).rejects.toThrow('it does not follow the event before it')
  })
})
