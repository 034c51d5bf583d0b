/**
 * What EventStoreDB and its client do when things go wrong, as a transcript to compare with a test double's.
 *
 *   node --import tsx infra/event-store/recording/faults.mjs <control module> [group …]
 *
 * The control module exports `async start()`: a FRESH server on 127.0.0.1, as an object with
 *   url                 e.g. 'esdb://127.0.0.1:2113?tls=false', the same after a restart
 *   durable             whether the log survives kill or stop and restart; if not, the cases that need it are not run
 *   kill()              gone at once, as by kill -9: connections are reset without a word
 *   stop()              gone as by SIGTERM; resolves when nobody listens any more
 *   freeze(), thaw()    as SIGSTOP and SIGCONT: connections stay open (and are accepted), nothing is answered; may be left out
 *   restart({ wiped })  after kill or stop: listening at the same url again, with the old log or (wiped) as a fresh server
 * All return promises. Every group starts a server of its own and kills it. The double may live in this process:
 * what the client throws past every caller is provoked in child processes, which only get the url.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { resolve } from 'node:path'
import {
  connect,
  paths,
  sleep,
  yes,
  event,
  events,
  blob,
  all,
  nameOf,
  list,
  describe,
  value,
  watch,
  story,
  check,
  runGroups,
  uncaught,
  streamNameFilter,
  START,
  END,
  BACKWARDS,
} from './common.mjs'

const put = (client, stream, expectedRevision, what, more = {}) =>
  client.appendToStream(stream, what, { expectedRevision, ...more }).then(({ nextExpectedRevision }) => `ok next ${value(nextExpectedRevision)}`)
const revisions = async (client, stream) => list(await all(client.readStream(stream), ({ event }) => event.revision))
const prefix = (start) => ({ filter: streamNameFilter({ prefixes: [start] }) })
const within = async (ms, promise) =>
  (await Promise.race([
    promise.then(
      () => true,
      () => true,
    ),
    sleep(ms).then(() => false),
  ]))
    ? 'yes'
    : 'NO'
const outcome = (promise) => promise.then((result) => result ?? 'ok', describe)
const untilTrue = async (condition, ms) => {
  for (const end = Date.now() + ms; Date.now() < end && !(await condition());) await sleep(50)
}
const live = async (client, options) => {
  const watcher = watch(client, options)
  await watcher.until(() => watcher.of('caughtUp').length)
  return watcher
}

/** Clocks differ: how long something took is told in the steps that matter to a caller (20 s: a ping within 10, its answer within 10). */
function about(ms) {
  if (process.env.PROBE_TIMES) console.error(`${String(ms).padStart(6)} ms`)
  return ms < 1900 ? 'at once' : ms < 8000 ? 'after about 2 s' : ms < 16_000 ? 'after about 10 s' : ms < 30_000 ? 'after about 20 s' : 'later'
}
const timed = async (promise, limit = 45_000) => {
  const started = Date.now()
  const said = await Promise.race([outcome(promise), sleep(limit).then(() => 'NO ANSWER')])
  return `${said} ${about(Date.now() - started)}`
}
const ending = async (watcher, since) => {
  await watcher.until(() => watcher.of('error').length, 45_000)
  await watcher.quiet(1000)
  const [first] = watcher.of('error')
  return `${await story(watcher.seen, null, ['error', 'end', 'close'])} ${first ? about(first.at - since) : ''}`
}

/** The server goes away under load and comes back. */
const downtime = (how) => async (control) => {
  const name = (what) => `${how}/${what}`
  const server = await control.start()
  const [client, reader] = [connect(server.url), connect(server.url)]
  const pairs = { no_stream: events(2), exact: events(2), any: events(2), stream_exists: events(2) }
  for (const stream of ['exact', 'stream_exists']) await put(client, stream, 'no_stream', event())
  const retry = { no_stream: 'no_stream', exact: 0n, any: 'any', stream_exists: 'stream_exists' }
  for (const [stream, revision] of Object.entries(retry)) await put(client, stream, revision, pairs[stream])

  const busy = await live(reader, { fromPosition: END, ...prefix('work-') })
  const idle = await live(connect(server.url), { fromPosition: END, ...prefix('never-') })
  const acknowledged = new Set()
  const failures = []
  let working = true
  const writers = Promise.all(
    Array.from({ length: 32 }, async (_, n) => {
      for (const one = () => event(n); working;) {
        const next = one()
        await client.appendToStream(`work-${n % 7}`, next).then(
          () => acknowledged.add(next.id),
          (error) => (failures.push(error), sleep(50)),
        )
      }
    }),
  )
  await untilTrue(() => acknowledged.size >= 500, 20_000)
  await server[how]()
  const gone = Date.now()
  await check(name('a subscription that delivers'), () => ending(busy, gone))
  await check(name('an idle subscription'), () => ending(idle, gone))
  await sleep(500)
  working = false
  const settled = await within(20_000, writers)
  await check(name('32 writers, before and after: all settle'), async () => settled)
  if (how === 'kill') await check(name('32 writers: every failure has code 14'), async () => yes(failures.length && failures.every(({ code }) => code === 14)))
  await check(name('batch append while it is down'), () => timed(put(client, 'x', 'any', event())))
  await check(name('classic append while it is down'), () => timed(put(client, 'x', 'any', event(), paths.classic)))
  await check(name('reading while it is down'), () => timed(revisions(client, 'exact')))
  await check(name('subscribing while it is down'), () => {
    const since = Date.now()
    return ending(watch(client, { fromPosition: START }), since)
  })

  const delivered = busy.of('event').length
  await server.restart({ wiped: false })
  const back = Date.now()
  let tries = 0
  await untilTrue(
    () =>
      put(client, 'again', 'any', event(tries++)).then(
        () => true,
        () => false,
      ),
    10_000,
  )
  await check(name('back: the same client appends again'), async () => about(Date.now() - back))
  await put(client, 'work-0', 'any', event())
  await check(name('back: the old subscription gets nothing more'), async () => (await sleep(1000), yes(busy.of('event').length === delivered)))

  const needsLog = (what, run) => check(name(what), server.durable ? run : async () => 'not run: the log does not survive')
  await needsLog('back: acknowledged appends', async () => {
    const there = new Set(await all(client.readAll(), ({ event }) => event.id))
    return `lost ${[...acknowledged].filter((id) => !there.has(id)).length}`
  })
  await needsLog('back: resuming from the last event delivered', async () => {
    const before = busy.of('event').map(({ event }) => event.id)
    const resumed = await live(client, { fromPosition: busy.of('event').at(-1).position, ...prefix('work-') })
    const after = resumed.of('event').map(({ event }) => event.id)
    await resumed.close()
    const wanted = (await all(client.readAll())).filter(({ streamId }) => streamId.startsWith('work-')).map(({ id }) => id)
    return `lost ${wanted.filter((id) => !before.includes(id) && !after.includes(id)).length}, repeated ${after.filter((id) => before.includes(id)).length}`
  })
  for (const [stream, revision] of Object.entries(retry))
    await needsLog(
      `back: the same ids again, ${stream}`,
      async () => `${await put(client, stream, revision, pairs[stream])}, holds ${await revisions(client, stream)}`,
    )
  await server.kill()
}

/** An old checkpoint meets a log that was wiped or restored: it lies beyond the end. */
async function wiped(control) {
  const server = await control.start()
  const client = connect(server.url)
  await put(
    client,
    'old',
    'no_stream',
    Array.from({ length: 50 }, () => blob(1000)),
  )
  const [{ position }] = await all(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }))
  await server.kill()
  await server.restart({ wiped: true })
  await untilTrue(
    () =>
      put(client, 'new', 'any', event()).then(
        () => true,
        () => false,
      ),
    10_000,
  )
  await check('wiped/the end of the log lies below the old checkpoint', async () => {
    const [last] = await all(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }))
    return yes(last.position.commit < position.commit)
  })
  for (const [kind, filter] of [
    ['no filter', {}],
    ['stream prefix', prefix('new')],
  ])
    await check(`wiped/subscribing from the old checkpoint, ${kind}: silence, also about a new event`, async () => {
      const watcher = await live(client, { fromPosition: position, ...filter })
      await put(client, 'new', 'any', event())
      watcher.ask()
      return story(await watcher.close(), null, ['confirmation', 'event', 'caughtUp', 'error', 'end', 'close'])
    })
  const names = async (options) => list(await all(client.readAll({ fromPosition: position, ...options }), ({ event }) => nameOf(event)))
  await check('wiped/reading forwards from the old checkpoint', () => names())
  await check('wiped/reading backwards from the old checkpoint', () => names({ direction: BACKWARDS }))
  await check('wiped/appending with the revision the stream had', () => put(client, 'old', 49n, event()))
  await server.kill()
}

/** Nothing answers, nothing is closed: a stopped process, a lost network. */
async function freeze(control) {
  const server = await control.start()
  if (!server.freeze) {
    await check('freeze', async () => 'not run: this server cannot be frozen')
    return server.kill()
  }
  const client = connect(server.url)
  await put(client, 'warm', 'no_stream', event())
  const watcher = await live(client, { fromPosition: END, ...prefix('frozen-') })
  await server.freeze()
  const since = Date.now()
  const sent = {}
  const frozen = (name, via) => {
    sent[name] = event()
    return timed(put(client, `frozen-${name}`, 'no_stream', sent[name], via))
  }
  const answers = {
    'batch append': frozen('batch', {}),
    'batch append with a deadline of 2 s': frozen('batch-deadline', { deadline: 2000 }),
    'classic append': frozen('classic', paths.classic),
    'classic append with a deadline of 2 s': frozen('classic-deadline', { ...paths.classic, deadline: 2000 }),
    'reading with a deadline of 2 s': timed(all(client.readStream('warm', { deadline: 2000 }))),
    'a subscription': ending(watcher, since),
  }
  for (const [what, answer] of Object.entries(answers)) await check(`freeze/${what}`, () => answer)
  await server.thaw()
  const thawed = Date.now()
  await untilTrue(
    () =>
      put(client, 'warm', 'any', event()).then(
        () => true,
        () => false,
      ),
    10_000,
  )
  await check('freeze/thawed: the same client appends again', async () => about(Date.now() - thawed))
  await check('freeze/thawed: every append of unknown outcome, retried with its id, is there once', async () => {
    const held = []
    for (const [name, one] of Object.entries(sent)) {
      await put(client, `frozen-${name}`, 'no_stream', one)
      held.push((await all(client.readStream(`frozen-${name}`))).length)
    }
    return list(held)
  })
  await server.kill()
}

/** What one append may hold. */
async function size(control) {
  const server = await control.start()
  const client = connect(server.url)
  for (const [path, via] of Object.entries(paths)) {
    const sized = (what, bytes) =>
      check(`size/${path}/${what}`, () =>
        put(
          client,
          `size-${path}`,
          'any',
          bytes.map((n) => blob(n)),
          via,
        ),
      )
    await sized('one event of 1048574 bytes, its type one letter', [1_048_574])
    await sized('one event of 1048575 bytes, its type one letter', [1_048_575])
    await sized('10 events of 100000 bytes', Array(10).fill(100_000))
    await sized('11 events of 100000 bytes', Array(11).fill(100_000))
    await sized('one event of 4 MiB', [4 << 20])
    await sized('50 events of 100000 bytes', Array(50).fill(100_000))
    await sized('a small one afterwards', [1])
    await check(`size/${path}/a message of 17 MiB, alone`, () => inChild('huge', server.url, path))
    await check(`size/${path}/a message of 17 MiB, another client writing through ${path}`, () => inChild('neighbours', server.url, path))
  }
  await server.kill()
}

/** What this client lets through and the server refuses. */
async function invalid(control) {
  const server = await control.start()
  const asked = ['type', 'id', 'stream'].flatMap((what) => Object.keys(paths).map((path) => ({ what, path, said: inChild('refused', server.url, path, what) })))
  for (const { what, path, said } of asked) await check(`invalid/${what}/${path}`, () => said)
  await server.kill()
}

/** One connection carries 100 streams, and the batch append holds one of them. */
async function hundred(control) {
  const server = await control.start()
  const [client, other] = [connect(server.url), connect(server.url)]
  await put(client, 'warm', 'no_stream', event())
  const watchers = Array.from({ length: 120 }, () => watch(client, { fromPosition: END }))
  const confirmed = () => watchers.filter((watcher) => watcher.of('confirmation').length).length
  await untilTrue(() => confirmed() >= 99, 10_000)
  await sleep(1500)
  await check('hundred/of 120 subscriptions of one client are confirmed', async () => String(confirmed()))
  await check('hundred/a batch append of that client', () => timed(put(client, 'x', 'any', event()), 3000))
  await check('hundred/a classic append of that client within 3 s', () => within(3000, put(client, 'y', 'any', event(), paths.classic)))
  await check('hundred/a read of that client within 3 s', () => within(3000, revisions(client, 'warm')))
  await check('hundred/a read of another client of this process within 3 s: they share the connection', () => within(3000, revisions(other, 'warm')))
  await check('hundred/events delivered of one append', async () => String(watchers.filter((watcher) => watcher.names().includes('x#0')).length))
  await Promise.all(watchers.slice(0, 30).map(({ subscription }) => Promise.race([subscription.unsubscribe(), sleep(1000)])))
  await untilTrue(() => confirmed() >= 120, 10_000)
  await check('hundred/confirmed after 30 of them ended', async () => String(confirmed()))
  await check('hundred/errors', async () => String(watchers.filter((watcher) => watcher.of('error').length).length))
  await server.kill()
}

const thrown = () => [...new Set(uncaught.map(({ constructor }) => constructor.name))].join(' ') || 'nothing'

/** Run in a process of their own: afterwards that process cannot be trusted. */
const children = {
  async huge(url, path) {
    const client = connect(url)
    await put(client, `huge-${path}`, 'any', event(), paths[path])
    const said = await timed(put(client, `huge-${path}`, 'any', blob(17 << 20), paths[path]))
    return `${said}, then ${await timed(put(client, `huge-after-${path}`, 'any', event(), paths[path]))}`
  },
  async neighbours(url, path) {
    const [client, other] = [connect(url), connect(url)]
    for (const one of [client, other]) await put(one, `neighbours-${path}`, 'any', event(), paths[path])
    const failures = []
    let working = true
    for (let n = 0; n < 64; n++)
      (async () => {
        while (working) await other.appendToStream(`neighbours-${path}-${n}`, event(), paths[path]).catch((error) => failures.push(error))
      })()
    await sleep(300)
    await put(client, 'huge', 'any', blob(17 << 20), paths[path]).catch(() => {})
    await sleep(1500)
    working = false
    const codes = new Set(failures.map(({ code }) => code))
    return `appends of the other fail ${codes.size ? `with code ${[...codes]}` : 'not'}, uncaught ${thrown()}`
  },
  async refused(url, path, what) {
    const client = connect(url)
    await put(client, 'refused', 'any', event(), paths[path])
    const bad = { type: event(0, { type: '' }), id: event(0, { id: 'no-uuid' }), stream: event() }[what]
    const said = await timed(put(client, what === 'stream' ? '' : 'refused', 'any', bad, paths[path]))
    await sleep(4000)
    const good = put(client, 'refused', 'any', event(), paths[path])
    return `${said}, uncaught ${thrown()} in the 4 s after, then a good append settles within 3 s ${await within(3000, good)}`
  },
}
function inChild(...parameters) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--child', ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk) => (said += chunk))
  return new Promise((done) => child.on('exit', (code) => done(said.trim() || `died, exit code ${code}`)))
}

const groups = { kill: downtime('kill'), stop: downtime('stop'), wiped, freeze, size, invalid, hundred }
if (process.argv[2] === '--child') {
  const [, , , name, ...parameters] = process.argv
  console.log(await children[name](...parameters))
} else {
  const [module, ...chosen] = process.argv.slice(2)
  const control = await import(pathToFileURL(resolve(module)))
  await runGroups(groups, chosen, control)
}
process.exit()
