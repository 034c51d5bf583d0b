import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { beforeAll, expect, it } from 'vitest'
import { ImportAnswer, ImportRow, STATEMENT_FIELD, StatementImport } from '#services/modules/imports/import-api.ts'
import { read } from '#test-support/http-calls.ts'
import { browser } from '#test-support/http-client.ts'
import { newEmail } from '#test-support/portal.ts'
import { ADMIN_KEY, buildProgram, startProgram, temporaryFolder } from '#test-support/program.ts'
import { decodeEvents, storedEvents, withStores } from '#test-support/stores.ts'
import { until } from '#test-support/until.ts'

const ACCOUNTS = 30
const TRADES = 200
/** How long the program runs before each kill, in ms. */
const KILLS = [0, 60, 150]

beforeAll(buildProgram, 600_000)

const signedIn = async (url: string) => {
  const admin = browser(url)
  await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })
  return admin
}

const minute = (n: number) => new Date(Date.UTC(2026, 2, 2, 8, n)).toISOString()

it('loses and doubles nothing of an import when the process is killed', async () => {
  const dataDir = temporaryFolder()
  let portal = await startProgram({ dataDir })
  let admin = await signedIn(portal.url)
  const accounts: string[] = []
  for (let n = 0; n < ACCOUNTS; n++) {
    const created = await admin.post('/api/admin/users', { fullName: `Trader ${n}`, email: newEmail() })
    const { id } = z.object({ id: z.string() }).parse(created.body)
    await admin.post(`/api/admin/user/${id}/enrolments`, { programme: 'two-step-100000' })
    accounts.push(`${id}-a1`)
  }
  const rows = accounts.flatMap((account) =>
    Array.from({ length: TRADES }, (_, n) => `${account},T${n},${minute(n)},${minute(n + 1)},1.00,0.10`),
  )
  const form = new FormData()
  form.append('kind', 'trades')
  const columns = { account: 'account', id: 'id', openedAt: 'opened', at: 'closed', profit: 'profit', volume: 'volume' }
  form.append('mapping', JSON.stringify({ delimiter: ',', columns }))
  // The last row repeats the first.
  const text = ['account,id,opened,closed,profit,volume', ...rows, rows[0]].join('\n')
  form.append(STATEMENT_FIELD, new Blob([text], { type: 'text/csv' }), 'statement.csv')
  const counts = { recorded: ACCOUNTS * TRADES, duplicate: 1, refused: 0, conflict: 0 }
  const preview = read(ImportAnswer, await admin.send('POST', '/api/admin/imports', form))
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
  expect(outcomes).toEqual([{ line: ACCOUNTS * TRADES + 2, outcome: 'duplicate', reason: null }])
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
