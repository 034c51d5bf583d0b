import { z } from 'zod'
import { scratchFolder, startChild, startProgram } from './children.ts'
import type { Figure, Settings, Subject } from './figures.ts'
import { type LoadRequest, runLoad } from './load.ts'
import { ADMIN_KEY, signInAdmin, signUpTraders } from './people.ts'
import { profileText, readProfile, type Stretch } from './profile.ts'
import { inTurn, median, ratio, whole } from './statistics.ts'
import { untilCaughtUp } from './worker-rest.ts'

const CONNECTIONS = 32
const ROUNDS = 3
const SECONDS = 3
const TRADERS = 60

/** Reads a second, against the same express app answering a constant. */
export const query: Subject = {
  name: 'query',
  about: `reads over HTTP, ${CONNECTIONS} connections, against the same express app answering a constant of the same size`,

  async measure({ profile, say }: Settings): Promise<readonly Figure[]> {
    const program = await startProgram({ dataDir: scratchFolder('query'), adminKey: ADMIN_KEY, profile })
    const admin = await signInAdmin(program.url)
    say('signing traders up')
    const traders = await signUpTraders(program.url, TRADERS, admin)
    await untilCaughtUp(program.url)
    const own = traders.map(({ cookie }): LoadRequest => ({ method: 'GET', path: '/api/user/account', headers: { cookie } }))
    const list: LoadRequest[] = [{ method: 'GET', path: '/api/admin/users?limit=25', headers: { cookie: admin } }]
    const reads = { 'own account': own, 'a page of 25 users': list }

    const answers = await Promise.all(
      Object.values(reads).map(async ([first]) => {
        const response = await fetch(new URL(first?.path ?? '/', program.url), { headers: first?.headers ?? {} })
        return { path: (first?.path ?? '/').replace(/\?.*/, ''), body: await response.json() }
      }),
    )
    const constant = startChild('query-floor', { answers })
    const { url } = await constant.said(z.object({ url: z.string() }))

    const figures: Figure[] = []
    const stretches: Stretch[] = []
    for (const [what, requests] of Object.entries(reads)) {
      const outcomes = await inTurn(ROUNDS, ['ours', 'constant'], async (side, round) => {
        const outcome = await runLoad({ url: side === 'ours' ? program.url : url, requests, connections: CONNECTIONS, ms: SECONDS * 1_000 })
        if (side === 'ours') stretches.push(outcome.stretch)
        say(`round ${round + 1}, ${what}, ${side}: ${whole(outcome.perSecond)}/s`)
        return outcome.perSecond
      })
      const [ours, floor] = [outcomes.get('ours') ?? [], outcomes.get('constant') ?? []]
      figures.push({ what, value: `${whole(median(ours))}/s, constant ${whole(median(floor))}/s, ratio ${ratio(ours, floor).text}` })
    }
    await constant.stop()
    const path = await program.stop()
    if (path !== undefined) say(profileText('query', readProfile(path, stretches)))
    return figures
  },
}
