import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { verifyExport } from '#services/oversight/audit/export-verification.ts'
import { allProjections } from '#services/portal/modules.ts'
import { verifyLog } from '#services/proof/log-verification.ts'
import { signingKeys } from '#services/proof/seal-signing.ts'
import type { Running } from '#services/cli/server.ts'
import { runCommand } from '#test-support/command-line.ts'
import { programOf, read } from '#test-support/http-calls.ts'
import { browser } from '#test-support/http-client.ts'
import { answersTo, releasedData, releases, staffOf, startReleased } from '#test-support/released-data.ts'
import { storedEvents } from '#test-support/stores.ts'
import { until } from '#test-support/until.ts'
import { DEMO_PASSWORD } from '../demo/demo-firm.ts'

/** Of the trader of these decisions. */
const ACCOUNTS = 14

describe.skipIf(releases().length === 0).each([...releases()])('the data of release %s', (release) => {
  const data = releasedData(release)
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-released-'))
  let running: Running

  beforeAll(async () => {
    data.copyTo(folder)
    running = await startReleased(folder)
  })
  afterAll(async () => {
    await running.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('opens, with no event that cannot be read', async () => {
    expect(await running.parts.readModelStore.deadLetters.list()).toEqual([])
    const { eventStore, publishedTree, personKeys } = running.parts
    const { finding } = await verifyLog({ eventStore, publishedTree, keys: await signingKeys(personKeys) })
    expect(finding).toBeNull()
  })

  it('says of users, accounts, payouts, findings and programmes what it said then', async () => {
    const { staff, traders, accessKey } = data.answers()
    expect(await answersTo(await staffOf(running, accessKey), Object.keys(staff))).toMatchObject(staff)
    for (const [email, said] of Object.entries(traders)) {
      const trader = browser(running.address)
      expect((await trader.post('/api/login', { email, password: DEMO_PASSWORD })).status).toBe(200)
      expect(await answersTo(trader, Object.keys(said))).toMatchObject(said)
    }
  })

  it('takes new decisions', async () => {
    const staff = await staffOf(running, data.answers().accessKey)
    const created = await staff.post('/api/admin/users', { fullName: 'Grace Hopper', email: 'grace@example.net' })
    expect(created.status).toBe(201)
  })

  it('has an export that proofdesk verify calls genuine', async () => {
    const file = join(folder, 'export.json')
    writeFileSync(file, data.export())
    const { code, stdout } = await runCommand(['verify', file], {})
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Genuine: /)])
  })
})

describe('the decisions of 0.2.0 on what later versions decide otherwise', () => {
  const data = releasedData('0.2.0-decisions')
  const [email = ''] = Object.keys(data.answers().traders)
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-decided-'))
  let running: Running

  beforeAll(async () => {
    data.copyTo(folder)
    running = await startReleased(folder)
  })
  afterAll(async () => {
    await running.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The verdicts of a file on what is decided, and the words of each that does not follow. */
  async function judged(text: string) {
    const found = await verifyExport(text)
    const { outcome } = found
    const verdicts = 'verdicts' in found ? found.verdicts : []
    const wrong = verdicts
      .filter((each) => each.outcome === 'does-not-follow')
      .map(({ what, why }) => `${what}: ${why}`)
    return { outcome, wrong }
  }

  it('follow, in the file that it made', async () => {
    expect(await judged(data.export())).toEqual({ outcome: 'genuine', wrong: [] })
  })

  it('stay as they are when the next rows come, and follow in a file of today', async () => {
    const { eventStore, readModelStore } = running.parts
    const staff = await staffOf(running, data.answers().accessKey)
    const [trader] = read(z.array(z.object({ id: z.string() })), await staff.get(`/api/admin/users?search=${email}`))
    const before = await eventStore.end()
    const program = await programOf({ browser: () => browser(running.address) }, staff)
    const at = new Date().toISOString()
    const rows = Array.from({ length: ACCOUNTS }, (_, n) => ({
      ...{ account: `${trader?.id}-a${n + 1}`, kind: 'trade', id: `next-${n}`, at, openedAt: at },
      ...{ profit: '0.00', volume: '1.00' },
    }))
    const sent = await program.post('/api/feed/observations', { rows })
    expect(sent.body).toEqual(rows.map((_, index) => ({ index, outcome: 'recorded', reason: null })))
    await createReadModels(readModelStore, { waitTimeout: 60_000 }).waitFor(allProjections, await eventStore.end())
    const later = (await storedEvents(running.parts)).filter(({ position }) => position > before)
    const types = new Set(later.map(({ type }) => type))
    expect([...types].filter((type) => /Finding|Breach|Pass/.test(type))).toEqual([])
    const exported = await until(async () => {
      const { text } = await staff.get(`/api/audit/accounts/${trader?.id}/export`)
      const file = await verifyExport(text)
      return file.outcome === 'genuine' && file.proven === file.entries.length ? text : undefined
    }, 'an export that is proven')
    expect(await judged(exported)).toEqual({ outcome: 'genuine', wrong: [] })
  })
})
