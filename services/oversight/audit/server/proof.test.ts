import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { OpenedAccount } from '#services/trading/accounts/account-change-api.ts'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { SealingKeys } from '#services/oversight/audit/seal-api.ts'
import { createSealFileStore } from '#services/process/data-folder.ts'
import { readConfig } from '#services/process/config.ts'
import { limits } from '#services/framework/http/limits.ts'
import { type GenuineExport, verifyExport } from '../export-verification.ts'
import { verifyLog } from '#services/proof/log-verification.ts'
import { signingKeys } from '#services/proof/seal-signing.ts'
import { createPublishedTree } from '#services/proof/published-tree.ts'
import { parseCheckpoint } from '#services/proof/tree-checkpoint.ts'
import { runCommand } from '#test-support/command-line.ts'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import { openPortal, type Trader } from '#test-support/portal.ts'
import { storesFor } from '#test-support/portal-stores.ts'
import { until } from '#test-support/until.ts'

const portal = await openPortal({ environment: { SEAL_SECONDS: '1' } })
const admin = await portal.admin()
const folder = await mkdtemp(join(tmpdir(), 'proofdesk-exports-'))
afterAll(async () => {
  await portal.stop()
  await rm(folder, { recursive: true })
})

/** Waits until a checkpoint covers everything recorded so far. */
async function sealed(): Promise<void> {
  const { eventStore, transparencyLog } = portal.running.parts
  const position = await eventStore.end()
  await until(async () => {
    const newest = await transparencyLog.newest()
    return (
      newest !== undefined &&
      (await transparencyLog.indexesOf([{ position }], newest.size)).every((index) => index !== undefined)
    )
  }, 'a checkpoint')
}

async function genuine(file: string, trusted: readonly string[] = []): Promise<GenuineExport> {
  const verdict = await verifyExport(file, trusted)
  if (verdict.outcome !== 'genuine') throw new Error(verdict.says)
  return verdict
}

let trader: Trader
let auditors: string
let traders: string

beforeAll(async () => {
  trader = await portal.trader({ fullName: 'Ada Lovelace' })
  await admin.patch(`/api/admin/user/${trader.id}/account`, {
    balance: '5000.00',
    status: 'active',
    payoutEnabled: true,
  })
  await sealed()
  const { id } = read(
    Payout,
    await trader.post('/api/user/payouts', { amount: '50.00', paymentMethod: 'bank', paymentDetails: 'IBAN 1' }),
  )
  await portal.trader()
  await sealed()
  await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
  const evidence = { rule: 'overall-loss', limit: '10%', value: '-12%', occurredAt: '2026-03-03T14:07:00Z' }
  const breach = await admin.patch(`/api/admin/user/${trader.id}/account`, {
    balance: '4400.00',
    status: 'breached',
    reason: 'Lost too much',
    evidence,
  })
  const { stamps } = read(OwnAccount, await trader.get('/api/user/account', after(breach)))
  await admin.patch(`/api/admin/user/${trader.id}/account`, {
    status: 'active',
    reason: 'A wrong price',
    corrects: stamps.status?.number,
  })
  await sealed()
  traders = (await trader.get('/api/user/history/proof')).text
  auditors = (await admin.get(`/api/audit/accounts/${trader.id}/export`)).text
})

describe('an export', () => {
  it('proves every entry, and says what the audit says', async () => {
    const { entries, proven, account } = await genuine(auditors)
    const audited = z
      .array(z.looseObject({ judgement: z.string().optional() }))
      .parse((await admin.get(`/api/audit/accounts/${trader.id}/events?limit=1000`)).body)
    // The file says what the terms said of payouts with its other verdicts.
    const listed = audited.map(({ judgement: _judgement, ...entry }) => entry)
    // The file ends before the event of its own download.
    expect(listed.at(-1)).toMatchObject({ type: 'HistoryDownloaded' })
    const said = entries.map(({ staffMember: _number, ...entry }) => entry)
    expect([account, proven, said]).toEqual([trader.id, entries.length, listed.slice(0, -1)])
    // The portal itself records which decisions are the same person's.
    expect(
      entries.flatMap(({ actor, type, staffMember }) =>
        actor?.kind === 'admin' && type !== 'AdminSignedIn' ? [staffMember] : [],
      ),
    ).toEqual(entries.flatMap(({ actor, type }) => (actor?.kind === 'admin' && type !== 'AdminSignedIn' ? [1] : [])))
  })

  it('of a trader says the same without names', async () => {
    expect(traders).not.toContain('ADMIN_ACCESS_KEY')
    const [own, full] = [await genuine(traders), await genuine(auditors)]
    const story = ({ entries }: GenuineExport) =>
      entries.filter(({ type }) => type !== 'AdminSignedIn').map(({ actor: _actor, requestId: _id, ...entry }) => entry)
    expect(story(own)).toEqual(story(full))
    expect(new Set(own.entries.map(({ actor }) => actor?.kind ?? 'withheld'))).toEqual(new Set(['trader', 'withheld']))
    expect((await portal.browser().get('/api/user/history/proof')).status).toBe(401)
  })

  it('proves the account at any entry, with name and payment details, as the portal shows it', async () => {
    const { entries, stateAfter } = await genuine(traders)
    for (const [n, { number }] of entries.entries())
      expect(stateAfter(n + 1)).toEqual((await trader.get(`/api/user/history/state?at=${number}`)).body)
    expect(stateAfter(entries.length)).toMatchObject({
      user: { fullName: 'Ada Lovelace' },
      accounts: [{ payouts: [{ paymentDetails: 'IBAN 1' }] }],
    })
  })

  it('is of one account with its user, or of all, and never of another one', async () => {
    const owner = await portal.trader()
    const opened = read(
      OpenedAccount,
      await admin.post(`/api/admin/user/${owner.id}/accounts`, {
        phase: 'Funded',
        balance: '700.00',
        status: 'active',
      }),
    )
    await admin.patch(`/api/admin/accounts/${owner.id}-a1`, { phase: 'Phase 1', status: 'breached' })
    await sealed()
    const stateOf = async (file: string) => {
      const { account, stateAfter, entries } = await genuine(file)
      return { account, shown: stateAfter(entries.length).accounts.map(({ id, account: { phase } }) => [id, phase]) }
    }
    const [first, second] = [
      [`${owner.id}-a1`, 'Phase 1'],
      [opened.id, 'Funded'],
    ]
    for (const path of [
      (id: string) => `/api/audit/accounts/${id}/export`,
      (id: string) => `/api/user/history/proof${id === owner.id ? '' : `?account=${id}`}`,
    ]) {
      const who = path('').startsWith('/api/audit') ? admin : owner
      const fileOf = async (id: string) => (await who.get(path(id))).text
      expect(await stateOf(await fileOf(opened.id))).toEqual({ account: opened.id, shown: [second] })
      expect(await stateOf(await fileOf(`${owner.id}-a1`))).toEqual({ account: `${owner.id}-a1`, shown: [first] })
      expect(await stateOf(await fileOf(owner.id))).toEqual({ account: owner.id, shown: [first, second] })
    }
    expect((await owner.get(`/api/user/history/proof?account=${trader.id}-a1`)).status).toBe(404)
    expect((await admin.get(`/api/audit/accounts/${owner.id}-a7/export`)).status).toBe(404)
  })

  it('never holds a secret', () => {
    for (const file of [auditors, traders]) expect(file).not.toMatch(/argon2|"passwordHash"|"token"/)
  })

  it('is signed with the key that is published', async () => {
    const { keys } = read(SealingKeys, await portal.browser().get('/.well-known/proofdesk-key.json'))
    const published = keys.map(({ id }) => id)
    expect(await genuine(auditors, published)).toMatchObject({ keyId: published.at(-1), isTrusted: true })
    expect(await verifyExport(auditors, ['0123456789abcdef'])).toMatchObject({ outcome: 'altered' })
  })

  it('tells what no checkpoint covers yet from what is proven', async () => {
    const other = await openPortal({ environment: { SEAL_SECONDS: '86400' } })
    try {
      const someone = await other.trader()
      const answer = await (await other.admin()).get(`/api/audit/accounts/${someone.id}/export`)
      expect(await verifyExport(answer.text)).toMatchObject({ outcome: 'unproven' })
    } finally {
      await other.stop()
    }
  })

  it('stays genuine after the person was deleted, and proves the name no more', async () => {
    const gone = await eligibleTrader(portal, admin, { fullName: 'Grace Hopper' })
    await sealed()
    const before = (await admin.get(`/api/audit/accounts/${gone.id}/export`)).text
    await admin.delete(`/api/admin/user/${gone.id}`)
    await sealed()
    const file = (await admin.get(`/api/audit/accounts/${gone.id}/export`)).text
    const { entries, proven, stateAfter } = await genuine(file)
    const signedUp = entries.findIndex(({ type }) => type === 'UserRegistered') + 1
    expect([proven, JSON.stringify(entries)]).toEqual([entries.length, expect.not.stringContaining('Grace')])
    expect(stateAfter(signedUp).user?.fullName).toBe('erased')
    // A copy from before proves it for good.
    expect((await genuine(before)).stateAfter(signedUp).user?.fullName).toBe('Grace Hopper')
  })

  it('is limited per person', async () => {
    const eager = await portal.trader()
    const { attempts } = limits.attempts.exportTrader
    for (let n = 0; n < attempts; n++)
      expect((await eager.get(n % 2 === 0 ? '/api/user/history/proof' : '/api/user/export')).status).toBe(200)
    const refused = await eager.get('/api/user/history/proof')
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
    expect((await trader.get('/api/user/history/proof')).status).toBe(200)
  })
})

describe('the command', () => {
  /** The exit code, and what is printed. */
  async function verify(content: string, ...options: string[]): Promise<[code: number | null, lines: string]> {
    const path = join(folder, 'export.json')
    await writeFile(path, content)
    const { code, stdout } = await runCommand(['verify', path, ...options], {})
    return [code, stdout.trimEnd()]
  }

  it('exits with 0 for a genuine export, and shows what it proves', async () => {
    const [code, lines] = await verify(auditors)
    expect([code, lines]).toEqual([0, expect.stringMatching(/^Genuine: the history of account /)])
    expect(lines).toMatch(
      /AccountStatusChanged {2}ADMIN_ACCESS_KEY\n {4}Status: active → breached\n {4}because: Lost too much/,
    )
    const { keyId } = await genuine(auditors)
    const trusting = await verify(auditors, '--key', keyId)
    expect(trusting).toEqual([0, expect.stringContaining('with the key that you trust')])
    // What the page says too.
    expect(trusting[1]).toContain('Whether more happened since, only a newer file can say.')
    expect(trusting[1]).toContain('No witness has signed its checkpoint.')
    expect(JSON.parse((await verify(auditors, '--json'))[1])).toMatchObject({
      outcome: 'genuine',
      state: { accounts: [{ account: { balance: '4400.00' } }] },
    })
  })

  it('exits with 1 for an altered one, and with 2 for another file', async () => {
    expect(await verify(auditors.replace('Lost too much', 'Lost a little'))).toEqual([
      1,
      'Altered: the file is not what the portal signed.',
    ])
    expect(await verify(auditors, '--key', '0123456789abcdef')).toEqual([
      1,
      expect.stringMatching(/^Not genuine: it is signed with key/),
    ])
    expect(await verify('Number,Time,Type')).toEqual([2, expect.stringMatching(/^This is not a Proofdesk export/)])
    expect(await verify('{"format":"proofdesk export 1"}')).toEqual([
      2,
      expect.stringMatching(/^This file is in a format of another version/),
    ])
  })
})

describe('the log of a running portal', () => {
  it('is sealed at intervals, and verified as a whole', async () => {
    const { eventStore, publishedTree, personKeys } = portal.running.parts
    const keys = await signingKeys(personKeys)
    expect(await verifyLog({ eventStore, publishedTree, keys })).toMatchObject({ finding: null })
  })

  it('is sealed when the portal stops, and continues at the next start', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-sealing-'))
    try {
      let size = 0
      for (let start = 0; start < 2; start++) {
        const other = await openPortal({ dataDir })
        await other.trader()
        await other.stop()
        const files = await createSealFileStore(readConfig({ DATA_DIR: dataDir, ...(await storesFor(dataDir)) }))
        const note = await createPublishedTree(files).checkpoint()
        await files.close()
        const published = parseCheckpoint(note ?? '').size
        expect(published).toBeGreaterThan(size)
        size = published
      }
    } finally {
      await rm(dataDir, { recursive: true })
    }
  })
})
