import { beforeAll, describe, it } from 'vitest'
import { whyNoFerretDb } from '#test-support/servers/ferretdb.ts'
import { whyNoRedis } from '#test-support/servers/redis.ts'
import { combineFaults } from '#test-support/chaos/faults.ts'
import { buildProgram } from '#test-support/program.ts'
import { InstallationScenario } from '#test-support/chaos/installation-scenario.ts'

/**
 * What every run begins with, a round each: processes and servers, killed, cut off and slow, one by one and together.
 */
const short = [
  ['command 1 killed', 'worker 1 killed', 'event store slow'],
  ['Redis killed', 'event store killed', 'S3 cut off', 'the mail server cut off'],
  ['every service killed', 'MongoDB killed'],
]
/** `KILL_APART_ROUNDS=100` for more; after the known ones they are drawn at random. */
const rounds = Number(process.env['KILL_APART_ROUNDS'] ?? 25)
const clients = Number(process.env['KILL_APART_CLIENTS'] ?? 32)

/** `KILL_APART_FAULTS='Redis paused, S3 cut off'` plays these again in every round, to find out what they lead to. */
const again = process.env['KILL_APART_FAULTS']?.split(', ')

const missing = [whyNoRedis, whyNoFerretDb].filter((why) => why !== undefined).join(', ')

beforeAll(() => (missing === '' ? buildProgram() : undefined), 600_000)

describe.skipIf(missing !== '')(`an installation of real processes${missing && ` (${missing})`}`, () => {
  it(
    `keeps every acknowledged change and mail once over ${rounds} rounds of faults`,
    async () => {
      const scenario = await InstallationScenario.start(clients)
      for (let round = 0; round < rounds; round++) {
        const known = again ?? short[round]
        const fault = known ? combineFaults(...known.map((name) => scenario.fault(name))) : scenario.drawFault()
        process.stdout.write(`round ${round + 1}: ${fault.name}\n`)
        await scenario.runFault(fault)
      }
      await scenario.finish()
      scenario.summary()
    },
    900_000 + rounds * 60_000,
  )
})
