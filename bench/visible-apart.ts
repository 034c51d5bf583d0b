import { quantile } from '../test-support/quantile.ts'
import { runChild, scratchFolder, startProgram } from './children.ts'
import type { Figure, Settings, Subject } from './figures.ts'
import { ADMIN_KEY } from './people.ts'
import { environmentOn, startServers } from './servers.ts'
import { type TimesApart, visibleApartOutcome } from './visible-apart-run.ts'

const CHANGES = 300
const OTHERS = 8

/** How soon what was done can be seen where each service is a process of its own. */
export const visibleApart: Subject = {
  name: 'visible-apart',
  about:
    'from the append of a change to its being visible; command, query and worker as processes of their own on the double of EventStoreDB, FerretDB and Redis',

  async measure({ say }: Settings): Promise<readonly Figure[]> {
    const servers = await startServers('eventstore', 'mongodb', 'redis')
    const [dataDir, environment] = [scratchFolder('visible-apart'), environmentOn(servers.urls)]
    const [query, worker] = await Promise.all(
      (['query', 'worker'] as const).map((service) => startProgram({ service, dataDir, adminKey: ADMIN_KEY, environment })),
    )
    if (!query || !worker) throw new Error('A service is missing')
    say('changing accounts and looking at them')
    const input = { dataDir, environment, queryUrl: query.url, changes: CHANGES, others: OTHERS, traders: 20 }
    const { alone, loaded } = await runChild('visible-apart', input, visibleApartOutcome)
    await Promise.all([query.stop(), worker.stop()])
    await servers.stop()
    return [...figuresOf('', alone), ...figuresOf(`, ${OTHERS} others changing accounts and looking`, loaded)]
  },
}

function figuresOf(when: string, { answered, appended }: TimesApart): Figure[] {
  const ms = (values: readonly number[]) => `p50 ${quantile(values, 0.5).toFixed(1)} ms, p99 ${quantile(values, 0.99).toFixed(1)} ms`
  return [
    { what: `a GET with its position is answered${when}`, value: ms(answered) },
    { what: `  the append itself${when}`, value: ms(appended) },
  ]
}
