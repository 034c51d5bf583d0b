import { beforeAll, describe, it } from 'vitest'
import { whyNoFerretDb } from '../../infra/testing/ferretdb.ts'
import { noRedis } from '../../infra/testing/redis.ts'
import { together } from './killing-faults.ts'
import { buildProgram } from './program.ts'
import { Siege } from './siege.ts'

/** What there is always time for, a round each: processes and servers, killed, cut off and slow, one by one and together. */
const short = [
  ['command 1 killed', 'worker 1 killed', 'event store slow'],
  ['Redis killed', 'event store killed', 'S3 cut off', 'the mail server cut off'],
  ['every service killed', 'MongoDB killed'],
]
/** `KILL_APART_ROUNDS=100` for a long run with more clients, which draws its faults by chance. */
const asked = process.env['KILL_APART_ROUNDS']
const rounds = Number(asked ?? short.length)
const isLong = rounds > short.length
const clients = Number(process.env['KILL_APART_CLIENTS'] ?? (isLong ? 32 : 3))

/** `KILL_APART_FAULTS='Redis paused, S3 cut off'` plays these again in every round, to find out what they lead to. */
const again = process.env['KILL_APART_FAULTS']?.split(', ')

/** It takes minutes of two cores, which the run of all tests has no time for. */
const unasked = asked === undefined ? 'only with KILL_APART_ROUNDS=3 or more' : undefined
const missing = [unasked, noRedis, whyNoFerretDb].filter((why) => why !== undefined).join(', ')

beforeAll(() => (missing === '' ? buildProgram() : undefined), 240_000)

describe.skipIf(missing !== '')(`an installation of real processes${missing && ` (${missing})`}`, () => {
  it(
    `keeps every answered change, once, and mails as it should, over ${rounds} rounds of kills, outages and broken lines under load`,
    async () => {
      const siege = await Siege.begin(clients)
      for (let round = 0; round < rounds; round++) {
        const known = again ?? short[round]
        const fault = known ? together(...known.map((name) => siege.fault(name))) : siege.drawFault()
        if (isLong) process.stdout.write(`round ${round + 1}: ${fault.name}\n`)
        await siege.endure(fault)
      }
      await siege.end()
      siege.tell()
    },
    900_000 + rounds * 60_000,
  )
})
