import { beforeAll, expect, it } from 'vitest'
import { StatementImport } from '#services/trading/imports/import-api.ts'
import { DraftedVersion, WhatIf } from '#services/programmes/programmes/programme-api.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { read } from '#test-support/http-calls.ts'
import { enrolledAccounts, previewTrades, signedIn } from '#test-support/killed-program.ts'
import { buildProgram, startProgram, temporaryFolder } from '#test-support/program.ts'
import { decodeEvents, storedEvents, withStores } from '#test-support/stores.ts'
import { until } from '#test-support/until.ts'

const ACCOUNTS = 30
/** So many that it is still being computed when it is seen and killed. */
const TRADES = 1_000
const PROGRAMME = 'two-step-100000'
const VERSIONS = `/api/admin/programmes/${PROGRAMME}/versions`

beforeAll(buildProgram, 600_000)

/** So many minutes after a Monday, each day at most 400 trades. */
const time = (n: number) => new Date(Date.UTC(2026, 2, 2 + Math.floor(n / 400), 8, n % 400)).toISOString()

/** What the log says of the what-ifs of a version that were computed. */
async function triedIn(dataDir: string, version: number): Promise<object[]> {
  const events = await withStores(dataDir, async (parts) => decodeEvents(parts, await storedEvents(parts)))
  return events.flatMap(({ type, data }) => (type === 'ProgrammeTried' && data.version === version ? [data] : []))
}

it('finishes a what-if over the history when the process is killed', async () => {
  const dataDir = temporaryFolder()
  let portal = await startProgram({ dataDir })
  let admin = await signedIn(portal.url)
  const accounts = await enrolledAccounts(admin, ACCOUNTS, PROGRAMME)
  // Every other account loses $4,000.00 on the first day and $3,000.00 on the third: $7,000.00 in all.
  const losing = accounts.filter((_, index) => index % 2 === 0)
  const rows = accounts.flatMap((account) => [
    ...Array.from({ length: TRADES }, (_, n) => `${account},T${n},${time(n)},${time(n)},0.00,0.10`),
    ...(losing.includes(account)
      ? [`${account},L1,${time(1)},${time(1)},-4000.00,0.10`, `${account},L2,${time(800)},${time(800)},-3000.00,0.10`]
      : []),
  ])
  const { id } = await previewTrades(admin, rows)
  await admin.post(`/api/admin/imports/${id}/confirm`)
  await until(
    async () => read(StatementImport, await admin.get(`/api/admin/imports/${id}`)).state === 'done',
    'the import to be done',
  )

  const terms = presetTerms('two-step', 100_000)
  const stricter = {
    ...terms,
    stages: terms.stages.map((stage) => ({
      ...stage,
      rules: stage.rules.map((rule) =>
        rule.kind === 'maximum-loss' ? { ...rule, limit: { percent: '6', of: 'account-size' } } : rule,
      ),
    })),
  }
  const { version } = read(DraftedVersion, await admin.post(VERSIONS, { terms: stricter }))
  const path = `${VERSIONS}/${version}/what-if`
  expect((await admin.post(path)).status).toBe(202)
  // The first time among the accounts, then wherever it is once the process has started again.
  const seen = await until(async () => {
    const answer = await admin.get(path)
    const found = answer.status === 200 ? read(WhatIf, answer) : undefined
    return found && found.compared > 0 ? found : undefined
  }, 'the what-if to be computed')
  expect(seen.state).toBe('running')
  for (let kills = 0; kills < 3; kills++) {
    await portal.kill()
    if (kills === 0) expect(await triedIn(dataDir, version)).toEqual([])
    portal = await startProgram({ dataDir })
  }
  admin = await signedIn(portal.url)
  const done = await until(async () => {
    const found = read(WhatIf, await admin.get(path))
    return found.state === 'done' ? found : undefined
  }, 'the what-if to be done')
  expect(done).toMatchObject({ accounts: ACCOUNTS, compared: ACCOUNTS, counts: { breached: losing.length } })
  expect(done.differences.map(({ account }) => account).toSorted()).toEqual(losing.toSorted())
  await portal.stop()
  expect(await triedIn(dataDir, version)).toMatchObject([{ accounts: ACCOUNTS, differences: losing.length }])
}, 300_000)
