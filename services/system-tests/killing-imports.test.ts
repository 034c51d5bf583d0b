import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { ImportRow, StatementImport } from '#services/trading/imports/import-api.ts'
import { read } from '#test-support/http-calls.ts'
import { enrolledAccounts, previewTrades, signedIn } from '#test-support/killed-program.ts'
import { buildProgram, startProgram, temporaryFolder } from '#test-support/program.ts'
import { decodeEvents, storedEvents, withStores } from '#test-support/stores.ts'
import { until } from '#test-support/until.ts'

const ACCOUNTS = 30
const TRADES = 200
/** How long the program runs before each kill, in ms. */
const KILLS = [0, 60, 150]

beforeAll(buildProgram, 600_000)

const minute = (n: number) => new Date(Date.UTC(2026, 2, 2, 8, n)).toISOString()

it('loses and doubles nothing of an import when the process is killed', async () => {
  const dataDir = temporaryFolder()
  let portal = await startProgram({ dataDir })
  let admin = await signedIn(portal.url)
  const accounts = await enrolledAccounts(admin, ACCOUNTS, 'two-step-100000')
  const rows = accounts.flatMap((account) =>
    Array.from({ length: TRADES }, (_, n) => `${account},T${n},${minute(n)},${minute(n + 1)},1.00,0.10`),
  )
  const counts = { recorded: ACCOUNTS * TRADES, transfer: 0, duplicate: 1, skipped: 0, refused: 0, conflict: 0 }
  // The last row repeats the first.
  const preview = await previewTrades(admin, [...rows, ...rows.slice(0, 1)])
  expect(preview.counts).toEqual(counts)
  const path = `/api/admin/imports/${preview.id}`
  expect((await admin.post(`${path}/confirm`)).status).toBe(202)
  for (const ms of KILLS) {
    await delay(ms)
    await portal.kill()
    portal = await startProgram({ dataDir })
  }
  admin = await signedIn(portal.url)
  const done = await until(async () => {
    const found = read(StatementImport, await admin.get(path))
    return found.state === 'done' ? found : undefined
  }, 'the import to be done')
  expect(done.counts).toEqual(counts)
  const outcomes = read(ImportRow.array(), await admin.get(`${path}/rows?outcome=duplicate`))
  expect(outcomes).toMatchObject([{ line: ACCOUNTS * TRADES + 2, outcome: 'duplicate', reason: null }])
  await portal.stop()
  const events = await withStores(dataDir, async (parts) => decodeEvents(parts, await storedEvents(parts)))
  for (const account of accounts) {
    const ids = events.flatMap(({ type, stream, data }) =>
      type === 'ObservationsRecorded' && stream === `account-${account}`
        ? data.observations.flatMap((each) => (each.kind === 'trade' ? each.id : []))
        : [],
    )
    expect(ids).toEqual(Array.from({ length: TRADES }, (_, n) => `T${n}`))
    expect(
      events.findLast(({ type, stream }) => type === 'BalanceChanged' && stream === `account-${account}`),
    ).toMatchObject({
      data: { to: 100_000_00 + TRADES * 100 },
    })
  }
  expect(events.filter(({ type }) => type === 'ImportCompleted')).toHaveLength(1)
}, 300_000)
