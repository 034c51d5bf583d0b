import { ownerOf } from '#services/framework/ids.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { observation } from '#services/rules/observation.ts'
import { ADMIN_KEY } from '#test-support/program.ts'
import { quantile } from '#test-support/quantile.ts'
import { withDependencies } from '#test-support/stores.ts'
import { enrolledAccount, observed } from './accounts.ts'
import { jsonHeaders, timeReads, untilCaughtUp } from './clients.ts'
import { below, type Figure, median, type Settings, type Subject, whole } from './figures.ts'
import { scratchFolder, signInAdmin, startProgram } from './programs.ts'

const DAYS = 250
const TRADES_A_DAY = 10
const READS = 200
const FIRST_READS = 5
const OTHER_ACCOUNTS = 8
/** The goal of each read of the dashboard: p95 in ms. */
const MOST_MS = 50

/** What the dashboard and the performance of an account with a year of trades ask for. */
export const dashboard: Subject = {
  name: 'dashboard',
  about: `reads of a funded account with ${whole(DAYS * TRADES_A_DAY)} trades in a year, one by one; embedded, the whole portal in one process`,
  measure,
}

async function measure({ say }: Settings): Promise<readonly Figure[]> {
  const dataDir = scratchFolder('dashboard')
  say('recording a year of trades')
  const [account, ...others] = await yearsOfTrades(dataDir)
  const reads = [
    ['the standing', `/api/admin/accounts/${account}/standing`],
    ['days, results and curve', `/api/admin/user/${ownerOf(account)}/account/history`],
    ['25 trades', `/api/admin/accounts/${account}/trades?limit=25`],
    ['the next payout', `/api/admin/accounts/${account}/payout-terms`],
  ] as const
  const figures: Figure[] = []
  // Of each other account, in the order in which they are read: the code gets faster with each.
  const ofOthers: number[][] = others.map(() => [])
  const firsts: number[][] = reads.map(() => [])
  for (let round = 1; round <= FIRST_READS; round++) {
    const { url, stop } = await startProgram({ dataDir })
    const cookie = await signInAdmin(url)
    await untilCaughtUp(url, cookie)
    // The standing comes first, as on the page: it folds the account.
    for (const [index, [, path]] of reads.entries()) firsts[index]?.push(await timed(url, cookie, path))
    for (const [index, other] of others.entries())
      ofOthers[index]?.push(await timed(url, cookie, `/api/admin/accounts/${other}/standing`))
    if (round === FIRST_READS)
      for (const [index, [what, path]] of reads.entries()) {
        const times = await timeReads(url, cookie, READS, () => path)
        const first = `the first after a start ${(firsts[index] ?? []).map((ms) => ms.toFixed(0)).join(', ')} ms`
        figures.push(below(`${what}, p95`, MOST_MS, quantile(times, 0.95), 'ms', first))
        say(`${what}: p95 ${quantile(times, 0.95).toFixed(1)} ms; ${first}`)
      }
    await stop()
  }
  const inOrder = ofOthers.map(median)
  figures.push(
    below(
      'the standing of an account that was not read before, median',
      MOST_MS,
      median(inOrder),
      'ms',
      `of those read one after another, from the second after a start: ${inOrder.map((ms) => ms.toFixed(0)).join(', ')} ms`,
    ),
  )
  return figures
}

async function timed(url: string, cookie: string, path: string): Promise<number> {
  const asked = performance.now()
  const answer = await fetch(new URL(path, url), { headers: jsonHeaders(cookie) })
  await answer.text()
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
  return performance.now() - asked
}

function yearsOfTrades(dataDir: string) {
  return withDependencies({ DATA_DIR: dataDir, ADMIN_ACCESS_KEY: ADMIN_KEY }, async (parts) => {
    const account = await enrolled(parts, 1)
    const others: (typeof account)[] = []
    for (let other = 1; other <= OTHER_ACCOUNTS; other++) others.push(await enrolled(parts, 1 + other))
    for (let day = 0; day < DAYS; day++) {
      const rows = Array.from({ length: TRADES_A_DAY }, (_, n) => {
        const at = new Date(Date.UTC(2025, 2, 3 + day, 9, n)).toISOString()
        const trade = { at, kind: 'trade', id: `T${day}-${n}`, openedAt: at, volume: '1.00' }
        return observation.parse({ ...trade, profit: n % 2 === 0 ? '12.00' : '-10.00' })
      })
      for (const observedAccount of [account, ...others]) await observed(parts, observedAccount, rows)
    }
    return [account, ...others] as const
  })
}

/** In the funded stage. */
function enrolled(parts: Parameters<typeof enrolledAccount>[0], trader: number) {
  return enrolledAccount(parts, trader, presetTerms('two-step', 100_000), 2)
}
