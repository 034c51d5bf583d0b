import { Client } from 'undici'
import type { z } from 'zod'
import { isPosition, type Position } from '../infra/event-store/event-store.ts'
import { readConfig } from '../services/config.ts'
import { POSITION_HEADER } from '../services/api/index.ts'
import { start } from '../services/server.ts'
import { inputOf, say } from './children.ts'
import { ADMIN_KEY, signInAdmin, signUpTraders } from './people.ts'
import { type TimesApart, visibleApartInput, type visibleApartOutcome } from './visible-apart-run.ts'

/**
 * The command service in this process, which so knows when the log has acknowledged a change, and somebody who changes
 * accounts and at once looks at them in the query service, which is another process.
 */

const { dataDir, environment, queryUrl, changes, others, traders: count } = inputOf(visibleApartInput)
const variables = {
  DATA_DIR: dataDir,
  PORT: '0',
  HOST: '127.0.0.1',
  ADMIN_ACCESS_KEY: ADMIN_KEY,
  REGISTRATIONS_PER_HOUR: '0',
  LOG_LEVEL: 'warn',
  ...environment,
}
const { address, parts, stop } = await start(readConfig(variables), ['command'])
const { eventStore } = parts

interface Acknowledged {
  readonly at: number
  readonly took: number
}

/** By the position of each event. */
const acknowledged = new Map<string, Acknowledged>()
const append = eventStore.append.bind(eventStore)
eventStore.append = async (stream, expected, events) => {
  const began = performance.now()
  const appended = await append(stream, expected, events)
  const at = performance.now()
  acknowledged.set(appended.position, { at, took: at - began })
  return appended
}

const admin = await signInAdmin(address)
const traders = await signUpTraders(address, count, admin)

const nothing = (): TimesApart => ({ appended: [], answered: [] })
const outcome: z.infer<typeof visibleApartOutcome> = { alone: nothing(), loaded: nothing() }
const somebody = openPerson(0)
// The first ones warm up.
for (let n = 0; n < 20; n++) await somebody.changeAndLook(nothing())
for (let n = 0; n < changes; n++) await somebody.changeAndLook(outcome.alone)

// The same while others are at work, too. They wait to see what they did, as people do.
let busy = true
const atWork = Array.from({ length: others }, async (_, other) => {
  const person = openPerson(1 + (other % (count - 1)))
  while (busy) await person.changeAndLook(nothing())
  await person.close()
})
for (let n = 0; n < changes; n++) await somebody.changeAndLook(outcome.loaded)
busy = false
await Promise.all(atWork)
say(outcome)
await somebody.close()
await stop()
process.disconnect()

/** Somebody who changes one trader's account and looks at it. */
function openPerson(which: number): { changeAndLook(into: TimesApart): Promise<void>; close(): Promise<void> } {
  const [command, query] = [new Client(address), new Client(queryUrl)]
  const trader = traders[which]
  if (!trader) throw new RangeError(`There is no trader ${which}`)
  let changed = 0

  const look = async (position: Position): Promise<string> => {
    const headers = { cookie: trader.cookie, [POSITION_HEADER.toLowerCase()]: position }
    for (;;) {
      const { statusCode, body } = await query.request({ method: 'GET', path: '/api/user/account', headers })
      const text = await body.text()
      if (statusCode === 200) return text
      // The views are further behind than an answer waits: whoever asked asks again.
      if (statusCode !== 503) throw new Error(`The account was answered ${statusCode}: ${text}`)
    }
  }

  return {
    async changeAndLook(into) {
      const balance = `${(changed += 1)}.50`
      const position = await change(command, trader.id, balance)
      const append = acknowledged.get(position)
      if (!append) throw new Error(`Nothing was appended at ${position}`)
      acknowledged.delete(position)
      const shown = await look(position)
      into.answered.push(performance.now() - append.at)
      into.appended.push(append.took)
      if (!shown.includes(`"${balance}"`)) throw new Error(`The account was shown as ${shown} after it was set to ${balance}`)
    },
    close: async () => void (await Promise.all([command.close(), query.close()])),
  }
}

async function change(on: Client, trader: string, balance: string): Promise<Position> {
  const { statusCode, headers, body } = await on.request({
    method: 'PATCH',
    path: `/api/admin/user/${trader}/account`,
    headers: { cookie: admin, 'content-type': 'application/json' },
    body: JSON.stringify({ balance }),
  })
  await body.text()
  const position = String(headers[POSITION_HEADER.toLowerCase()])
  if (statusCode !== 200 || !isPosition(position)) throw new Error(`A change was answered ${statusCode}`)
  return position
}
