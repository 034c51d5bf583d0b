/**
 * What EventStoreDB answers, case by case, as a transcript to compare with a test double's.
 *
 *   node --import tsx infra/event-store/recording/probe.mjs <'esdb://127.0.0.1:2113?tls=false' | control module> [group …]
 *
 * It takes a FRESH server. Every group has streams of its own and may run alone. Sizes, crashes and hangs are in faults.mjs.
 */
import {
  require,
  serverOf,
  connect,
  paths,
  sleep,
  yes,
  event,
  events,
  all,
  nameOf,
  list,
  describe,
  value,
  positionsOf,
  watch,
  story,
  check,
  runGroups,
  jsonEvent,
  binaryEvent,
  streamNameFilter,
  excludeSystemEvents,
  START,
  END,
  BACKWARDS,
} from './common.mjs'

const [argument, ...chosen] = process.argv.slice(2)
const server = await serverOf(argument)
const { url } = server
const client = connect(url)
const at = positionsOf(client)

const written = async ({ success, nextExpectedRevision, position }) =>
  `${success ? 'ok' : 'refused'} next ${value(nextExpectedRevision)} at ${await at(position)}`
const put = (stream, expectedRevision, what, more = {}) => client.appendToStream(stream, what, { expectedRevision, ...more }).then(written)
const revisions = async (stream, options) => list(await all(client.readStream(stream, options), ({ event }) => event.revision))
const names = async (options) => list(await all(client.readAll(options), ({ event }) => nameOf(event)))
const positionOf = async (stream, revision) => (await all(client.readStream(stream, { fromRevision: BigInt(revision), maxCount: 1 })))[0].position
const beyond = (position, bytes = 1_000_000n) => ({ commit: position.commit + bytes, prepare: position.prepare + bytes })
const lastPosition = async () => (await all(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 })))[0].position
const prefix = (start, more = {}) => ({ filter: streamNameFilter({ prefixes: [start], ...more }) })
const same = (a, b) => a.length === b.length && a.every((x, i) => x === b[i])
const tally = (words) =>
  Object.entries(words.reduce((n, word) => ({ ...n, [word]: (n[word] ?? 0) + 1 }), {}))
    .sort()
    .map(([word, n]) => `${n} × ${word}`)
    .join(', ')

const groups = {
  async fresh() {
    await check('fresh/$all of a new server holds system events only, and at least one', async () => {
      const streams = await all(client.readAll(), ({ event }) => event.streamId)
      return `system only ${yes(streams.every((stream) => stream.startsWith('$')))}, at least one ${yes(streams.length > 0)}`
    })
  },

  async features() {
    await check('features/methods of the streams service, and what the server lists for each', async () => {
      const folder = require.resolve('@eventstore/db-client/package.json').replace(/package\.json$/, '')
      const { createRequire } = await import('node:module')
      const grpc = createRequire(folder + 'dist/index.js')('@grpc/grpc-js')
      const { ServerFeaturesClient } = require(folder + 'generated/serverfeatures_grpc_pb')
      const { Empty } = require(folder + 'generated/shared_pb')
      const service = new ServerFeaturesClient(new URL(url).host, grpc.credentials.createInsecure())
      const answer = await new Promise((resolve, reject) =>
        service.getSupportedMethods(new Empty(), (error, response) => (error ? reject(error) : resolve(response))),
      )
      const methods = answer.getMethodsList().filter((method) => method.getServiceName() === 'event_store.client.streams.streams')
      const dotted = /^\d+\.\d+\.\d+/.test(answer.getEventStoreServerVersion())
      return `${list(methods.map((method) => [method.getMethodName(), ...method.getFeaturesList()].join('+')).sort())}, version is a dotted number ${yes(dotted)}`
    })
  },

  async append() {
    for (const [path, via] of Object.entries(paths)) {
      const name = (what) => `append/${path}/${what}`
      const [main, fresh, missing] = ['main', 'fresh', 'missing'].map((stream) => `${path}-${stream}`)
      await check(name('no_stream, new stream, 3 events'), () => put(main, 'no_stream', events(3), via))
      await check(name('exact revision'), () => put(main, 2n, event(), via))
      await check(name('any, new stream, 2 events'), () => put(fresh, 'any', events(2), via))
      await check(name('any, existing stream'), () => put(fresh, 'any', event(), via))
      await check(name('stream_exists, existing stream'), () => put(main, 'stream_exists', event(), via))
      await check(name('2000 events at once'), () => put(`${path}-bulk`, 'no_stream', events(2000), via))

      await check(name('wrong: revision too low'), () => put(main, 0n, event(), via))
      await check(name('wrong: revision too high'), () => put(main, 9n, event(), via))
      await check(name('wrong: no_stream on an existing stream'), () => put(main, 'no_stream', event(), via))
      await check(name('wrong: exact revision on a missing stream'), () => put(missing, 0n, event(), via))
      await check(name('wrong: stream_exists on a missing stream'), () => put(missing, 'stream_exists', event(), via))
      await check(name('wrong: nothing of all that was written'), async () => `${await revisions(main)} ${await revisions(missing).catch(describe)}`)

      let streams = 0
      /** Three events are in a stream of their own; then they, or what `change` makes of them, come again. */
      const again = (what, revision, change = (three) => three, meanwhile = []) =>
        check(name(`retry: ${what}`), async () => {
          const [stream, three] = [`${path}-retry-${++streams}`, events(3)]
          await put(stream, 'no_stream', three, via)
          if (meanwhile.length) await put(stream, 2n, meanwhile, via)
          const said = await put(stream, revision, change(three), via).catch(describe)
          return `${said}, holds ${list(await all(client.readStream(stream), ({ event }) => `${event.revision}:${event.data.n}`))}`
        })
      await again('no_stream', 'no_stream')
      await again('any', 'any')
      await again('stream_exists', 'stream_exists')
      await again('with the current revision they are written again', 2n)
      await again('the last two with the revision they had', 0n, ([, ...two]) => two)
      await again('the last two, any', 'any', ([, ...two]) => two)
      await again('the first two, no_stream', 'no_stream', ([one, two]) => [one, two])
      await again('with a new one behind, no_stream', 'no_stream', (three) => [...three, event(9)])
      await again('with a new one behind, any', 'any', (three) => [...three, event(9)])
      await again('in another order, no_stream', 'no_stream', ([one, two, three]) => [two, one, three])
      await again('with other data, no_stream', 'no_stream', (three) => three.map(({ id }) => event(9, { id })))
      await again('after later appends, no_stream', 'no_stream', undefined, events(2))
      await again('after later appends, any', 'any', undefined, events(2))
      await check(name('retry: the same ids on another stream are new events'), async () => {
        const three = events(3)
        await put(`${path}-here`, 'no_stream', three, via)
        return put(`${path}-there`, 'no_stream', three, via)
      })
      await check(name('one id twice in one append'), async () => {
        const twin = event()
        return `${await put(`${path}-twins`, 'no_stream', [twin, twin], via)}, holds ${await revisions(`${path}-twins`)}`
      })

      await check(name('no events: any, missing stream'), () => put(`${path}-empty`, 'any', [], via))
      await check(name('no events: no_stream, missing stream'), () => put(`${path}-empty`, 'no_stream', [], via))
      await check(name('no events: the stream is still missing'), () => revisions(`${path}-empty`))
      await check(name('no events: right revision'), () => put(main, 4n, [], via))
      await check(name('no events: wrong revision'), () => put(main, 1n, [], via))

      const race = async (stream, expectedRevision) =>
        tally(await Promise.all(events(50).map((one) => client.appendToStream(stream, one, { expectedRevision, ...via }).then(() => 'accepted', describe))))
      await check(name('50 racing with one revision'), async () => {
        await put(`${path}-race`, 'no_stream', event(), via)
        return race(`${path}-race`, 0n)
      })
      await check(name('50 racing with no_stream'), () => race(`${path}-race2`, 'no_stream'))
    }
    await check('append/batch/300 appends not waited for keep their order, after one that was', async () => {
      await Promise.all(events(300).map((one) => client.appendToStream('in-order', one)))
      const order = await all(client.readStream('in-order'), ({ event }) => event.data.n)
      return `${order.length} events, in order ${yes(order.every((n, i) => n === i))}`
    })
    await check('append/classic/300 appends not waited for are all there', async () => {
      await Promise.all(events(300).map((one) => client.appendToStream('in-any-order', one, paths.classic)))
      return `${new Set(await all(client.readStream('in-any-order'), ({ event }) => event.data.n)).size} events`
    })
  },

  async read() {
    await put('read-a', 'no_stream', events(4))
    await put('read-b', 'no_stream', events(2))
    const a2 = await positionOf('read-a', 2)
    const a1 = await positionOf('read-a', 1)
    const end = await lastPosition()
    const between = beyond(a2, 1n)
    await check('read/stream forwards', () => revisions('read-a'))
    await check('read/stream forwards from 2 is inclusive', () => revisions('read-a', { fromRevision: 2n }))
    await check('read/stream forwards from beyond its end', () => revisions('read-a', { fromRevision: 99n }))
    await check('read/stream forwards, at most 2', () => revisions('read-a', { maxCount: 2 }))
    await check('read/stream backwards from its end', () => revisions('read-a', { direction: BACKWARDS, fromRevision: END }))
    await check('read/stream backwards from 2 is inclusive', () => revisions('read-a', { direction: BACKWARDS, fromRevision: 2n }))
    await check('read/stream backwards from beyond its end', () => revisions('read-a', { direction: BACKWARDS, fromRevision: 99n }))
    await check('read/stream backwards from its end, at most 1', () => revisions('read-a', { direction: BACKWARDS, fromRevision: END, maxCount: 1 }))
    await check('read/missing stream forwards', () => revisions('read-missing'))
    await check('read/missing stream backwards', () => revisions('read-missing', { direction: BACKWARDS, fromRevision: END }))
    await check('read/$all forwards from an event is inclusive', () => names({ fromPosition: a2, maxCount: 3 }))
    await check('read/$all backwards from an event is exclusive', () => names({ direction: BACKWARDS, fromPosition: a2, maxCount: 2 }))
    await check('read/$all backwards from the end', () => names({ direction: BACKWARDS, fromPosition: END, maxCount: 3 }))
    await check('read/$all forwards from the end', () => names({ fromPosition: END, maxCount: 2 }))
    await check('read/$all forwards from {0,0} begins with a system event', () => names({ fromPosition: { commit: 0n, prepare: 0n }, maxCount: 1 }))
    await check('read/$all forwards from between two events', () => names({ fromPosition: between, maxCount: 2 }))
    await check('read/$all backwards from between two events', () => names({ direction: BACKWARDS, fromPosition: between, maxCount: 2 }))
    await check('read/$all forwards from beyond the end', () => names({ fromPosition: beyond(end), maxCount: 2 }))
    await check('read/$all backwards from beyond the end', () => names({ direction: BACKWARDS, fromPosition: beyond(end), maxCount: 2 }))
    await check('read/$all forwards, prepare after commit', () => names({ fromPosition: { commit: a1.commit, prepare: a2.prepare }, maxCount: 1 }))
    await check('read/$all forwards from {X,0} is inclusive too', () => names({ fromPosition: { commit: a2.commit, prepare: 0n }, maxCount: 2 }))
    await check('read/$all ignores a filter: this client does not send it', () => names({ fromPosition: a2, maxCount: 3, ...prefix('read-b') }))
    await check('read/an event comes back as written', async () => {
      const one = jsonEvent({ type: 'Wörld', data: { text: 'ünï\u0000\n', half: 1.5, none: null, list: [] }, metadata: { $correlationId: 'c', n: 1 } })
      await client.appendToStream('read-trip', one)
      const [{ id, type, data, metadata, created, isJson, position }] = await all(client.readStream('read-trip'))
      const equal = JSON.stringify([id, type, data, metadata]) === JSON.stringify([one.id, one.type, one.data, one.metadata])
      const now = created instanceof Date && Math.abs(created - Date.now()) < 60_000
      return `equal ${yes(equal)}, isJson ${isJson}, created is a Date of now ${yes(now)}, position ${await at(position)}`
    })
    await check('read/an event without metadata, and a binary one', async () => {
      await client.appendToStream('read-kinds', [event(1), binaryEvent({ type: 'Raw', data: Buffer.from('{"n":') })])
      const [plain, binary] = await all(client.readStream('read-kinds'))
      return `metadata ${plain.metadata}, isJson ${binary.isJson}, data ${Buffer.from(binary.data).toString()}`
    })
    await check('read/position and commitPosition of an event read from its stream', async () => {
      const [
        {
          event: { position },
          commitPosition,
        },
      ] = await all(client.readStream('read-a', { maxCount: 1 }), (resolved) => resolved)
      return `position ${await at(position)}, commitPosition the same ${yes(commitPosition === position.commit)}`
    })
  },

  async subscribe() {
    const live = async (options, act) => {
      const watcher = watch(client, options)
      await watcher.quiet()
      await act?.()
      watcher.ask()
      return story(await watcher.close(), at, ['confirmation', 'event', 'caughtUp', 'fellBehind', 'error', 'end', 'close'])
    }
    await put('sub-a', 'no_stream', events(3))
    await put('sub-b', 'no_stream', events(2))
    const a1 = await positionOf('sub-a', 1)
    for (const [kind, filter] of [
      ['no filter', {}],
      ['stream prefix', prefix('sub-')],
    ]) {
      const name = (what) => `subscribe/$all, ${kind}/${what}`
      await check(name('from an event is exclusive'), () => live({ fromPosition: a1, ...filter }))
      await check(name('from {X,0} is inclusive: the event at X is delivered'), () => live({ fromPosition: { commit: a1.commit, prepare: 0n }, ...filter }))
      await check(name('from the end, then one append'), () =>
        live({ fromPosition: END, ...filter }, () => put(`sub-live-${kind.slice(0, 2)}`, 'any', event())),
      )
      await check(name('from between two events'), () => live({ fromPosition: beyond(a1, 1n), ...filter }))
      await check(name('from beyond the end: silence, also about a new event'), async () =>
        live({ fromPosition: beyond(await lastPosition()), ...filter }, () => put(`sub-silent-${kind.slice(0, 2)}`, 'any', event())),
      )
    }
    await check('subscribe/$all, no filter/from the start delivers what readAll reads, then caughtUp', async () => {
      const watcher = watch(client, { fromPosition: START })
      await watcher.until(() => watcher.of('caughtUp').length)
      const seen = await watcher.close()
      const read = await all(client.readAll(), ({ event }) => event.id)
      return `the same ${yes(
        same(
          watcher.of('event').map(({ event }) => event.id),
          read,
        ),
      )}, first ${seen[0].kind}, last ${seen.at(-1).kind}`
    })
    await check('subscribe/$all, stream prefix/from the start, two prefixes, case matters', () =>
      live({ fromPosition: START, filter: streamNameFilter({ prefixes: ['sub-a', 'sub-b', 'SUB-'] }) }),
    )
    await check('subscribe/$all, excludeSystemEvents/from the start', async () => {
      const watcher = watch(client, { fromPosition: START, filter: excludeSystemEvents() })
      await watcher.until(() => watcher.of('caughtUp').length)
      await watcher.close()
      const others = (await all(client.readAll(), ({ event }) => nameOf(event))).filter((name) => name !== 'system')
      return `system events ${watcher.of('event').length - watcher.names().length}, all the others ${yes(same(watcher.names(), others))}`
    })
    await check('subscribe/stream/from the start', () => live({ stream: 'sub-a', fromRevision: START }))
    await check('subscribe/stream/from revision 1 is exclusive', () => live({ stream: 'sub-a', fromRevision: 1n }))
    await check('subscribe/stream/from the end, then one append', () => live({ stream: 'sub-a', fromRevision: END }, () => put('sub-a', 'any', event())))
    await check('subscribe/stream/missing, then an append of 2', () =>
      live({ stream: 'sub-later', fromRevision: START }, () => put('sub-later', 'any', events(2))),
    )
    await check('subscribe/stream/from beyond its end: silence, also about a new event', () =>
      live({ stream: 'sub-b', fromRevision: 99n }, () => put('sub-b', 'any', event())),
    )
    await check('subscribe/unsubscribing says end and close', async () => {
      const watcher = watch(client, { fromPosition: END })
      await watcher.close()
      await watcher.quiet()
      return story(watcher.seen, at)
    })
    await check('subscribe/60 subscriptions of one client each get a new event', async () => {
      const watchers = Array.from({ length: 60 }, () => watch(client, { fromPosition: END }))
      for (const watcher of watchers) await watcher.until(() => watcher.of('caughtUp').length)
      await put('sub-sixty', 'any', event())
      for (const watcher of watchers) await watcher.until(() => watcher.of('event').length)
      const counts = watchers.map((watcher) => watcher.of('event').length)
      await Promise.all(watchers.map(({ subscription }) => subscription.unsubscribe()))
      return tally(counts)
    })
  },

  /** Catching up from an event of our own: pages are counted from there, whatever stands before it. */
  async checkpoint() {
    await put('cp-mark', 'no_stream', event())
    for (let i = 0; i < 4; i++) await put('cp-other', 'any', events(50))
    await put('cp-match', 'no_stream', event())
    for (let i = 0; i < 4; i++) await put('cp-other', 'any', events(50))
    const mark = await positionOf('cp-mark', 0)
    const order = (await all(client.readAll({ fromPosition: mark }))).map(({ position }) => position.commit)
    /** {X,X} covers the event at X, {X,0} does not. */
    const covers = ({ position: { commit, prepare } }, event) => event.position.commit < commit || (event.position.commit === commit && prepare > 0n)
    const catchUp = async (filter, fromPosition = mark) => {
      const watcher = watch(client, { fromPosition, filter })
      await watcher.until(() => watcher.of('caughtUp').length)
      return watcher.close(100)
    }
    const sparse = (more) => streamNameFilter({ prefixes: ['cp-match'], ...more })
    const dense = (more) => streamNameFilter({ prefixes: ['cp-'], ...more })
    const settings = {
      'interval 1': { checkpointInterval: 1 },
      'interval 5': { checkpointInterval: 5 },
      'window 100': { checkpointInterval: 1, maxSearchWindow: 100 },
    }

    for (const [kind, filter] of [
      ['few match', sparse],
      ['all match', dense],
    ])
      for (const [setting, more] of Object.entries(settings)) {
        const seen = await catchUp(filter(more))
        const width = (more.maxSearchWindow ?? 32) * more.checkpointInterval
        const marks = seen.filter(({ kind }) => kind === 'checkpoint')
        const before = (entry, kind) => seen.slice(0, seen.indexOf(entry)).filter((other) => other.kind === kind)
        const after = (entry, kind) => seen.slice(seen.indexOf(entry)).filter((other) => other.kind === kind)
        await check(`checkpoint/catching up, ${kind}, ${setting}/what always holds`, async () => {
          const open = marks.filter(({ position }) => position.prepare === 0n)
          const steps = marks.map(({ position }) => order.indexOf(position.commit)).map((n, i, all) => n - (all[i - 1] ?? 0))
          return [
            `prepare is 0 or commit ${yes(marks.every(({ position: { commit, prepare } }) => prepare === 0n || prepare === commit))}`,
            `checkpoints grow ${yes(marks.every(({ position }, i) => !i || position.commit > marks[i - 1].position.commit))}`,
            `with prepare 0 ${open.length ? 'some' : 'none'}`,
            `what was delivered before is covered ${yes(marks.every((mark) => before(mark, 'event').every((event) => covers(mark, event))))}`,
            `what is delivered after is not ${yes(marks.every((mark) => !after(mark, 'event').some((event) => covers(mark, event))))}`,
            `each is an event's ${yes(steps.every((step) => step >= 0))}`,
            `never more than 2 intervals apart ${yes(steps.every((step) => step <= 2 * width))}`,
          ].join(', ')
        })
        await check(`exact/checkpoints while catching up, ${kind}, ${setting}`, () =>
          story(seen, at, kind === 'few match' ? undefined : ['checkpoint', 'caughtUp']),
        )
        await check(`checkpoint/catching up, ${kind}, ${setting}/resuming from every checkpoint as given`, async () => {
          const wanted = seen.filter(({ kind }) => kind === 'event').map(({ name }) => name)
          let [lost, repeated] = [0, 0]
          for (const mark of marks) {
            const delivered = before(mark, 'event').map(({ name }) => name)
            const resumed = (await catchUp(filter(more), mark.position)).filter(({ kind }) => kind === 'event').map(({ name }) => name)
            lost += wanted.filter((name) => !delivered.includes(name) && !resumed.includes(name)).length
            repeated += resumed.filter((name) => delivered.includes(name)).length
          }
          return `loses ${lost}, repeats ${repeated}`
        })
      }

    await check('exact/{X,0} with the same filter: {X,X} loses nothing either, for the page at X had no match', async () => {
      const open = (await catchUp(sparse({ checkpointInterval: 1 }))).filter(({ kind, position }) => kind === 'checkpoint' && position.prepare === 0n)
      const matches = async (fromPosition) => (await catchUp(sparse({}), fromPosition)).filter(({ kind }) => kind === 'event').length
      const lost = await Promise.all(
        open.map(async ({ position }) => (await matches(position)) - (await matches({ commit: position.commit, prepare: position.commit }))),
      )
      return `loses ${lost.reduce((sum, n) => sum + n, 0)}`
    })
    await check('checkpoint/from the start, few match/the first is {0,0}', async () => {
      const seen = await catchUp(sparse({ checkpointInterval: 1 }), START)
      return at(seen.find(({ kind }) => kind === 'checkpoint').position)
    })
    await check('checkpoint/{X,0} with another filter/the pair as given delivers the event at X, {X,X} loses it', async () => {
      const position = (await catchUp(sparse({ checkpointInterval: 1 }))).find(
        ({ kind, position }) => kind === 'checkpoint' && position.prepare === 0n,
      )?.position
      if (!position) return 'no checkpoint with prepare 0'
      const distance = async (fromPosition) => {
        const seen = await catchUp(streamNameFilter({ prefixes: ['cp-other'] }), fromPosition)
        return order.indexOf(seen.find(({ kind }) => kind === 'event').position.commit) - order.indexOf(position.commit)
      }
      return `as given ${await distance(position)}, {X,X} ${await distance({ commit: position.commit, prepare: position.commit })} events after X`
    })
    await check('checkpoint/an event delivered last, then caughtUp/a checkpoint at it comes before', async () => {
      await put('cp-match', 'any', event())
      const seen = await catchUp(sparse({ checkpointInterval: 100 }))
      return story(seen, at, ['event', 'checkpoint', 'caughtUp'])
    })

    let runs = 0
    const alive = async (prefix, count, more, pause = 0) => {
      const stream = `${prefix}-live-${++runs}`
      const watcher = watch(client, { fromPosition: END, filter: sparse(more) })
      await watcher.until(() => watcher.of('caughtUp').length)
      for (const one of events(count)) await client.appendToStream(stream, one)
      watcher.ask()
      await sleep(pause)
      return (await story(await watcher.close(), at, ['checkpoint'])).replaceAll(stream, '')
    }
    await check('checkpoint/live/interval 1, 70 others: at the 32nd and the 64th', () => alive('cp-other', 70, { checkpointInterval: 1 }))
    await check('checkpoint/live/interval 2, 70 others: at the 64th', () => alive('cp-other', 70, { checkpointInterval: 2 }))
    await check('checkpoint/live/window 50, 70 others: at the 50th', () => alive('cp-other', 70, { checkpointInterval: 1, maxSearchWindow: 50 }))
    await check('checkpoint/live/interval 1, 40 that match: at the 32nd too', () => alive('cp-match', 40, { checkpointInterval: 1 }))
    await check('checkpoint/live/5 others, then 3 s idle: none', () => alive('cp-other', 5, { checkpointInterval: 1 }, 3000))
  },

  /** Last, for its size. */
  async load() {
    const inOrder = ({ of }) =>
      `${of('event').length} delivered, in order ${yes(of('event').every(({ event }, i) => event.revision === BigInt(i)))}, fellBehind ${of('fellBehind').length}`
    await check(
      'load/a paused subscription gets 20000 live events afterwards',
      async () => {
        const watcher = watch(client, { fromPosition: END, ...prefix('load-paused') })
        await watcher.until(() => watcher.of('caughtUp').length)
        watcher.subscription.pause()
        for (let i = 0; i < 20; i++) await client.appendToStream('load-paused', events(1000))
        await sleep(500)
        const paused = watcher.of('event').length
        watcher.subscription.resume()
        await watcher.until(() => watcher.of('event').length >= 20_000, 120_000)
        await watcher.close()
        return `while paused ${paused}, ${inOrder(watcher)}`
      },
      200_000,
    )
    for (const [kind, filter] of [
      ['no filter', {}],
      ['stream prefix', prefix('load-busy')],
    ])
      await check(
        `load/${kind}: caughtUp comes again and again while much is written`,
        async () => {
          const stream = `load-busy-${kind.slice(0, 2)}`
          const watcher = watch(client, { fromPosition: END, ...filter })
          await watcher.until(() => watcher.of('caughtUp').length)
          for (let i = 0; i < 20; i++) await client.appendToStream(stream, events(1000))
          await watcher.until(() => watcher.of('event').length >= 20_000, 120_000)
          await watcher.close()
          return `${inOrder(watcher)}, caughtUp at least twice ${yes(watcher.of('caughtUp').length > 1)}`
        },
        200_000,
      )
  },
}

await runGroups(groups, chosen)
await server.kill()
process.exit()
