import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DraftedVersion, WhatIf } from '#services/programmes/programmes/programme-api.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { ImportAnswer, ImportRow, StatementImport } from '#services/trading/imports/import-api.ts'
import { read, tryDraft } from '#test-support/http-calls.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { watchedTrader } from '#test-support/programme-account.ts'
import { statementForm } from '#test-support/statement-form.ts'
import { decodeEvents, storedEvents } from '#test-support/stores.ts'
import { until } from '#test-support/until.ts'

/**
 * Who can write to the file store, and has no key, changes what a what-if found or what became of the rows of an import.
 * The log has the hash of both: nothing else is shown, and it raises the alarm.
 */

const PROGRAMME = 'two-step-100000'
const VERSIONS = `/api/admin/programmes/${PROGRAMME}/versions`

let portal: Portal
let admin: Browser

beforeAll(async () => {
  portal = await openPortal({ environment: { METRICS_PORT: '0' } })
  admin = await portal.admin()
})
afterAll(() => portal.stop())

const alarms = async (): Promise<number> => {
  const metric = await portal.running.parts.meters?.forgedRows.get()
  return metric?.values.find(({ labels }) => labels.store === 'file store')?.value ?? 0
}

async function content(key: string): Promise<string> {
  const file = await portal.running.parts.fileStore.get(key)
  return file ? text(file.content) : ''
}

const put = (key: string, changed: string) =>
  portal.running.parts.fileStore.put(key, Buffer.from(changed), 'application/json')

async function lastOf<Type extends string>(type: Type) {
  const events = await decodeEvents(portal.running.parts, await storedEvents(portal.running.parts))
  const event = events.findLast((each) => each.type === type)
  if (!event) throw new Error(`There is no ${type}`)
  return event
}

/** Shows something, changes a file, and wants it refused; then puts it back, and wants it shown again. */
async function isRefused(show: () => Promise<Answer>, key: string, attack: () => Promise<void>): Promise<void> {
  const [before, whole, raised] = [await show(), await content(key), await alarms()]
  expect([before.status, whole]).toEqual([200, expect.stringContaining('{')])
  await attack()
  expect(await show()).toMatchObject({
    status: 500,
    body: { message: expect.stringMatching(/is gone or was changed, so it is not shown\. Tell who runs this portal/) },
  })
  await put(key, whole)
  expect((await show()).body).toEqual(before.body)
  // Once for each file.
  expect(await alarms()).toBeGreaterThanOrEqual(Math.max(1, raised))
}

describe('what a what-if found', () => {
  let show: () => Promise<Answer>
  let folder: string
  let result: string

  beforeAll(async () => {
    const { account, observe } = await watchedTrader(portal, admin, PROGRAMME)
    const state = (daysAgo: number, balance: string) => {
      const at = new Date(Date.now() - daysAgo * 86_400_000).toISOString()
      return { at, kind: 'state', balance, equity: balance, open: false }
    }
    await observe([state(3, '100000.00'), state(2, '96500.00'), state(1, '93000.00')])
    await admin.get(`/api/admin/accounts/${account}/standing`, await portal.atEnd())
    const terms = presetTerms('two-step', 100_000)
    const stages = terms.stages.map((stage) => ({
      ...stage,
      rules: stage.rules.map((rule) =>
        rule.kind === 'maximum-loss' ? { ...rule, limit: { percent: '6', of: 'account-size' } } : rule,
      ),
    }))
    const { version, hash } = read(DraftedVersion, await admin.post(VERSIONS, { terms: { ...terms, stages } }))
    expect(await tryDraft(admin, `${VERSIONS}/${version}`)).toMatchObject({ counts: { breached: 1 } })
    show = () => admin.get(`${VERSIONS}/${version}/what-if`)
    folder = `what-if/${PROGRAMME}/${version}/${hash}/`
    const tried = await lastOf('ProgrammeTried')
    if (tried.type !== 'ProgrammeTried') throw new Error('It was not tried')
    result = `${folder}${tried.data.sha256}.json`
  })

  it('is not shown with other counts', () =>
    isRefused(show, result, async () => put(result, (await content(result)).replace('"breached":1', '"breached":0'))))

  it('is not shown with other differences', async () => {
    const { parts } = z.object({ parts: z.array(z.string()) }).parse(JSON.parse(await content(result)))
    const key = `${folder}${parts[0]}.json`
    await isRefused(show, key, async () => put(key, (await content(key)).replaceAll('breached', 'in-progress')))
  })

  it('is not shown once it is gone', () =>
    isRefused(show, result, async () => {
      const { parts } = z.object({ parts: z.array(z.string()) }).parse(JSON.parse(await content(result)))
      const kept = await Promise.all(
        parts.map(async (part) => [`${folder}${part}.json`, await content(`${folder}${part}.json`)] as const),
      )
      await portal.running.parts.fileStore.removeAll(folder)
      for (const [key, part] of kept) await put(key, part)
    }))

  it('is not shown from a file of the name that 0.2.0 gave it', () =>
    isRefused(show, result, async () => {
      const forged = { accounts: 1, counts: read(WhatIf, await show()).counts, differences: 0 }
      await put(`${folder}result.json`, JSON.stringify(forged))
      await put(result, '')
    }))
})

describe('what became of the rows of an import', () => {
  it('is not shown otherwise than it was recorded', async () => {
    const { account } = await watchedTrader(portal, admin, PROGRAMME)
    const mapping = {
      delimiter: ',',
      columns: { id: 'id', openedAt: 'opened', at: 'closed', profit: 'profit', volume: 'volume' },
    }
    const statement =
      'id,opened,closed,volume,profit\nT1,2026-03-02T09:00:00Z,2026-03-02T10:00:00Z,1.00,5.00\nT2,x,y,1.00,5.00\n'
    const form = statementForm(statement, { kind: 'trades', mapping, account })
    const { id } = read(ImportAnswer, await admin.send('POST', '/api/admin/imports', form))
    const show = async () => admin.get(`/api/admin/imports/${id}/rows`, await portal.atEnd())
    const preview = `imports/${id}/rows/all.jsonl`
    const other = async (key: string) => (await content(key)).replace('"outcome":"refused"', '"outcome":"recorded"')
    await isRefused(show, preview, async () => put(preview, await other(preview)))
    expect((await admin.post(`/api/admin/imports/${id}/confirm`)).status).toBe(202)
    await until(async () => {
      const one = read(StatementImport, await admin.get(`/api/admin/imports/${id}`, await portal.atEnd()))
      return one.state === 'done'
    }, 'the import to be done')
    const completed = await lastOf('ImportCompleted')
    if (completed.type !== 'ImportCompleted') throw new Error('It was not completed')
    const key = `imports/${id}/outcomes/${completed.data.outcomesSha256}.jsonl`
    expect(read(ImportRow.array(), await show()).map(({ outcome }) => outcome)).toEqual(['recorded', 'refused'])
    await isRefused(show, key, async () => put(key, await other(key)))
    await isRefused(show, key, async () => {
      const kept = await other(key)
      await portal.running.parts.fileStore.removeAll(`imports/${id}/outcomes/`)
      await put(`imports/${id}/outcomes/all.jsonl`, kept)
    })
  })
})
