import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { whyNoFerretDb } from '#test-support/servers/ferretdb.ts'
import { whyNoRedis } from '#test-support/servers/redis.ts'
import { buildProgram } from '#test-support/program.ts'
import { quantile } from '#test-support/quantile.ts'
import { describeRefusals, InstallationScenario } from '#test-support/chaos/installation-scenario.ts'

/** How long each server is away; `OUTAGE_MINUTES=1` for less. */
const minutes = Number(process.env['OUTAGE_MINUTES'] ?? 10)
const CLIENTS = 32
/** How often memory is looked at, in ms. */
const POLL_INTERVAL_MS = 2_000
/** Within what a clear answer is promised, in ms. */
const PROMISED = 5_000
/** What a process may need more at the end of an outage than at its beginning, in MB. */
const GROWTH = 100

const missing = [whyNoRedis, whyNoFerretDb].filter((why) => why !== undefined).join(', ')

beforeAll(() => (missing === '' ? buildProgram() : undefined), 600_000)

describe.skipIf(missing !== '')(
  `${minutes} minutes of outage while ${CLIENTS} clients ask${missing && ` (${missing})`}`,
  () => {
    it.each([
      'event store frozen',
      'event store cut off',
      'MongoDB frozen',
      'MongoDB killed',
      'Redis frozen',
      'Redis killed',
      'S3 frozen',
    ])(
      '%s: clear answers in time, bounded memory, nothing lost',
      async (name) => {
        const scenario = await InstallationScenario.start(CLIENTS)
        const { target, installation } = scenario
        let [early, late, from] = [0, 0, 0]
        await scenario.runFault(scenario.fault(name), async () => {
          from = target.waits.length
          const began = Date.now()
          for (let share = 0; share < 1; share = (Date.now() - began) / (minutes * 60_000)) {
            const most = installation.memoryNow() ?? 0
            // Until a third of it has passed all is as large as it has to be.
            if (share < 1 / 3) early = Math.max(early, most)
            else if (share > 2 / 3) late = Math.max(late, most)
            await delay(POLL_INTERVAL_MS)
          }
        })
        const refused = target.waits.slice(from).filter(({ status }) => status === 503)
        process.stdout.write(
          `${name} for ${minutes} minutes: ${describeRefusals(refused)}; the largest process had ${early} MB in its first third, ${late} MB in its last\n`,
        )
        await scenario.finish()
        scenario.summary()
        expect(
          quantile(
            refused.map(({ ms }) => ms),
            0.99,
          ),
        ).toBeLessThan(PROMISED)
        expect(late).toBeLessThan(early + GROWTH)
      },
      1_200_000 + minutes * 60_000,
    )
  },
)
