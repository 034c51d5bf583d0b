import { Client } from 'undici'
import { z } from 'zod'
import { POSITION_HEADER } from '../services/api/index.ts'
import { quantile } from '../test-support/quantile.ts'
import { jsonHeaders, send, type SignedIn, signUpTraders, untilCaughtUp } from './clients.ts'
import { below, type Figure, percentiles, type Settings, type Subject, whole } from './figures.ts'
import { busyFirm } from './histories.ts'
import { runCommand, scratchFolder, signInAdmin, startProgram } from './programs.ts'

const CHANGES = 500
const OTHERS = 8

/** How soon a change is visible, and what a rebuild of all read models takes. */
export const projection: Subject = {
  name: 'projection',
  about: 'the embedded portal: from a change to its being visible, and a rebuild of all read models',

  async measure(settings: Settings): Promise<readonly Figure[]> {
    return [...(await visibility(settings)), ...(await rebuild(settings))]
  },
}

async function rebuild(settings: Settings): Promise<Figure[]> {
  const { events, say } = settings
  const { dataDir } = await busyFirm(settings)
  say('rebuilding')
  const { ms, memory } = await runCommand(['rebuild', 'all'], dataDir)
  // The goals are those of a million events; a smaller log must keep the pace.
  const limit = (150 * events) / 1_000_000
  return [
    below(`rebuild of all read models from ${whole(events)} events`, limit, ms / 1_000, 's', `${whole((events * 1_000) / ms)} events a second`),
    below('  peak memory of its process', 400, memory, 'MB'),
  ]
}

/** Changes accounts and reads each at once with the position of the change. */
async function visibility({ say }: Settings): Promise<Figure[]> {
  const { url, stop } = await startProgram({ dataDir: scratchFolder('visible') })
  const admin = await signInAdmin(url)
  const traders = await signUpTraders(url, OTHERS + 1, admin)
  await untilCaughtUp(url, admin)
  const [watched, ...others] = traders.map((trader) => new Watcher(url, admin, trader))
  if (!watched) throw new Error('There is no trader')
  say('changing accounts and reading them')
  // The first changes warm up.
  await watched.changeAndRead(50)
  const alone = await watched.changeAndRead(CHANGES)
  const busy = new AbortController()
  const work = others.map(async (other) => {
    while (!busy.signal.aborted) await other.changeAndRead(1)
  })
  const crowded = await watched.changeAndRead(CHANGES)
  busy.abort()
  await Promise.all(work)
  await stop()
  const limit = 20
  return [
    below('from the answer to a change until a read shows it, p99', limit, quantile(alone, 0.99), 'ms', percentiles(alone, 0.5, 0.95)),
    { what: `  while ${OTHERS} others change and read accounts`, value: percentiles(crowded, 0.5, 0.95, 0.99) },
  ]
}

const position = z.string()
let balance = 0

/** Changes the account of one trader and reads it as that trader. */
class Watcher {
  readonly #client: Client

  constructor(
    url: string,
    private readonly admin: string,
    private readonly trader: SignedIn,
  ) {
    this.#client = new Client(url)
  }

  /** Returns the ms from the answer to each change until a read showed it. */
  async changeAndRead(times: number): Promise<readonly number[]> {
    const visible: number[] = []
    const name = POSITION_HEADER.toLowerCase()
    for (let n = 0; n < times; n++) {
      const amount = `${(balance += 1)}.50`
      const changed = await send(this.#client, {
        method: 'PATCH',
        path: `/api/admin/user/${this.trader.id}/account`,
        headers: jsonHeaders(this.admin),
        body: JSON.stringify({ balance: amount }),
      })
      const answered = performance.now()
      const headers = { cookie: this.trader.cookie, [name]: position.parse(changed.headers[name]) }
      const { text } = await send(this.#client, { method: 'GET', path: '/api/user/account', headers })
      if (!text.includes(`"${amount}"`)) throw new Error(`The account was ${text} after its balance became ${amount}`)
      visible.push(performance.now() - answered)
    }
    return visible
  }
}
