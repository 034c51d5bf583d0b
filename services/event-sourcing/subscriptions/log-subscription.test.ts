import { accountIdOf } from '#services/framework/ids.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { Checkpoint, EventStore, Position } from '#infra/event-store/event-store.ts'
import { idOf } from '#test-support/projections/event-history.ts'
import { type Firm, openFirm, silent } from '#test-support/projections/projection-harness.ts'
import { seededRandom } from '#test-support/random-seed.ts'
import { until } from '#test-support/until.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { type Consumer, createLogSubscriptions } from './log-subscription.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Consumers on a log whose subscriptions are counted. */
function open() {
  const firm = openFirm()
  const stopped = new AbortController()
  const subscriptions = { opened: 0, open: 0 }
  const eventStore: Pick<EventStore, 'subscribe'> = {
    async *subscribe(...args) {
      subscriptions.opened += 1
      subscriptions.open += 1
      try {
        yield* firm.eventStore.subscribe(...args)
      } finally {
        subscriptions.open -= 1
      }
    },
  }
  const { add } = createLogSubscriptions({
    registry: eventRegistry,
    eventStore,
    personKeys: firm.keys,
    batchSize: 3,
    retryAfter: 1,
    log: silent,
  })
  const running: { stop(): Promise<void> }[] = []
  closing.push(firm.close, async () => {
    stopped.abort()
    await Promise.all(running.map((each) => each.stop()))
  })
  return { firm, subscriptions, add: (...consumers: Consumer[]) => running.push(...add(consumers, stopped.signal)) }
}

interface Recorder extends Consumer {
  readonly seen: readonly string[]
}

/** Keeps what it is given. */
function recorder(
  name: string,
  options: Partial<Consumer> & { readonly before?: (batch: number) => Promise<void> } = {},
): Recorder {
  const seen: string[] = []
  let saved: { checkpoint: Checkpoint; position: Position } | undefined
  let batches = 0
  return {
    name,
    seen,
    start: async () => ({ checkpoint: saved?.checkpoint, position: saved?.position }),
    async apply({ events, checkpoint, position }) {
      await options.before?.(++batches)
      seen.push(...events.map(({ stored }) => stored.position))
      saved = { checkpoint, position }
    },
    ...options,
  }
}

async function append(firm: Firm, events: number): Promise<void> {
  for (let n = 0; n < events; n++)
    await firm.append(`account-${crypto.randomUUID()}-a1`, {
      type: 'AccountOpened',
      data: { accountId: accountIdOf(idOf(1), 1) },
    })
}

const upTo = (events: number) => Array.from({ length: events }, (_, index) => String(index + 1))

const hasSeen = (consumer: Recorder, events: number) =>
  until(async () => consumer.seen.length >= events, `${consumer.name} to have seen ${events} events`)

describe('consumers of the log', () => {
  it('that start together share one subscription', async () => {
    const { firm, subscriptions, add } = open()
    await append(firm, 10)
    const [first, second, third] = [recorder('first'), recorder('second'), recorder('third')]
    add(first, second, third)
    for (const each of [first, second, third]) await hasSeen(each, 10)
    await append(firm, 1)
    for (const each of [first, second, third]) await hasSeen(each, 11)
    expect([first.seen, second.seen, third.seen]).toEqual([upTo(11), upTo(11), upTo(11)])
    expect(subscriptions).toEqual({ opened: 1, open: 1 })
  })

  it('that are behind read alone until they have caught up, then join', async () => {
    const { firm, subscriptions, add } = open()
    const early = recorder('early')
    add(early)
    await append(firm, 20)
    await hasSeen(early, 20)
    const late = recorder('late')
    add(late)
    await hasSeen(late, 20)
    await until(async () => subscriptions.open === 1, 'one subscription to be left')
    await append(firm, 5)
    for (const each of [early, late]) await hasSeen(each, 25)
    expect([early.seen, late.seen]).toEqual([upTo(25), upTo(25)])
    expect(subscriptions).toEqual({ opened: 2, open: 1 })
  })

  it('that start at the end of the log learn that they have caught up', async () => {
    const { firm, add } = open()
    await append(firm, 5)
    const early = recorder('early')
    add(early)
    await hasSeen(early, 5)
    const checkpoint = await firm.eventStore.checkpointAtEnd()
    let caughtUp = false
    const late: Consumer = {
      name: 'late',
      start: async () => ({ checkpoint, position: await firm.eventStore.end() }),
      apply: async (batch) => void (caughtUp = batch.caughtUp),
    }
    add(late)
    await until(async () => caughtUp, 'the late one to know that it has caught up')
  })

  it('that fail receive the same events again and rejoin, while the others continue', async () => {
    const { firm, subscriptions, add } = open()
    const fails = { now: true }
    const healthy = recorder('healthy')
    const failing = recorder('failing', {
      before: async () => {
        if (fails.now) throw new Error('out of order')
      },
    })
    add(healthy, failing)
    await append(firm, 10)
    await hasSeen(healthy, 10)
    expect(failing.seen).toEqual([])
    fails.now = false
    await hasSeen(failing, 10)
    expect(failing.seen).toEqual(upTo(10))
    await until(async () => subscriptions.open === 1, 'one subscription to be left')
  })

  it('that are stopped after a failure are not started again', async () => {
    const firm = openFirm()
    closing.push(firm.close)
    const { eventStore, keys: personKeys } = firm
    const { add } = createLogSubscriptions({
      registry: eventRegistry,
      eventStore,
      personKeys,
      batchSize: 3,
      retryAfter: 60_000,
      log: silent,
    })
    let starts = 0
    const start = async () => {
      starts += 1
      throw new Error('The store is closed')
    }
    const stopped = new AbortController()
    const [consumer] = add([{ ...recorder('failing'), start }], stopped.signal)
    await until(async () => starts > 0, 'the first start')
    // It waits for its next start now, a minute away. A start that nobody awaits would end the process.
    await new Promise(setImmediate)
    stopped.abort()
    await consumer?.stop()
    expect(starts).toBe(1)
  })

  it('that hang hold up no other', async () => {
    const { firm, subscriptions, add } = open()
    let release: () => void = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const healthy = recorder('healthy')
    const hanging = recorder('hanging', { before: () => released })
    add(healthy, hanging)
    // More events than are remembered for it.
    for (let n = 1; n <= 70; n++) {
      await append(firm, 1)
      await hasSeen(healthy, n)
    }
    expect(hanging.seen).toEqual([])
    release()
    await hasSeen(hanging, 70)
    expect(hanging.seen).toEqual(upTo(70))
    await until(async () => subscriptions.open === 1, 'one subscription to be left')
  })

  it('that hang while all catch up hold up no other for long', { timeout: 20_000 }, async () => {
    const { firm, add } = open()
    await append(firm, 60)
    let release: () => void = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const [healthy, other] = [recorder('healthy'), recorder('other')]
    const hanging = recorder('hanging', { before: () => released })
    add(healthy, hanging, other)
    for (const each of [healthy, other]) await hasSeen(each, 60)
    expect(hanging.seen).toEqual([])
    release()
    await hasSeen(hanging, 60)
    expect([healthy.seen, hanging.seen, other.seen]).toEqual([upTo(60), upTo(60), upTo(60)])
  })

  it(
    'that are slow, fail or stop at any moment apply each event once, in order, while events come',
    { timeout: 60_000 },
    async () => {
      const { firm, subscriptions, add } = open()
      const consumers = Array.from({ length: 5 }, (_, index) => {
        const random = seededRandom(index)
        return recorder(`consumer ${index}`, {
          before: async () => {
            if (random.next() < 0.3) await delay(random.next() * 8)
            if (random.next() < 0.15) throw new Error('out of order')
          },
        })
      })
      const random = seededRandom(consumers.length)
      add(...consumers.slice(0, 3))
      for (let n = 0; n < 100; n++) {
        await append(firm, 1 + (n % 7))
        if (n === 20 || n === 60) add(...consumers.slice(n === 20 ? 3 : 4, n === 20 ? 4 : 5))
        if (random.next() < 0.4) await delay(random.next() * 4)
      }
      const all = Number(await firm.eventStore.end())
      for (const each of consumers) await hasSeen(each, all)
      for (const each of consumers) expect(each.seen).toEqual(upTo(all))
      await until(async () => subscriptions.open === 1, 'one subscription to be left')
    },
  )

  it('that find what they saved lost, although nothing happens, continue from there', { timeout: 20_000 }, async () => {
    const { firm, add } = open()
    await append(firm, 3)
    let moved = false
    const consumer = recorder('moved', {
      before: async () => {
        if (moved) throw new Error('The checkpoint was moved')
      },
      start: async () => ((moved = false), { checkpoint: undefined }),
    })
    add(consumer)
    await hasSeen(consumer, 3)
    moved = true
    await hasSeen(consumer, 6)
    expect(consumer.seen).toEqual([...upTo(3), ...upTo(3)])
  })
})
