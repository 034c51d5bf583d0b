import { readFileSync } from 'node:fs'
import { System } from '../services/api/index.ts'
import { quantile } from '../test-support/quantile.ts'
import { auditOutcome } from './audit-run.ts'
import { type Program, runChild, scratchFolder, startProgram } from './children.ts'
import { CONNECTIONS, prepared, type Side } from './commands.ts'
import { atLeast, type Figure, type Settings, type Subject } from './figures.ts'
import { runLoad } from './load.ts'
import { ADMIN_KEY, signInAdmin } from './people.ts'
import { inTurn, median, ratio, type Ratio, whole } from './statistics.ts'

const EVENTS = 10_000
const ROUNDS = 41
/** A hundred times and more as often as it is done by default. */
const SEAL_SECONDS = 3
const NEVER = 86_400
const SEALINGS = 9
const SECONDS = 4

/** How fast the auditor's questions are answered, and what sealing costs those who decide. */
export const audit: Subject = {
  name: 'audit',
  about: `an account of ${whole(EVENTS)} facts at any moment and its first page, a whole log verified, changes over HTTP while they are sealed`,

  async measure({ say }: Settings): Promise<readonly Figure[]> {
    const { took, bytes } = await runChild('audit', { events: EVENTS, rounds: ROUNDS }, auditOutcome)
    const times = (name: string) => took[name] ?? []
    const ms = (name: string) => `${median(times(name)).toFixed(2)} ms`
    const moment = quantile(times('moment'), 0.95) / quantile(times('fold'), 0.95)
    const page = ratio(times('page'), times('read'))
    const verify = ratio(times('sha'), times('verify'))
    const fresh = ratio(times('fresh'), times('firstRead'))
    const { share, each } = await sealing(say)
    return [
      { what: 'a moment, p95 as a multiple of folding all in memory', value: moment.toFixed(2), target: { text: '≤ 2', met: moment <= 2 } },
      { what: '  each', value: `moment ${ms('moment')}, folding ${ms('fold')}` },
      { what: 'the first page, as a multiple of reading 100', value: page.text, target: { text: '< 1.5', met: page.median < 1.5 } },
      { what: '  each', value: `page ${ms('page')}, reading ${ms('read')}` },
      { what: '  a page that nobody looked at in the last ten minutes', value: `${fresh.text}, ${ms('fresh')}` },
      { what: 'verifying the log, as a share of the speed of SHA-256', value: verify.text, target: atLeast(verify.median, 0.5) },
      { what: '  each', value: `verifying ${ms('verify')}, SHA-256 ${ms('sha')}, ${(bytes / 1e6).toFixed(1)} MB` },
      {
        what: `a change over HTTP, sealed every ${SEAL_SECONDS} s, as a multiple of one that is not`,
        value: share.text,
        target: { text: '< 1.05', met: share.median < 1.05 },
      },
      { what: '  each', value: `sealed ${whole(each.sealed)} µs of the processor, not sealed ${whole(each.unsealed)} µs` },
    ]
  },
}

/**
 * What sealing costs those who decide: the processor's time for a change, with it and without. Time on the wall says
 * less: a machine that does other things too differs more from one second to the next.
 */
async function sealing(say: Settings['say']): Promise<{ readonly share: Ratio; readonly each: { readonly sealed: number; readonly unsealed: number } }> {
  const started = async (name: string, sealSeconds: number): Promise<Side & Pick<Program, 'pid'>> => {
    const program = await startProgram({ dataDir: scratchFolder(name), adminKey: ADMIN_KEY, sealSeconds })
    return { ...(await prepared(program)), pid: program.pid, stop: () => program.stop() }
  }
  const sides = { sealed: await started('sealed', SEAL_SECONDS), unsealed: await started('unsealed', NEVER) }
  try {
    const outcomes = await inTurn(SEALINGS, ['sealed', 'unsealed'], async (name, round) => {
      const { url, requests, rest, pid } = sides[name]
      const [before, used] = [await newestFact(url), processorTime(pid)]
      await runLoad({ url, requests: [...requests], connections: CONNECTIONS, ms: SECONDS * 1_000 })
      await rest()
      const each = (1_000 * (processorTime(pid) - used)) / ((await newestFact(url)) - before)
      say(`round ${round + 1}, ${name}: ${whole(each)} µs a change`)
      return each
    })
    const [sealed, unsealed] = [outcomes.get('sealed') ?? [], outcomes.get('unsealed') ?? []]
    return { share: ratio(sealed, unsealed), each: { sealed: median(sealed), unsealed: median(unsealed) } }
  } finally {
    for (const { stop } of Object.values(sides)) await stop()
  }
}

/** How many facts there are. */
async function newestFact(url: string): Promise<number> {
  const cookie = await signInAdmin(url)
  const answer = await fetch(new URL('/api/admin/system', url), { headers: { cookie } })
  return System.parse(await answer.json()).newest
}

/** What a process has used of the processors so far, in ms (Linux; its ticks are hundredths of a second). */
function processorTime(pid: number): number {
  const [, afterName = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user = 0, system = 0] = afterName.split(' ').slice(11, 13).map(Number)
  return (user + system) * 10
}
