import { readConfig } from '#services/process/config.ts'
import { start } from '#services/cli/server.ts'

/**
 * For tests: the program as a process that dies by SIGKILL once it has made so many appends about payouts. The last of
 * them is durable, and nobody is told. The variables are those of the program, and `KILLED_AFTER`.
 */

const last = Number(process.env['KILLED_AFTER'])
const leastCost = { memoryCost: 8, timeCost: 1, parallelism: 1 }

const { address, parts } = await start(readConfig(process.env), undefined, { passwordCost: leastCost })
const { eventStore } = parts
const append = eventStore.append.bind(eventStore)
let made = 0
eventStore.append = async (stream, expected, events) => {
  const isOfPayouts = events.some(({ type }) => /^(Payout[A-Z]|Payment|Batch)/.test(type))
  if (isOfPayouts && made === last) process.kill(process.pid, 'SIGKILL')
  const appended = await append(stream, expected, events)
  if (isOfPayouts && ++made === last) process.kill(process.pid, 'SIGKILL')
  return appended
}
process.stdout.write(`ready at ${address}\n`)
