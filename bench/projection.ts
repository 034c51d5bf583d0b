import { Client } from 'undici'
import { z } from 'zod'
import { POSITION_HEADER } from '#services/framework/api/headers.ts'
import { quantile } from '#test-support/quantile.ts'
import { jsonHeaders, send, type SignedIn } from './clients.ts'
import { below, type Figure, percentiles, type Settings, type Subject, whole } from './figures.ts'
import { busyFirm } from './histories.ts'
import { type Portal, runCommand, startPortal } from './programs.ts'

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
  const pace = `${whole((events * 1_000) / ms)} events a second`
  return [
    below(`rebuild of all read models from ${whole(events)} events`, limit, ms / 1_000, 's', pace),
    below('  peak memory of its process', 400, memory, 'MB'),
  ]
}

/** Changes accounts and reads each at once with the position of the change. */
async function visibility({ say }: Settings): Promise<Figure[]> {
  const portal = await startPortal(OTHERS + 1)
  const [watched, ...others] = portal.traders.map((trader) => watch(portal, trader))
  if (!watched) throw new Error('There is no trader')
  const changeAndRead = async (times: number): Promise<number[]> => {
    const visible: number[] = []
    while (visible.length < times) visible.push(await watched())
    return visible
  }
  say('changing accounts and reading them')
  // The first changes warm up.
  await changeAndRead(50)
  const alone = await changeAndRead(CHANGES)
  const busy = new AbortController()
  const work = others.map(async (other) => {
    while (!busy.signal.aborted) await other()
  })
  const crowded = await changeAndRead(CHANGES)
  busy.abort()
  await Promise.all(work)
  await portal.stop()
  const what = 'from the answer to a change until a read shows it, p99'
  return [
    below(what, 20, quantile(alone, 0.99), 'ms', percentiles(alone, 0.5, 0.95)),
    { what: `  while ${OTHERS} others change and read accounts`, value: percentiles(crowded, 0.5, 0.95, 0.99) },
  ]
}

let balance = 0

/**
 * Each call changes a trader's account, reads it as that trader, and returns the ms from the answer to the change until
 * a read showed it.
 */
function watch({ url, admin }: Portal, { id, cookie }: SignedIn): () => Promise<number> {
  const client = new Client(url)
  const name = POSITION_HEADER.toLowerCase()
  return async () => {
    const amount = `${(balance += 1)}.50`
    const body = JSON.stringify({ balance: amount })
    const change = { path: `/api/admin/user/${id}/account`, headers: jsonHeaders(admin), body }
    const changed = await send(client, { method: 'PATCH', ...change })
    const answered = performance.now()
    const headers = { cookie, [name]: z.string().parse(changed.headers[name]) }
    const { text } = await send(client, { method: 'GET', path: '/api/user/account', headers })
    if (!text.includes(`"${amount}"`)) throw new Error(`The account was ${text} after its balance became ${amount}`)
    return performance.now() - answered
  }
}
