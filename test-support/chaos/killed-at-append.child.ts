import type { EventToAppend } from '#infra/event-store/event-store.ts'
import { readConfig } from '#services/process/config.ts'
import { start } from '#services/cli/server.ts'

/**
 * For tests: the program as a process that dies by SIGKILL once it has made so many appends about payouts, or of requests
 * that take effect once. The last of them is durable, and nobody is told. The variables are those of the program,
 * `KILLED_AFTER`, and `KILLED_OF`.
 */

const last = Number(process.env['KILLED_AFTER'])
const leastCost = { memoryCost: 8, timeCost: 1, parallelism: 1 }

const { address, parts } = await start(readConfig(process.env), undefined, { passwordCost: leastCost })
const { eventStore } = parts
const append = eventStore.append.bind(eventStore)
const isCounted: (event: EventToAppend) => boolean =
  process.env['KILLED_OF'] === 'requests'
    ? ({ metadata }) => metadata.includes('"once":')
    : ({ type }) => /^(Payout[A-Z]|Payment|Batch)/.test(type)
let made = 0
eventStore.append = async (stream, expected, events) => {
  const counts = events.some(isCounted)
  if (counts && made === last) process.kill(process.pid, 'SIGKILL')
  const appended = await append(stream, expected, events)
  if (counts && ++made === last) process.kill(process.pid, 'SIGKILL')
  return appended
}
process.stdout.write(`ready at ${address}\n`)
