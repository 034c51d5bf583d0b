import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { changesOf } from './commands.ts'
import { type LoadRequest, load, untilCaughtUp } from './clients.ts'
import { atLeast, byTurns, type Figure, median, ratio, type Settings, type Subject, whole } from './figures.ts'
import { largeFirm, prepared } from './histories.ts'
import { runTool, signInAdmin, startPortal, startProgram } from './programs.ts'

/**
 * This checkout by turns with an earlier commit, so that a loss is seen before a release. The earlier one is installed
 * and built as its own lockfile and scripts say, and used only over HTTP and by its command line: its files may lie
 * elsewhere.
 */

const TRADERS = 60
const ROUNDS = 7
const checkout = fileURLToPath(new URL('..', import.meta.url))
const sides = ['checkout', 'commit'] as const
type Side = (typeof sides)[number]

/** A portal under load. */
interface Target {
  readonly url: string
  readonly pid: number
  readonly admin: string
  readonly requests: readonly LoadRequest[]
}
type Targets = Readonly<Record<Side, Target>>

/** What a request costs now, compared with an earlier commit. */
export const against: Subject = {
  name: 'against',
  about: 'requests a second, to those of the earlier commit; 32 connections, embedded stores, one process each',

  async measure(settings: Settings): Promise<readonly Figure[]> {
    const earlier = await earlierCommit(settings)
    const small = { checkout: await startPortal(TRADERS), commit: await startPortal(TRADERS, {}, earlier.program) }
    const targets = (requestsOf: (portal: (typeof small)[Side]) => readonly LoadRequest[]): Targets => ({
      checkout: { ...small.checkout, requests: requestsOf(small.checkout) },
      commit: { ...small.commit, requests: requestsOf(small.commit) },
    })
    const account = targets(({ traders }) =>
      traders.map(({ cookie }) => ({ method: 'GET', path: '/api/user/account', headers: { cookie } })),
    )
    const payout = targets((portal) => changesOf(portal).filter(({ path }) => path === '/api/user/payouts'))
    const figures = [
      ...(await compared('own account', account, settings)),
      ...(await compared('payout request', payout, settings)),
    ]
    for (const side of sides) await small[side].stop()
    const large = {
      checkout: await startProgram({ dataDir: (await largeFirm(settings)).dataDir }),
      commit: await startProgram({ dataDir: earlier.largeFirm, program: earlier.program }),
    }
    const page = { checkout: await pageOf(large.checkout), commit: await pageOf(large.commit) }
    figures.push(...(await compared(`25 of ${whole(settings.users)} users`, page, settings)))
    for (const side of sides) await large[side].stop()
    return figures
  },
}

async function pageOf({ url, pid }: { readonly url: string; readonly pid: number }): Promise<Target> {
  const admin = await signInAdmin(url)
  return {
    ...{ url, pid, admin },
    requests: [{ method: 'GET', path: '/api/admin/users?limit=25', headers: { cookie: admin } }],
  }
}

async function compared(what: string, targets: Targets, { commit = '', say }: Settings): Promise<Figure[]> {
  const microseconds: Record<Side, number[]> = { checkout: [], commit: [] }
  const seen = await byTurns(ROUNDS, sides, async (side) => {
    const { url, pid, admin, requests } = targets[side]
    // The other's work after its turn would count against this one.
    for (const target of Object.values(targets)) await untilCaughtUp(target.url, target.admin)
    const before = processorTime(pid)
    const { perSecond, p99, answered } = await load(url, requests)
    await untilCaughtUp(url, admin)
    const each = (processorTime(pid) - before) / answered
    microseconds[side].push(each)
    say(`${what}, ${side}: ${whole(perSecond)}/s, p99 ${p99.toFixed(0)} ms, ${each.toFixed(0)} µs each`)
    return perSecond
  })
  const rates = `${whole(median(seen('checkout')))} and ${whole(median(seen('commit')))} a second`
  const times = `${median(microseconds.checkout).toFixed(0)} and ${median(microseconds.commit).toFixed(0)} µs`
  return [
    atLeast(`${what}, to ${commit}`, 1, ratio(seen('checkout'), seen('commit')), rates),
    {
      what: '  its processor time, background work included',
      value: `${ratio(microseconds.checkout, microseconds.commit).text}, ${times}`,
    },
  ]
}

/** The processor time of a process so far, in µs; NaN where the system does not tell. */
function processorTime(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const spent = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'))
    return spent.reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1_000, 0)
  } catch {
    return Number.NaN
  }
}

/** The earlier commit, built, with a log of so many users that its own benchmark wrote. */
async function earlierCommit({ commit, users, say }: Settings) {
  if (commit === undefined) throw new Error('Name the earlier commit: --commit <commit>')
  const hash = git('rev-parse', '--short', `${commit}^{commit}`).toString().trim()
  const { dataDir: folder } = await prepared(`commit-${hash}-users-${users}`, z.null(), async (into) => {
    say(`installing and building ${hash}`)
    execFileSync('tar', ['x', '-C', into], { input: git('archive', hash) })
    // With the same libraries, those of this checkout do.
    if (git('show', `${hash}:package-lock.json`).equals(readFileSync(join(checkout, 'package-lock.json'))))
      symlinkSync(join(checkout, 'node_modules'), join(into, 'node_modules'))
    else await runTool('npm', '--prefix', into, 'ci')
    say(`writing its log of ${whole(users)} users, with its own measurement of reads`)
    await runTool(
      'env',
      `BENCH_DATA=${into}`,
      'npm',
      '--prefix',
      into,
      'run',
      'bench',
      '--',
      'reads',
      '--users',
      `${users}`,
    )
    return null
  })
  const manifest = z.object({ bin: z.object({ proofdesk: z.string() }) })
  const { bin } = manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
  const written = readdirSync(folder).find((name) => name.startsWith(`users-${users}-`))
  if (written === undefined) throw new Error(`The benchmark of ${hash} wrote no log of ${users} users`)
  return { program: join(folder, bin.proofdesk), largeFirm: join(folder, written) }
}

function git(...parameters: readonly string[]): Buffer {
  return execFileSync('git', parameters, { cwd: checkout, maxBuffer: 2 ** 30 })
}
