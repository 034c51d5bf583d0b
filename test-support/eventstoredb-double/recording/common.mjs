/** What probe.mjs and faults.mjs share: the client, one transcript line a case, and names for whatever differs between servers. */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

export const require = createRequire(import.meta.url)
export const {
  EventStoreDBClient,
  jsonEvent,
  binaryEvent,
  streamNameFilter,
  eventTypeFilter,
  excludeSystemEvents,
  START,
  END,
  BACKWARDS,
} = require('@eventstore/db-client')

/** Credentials given with a call select the classic append, one RPC an append; without, the client uses BatchAppend where the server has it. */
export const paths = { batch: {}, classic: { credentials: { username: 'admin', password: 'changeit' } } }

/** `esdb://…` is a server that runs; anything else is the path of a control module (see faults.mjs), whose server is started. */
export const serverOf = async (argument) =>
  argument.startsWith('esdb://') ? { url: argument, kill() {} } : (await import(pathToFileURL(resolve(argument)))).start()
export const connect = (url) => EventStoreDBClient.connectionString(url)
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export const yes = (condition) => (condition ? 'yes' : 'NO')

export const event = (n = 0, over = {}) => jsonEvent({ type: 'Tested', data: { n }, ...over })
export const events = (count) => Array.from({ length: count }, (_, n) => event(n))
export const blob = (bytes, type = 'B') => binaryEvent({ type, data: Buffer.alloc(bytes) })

export async function all(iterable, map = (resolved) => resolved.event) {
  const result = []
  for await (const item of iterable) result.push(map(item))
  return result
}

/** An event is named by where it stands; events that the server writes for itself are only `system`. */
export const nameOf = ({ streamId, revision }) => (streamId.startsWith('$') ? 'system' : `${streamId}#${revision}`)
export const list = (names) => `[${names.filter((name, i) => name !== 'system' || names[i - 1] !== 'system').join(' ')}]`

/** Class, gRPC code (absent when the answer was no gRPC error) and what the error carries; messages differ between servers. */
export function describe(error) {
  const parts = []
  if (error.type === undefined) parts.push('no type')
  if (error.code !== undefined) parts.push(`code ${error.code}`)
  if ('expectedVersion' in error) parts.push(`expected ${value(error.expectedVersion)}`, `actual ${value(error.actualVersion)}`)
  if (error.maxAppendSize !== undefined) parts.push(`max ${error.maxAppendSize}`)
  if (error.streamName !== undefined) parts.push(`stream ${error.streamName}`)
  return `${error.constructor.name}(${parts.join(', ')})`
}
export const value = (x) => (typeof x === 'bigint' ? `${x}n` : String(x))

/** Turns log positions into the name of the event that stands there, keeping {X,X} and {X,0} apart. */
export function positionsOf(client) {
  const names = new Map()
  let last = START
  return async function at(position) {
    if (!position) return 'no position'
    if (position.commit === 0n && position.prepare === 0n) return '{0,0}'
    if (!names.has(position.commit))
      for await (const { event } of client.readAll({ fromPosition: last })) {
        names.set(event.position.commit, nameOf(event))
        last = event.position
      }
    const name = names.get(position.commit) ?? 'no event'
    return position.prepare === position.commit ? name : position.prepare === 0n ? `${name}/0` : `${name}/prepare elsewhere`
  }
}

/** A subscription and everything it said, in order: confirmation, event, checkpoint, caughtUp, fellBehind, error, end, close. */
export function watch(client, { stream, ...options }) {
  const seen = []
  const note = (kind, more) => seen.push({ kind, at: Date.now(), ...more })
  if (options.filter) options.filter = { ...options.filter, checkpointReached: async (_, position) => void note('checkpoint', { position }) }
  const subscription = stream ? client.subscribeToStream(stream, options) : client.subscribeToAll(options)
  for (const kind of ['confirmation', 'caughtUp', 'fellBehind', 'end', 'close']) subscription.on(kind, () => note(kind))
  subscription.on('error', (error) => note('error', { error }))
  subscription.on('data', ({ event }) => note('event', { event, position: event.position, name: nameOf(event) }))
  const of = (kind) => seen.filter((entry) => entry.kind === kind)
  return {
    seen,
    subscription,
    of,
    names: () =>
      of('event')
        .map(({ name }) => name)
        .filter((name) => name !== 'system'),
    /** Waits until something was said and then nothing more for a while. */
    async quiet(ms = 600) {
      for (const end = Date.now() + 15_000; Date.now() < end && !(seen.length && Date.now() - Math.max(seen.at(-1).at, this.asked ?? 0) > ms);) await sleep(20)
    },
    async until(condition, ms = 15_000) {
      for (const end = Date.now() + ms; Date.now() < end && !condition();) await sleep(10)
      return condition()
    },
    /** Waits for silence, lets go and gives what was seen so far. */
    async close(ms) {
      await this.quiet(ms)
      const before = [...seen]
      await Promise.race([subscription.unsubscribe().catch(() => {}), sleep(1000)])
      return before
    },
    /** Marks a moment: the silence that quiet() waits for starts here at the earliest. */
    ask() {
      this.asked = Date.now()
    },
  }
}

/** One line for what a subscription said. */
export async function story(seen, at, kinds = ['confirmation', 'event', 'checkpoint', 'caughtUp', 'fellBehind', 'error', 'end', 'close']) {
  const words = { event: ({ name }) => name, checkpoint: async ({ position }) => `checkpoint(${await at(position)})`, error: ({ error }) => describe(error) }
  const said = []
  for (const entry of seen) if (kinds.includes(entry.kind)) said.push(words[entry.kind] ? await words[entry.kind](entry) : entry.kind)
  return list(said)
}

/** What nobody caught; the client throws some of its errors where no caller can catch them. */
export const uncaught = []
for (const kind of ['uncaughtException', 'unhandledRejection']) process.on(kind, (error) => uncaught.push(error))

/** Runs a case and prints its line. A case that throws prints its error; one that hangs says so. */
export async function check(name, run, limit = 60_000) {
  const started = Date.now()
  let result
  try {
    result = await Promise.race([run(), sleep(limit).then(() => 'NO ANSWER')])
  } catch (error) {
    result = error.type || error.code ? describe(error) : `${describe(error)} ${error.message}`
  }
  for (const error of uncaught.splice(0)) result += ` UNCAUGHT ${describe(error)}`
  console.log(`${name} :: ${result}`)
  if (process.env.PROBE_TIMES) console.error(`${String(Date.now() - started).padStart(6)} ms ${name}`)
}

/** Runs the chosen groups, or all. One that cannot be set up does not keep the others from running. */
export async function runGroups(groups, chosen, ...parameters) {
  for (const [group, run] of Object.entries(groups))
    if (!chosen.length || chosen.includes(group))
      await run(...parameters).catch((error) => console.log(`${group} :: GIVEN UP ${describe(error)} ${error.message}`))
}
