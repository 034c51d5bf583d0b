import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { accountIdOf } from '#services/framework/ids.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { FIRM, firm as firmProjection } from '#services/trading/traders/firm-read-model.ts'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Checkpoint } from '#infra/event-store/event-store.ts'
import type { ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import { toCents } from '#services/rules/money.ts'
import { collectionOf, loadProjectionState, requestRebuild } from './blue-green-rebuild.ts'
import { allProjections } from '#services/portal/modules.ts'
import { createReadModels } from './read-model-reader.ts'
import { projection, updateExisting, type Projection } from './projection.ts'
import { accountEvents } from '#services/trading/stream/account.ts'
import { userEvents } from '#services/identity/users/user.ts'
import { idOf, someWishes, type Wish } from '#test-support/projections/event-history.ts'
import {
  failing,
  type Fate,
  type Firm,
  openFirm,
  type RunningProjector,
  served,
  silent,
  startProjector,
  straightforward,
  until,
  untilCaughtUp,
} from '#test-support/projections/projection-harness.ts'
import { readableEvents } from '#services/event-sourcing/subscriptions/dead-letter.ts'
import type { Consumer } from '#services/event-sourcing/subscriptions/log-subscription.ts'
import { rebuildNow } from '#services/operations/rebuild-and-wait.ts'
import { readProjectionStatus } from './projection-progress.ts'

const running: RunningProjector[] = []
const firms: Firm[] = []

function open(): Firm {
  const firm = openFirm()
  firms.push(firm)
  return firm
}

function start(...args: Parameters<typeof startProjector>): RunningProjector {
  const projector = startProjector(...args)
  running.push(projector)
  return projector
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((projector) => projector.stop()))
  await Promise.all(firms.splice(0).map((firm) => firm.close()))
})

const registered = (who: number): Wish[] => [
  { what: 'register', who, which: 0 },
  { what: 'open', who, which: 0 },
]

const stateOf = (firm: Firm, projection: Projection) => loadProjectionState(firm.store.projections, projection)

async function expectEqualToStraightforward(
  firm: Firm,
  projections: readonly Projection[] = allProjections,
): Promise<void> {
  for (const projection of projections) {
    const expected = await straightforward(firm, projection)
    expect(await served(firm.store, projection, Object.keys(expected))).toEqual(expected)
  }
}

describe('a projector', () => {
  it('shows what was in the log before, and what is appended meanwhile', async () => {
    const firm = open()
    await firm.record(registered(1))
    start(firm)
    const readModels = createReadModels(firm.store)
    const position = await firm.record([...registered(2), { what: 'change', who: 2, which: 3 }])
    expect(await readModels.waitFor(allProjections, position)).toBe(true)
    expect(await readModels.get(users, idOf(1))).toMatchObject({ fullName: 'Trader 1' })
    expect(await readModels.get(users, idOf(2))).toMatchObject({ account: { balance: 3_000 } })
    expect((await readModels.get(firmProjection, FIRM))?.users).toMatchObject({ total: 2 })
  })

  it('moves on read models that an event does not touch', async () => {
    const firm = open()
    start(firm)
    const position = await firm.record([{ what: 'refuse', who: 1, which: 1 }])
    expect(await createReadModels(firm.store).waitFor(allProjections, position)).toBe(true)
  })

  it('keeps a deleted user deleted after later events', async () => {
    const firm = open()
    await firm.record([...registered(1), ...registered(2), { what: 'login', who: 1, which: 1 }])
    start(firm)
    await untilCaughtUp(firm)
    await firm.record([
      { what: 'delete', who: 1, which: 0 },
      { what: 'close', who: 1, which: 0 },
    ])
    await firm.keys.destroy(idOf(1))
    await untilCaughtUp(firm)
    const readModels = createReadModels(firm.store)
    expect(await readModels.get(users, idOf(1))).toBeUndefined()
    expect(await readModels.get(users, idOf(2))).toBeDefined()
    expect((await served(firm.store, users, [idOf(1)]))[idOf(1)]).toMatchObject({ document: null })
    await expectEqualToStraightforward(firm)
  })

  it('deletes a user whose key was destroyed before it read the log', async () => {
    const firm = open()
    await firm.record([...registered(1), { what: 'delete', who: 1, which: 0 }, { what: 'close', who: 1, which: 0 }])
    await firm.keys.destroy(idOf(1))
    start(firm)
    await untilCaughtUp(firm)
    expect((await served(firm.store, users, [idOf(1)]))[idOf(1)]).toMatchObject({ document: null })
    expect(
      (await readProjectionStatus(firm.eventStore, firm.store, allProjections)).flatMap(({ poison }) => poison),
    ).toEqual([])
  })
})

describe('a projector that is killed or fails', () => {
  const fate: fc.Arbitrary<Fate> = fc.oneof(
    { weight: 8, arbitrary: fc.constant<Fate>('fine') },
    { weight: 1, arbitrary: fc.constant<Fate>('fails before') },
    { weight: 1, arbitrary: fc.constant<Fate>('fails after') },
  )
  const run = fc.record({
    wished: someWishes,
    batchSize: fc.integer({ min: 1, max: 30 }),
    /** What happens to the calls of the store, one after the other; then all is fine. */
    fates: fc.array(fate, { maxLength: 60 }),
    /** After how many writes the projector is stopped and started, each time. */
    restarts: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
    projectors: fc.integer({ min: 1, max: 2 }),
    /** How many wishes come while it is at work. */
    later: fc.integer({ min: 0, max: 30 }),
  })

  it('the documents are those of applying each event once', async () => {
    await fc.assert(
      fc.asyncProperty(run, async ({ wished, batchSize, fates, restarts, projectors, later }) => {
        const firm = openFirm()
        try {
          await firm.record(wished.slice(0, -later || undefined))
          const left = [...fates]
          const oneLife = async (writes: number) => {
            let counted = 0
            let died: () => void = () => {}
            const dead = new Promise<void>((resolve) => (died = resolve))
            const store = failing(firm.store, (call) => {
              if ((call === 'write' || call === 'save checkpoint') && ++counted === writes) died()
              return left.shift() ?? 'fine'
            })
            // Two at once are an accident: neither knows that it should not have the lease.
            const accident = { ...store, leases: { ...store.leases, acquire: async () => true } }
            const lives = Array.from({ length: projectors }, () =>
              startProjector(firm, { store: projectors > 1 ? accident : store, batchSize, leaseTime: 200 }),
            )
            return { dead, stop: () => Promise.all(lives.map((life) => life.stop())) }
          }
          for (const writes of restarts) {
            const life = await oneLife(writes)
            await Promise.race([life.dead, untilCaughtUp(firm)])
            await life.stop()
          }
          const last = await oneLife(0)
          if (later > 0) await firm.record(wished.slice(-later))
          await untilCaughtUp(firm)
          await last.stop()
          await expectEqualToStraightforward(firm)
        } finally {
          await firm.close()
        }
      }),
      { numRuns: 40 },
    )
  }, 120_000)
})

/** A projection that cannot apply one phase. */
const picky = (dislikes: string) =>
  projection(
    { ...userEvents, ...accountEvents },
    {
      name: 'phases',
      version: 1,
      document: z.object({ phases: z.array(z.string()) }),
      documentId: (event) => event.personId,
      on: {
        AccountOpened: () => ({ phases: [] }),
        PhaseChanged: updateExisting(({ phases }, { data }) => {
          if (data.to === dislikes) throw new Error(`${dislikes} cannot be applied`)
          return { phases: [...phases, String(data.to)] }
        }),
      },
    },
  )

describe('an event that cannot be applied', () => {
  const phase = (from: string | null, to: string) => ({ type: 'PhaseChanged', data: { from, to } }) as const
  const annas = `account-${idOf(1)}-a1`
  const bens = `account-${idOf(2)}-a1`

  const historyWithPoison = async (firm: Firm) => {
    await firm.append(annas, { type: 'AccountOpened', data: { accountId: accountIdOf(idOf(1), 1) } })
    await firm.append(bens, { type: 'AccountOpened', data: { accountId: accountIdOf(idOf(2), 1) } })
    await firm.append(annas, phase(null, 'poison'))
    await firm.append(annas, phase('poison', 'Funded'))
    await firm.append(bens, phase(null, 'Funded'))
  }

  it('becomes a dead letter and blocks only its own stream and read model', async () => {
    const firm = open()
    await historyWithPoison(firm)
    const projections = [picky('poison'), firmProjection]
    const first = start(firm, { projections })
    await untilCaughtUp(firm, projections)
    await first.stop()
    start(firm, { projections })
    await firm.append(annas, phase('Funded', 'Live'))
    await firm.append(bens, phase('Funded', 'Live'))
    await untilCaughtUp(firm, projections)

    const reader = createReadModels(firm.store)
    expect(await reader.get(picky('poison'), idOf(1))).toEqual({ phases: [] })
    expect(await reader.get(picky('poison'), idOf(2))).toEqual({ phases: ['Funded', 'Live'] })
    expect((await reader.get(firmProjection, FIRM))?.accounts).toBe(2)
    const [phases, counts] = await readProjectionStatus(firm.eventStore, firm.store, projections)
    expect(phases?.poison).toMatchObject([
      { stream: annas, revision: 1, type: 'PhaseChanged', error: 'poison cannot be applied' },
    ])
    expect(counts?.poison).toEqual([])
  })

  it('is applied by the rebuild of a program that can', async () => {
    const firm = open()
    await historyWithPoison(firm)
    const first = start(firm, { projections: [picky('poison')] })
    await untilCaughtUp(firm, [picky('poison')])
    await first.stop()

    const mended = picky('nothing')
    start(firm, { projections: [mended] })
    await requestRebuild(firm.store.projections, mended)
    await until(firm.store, async () => (await stateOf(firm, mended)).serving === 'phases_m1_2')
    expect(await createReadModels(firm.store).get(mended, idOf(1))).toEqual({ phases: ['poison', 'Funded'] })
    expect((await readProjectionStatus(firm.eventStore, firm.store, [mended]))[0]?.poison).toEqual([])
    await until(firm.store, async () => (await firm.store.deadLetters.list()).length === 0)
  })
})

describe('a rebuild', () => {
  /** A store whose writes to one collection wait. */
  const gated = (store: ReadModelStore, collection: string) => {
    let release: () => void = () => {}
    let arrive: () => void = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    const write: ReadModelStore['documents']['write'] = async (into, ...rest) => {
      if (into === collection) {
        arrive()
        await released
      }
      return store.documents.write(into, ...rest)
    }
    return { store: { ...store, documents: { ...store.documents, write } }, arrived, release: () => release() }
  }

  it('runs beside what is served, which stays up to date until the switch', async () => {
    const firm = open()
    await firm.record([...registered(1), ...registered(2)])
    const gate = gated(firm.store, collectionOf(users, 2))
    start(firm, { store: gate.store })
    await untilCaughtUp(firm)
    await requestRebuild(firm.store.projections, users)
    await gate.arrived

    const readModels = createReadModels(firm.store)
    const position = await firm.record([{ what: 'change', who: 1, which: 4 }])
    expect(await readModels.waitFor([users], position)).toBe(true)
    expect(await readModels.get(users, idOf(1))).toMatchObject({ account: { balance: 4_000 } })
    expect((await readProjectionStatus(firm.eventStore, firm.store, [users]))[0]).toMatchObject({
      collection: collectionOf(users, 1),
      caughtUp: true,
      building: { collection: collectionOf(users, 2), position: '0' },
    })

    gate.release()
    await until(firm.store, async () => (await stateOf(firm, users)).serving === collectionOf(users, 2))
    expect(await readModels.get(users, idOf(1))).toMatchObject({ account: { balance: 4_000 } })
    await until(firm.store, async () => (await stateOf(firm, users)).retired.length === 0)
    expect(await readModels.get(users, idOf(2))).toMatchObject({ fullName: 'Trader 2' })
    expect([...(await firm.store.checkpoints.loadAll()).keys()]).not.toContain(collectionOf(users, 1))
    await expectEqualToStraightforward(firm)
  })

  it('never shows less than before, while changes come', async () => {
    const firm = open()
    await firm.record([...registered(1), ...registered(2)])
    start(firm, { retireAfter: 1_000 })
    const readModels = createReadModels(firm.store)
    for (let balance = 1; balance <= 60; balance++) {
      if (balance % 10 === 0) await requestRebuild(firm.store.projections, users)
      const position = await firm.record([{ what: 'change', who: 1, which: balance }])
      expect(await readModels.waitFor([users], position)).toBe(true)
      expect((await readModels.get(users, idOf(1)))?.account.balance).toBe(balance * 1_000)
    }
    await until(firm.store, async () => (await stateOf(firm, users)).serving !== collectionOf(users, 1))
  })

  it('reports its progress and the time left', async () => {
    const firm = open()
    for (let who = 0; who < 20; who++) await firm.record(registered(who))
    const before = start(firm)
    await untilCaughtUp(firm)
    await before.stop()
    await requestRebuild(firm.store.projections, users)
    // It proceeds slowly, and stops where it can be observed.
    let release: () => void = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    let writes = 0
    const write: ReadModelStore['documents']['write'] = async (collection, ...rest) => {
      if (collection === collectionOf(users, 2) && ++writes > 8) await released
      await firm.store.checkpoints.saved(collection === collectionOf(users, 2) ? 15 : 0)
      return firm.store.documents.write(collection, ...rest)
    }
    start(firm, { store: { ...firm.store, documents: { ...firm.store.documents, write } }, batchSize: 5 })
    const status = async () => (await readProjectionStatus(firm.eventStore, firm.store, [users]))[0]
    await until(firm.store, async () => typeof (await status())?.building?.secondsLeft === 'number')
    const building = (await status())?.building
    expect(building?.fraction).toBeGreaterThan(0)
    expect(building?.fraction).toBeLessThan(1)
    expect(building?.secondsLeft).toBeGreaterThan(0)
    release()
    await until(firm.store, async () => (await stateOf(firm, users)).serving === collectionOf(users, 2))
    expect(await status()).toMatchObject({ building: null, requested: false, catchingUp: null })
    await until(firm.store, async () => (await stateOf(firm, users)).pace === null)
  })

  it('continues where it was stopped', async () => {
    const firm = open()
    for (let who = 0; who < 30; who++) await firm.record(registered(who))
    const before = start(firm)
    await untilCaughtUp(firm)
    await before.stop()
    await requestRebuild(firm.store.projections, users)
    let writes = 0
    const write: ReadModelStore['documents']['write'] = (collection, ...rest) => {
      if (collection === collectionOf(users, 2) && ++writes > 3) throw new Error('the end of this life')
      return firm.store.documents.write(collection, ...rest)
    }
    const halfWay = start(firm, {
      store: { ...firm.store, documents: { ...firm.store.documents, write } },
      batchSize: 5,
    })
    await until(firm.store, async () => writes > 3)
    await halfWay.stop()

    const progress = await firm.store.checkpoints.load(collectionOf(users, 2))
    expect(progress).toBeDefined()
    const startedAfter: (Checkpoint | undefined)[] = []
    const eventStore: Firm['eventStore'] = {
      ...firm.eventStore,
      subscribe(after, options) {
        startedAfter.push(after)
        return firm.eventStore.subscribe(after, options)
      },
    }
    start(firm, { eventStore })
    await until(firm.store, async () => (await stateOf(firm, users)).serving === collectionOf(users, 2))
    expect(startedAfter).toContain(progress?.checkpoint)
    expect(startedAfter).not.toContain(undefined)
    await expectEqualToStraightforward(firm)
  })

  it('is done by the caller when no worker is running', async () => {
    const firm = open()
    await firm.record([...registered(1), ...registered(2)])
    const options = {
      registry: eventRegistry,
      eventStore: firm.eventStore,
      store: firm.store,
      personKeys: firm.keys,
      log: silent,
    }
    await rebuildNow({
      ...options,
      projections: allProjections,
      signal: new AbortController().signal,
      pollInterval: 10,
      retireAfter: 0,
    })
    expect(
      (await readProjectionStatus(firm.eventStore, firm.store, allProjections)).map(({ collection, caughtUp }) => [
        collection,
        caughtUp,
      ]),
    ).toEqual(allProjections.map((projection) => [collectionOf(projection, 2), true]))
    await expectEqualToStraightforward(firm)
  })

  it('is left to a running worker', async () => {
    const firm = open()
    await firm.record(registered(1))
    start(firm)
    await untilCaughtUp(firm)
    const lines: string[] = []
    const log = { ...silent, info: (_: object, message: string) => void lines.push(message) }
    const options = {
      registry: eventRegistry,
      eventStore: firm.eventStore,
      store: firm.store,
      personKeys: firm.keys,
      log,
    }
    await rebuildNow({ ...options, projections: [users], signal: new AbortController().signal, pollInterval: 10 })
    expect(lines).toEqual(['Another projector is at work, this one stands by'])
    expect((await stateOf(firm, users)).serving).toBe(collectionOf(users, 2))
  })
})

describe('a raised version', () => {
  const named = (version: number) =>
    projection(
      { ...userEvents, ...accountEvents },
      {
        name: 'names',
        version,
        document: z.object({ id: z.string(), shout: z.string().default('?') }),
        documentId: (event) => event.personId,
        on: {
          UserRegistered: (_, { personId = '', data }) => ({
            id: personId,
            shout: version > 1 ? data.fullName.toUpperCase() : data.fullName,
          }),
        },
      },
    )

  it('is built beside the previous one, which is served until then', async () => {
    const firm = open()
    await firm.record(registered(1))
    const old = start(firm, { projections: [named(1)] })
    await untilCaughtUp(firm, [named(1)])
    await old.stop()

    const readModels = createReadModels(firm.store)
    expect(await readModels.get(named(2), idOf(1))).toEqual({ id: idOf(1), shout: 'Trader 1' })
    start(firm, { projections: [named(2)] })
    await until(firm.store, async () => (await stateOf(firm, named(2))).serving === 'names_m2_2')
    expect(await createReadModels(firm.store).get(named(2), idOf(1))).toEqual({ id: idOf(1), shout: 'TRADER 1' })
    await until(firm.store, async () => (await stateOf(firm, named(2))).retired.length === 0)
    expect([...(await firm.store.checkpoints.loadAll()).keys()]).toEqual(['names_m2_2'])
  })

  it('can be reverted', async () => {
    const firm = open()
    await firm.record(registered(1))
    const newer = start(firm, { projections: [named(2)] })
    await untilCaughtUp(firm, [named(2)])
    await newer.stop()
    start(firm, { projections: [named(1)] })
    await until(firm.store, async () => (await stateOf(firm, named(1))).serving === 'names_m1_2')
    expect(await createReadModels(firm.store).get(named(1), idOf(1))).toEqual({ id: idOf(1), shout: 'Trader 1' })
  })
})

describe('a consumer beside the projections', () => {
  /** Keeps its events and checkpoint in memory; may fail or be slow. */
  const consumer = (
    { store }: Firm,
    name: string,
    options: { from?: Checkpoint; apply?: () => Promise<void> } = {},
  ) => {
    const seen: string[] = []
    let checkpoint = options.from
    const made: Consumer = {
      name,
      start: async () => ({ checkpoint }),
      async apply(batch) {
        const events = await readableEvents(name, batch.events, store.deadLetters, silent)
        await options.apply?.()
        seen.push(...events.map(({ stream, revision }) => `${stream}#${revision}`))
        checkpoint = batch.checkpoint
      },
    }
    return { seen, made, checkpoint: () => checkpoint }
  }
  const log = async (firm: Firm, after?: Checkpoint) => {
    const names: string[] = []
    const end = await firm.eventStore.end()
    for await (const { events, position } of firm.eventStore.subscribe(after, {
      signal: new AbortController().signal,
    })) {
      names.push(...events.map(({ stream, revision }) => `${stream}#${revision}`))
      if (position === end) return names
    }
    return names
  }

  it('receives every event once and in order', async () => {
    const firm = open()
    await firm.record([...registered(1), ...registered(2)])
    const mail = consumer(firm, 'mail')
    start(firm, { consumers: [mail.made], batchSize: 3 })
    await untilCaughtUp(firm)
    for (let which = 1; which < 40; which++) await firm.record([{ what: 'change', who: 1, which }])
    const expected = await log(firm)
    await until(firm.store, async () => mail.seen.length >= expected.length)
    expect(mail.seen).toEqual(expected)
  })

  it('begins after its own checkpoint', async () => {
    const firm = open()
    await firm.record([...registered(1), ...registered(2)])
    const first = consumer(firm, 'mail')
    const life = start(firm, { consumers: [first.made] })
    await until(firm.store, async () => first.seen.length > 0)
    await life.stop()
    const checkpoint = first.checkpoint()
    expect(checkpoint).toBeDefined()

    await firm.record(registered(3))
    const second = consumer(firm, 'mail', checkpoint === undefined ? {} : { from: checkpoint })
    start(firm, { consumers: [second.made] })
    const expected = await log(firm, checkpoint)
    await until(firm.store, async () => second.seen.length >= expected.length)
    await firm.record(registered(0))
    const all = await log(firm, checkpoint)
    await until(firm.store, async () => second.seen.length >= all.length)
    expect(second.seen).toEqual(all)
  })

  it('that fails receives the same events again, and blocks no other', async () => {
    const firm = open()
    let calls = 0
    const mail = consumer(firm, 'mail', {
      apply: async () => {
        if (calls++ % 3 !== 2) throw new Error('the mail queue is away')
      },
    })
    start(firm, { consumers: [mail.made] })
    for (let which = 1; which < 20; which++) await firm.record([...registered(1), { what: 'change', who: 1, which }])
    await untilCaughtUp(firm)
    const expected = await log(firm)
    await until(firm.store, async () => mail.seen.length >= expected.length)
    expect(mail.seen).toEqual(expected)
  })

  it('that hangs does not block the read models', async () => {
    const firm = open()
    let release: () => void = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const mail = consumer(firm, 'mail', { apply: () => released })
    start(firm, { consumers: [mail.made] })
    await firm.record(registered(1))
    for (let which = 1; which < 200; which++) await firm.record([{ what: 'change', who: 1, which }])
    await untilCaughtUp(firm)
    expect(mail.seen).toEqual([])
    release()
    const expected = await log(firm)
    await until(firm.store, async () => mail.seen.length >= expected.length)
    expect(mail.seen).toEqual(expected)
  })

  it('skips an unreadable event, which becomes a dead letter', async () => {
    const firm = open()
    await firm.append('account-stranger1-a1', {
      type: 'BalanceChanged',
      data: { from: toCents(0), to: toCents(1), kind: 'deposit' },
    })
    await firm.eventStore.append('user-stranger2', 'none', [
      { id: crypto.randomUUID(), type: 'FromTheFuture', data: '{}', metadata: '{}' },
    ])
    await firm.append('account-stranger3-a1', {
      type: 'BalanceChanged',
      data: { from: toCents(0), to: toCents(1), kind: 'deposit' },
    })
    const mail = consumer(firm, 'mail')
    start(firm, { consumers: [mail.made], projections: [] })
    await until(firm.store, async () => mail.seen.length >= 2)
    expect(mail.seen).toEqual(['account-stranger1-a1#0', 'account-stranger3-a1#0'])
    expect(await firm.store.deadLetters.list('mail')).toMatchObject([
      { stream: 'user-stranger2', type: 'FromTheFuture' },
    ])
  })
})

describe('of several projectors', () => {
  it('one works; when it stops, another takes over', async () => {
    const firm = open()
    const said: string[] = []
    const log = (name: string) => ({
      ...silent,
      info: (_: object, message: string) => void said.push(`${name}: ${message}`),
    })
    const first = start(firm, { log: log('first') })
    await untilCaughtUp(firm)
    await until(firm.store, async () => said.length === 1)
    start(firm, { log: log('second'), store: firm.openStore() })
    await until(firm.store, async () => said.length === 2)
    expect(said).toEqual([
      'first: The projector is at work',
      'second: Another projector is at work, this one stands by',
    ])
    await first.stop()
    const position = await firm.record(registered(1))
    expect(await createReadModels(firm.store).waitFor(allProjections, position)).toBe(true)
    expect(said.at(-1)).toBe('second: The projector is at work')
  })

  it('one that has lost the lease stops', async () => {
    const firm = open()
    const said: string[] = []
    const log = { ...silent, warn: (_: object, message: string) => void said.push(message) }
    let own = true
    const store = { ...firm.store, leases: { ...firm.store.leases, acquire: async () => own } }
    start(firm, { store, log, leaseTime: 20 })
    await untilCaughtUp(firm)
    own = false
    await until(firm.store, async () => said.includes('Another projector has taken over'))
    await firm.record(registered(1))
    const [status] = await readProjectionStatus(firm.eventStore, firm.store, [users])
    expect(status?.caughtUp).toBe(false)
    own = true
    await untilCaughtUp(firm)
  })
})

describe('while a store is away', () => {
  it('it is retried with growing pauses, and continues afterwards', async () => {
    const firm = open()
    let away = true
    let calls = 0
    const store = failing(firm.store, (call) => {
      if (call === 'acquire lease' || call.endsWith('state') || call.endsWith('states')) return 'fine'
      calls++
      return away ? 'fails before' : 'fine'
    })
    const failed: number[] = []
    const log = {
      ...silent,
      warn: (details: object) => {
        if ('failed' in details && typeof details.failed === 'number') failed.push(details.failed)
      },
    }
    await firm.record(registered(1))
    start(firm, { store, log, projections: [users], retryAfter: 4 })
    await until(firm.store, async () => failed.includes(5))
    // Each attempt makes one call and waits at least 3 ms, then 6, 12, 24.
    expect(calls).toBeLessThanOrEqual(failed.length + 1)
    expect(failed).toEqual(failed.map((_, index) => index + 1))
    away = false
    await untilCaughtUp(firm, [users])
    await expectEqualToStraightforward(firm, [users])
  })
})
