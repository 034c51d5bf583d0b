import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { scratchFolder, startProgram } from './children.ts'
import type { Figure, Settings, Subject } from './figures.ts'
import { type LoadRequest, runLoad } from './load.ts'
import { ADMIN_KEY, signInAdmin, signUpTraders } from './people.ts'
import { environmentOn, startServers } from './servers.ts'
import { inTurn, median, ratio, whole } from './statistics.ts'
import { untilCaughtUp } from './worker-rest.ts'

const COUNTS = ['1', '2', '4'] as const
const CONNECTIONS = 32
const ROUNDS = 3
const SECONDS = 4
const TRADERS = 60

/**
 * What more query processes bring, and what a read costs in each. The views are embedded: FerretDB would take most of the
 * processors for itself, and little would be learned of ours.
 */
export const queryProcesses: Subject = {
  name: 'query-processes',
  about: `reads of the own account over ${CONNECTIONS} connections, each request to the next query process; sessions in Redis, views in one file; Redis and whoever asks share the same ${availableParallelism()} processors`,

  async measure({ say }: Settings): Promise<readonly Figure[]> {
    const servers = await startServers('eventstore', 'redis')
    const shared = { dataDir: scratchFolder('query-processes'), adminKey: ADMIN_KEY, environment: environmentOn(servers.urls) }
    const [command, worker, ...queries] = await Promise.all(
      (['command', 'worker', 'query', 'query', 'query', 'query'] as const).map((service) => startProgram({ ...shared, service })),
    )
    if (!command || !worker) throw new Error('A service is missing')
    say('signing traders up')
    const traders = await signUpTraders(command.url, TRADERS, await signInAdmin(command.url))
    for (const { url } of queries) await untilCaughtUp(url)
    const requests = traders.map(({ cookie }): LoadRequest => ({ method: 'GET', path: '/api/user/account', headers: { cookie } }))
    const load = { requests, connections: CONNECTIONS, warmUp: 0 }
    say('warming up')
    await runLoad({ ...load, url: queries.map(({ url }) => url), ms: 3_000 })

    const measured = await inTurn(ROUNDS, COUNTS, async (count, round) => {
      const asked = queries.slice(0, Number(count))
      const before = processorSeconds(asked)
      const { perSecond, p99 } = await runLoad({ ...load, url: asked.map(({ url }) => url), ms: SECONDS * 1_000 })
      const seconds = processorSeconds(asked) - before
      say(`round ${round + 1}, ${count}: ${whole(perSecond)}/s, ${seconds.toFixed(1)} s of a processor`)
      return { perSecond, p99, perThousand: (seconds * 1_000) / (perSecond * SECONDS), processors: seconds / SECONDS }
    })
    await Promise.all([command, worker, ...queries].map((program) => program.stop()))
    await servers.stop()

    type Measured = NonNullable<ReturnType<typeof measured.get>>[number]
    const of = (count: (typeof COUNTS)[number], what: keyof Measured) => (measured.get(count) ?? []).map((values) => values[what])
    return COUNTS.flatMap((count) => [
      {
        what: `${count} query ${count === '1' ? 'process' : 'processes'}`,
        value: `${whole(median(of(count, 'perSecond')))} requests/s, p99 ${median(of(count, 'p99')).toFixed(0)} ms, ${median(of(count, 'perThousand')).toFixed(2)} s of a processor for 1,000 of them`,
      },
      {
        what: '  of the processors they had',
        value: `${median(of(count, 'processors')).toFixed(2)}${count === '1' ? '' : `; requests/s against one process ${ratio(of(count, 'perSecond'), of('1', 'perSecond')).text}, processor for each ${ratio(of(count, 'perThousand'), of('1', 'perThousand')).text}`}`,
      },
    ])
  },
}

/** Linux counts in hundredths of a second. */
const TICKS = 100

/** The processor time that these have had so far, in seconds, as Linux tells it. */
function processorSeconds(programs: readonly { readonly pid: number }[]): number {
  const ticks = programs.map(({ pid }) => {
    // The second field is a name, which may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS
}
