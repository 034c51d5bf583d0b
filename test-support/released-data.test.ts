import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLog } from '#services/proof/log-verification.ts'
import { signingKeys } from '#services/proof/seal-signing.ts'
import type { Running } from '#services/cli/server.ts'
import { runCommand } from '#test-support/command-line.ts'
import { browser } from '#test-support/http-client.ts'
import { answersTo, releasedData, releases, staffOf, startReleased } from '#test-support/released-data.ts'
import { DEMO_PASSWORD } from '../demo/demo-firm.ts'

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
    const { staff, traders } = data.answers()
    expect(await answersTo(await staffOf(running), Object.keys(staff))).toMatchObject(staff)
    for (const [email, said] of Object.entries(traders)) {
      const trader = browser(running.address)
      expect((await trader.post('/api/login', { email, password: DEMO_PASSWORD })).status).toBe(200)
      expect(await answersTo(trader, Object.keys(said))).toMatchObject(said)
    }
  })

  it('takes new decisions', async () => {
    const staff = await staffOf(running)
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
