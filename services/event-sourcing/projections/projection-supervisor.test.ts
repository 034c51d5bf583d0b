import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Checkpoint } from '../../../infra/event-store/event-store.ts'
import type { ViewStore } from '../../../infra/read-model-store/read-model-store.ts'
import { toCents } from '../../domain/money.ts'
import { collectionOf, rebuildRateFrom, readRebuildState } from './rebuild-state.ts'
import { allProjections, FIRM, firm as firmView, users } from '../../projections/index.ts'
import { createReadModels } from './read-models.ts'
import { updateExisting, type Projection } from './projection.ts'
import { defineProjection } from '../../projections/define-projection.ts'
import { idOf, someWishes, type Wish } from '../../../test-support/projections/event-history.ts'
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
} from '../../../test-support/projections/projection-harness.ts'
import type { Follower } from './projection-supervisor.ts'
import { rebuildNow, requestRebuild } from '../../operations/rebuild-read-models.ts'
import { readProjectionStatus } from './projection-status.ts'

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

async function expectEqualToStraightforward(firm: Firm, views: readonly Projection[] = allProjections): Promise<void> {
  for (const view of views) {
    const expected = await straightforward(firm, view)
    expect(await served(firm.viewStore, view, Object.keys(expected))).toEqual(expected)
  }
}

describe('a projector', () => {
  it('shows what was in the log before it came, and what is appended while it is at work', async () => {
    const firm = open()
    await firm.record(registered(1))
    start(firm)
    const views = createReadModels(firm.viewStore)
    const position = await firm.record([...registered(2), { what: 'change', who: 2, which: 3 }])
    expect(await views.waitFor(allProjections, position)).toBe(true)
    expect(await views.get(users, idOf(1))).toMatchObject({ fullName: 'Trader 1' })
    expect(await views.get(users, idOf(2))).toMatchObject({ account: { balance: 3_000 } })
    expect((await views.get(firmView, FIRM))?.users).toMatchObject({ total: 2, pending: 2 })
  })

  it('moves the views on that an event does not touch, so that nobody waits for them', async () => {
    const firm = open()
    start(firm)
    const position = await firm.record([{ what: 'refuse', who: 1, which: 1 }])
    expect(await createReadModels(firm.viewStore).waitFor(allProjections, position)).toBe(true)
  })

  it('leaves a tombstone of a deleted user, which later events and the destroyed key do not bring back', async () => {
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
    const views = createReadModels(firm.viewStore)
    expect(await views.get(users, idOf(1))).toBeUndefined()
    expect(await views.get(users, idOf(2))).toBeDefined()
    expect((await served(firm.viewStore, users, [idOf(1)]))[idOf(1)]).toMatchObject({ document: null })
    await expectEqualToStraightforward(firm)
  })

  it('makes a deleted user a tombstone also when it first sees the log after the key was destroyed', async () => {
    const firm = open()
    await firm.record([...registered(1), { what: 'delete', who: 1, which: 0 }, { what: 'close', who: 1, which: 0 }])
    await firm.keys.destroy(idOf(1))
    start(firm)
    await untilCaughtUp(firm)
    expect((await served(firm.viewStore, users, [idOf(1)]))[idOf(1)]).toMatchObject({ document: null })
    expect((await readProjectionStatus(firm.eventStore, firm.viewStore, allProjections)).flatMap(({ poison }) => poison)).toEqual([])
  })
})

describe('whatever happens to a projector', () => {
  const fate: fc.Arbitrary<Fate> = fc.oneof(
    { weight: 8, arbitrary: fc.constant<Fate>('fine') },
    { weight: 1, arbitrary: fc.constant<Fate>('fails before') },
    { weight: 1, arbitrary: fc.constant<Fate>('fails after') },
  )
  const run = fc.record({
    wished: someWishes,
    batchSize: fc.integer({ min: 1, max: 30 }),
    /** What happens to the calls of the view store, one after the other; then all is fine. */
    fates: fc.array(fate, { maxLength: 60 }),
    /** After how many writes the projector is stopped and started anew, again and again. */
    restarts: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
    projectors: fc.integer({ min: 1, max: 2 }),
    /** How many wishes come only when it is at work. */
    later: fc.integer({ min: 0, max: 30 }),
  })

  it('the documents are those of one straightforward fold', async () => {
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
            const viewStore = failing(firm.viewStore, (call) => {
              if ((call === 'write' || call === 'saveProgress') && ++counted === writes) died()
              return left.shift() ?? 'fine'
            })
            // Two at once are an accident: none of them knows that it should not have the lease.
            const accident: ViewStore = { ...viewStore, lease: async () => true }
            const lives = Array.from({ length: projectors }, () => startProjector(firm, { viewStore: projectors > 1 ? accident : viewStore, batchSize }))
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

/** A view that can't fold what it does not like. */
const picky = (dislikes: string) =>
  defineProjection({
    name: 'phases',
    version: 1,
    document: z.object({ phases: z.array(z.string()) }),
    indexes: [{ created: -1 }],
    documentId: (fact) => fact.userId,
    on: {
      AccountOpened: () => ({ phases: [] }),
      PhaseChanged: updateExisting(({ phases }, { data }) => {
        if (data.to === dislikes) throw new Error(`${dislikes} can not be folded`)
        return { phases: [...phases, String(data.to)] }
      }),
    },
  })

describe('an event that can not be folded', () => {
  const phase = (from: string | null, to: string) => ({ type: 'PhaseChanged', data: { from, to } }) as const
  const annas = `account-${idOf(1)}`
  const bens = `account-${idOf(2)}`

  const historyWithPoison = async (firm: Firm) => {
    await firm.append(annas, { type: 'AccountOpened', data: { userId: idOf(1) } })
    await firm.append(bens, { type: 'AccountOpened', data: { userId: idOf(2) } })
    await firm.append(annas, phase(null, 'poison'))
    await firm.append(annas, phase('poison', 'Funded'))
    await firm.append(bens, phase(null, 'Funded'))
  }

  it('is set aside and holds up its own stream in its own view, also after a restart, and nothing else', async () => {
    const firm = open()
    await historyWithPoison(firm)
    const views = [picky('poison'), firmView]
    const first = start(firm, { views })
    await untilCaughtUp(firm, views)
    await first.stop()
    start(firm, { views })
    await firm.append(annas, phase('Funded', 'Live'))
    await firm.append(bens, phase('Funded', 'Live'))
    await untilCaughtUp(firm, views)

    const reader = createReadModels(firm.viewStore)
    expect(await reader.get(picky('poison'), idOf(1))).toEqual({ phases: [] })
    expect(await reader.get(picky('poison'), idOf(2))).toEqual({ phases: ['Funded', 'Live'] })
    expect((await reader.get(firmView, FIRM))?.users.total).toBe(2)
    const [phases, counts] = await readProjectionStatus(firm.eventStore, firm.viewStore, views)
    expect(phases?.poison).toMatchObject([{ stream: annas, revision: 1, type: 'PhaseChanged', error: 'poison can not be folded' }])
    expect(counts?.poison).toEqual([])
  })

  it('is forgotten when the view is rebuilt by a program that can fold it', async () => {
    const firm = open()
    await historyWithPoison(firm)
    const first = start(firm, { views: [picky('poison')] })
    await untilCaughtUp(firm, [picky('poison')])
    await first.stop()

    const mended = picky('nothing')
    start(firm, { views: [mended] })
    await requestRebuild(firm.viewStore, mended)
    await until(firm.viewStore, async () => (await readRebuildState(firm.viewStore, mended)).live === 'phases_v1_2')
    expect(await createReadModels(firm.viewStore).get(mended, idOf(1))).toEqual({ phases: ['poison', 'Funded'] })
    expect((await readProjectionStatus(firm.eventStore, firm.viewStore, [mended]))[0]?.poison).toEqual([])
    await until(firm.viewStore, async () => (await firm.viewStore.poison()).length === 0)
  })
})

describe('a rebuild', () => {
  /** Lets nobody write to a collection until it is opened. */
  const gated = (store: ViewStore, collection: string) => {
    let open: () => void = () => {}
    const opened = new Promise<void>((resolve) => (open = resolve))
    const reached = new Promise<void>((resolve) => {
      viewStore = {
        ...store,
        async write(into, writes, progress) {
          if (into === collection) {
            resolve()
            await opened
          }
          return store.write(into, writes, progress)
        },
      }
    })
    return { viewStore, reached, open: () => open() }
  }
  let viewStore: ViewStore

  it('goes on beside what is served, which stays up to date; then queries read the new one and the old is dropped', async () => {
    const firm = open()
    await firm.record([...registered(1), ...registered(2)])
    const accessControl = gated(firm.viewStore, collectionOf(users, 2))
    start(firm, { viewStore: accessControl.viewStore })
    await untilCaughtUp(firm)
    await requestRebuild(firm.viewStore, users)
    await accessControl.reached

    const views = createReadModels(firm.viewStore)
    const position = await firm.record([{ what: 'change', who: 1, which: 4 }])
    expect(await views.waitFor([users], position)).toBe(true)
    expect(await views.get(users, idOf(1))).toMatchObject({ account: { balance: 4_000 } })
    expect((await readProjectionStatus(firm.eventStore, firm.viewStore, [users]))[0]).toMatchObject({
      collection: collectionOf(users, 1),
      caughtUp: true,
      building: { collection: collectionOf(users, 2), position: '0' },
    })

    accessControl.open()
    await until(firm.viewStore, async () => (await readRebuildState(firm.viewStore, users)).live === collectionOf(users, 2))
    expect(await views.get(users, idOf(1))).toMatchObject({ account: { balance: 4_000 } })
    await until(firm.viewStore, async () => (await readRebuildState(firm.viewStore, users)).retired.length === 0)
    expect(await views.get(users, idOf(2))).toMatchObject({ fullName: 'Trader 2' })
    expect([...(await firm.viewStore.readers()).keys()]).not.toContain(collectionOf(users, 1))
    await expectEqualToStraightforward(firm)
  })

  it('never shows less than was shown before, while changes come and views are rebuilt again and again', async () => {
    const firm = open()
    await firm.record([...registered(1), ...registered(2)])
    start(firm, { retireAfter: 1_000 })
    const views = createReadModels(firm.viewStore)
    for (let balance = 1; balance <= 60; balance++) {
      if (balance % 10 === 0) await requestRebuild(firm.viewStore, users)
      const position = await firm.record([{ what: 'change', who: 1, which: balance }])
      expect(await views.waitFor([users], position)).toBe(true)
      expect((await views.get(users, idOf(1)))?.account.balance).toBe(balance * 1_000)
    }
    await until(firm.viewStore, async () => (await readRebuildState(firm.viewStore, users)).live !== collectionOf(users, 1))
  })

  it('tells how much of it is done, and how long the rest will take, until it is served', async () => {
    const firm = open()
    for (let who = 0; who < 20; who++) await firm.record(registered(who))
    const before = start(firm)
    await untilCaughtUp(firm)
    await before.stop()
    await requestRebuild(firm.viewStore, users)
    // It comes on a little at a time, and stops where it can be looked at.
    let held: () => void = () => {}
    const release = new Promise<void>((resolve) => (held = resolve))
    let writes = 0
    const viewStore: ViewStore = {
      ...firm.viewStore,
      async write(collection, ...rest) {
        if (collection === collectionOf(users, 2) && ++writes > 8) await release
        await firm.viewStore.progressed(collection === collectionOf(users, 2) ? 15 : 0)
        return firm.viewStore.write(collection, ...rest)
      },
    }
    start(firm, { viewStore, batchSize: 5 })
    const status = async () => (await readProjectionStatus(firm.eventStore, firm.viewStore, [users]))[0]
    await until(firm.viewStore, async () => typeof (await status())?.building?.secondsLeft === 'number')
    const building = (await status())?.building
    expect(building?.fraction).toBeGreaterThan(0)
    expect(building?.fraction).toBeLessThan(1)
    expect(building?.secondsLeft).toBeGreaterThan(0)
    held()
    await until(firm.viewStore, async () => (await readRebuildState(firm.viewStore, users)).live === collectionOf(users, 2))
    expect(await status()).toMatchObject({ building: null, requested: false, catchingUp: null })
    await until(firm.viewStore, async () => rebuildRateFrom(await firm.viewStore.settings(), collectionOf(users, 2)) === undefined)
  })

  it('goes on where it was when it was stopped half-way', async () => {
    const firm = open()
    for (let who = 0; who < 30; who++) await firm.record(registered(who))
    const before = start(firm)
    await untilCaughtUp(firm)
    await before.stop()
    await requestRebuild(firm.viewStore, users)
    let writes = 0
    const viewStore: ViewStore = {
      ...firm.viewStore,
      write: (collection, ...rest) => {
        if (collection === collectionOf(users, 2) && ++writes > 3) throw new Error('the end of this life')
        return firm.viewStore.write(collection, ...rest)
      },
    }
    const halfWay = start(firm, { viewStore, batchSize: 5 })
    await until(firm.viewStore, async () => writes > 3)
    await halfWay.stop()

    const progress = await firm.viewStore.progress(collectionOf(users, 2))
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
    await until(firm.viewStore, async () => (await readRebuildState(firm.viewStore, users)).live === collectionOf(users, 2))
    expect(startedAfter).toContain(progress?.checkpoint)
    expect(startedAfter).not.toContain(undefined)
    await expectEqualToStraightforward(firm)
  })

  it('is done by whoever asks for it, when no worker is running', async () => {
    const firm = open()
    await firm.record([...registered(1), ...registered(2)])
    const options = { eventStore: firm.eventStore, viewStore: firm.viewStore, personKeys: firm.keys, log: silent }
    await rebuildNow({ ...options, views: allProjections, signal: new AbortController().signal, pollInterval: 10, retireAfter: 0 })
    expect((await readProjectionStatus(firm.eventStore, firm.viewStore, allProjections)).map(({ collection, caughtUp }) => [collection, caughtUp])).toEqual(
      allProjections.map((view) => [collectionOf(view, 2), true]),
    )
    await expectEqualToStraightforward(firm)
  })

  it('is left to the worker that is running', async () => {
    const firm = open()
    await firm.record(registered(1))
    start(firm)
    await untilCaughtUp(firm)
    const lines: string[] = []
    const log = { ...silent, info: (_: object, message: string) => void lines.push(message) }
    const options = { eventStore: firm.eventStore, viewStore: firm.viewStore, personKeys: firm.keys, log }
    await rebuildNow({ ...options, views: [users], signal: new AbortController().signal, pollInterval: 10 })
    expect(lines).toEqual(['Another projector is at work, this one stands by'])
    expect((await readRebuildState(firm.viewStore, users)).live).toBe(collectionOf(users, 2))
  })
})

describe('a raised version', () => {
  const named = (version: number) =>
    defineProjection({
      name: 'names',
      version,
      document: z.object({ id: z.string(), shout: z.string().default('?') }),
      indexes: [{ created: -1 }],
      documentId: (fact) => fact.userId,
      on: {
        UserRegistered: (_, { userId = '', data }) => ({ id: userId, shout: version > 1 ? data.fullName.toUpperCase() : data.fullName }),
      },
    })

  it('is built beside the one before, which is served until then', async () => {
    const firm = open()
    await firm.record(registered(1))
    const old = start(firm, { views: [named(1)] })
    await untilCaughtUp(firm, [named(1)])
    await old.stop()

    const views = createReadModels(firm.viewStore)
    expect(await views.get(named(2), idOf(1))).toEqual({ id: idOf(1), shout: 'Trader 1' })
    start(firm, { views: [named(2)] })
    await until(firm.viewStore, async () => (await readRebuildState(firm.viewStore, named(2))).live === 'names_v2_2')
    expect(await createReadModels(firm.viewStore).get(named(2), idOf(1))).toEqual({ id: idOf(1), shout: 'TRADER 1' })
    await until(firm.viewStore, async () => (await readRebuildState(firm.viewStore, named(2))).retired.length === 0)
    expect([...(await firm.viewStore.readers()).keys()]).toEqual(['names_v2_2'])
  })

  it('can be taken back', async () => {
    const firm = open()
    await firm.record(registered(1))
    const newer = start(firm, { views: [named(2)] })
    await untilCaughtUp(firm, [named(2)])
    await newer.stop()
    start(firm, { views: [named(1)] })
    await until(firm.viewStore, async () => (await readRebuildState(firm.viewStore, named(1))).live === 'names_v1_2')
    expect(await createReadModels(firm.viewStore).get(named(1), idOf(1))).toEqual({ id: idOf(1), shout: 'Trader 1' })
  })
})

describe('a follower', () => {
  /** Keeps what it was given and its checkpoint in memory; may fail, may be slow. */
  const follower = (name: string, options: { from?: Checkpoint; take?: () => Promise<void> } = {}) => {
    const seen: string[] = []
    let checkpoint = options.from
    const made: Follower = {
      name,
      checkpoint: async () => checkpoint,
      async take(facts, batch) {
        await options.take?.()
        seen.push(...facts.map(({ stream, revision }) => `${stream}#${revision}`))
        checkpoint = batch.checkpoint
      },
    }
    return { seen, made, checkpoint: () => checkpoint }
  }
  const log = async (firm: Firm, after?: Checkpoint) => {
    const names: string[] = []
    const end = await firm.eventStore.end()
    for await (const { events, position } of firm.eventStore.subscribe(after, { signal: new AbortController().signal })) {
      names.push(...events.map(({ stream, revision }) => `${stream}#${revision}`))
      if (position === end) return names
    }
    return names
  }

  it('gets every event once and in order, what was there and what comes', async () => {
    const firm = open()
    await firm.record([...registered(1), ...registered(2)])
    const mail = follower('mail')
    start(firm, { followers: [mail.made], batchSize: 3 })
    await untilCaughtUp(firm)
    for (let which = 1; which < 40; which++) await firm.record([{ what: 'change', who: 1, which }])
    const expected = await log(firm)
    await until(firm.viewStore, async () => mail.seen.length >= expected.length)
    expect(mail.seen).toEqual(expected)
  })

  it('begins after its own checkpoint, wherever the views are', async () => {
    const firm = open()
    await firm.record([...registered(1), ...registered(2)])
    const first = follower('mail')
    const life = start(firm, { followers: [first.made] })
    await until(firm.viewStore, async () => first.seen.length > 0)
    await life.stop()
    const checkpoint = first.checkpoint()
    expect(checkpoint).toBeDefined()

    await firm.record(registered(3))
    const second = follower('mail', checkpoint === undefined ? {} : { from: checkpoint })
    start(firm, { followers: [second.made] })
    const expected = await log(firm, checkpoint)
    await until(firm.viewStore, async () => second.seen.length >= expected.length)
    await firm.record(registered(0))
    const all = await log(firm, checkpoint)
    await until(firm.viewStore, async () => second.seen.length >= all.length)
    expect(second.seen).toEqual(all)
  })

  it('that fails gets what it did not take again, until it does, and holds up nobody', async () => {
    const firm = open()
    let takes = 0
    const mail = follower('mail', {
      take: async () => {
        if (takes++ % 3 !== 2) throw new Error('the mail queue is away')
      },
    })
    start(firm, { followers: [mail.made] })
    for (let which = 1; which < 20; which++) await firm.record([...registered(1), { what: 'change', who: 1, which }])
    await untilCaughtUp(firm)
    const expected = await log(firm)
    await until(firm.viewStore, async () => mail.seen.length >= expected.length)
    expect(mail.seen).toEqual(expected)
  })

  it('that hangs does not keep the views from going on', async () => {
    const firm = open()
    let release: () => void = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const mail = follower('mail', { take: () => released })
    start(firm, { followers: [mail.made] })
    await firm.record(registered(1))
    for (let which = 1; which < 200; which++) await firm.record([{ what: 'change', who: 1, which }])
    await untilCaughtUp(firm)
    expect(mail.seen).toEqual([])
    release()
    const expected = await log(firm)
    await until(firm.viewStore, async () => mail.seen.length >= expected.length)
    expect(mail.seen).toEqual(expected)
  })

  it('is spared an event that can not be read, which is set aside', async () => {
    const firm = open()
    await firm.append('account-stranger1', { type: 'BalanceChanged', data: { from: toCents(0), to: toCents(1) } })
    await firm.eventStore.append('user-stranger2', 'none', [{ id: crypto.randomUUID(), type: 'FromTheFuture', data: '{}', metadata: '{}' }])
    await firm.append('account-stranger3', { type: 'BalanceChanged', data: { from: toCents(0), to: toCents(1) } })
    const mail = follower('mail')
    start(firm, { followers: [mail.made], views: [] })
    await until(firm.viewStore, async () => mail.seen.length >= 2)
    expect(mail.seen).toEqual(['account-stranger1#0', 'account-stranger3#0'])
    expect(await firm.viewStore.poison('mail')).toMatchObject([{ stream: 'user-stranger2', type: 'FromTheFuture' }])
  })
})

describe('of several projectors', () => {
  it('one is at work; when it stops another takes over', async () => {
    const firm = open()
    const said: string[] = []
    const log = (name: string) => ({ ...silent, info: (_: object, message: string) => void said.push(`${name}: ${message}`) })
    const first = start(firm, { log: log('first') })
    await untilCaughtUp(firm)
    await until(firm.viewStore, async () => said.length === 1)
    start(firm, { log: log('second'), viewStore: firm.openViewStore() })
    await until(firm.viewStore, async () => said.length === 2)
    expect(said).toEqual(['first: The projector is at work', 'second: Another projector is at work, this one stands by'])
    await first.stop()
    const position = await firm.record(registered(1))
    expect(await createReadModels(firm.viewStore).waitFor(allProjections, position)).toBe(true)
    expect(said.at(-1)).toBe('second: The projector is at work')
  })

  it('one that has lost the lease stops', async () => {
    const firm = open()
    const said: string[] = []
    const log = { ...silent, warn: (_: object, message: string) => void said.push(message) }
    let mine = true
    const viewStore: ViewStore = { ...firm.viewStore, lease: async () => mine }
    start(firm, { viewStore, log, leaseTime: 20 })
    await untilCaughtUp(firm)
    mine = false
    await until(firm.viewStore, async () => said.includes('Another projector has taken over'))
    await firm.record(registered(1))
    const [status] = await readProjectionStatus(firm.eventStore, firm.viewStore, [users])
    expect(status?.caughtUp).toBe(false)
    mine = true
    await untilCaughtUp(firm)
  })
})

describe('while a store is away', () => {
  it('it tries again with growing pauses, and goes on when the store is back', async () => {
    const firm = open()
    let away = true
    let calls = 0
    const viewStore = failing(firm.viewStore, (call) => {
      if (call === 'lease' || call === 'setting' || call === 'saveSetting') return 'fine'
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
    start(firm, { viewStore, log, views: [users], retryAfter: 4 })
    await until(firm.viewStore, async () => failed.includes(5))
    // Each attempt makes one call and waits at least 3 ms, then 6, 12, 24.
    expect(calls).toBeLessThanOrEqual(failed.length + 1)
    expect(failed).toEqual(failed.map((_, index) => index + 1))
    away = false
    await untilCaughtUp(firm, [users])
    await expectEqualToStraightforward(firm, [users])
  })
})
