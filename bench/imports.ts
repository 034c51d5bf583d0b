import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { ImportAnswer, StatementImport } from '#services/trading/imports/import-api.ts'
import { ADMIN_KEY } from '#test-support/program.ts'
import { statementForm } from '#test-support/statement-form.ts'
import { withDependencies } from '#test-support/stores.ts'
import { enrolledAccount } from './accounts.ts'
import { jsonHeaders, untilCaughtUp } from './clients.ts'
import { below, type Figure, type Settings, type Subject, whole } from './figures.ts'
import { scratchFolder, signInAdmin, startProgram } from './programs.ts'

const ACCOUNTS = 10_000
/** The goal in seconds. */
const MOST_SECONDS = 60
/** Balances that break the maximum loss, and how soon each has to be in the queue, in ms. */
const FINDINGS = 40
const BREACHING = '85000.00'
const MOST_UNTIL_FOUND = 2_000

export const imports: Subject = {
  name: 'imports',
  about: `a statement with a day of each of ${whole(ACCOUNTS)} accounts; embedded, the whole portal in one process`,
  measure,
}

async function measure({ say }: Settings): Promise<readonly Figure[]> {
  const dataDir = scratchFolder('imports')
  say(`enrolling ${whole(ACCOUNTS)} accounts`)
  const ids = await enrolled(dataDir)
  const { url, stop } = await startProgram({ dataDir })
  const cookie = await signInAdmin(url)
  await untilCaughtUp(url, cookie)
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(new URL(path, url), init)
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  const headers = jsonHeaders(cookie)

  const columns = Object.fromEntries(
    ['account', 'date', 'balance', 'equity', 'lowestEquity', 'highestEquity', 'trades'].map((name) => [name, name]),
  )
  const rows = ids.map((id) => `${id},2026-03-02,100100.00,100100.00,99900.00,100200.00,3`)
  const text = [Object.keys(columns).join(','), ...rows].join('\n')
  const form = statementForm(text, { kind: 'days', mapping: { delimiter: ',', columns } })
  const { cookie: session } = headers
  const began = performance.now()
  const { id, counts } = ImportAnswer.parse(
    await ask('/api/admin/imports', { method: 'POST', headers: { cookie: session ?? '' }, body: form }),
  )
  if (counts.recorded !== ACCOUNTS) throw new Error(`${counts.recorded} rows would be recorded`)
  const read = performance.now()
  await ask(`/api/admin/imports/${id}/confirm`, { method: 'POST', headers })
  let slowest = 0
  for (;;) {
    const asked = performance.now()
    const found = StatementImport.parse(await ask(`/api/admin/imports/${id}`, { headers }))
    slowest = Math.max(slowest, performance.now() - asked)
    if (found.state === 'done') break
    await delay(100)
  }
  const done = performance.now()
  await untilCaughtUp(url, cookie)
  const waits: number[] = []
  for (const account of ids.slice(1, 1 + FINDINGS)) {
    const body = JSON.stringify({ balance: BREACHING })
    const asked = performance.now()
    await ask(`/api/admin/accounts/${account}`, { method: 'PATCH', headers, body })
    for (;;) {
      const found = z.array(z.unknown()).parse(await ask(`/api/admin/findings?account=${account}`, { headers }))
      if (found.length > 0) break
      await delay(10)
    }
    waits.push(performance.now() - asked)
  }
  await stop()
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  return [
    below(
      'a day of 10,000 accounts imported',
      MOST_SECONDS,
      (done - began) / 1000,
      's',
      `read ${seconds(read - began)}, recorded ${seconds(done - read)}, slowest other answer meanwhile ${slowest.toFixed(0)} ms`,
    ),
    below(
      'from a typed balance to its finding in the queue, the longest',
      MOST_UNTIL_FOUND,
      Math.max(...waits),
      'ms',
      `of ${FINDINGS}, median ${(waits.toSorted((one, other) => one - other)[FINDINGS / 2] ?? 0).toFixed(0)} ms`,
    ),
  ]
}

/** The ids of accounts under a programme. */
async function enrolled(dataDir: string): Promise<readonly string[]> {
  return withDependencies({ DATA_DIR: dataDir, ADMIN_ACCESS_KEY: ADMIN_KEY }, async (parts) => {
    const ids: string[] = []
    for (let n = 0; n < ACCOUNTS; n += 100)
      ids.push(...(await Promise.all(Array.from({ length: 100 }, (_, k) => enrolledAccount(parts, n + k)))))
    return ids
  })
}
