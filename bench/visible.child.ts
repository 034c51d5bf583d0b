import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import Libsql from 'libsql'
import { Client } from 'undici'
import type { z } from 'zod'
import { comparePositions, isPosition, type Position } from '../infra/event-store/event-store.ts'
import { readConfig } from '../services/config.ts'
import { POSITION_HEADER } from '../services/api/index.ts'
import { start } from '../services/server.ts'
import { users } from '../services/projections/index.ts'
import { inputOf, say, scratchFolder } from './children.ts'
import { ADMIN_KEY, signInAdmin, signUpTraders } from './people.ts'
import { type Times, visibleInput, type visibleOutcome } from './visible-run.ts'

/** The whole portal in this process, and somebody who changes accounts and looks at once. */

const { changes, others, traders: count } = inputOf(visibleInput)
const environment = {
  DATA_DIR: scratchFolder('visible'),
  PORT: '0',
  HOST: '127.0.0.1',
  ADMIN_ACCESS_KEY: ADMIN_KEY,
  REGISTRATIONS_PER_HOUR: '0',
  LOG_LEVEL: 'warn',
}
const { address, parts, stop } = await start(readConfig(environment))
const { eventStore, viewStore } = parts

/** When the log had said that an event is on the disk, by its position. */
const acknowledged = new Map<string, number>()
const append = eventStore.append.bind(eventStore)
eventStore.append = async (stream, expected, events) => {
  const appended = await append(stream, expected, events)
  acknowledged.set(appended.position, performance.now())
  return appended
}

/** Who waits for the view of the users, and until which position. */
const waiting = new Map<() => void, Position>()
let shown: Position | undefined
const write = viewStore.write.bind(viewStore)
viewStore.write = async (collection, writes, progress) => {
  const refused = await write(collection, writes, progress)
  if (progress && collection.startsWith(users.name)) {
    shown = progress.position
    for (const [wake, position] of waiting) if (comparePositions(shown, position) >= 0) wake()
  }
  return refused
}

const admin = await signInAdmin(address)
const traders = await signUpTraders(address, count, admin)
const client = new Client(address)
const durable = openDurable()

const nothing = (): Times => ({ shown: [], answered: [], durable: [] })
const outcome: z.infer<typeof visibleOutcome> = { alone: nothing(), loaded: nothing() }
for (let n = 0; n < changes; n++) await changeAndLook(client, n, outcome.alone)

// The same while others are at work, too.
let busy = true
const atWork = Array.from({ length: others }, async (_, other) => {
  const theirs = new Client(address)
  for (let n = 0; busy; n++) await change(theirs, 1 + ((n * others + other) % (count - 1)), 1_000_000 + n * others + other)
  await theirs.close()
})
for (let n = 0; n < changes; n++) await changeAndLook(client, changes + n, outcome.loaded)
busy = false
await Promise.all(atWork)
say(outcome)
await client.close()
await stop()
process.disconnect()

async function changeAndLook(on: Client, n: number, into: Times): Promise<void> {
  into.durable.push(durable.append())
  const position = await change(on, 0, n + 1)
  const began = acknowledged.get(position)
  const trader = traders[0]
  if (began === undefined || !trader) throw new Error(`Nothing was appended at ${position}`)
  const isShown = whenShown(position).then((at) => into.shown.push(at - began))
  const { statusCode, body } = await on.request({
    method: 'GET',
    path: '/api/user/account',
    headers: { cookie: trader.cookie, [POSITION_HEADER.toLowerCase()]: position },
  })
  await body.text()
  if (statusCode !== 200) throw new Error(`The account was answered ${statusCode}`)
  into.answered.push(performance.now() - began)
  await isShown
  acknowledged.clear()
}

async function change(on: Client, trader: number, n: number): Promise<Position> {
  const { statusCode, headers, body } = await on.request({
    method: 'PATCH',
    path: `/api/admin/user/${traders[trader]?.id}/account`,
    headers: { cookie: admin, 'content-type': 'application/json' },
    body: JSON.stringify({ balance: `${n}.50` }),
  })
  await body.text()
  const position = String(headers[POSITION_HEADER.toLowerCase()])
  if (statusCode !== 200 || !isPosition(position)) throw new Error(`A change was answered ${statusCode}`)
  return position
}

/** The moment at which the view has it; now, when it had it before anybody asked. */
async function whenShown(position: Position): Promise<number> {
  if (shown === undefined || comparePositions(shown, position) < 0) {
    await new Promise<void>((resolve) => {
      const wake = () => {
        waiting.delete(wake)
        resolve()
      }
      waiting.set(wake, position)
    })
  }
  return performance.now()
}

/** One row, durably on the disk of the portal, in ms. */
function openDurable(): { append(): number } {
  const database = new Libsql(join(environment.DATA_DIR, 'durable.sqlite'))
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  database.exec('CREATE TABLE events (position INTEGER PRIMARY KEY, id TEXT NOT NULL, data TEXT NOT NULL)')
  const insert = database.prepare('INSERT INTO events (id, data) VALUES (?, ?)')
  return {
    append() {
      const began = performance.now()
      insert.run(randomUUID(), 'x'.repeat(500))
      return performance.now() - began
    },
  }
}
