import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readConfig } from '../../config.ts'
import { OwnAccount, Payout, SealingKeys } from '../../api/index.ts'
import { createSealFileStore } from '../../composition-root.ts'
import { type ExportReport, verifyExport } from '../../proof/export-verification.ts'
import { createPublishedSeals } from '../../proof/published-seals.ts'
import { verifyLog } from '../../proof/log-verification.ts'
import { after, read } from '../../../test-support/http-calls.ts'
import { openPortal, type Trader } from '../../../test-support/portal.ts'
import { storesFor } from '../../../test-support/portal-stores.ts'
import { until } from '../../../test-support/until.ts'

const portal = await openPortal({ environment: { SEAL_SECONDS: '1' } })
const admin = await portal.admin()
afterAll(() => portal.stop())

/** The fields of an export that tests change. */
const Export = z.object({
  format: z.string(),
  userId: z.string(),
  facts: z.array(z.looseObject({ number: z.int(), type: z.string(), changes: z.array(z.looseObject({ field: z.string(), to: z.unknown() })) })),
  proof: z.object({
    keys: z.array(z.object({ id: z.string(), publicKey: z.string() })),
    seals: z.array(
      z.looseObject({
        seal: z.looseObject({ number: z.int(), root: z.string(), signature: z.string() }),
        path: z.array(z.string()),
        consistency: z.array(z.string()),
      }),
    ),
    facts: z.array(
      z.looseObject({
        position: z.string(),
        data: z.string().nullable(),
        metadata: z.string().nullable(),
        seal: z.int().nullable(),
        path: z.array(z.string()),
      }),
    ),
  }),
})
type Export = z.infer<typeof Export>

/** Waits until a seal covers everything recorded so far. */
async function sealed(): Promise<void> {
  const end = Number(await portal.running.parts.eventStore.end())
  await until(async () => {
    const facts = await portal.events('seals-this').catch(() => [])
    return facts.some((fact) => fact.type === 'FactsSealed' && Number(fact.data.last) >= end)
  }, 'a seal')
}

let trader: Trader
let whole: Export
let report: ExportReport

beforeAll(async () => {
  trader = await portal.trader()
  await admin.patch(`/api/admin/user/${trader.id}/account`, { balance: '5000.00', status: 'active', payoutEnabled: true })
  await sealed()
  const { id } = read(Payout, await trader.post('/api/user/payouts', { amount: '50.00', paymentMethod: 'bank', paymentDetails: 'IBAN 1' }))
  await portal.trader()
  await sealed()
  await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
  const evidence = { rule: 'overall-loss', limit: '10%', value: '-12%', occurredAt: '2026-03-03T14:07:00Z' }
  const breach = await admin.patch(`/api/admin/user/${trader.id}/account`, { balance: '4400.00', status: 'breached', reason: 'Lost too much', evidence })
  const { stamps } = read(OwnAccount, await trader.get('/api/user/account', after(breach)))
  await admin.patch(`/api/admin/user/${trader.id}/account`, { status: 'active', reason: 'A wrong price', corrects: stamps.status?.number })
  await sealed()
  whole = Export.parse((await admin.get(`/api/audit/accounts/${trader.id}/export`)).body)
  report = await verifyExport(whole)
})

describe('an export', () => {
  it('proves each event separately, under several seals', () => {
    expect(report.problems).toEqual([])
    expect(report.facts).toHaveLength(whole.facts.length)
    expect(report.facts.every(({ isProven }) => isProven)).toBe(true)
    expect(new Set(report.facts.map(({ seal }) => seal)).size).toBeGreaterThanOrEqual(3)
  })

  it('is signed with the key that is published', async () => {
    const { keys } = read(SealingKeys, await portal.browser().get('/.well-known/proofdesk-key.json'))
    expect(report.keyIds).toEqual(keys.map(({ id }) => id))
    expect((await verifyExport(whole, report.keyIds)).problems).toEqual([])
    const wrong = await verifyExport(whole, ['0123456789abcdef'])
    expect(wrong.problems).toHaveLength(whole.proof.seals.length)
    expect(wrong.problems[0]).toMatch(/is not the one you trust/)
  })

  it('names the events that no seal covers yet', async () => {
    const other = await openPortal({ environment: { SEAL_SECONDS: '86400' } })
    try {
      const someone = await other.trader()
      const { problems, facts } = await verifyExport((await (await other.admin()).get(`/api/audit/accounts/${someone.id}/export`)).body)
      expect([problems, facts.map(({ seal, isProven }) => [seal, isProven])]).toEqual([
        [],
        [
          [null, false],
          [null, false],
        ],
      ])
    } finally {
      await other.stop()
    }
  })

  const changes: readonly (readonly [string, (copy: Export) => void])[] = [
    [
      'one character of the data',
      ({ proof }) => change(proof.facts, 'BalanceChanged', (fact) => (fact.data = fact.data?.replace('5000.00', '5000.01') ?? null)),
    ],
    [
      'one character of the metadata',
      ({ proof }) => change(proof.facts, 'BalanceChanged', (fact) => (fact.metadata = fact.metadata?.replace('ADMIN', 'admin') ?? null)),
    ],
    ['the type of an event', ({ proof }) => change(proof.facts, 'BalanceChanged', (fact) => (fact['type'] = 'ProfitLossChanged'))],
    ['the time of an event', ({ proof }) => change(proof.facts, 'BalanceChanged', (fact) => (fact['at'] = 0))],
    ['the number of an event', ({ proof }) => change(proof.facts, 'BalanceChanged', (fact) => (fact.position = '1'))],
    [
      'an omitted event',
      ({ proof, facts }) => {
        const gone = proof.facts.findIndex((fact) => fact['type'] === 'BalanceChanged')
        facts.splice(
          facts.findIndex(({ number }) => String(number) === proof.facts[gone]?.position),
          1,
        )
        proof.facts.splice(gone, 1)
      },
    ],
    ['the hash of withheld data', ({ proof }) => change(proof.facts, 'UserRegistered', (fact) => (fact['dataHash'] = '0'.repeat(64)))],
    ['two swapped events', ({ proof }) => proof.facts.reverse()],
    ['the seal of an event', ({ proof }) => change(proof.facts, 'BalanceChanged', (fact) => (fact.seal = proof.seals.at(-1)?.seal.number ?? 0))],
    ['a shortened path', ({ proof }) => change(proof.facts, 'BalanceChanged', (fact) => fact.path.pop())],
    ['the root of a seal', ({ proof }) => void (first(proof.seals).seal.root = '0'.repeat(64))],
    ['the signature of a seal', ({ proof }) => void (first(proof.seals).seal.signature = proof.seals.at(-1)?.seal.signature ?? '')],
    ['an old seal instead of a newer one', ({ proof }) => void (proof.seals[1] = { ...first(proof.seals), seal: { ...first(proof.seals).seal, number: 2 } })],
    ['the newest seal', ({ proof }) => void proof.seals.pop()],
    ['the history between two seals', ({ proof }) => void (first(proof.seals.slice(1)).consistency = ['0'.repeat(64)])],
    ['another key', ({ proof }) => void (first(proof.keys).publicKey = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=')],
    ['the described changes', ({ facts }) => change(facts, 'AccountStatusChanged', (fact) => void (first(fact.changes).to = 'pending'))],
    ['the described reason', ({ facts }) => void (breachIn(facts)['reason'] = 'Lost a little')],
    ['an invented reason', ({ facts }) => change(facts, 'BalanceChanged', (fact) => (fact['reason'] = 'A gift'))],
    [
      'the described evidence',
      ({ facts }) => void (breachIn(facts)['evidence'] = { rule: 'overall-loss', limit: '10%', value: '-22%', occurredAt: '2026-03-03T14:07:00.000Z' }),
    ],
    [
      'the time in the evidence',
      ({ facts }) => void (breachIn(facts)['evidence'] = { rule: 'overall-loss', limit: '10%', value: '-12%', occurredAt: '2026-03-03T14:08:00.000Z' }),
    ],
    ['omitted evidence', ({ facts }) => void delete breachIn(facts)['evidence']],
    ['the corrected event', ({ facts }) => void (first(facts.filter(({ corrects }) => corrects !== undefined))['corrects'] = 1)],
    ['an invented event', ({ facts }) => void facts.push({ ...first(facts), number: 999_999 })],
  ]

  it.each(changes)('fails verification with a change to: %s', async (_, make) => {
    const copy = structuredClone(whole)
    make(copy)
    const { problems } = await verifyExport(copy)
    expect(problems.length).toBeGreaterThan(0)
  })

  it('of a trader proves the same without names', async () => {
    const answer = await trader.get('/api/user/history/proof')
    expect(answer.text).not.toContain('ADMIN_ACCESS_KEY')
    expect(answer.text).toMatch(/"label":"admin [0-9a-f]{12}"/)
    const own = await verifyExport(answer.body)
    expect(own.problems).toEqual([])
    expect(own.facts.every(({ isProven }) => isProven)).toBe(true)
    expect((await portal.browser().get('/api/user/history/proof')).status).toBe(401)
  })
})

describe('the page that checks exports', () => {
  it('is one file that agrees with the command and loads nothing', async () => {
    const answer = await portal.browser().get('/verify.html')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="verify.html"')
    expect(answer.text).toContain("default-src 'none'")
    expect(answer.text).not.toMatch(/https?:\/\/|\bsrc=|\bfetch\(|\bimport\b/)
    const [, script = ''] = /<script type="module">([\s\S]*)<\/script>/.exec(answer.text) ?? []
    const context = createContext({ crypto, TextEncoder, Uint8Array, atob, document: { getElementById: () => ({ addEventListener: () => {} }) } })
    const verify: typeof verifyExport = runInContext(`${script}\nverifyExport`, context)
    expect(JSON.parse(JSON.stringify(await verify(whole)))).toEqual(report)
    const copy = structuredClone(whole)
    change(copy.proof.facts, 'BalanceChanged', (fact) => (fact.data = fact.data?.replace('5000.00', '5000.01') ?? null))
    expect((await verify(copy)).problems).toHaveLength((await verifyExport(copy)).problems.length)
  })
})

describe('the log of a running portal', () => {
  it('is sealed at intervals, and verified as a whole', async () => {
    const { eventStore, publishedSeals, publishedTree } = portal.running.parts
    const { keys } = read(SealingKeys, await portal.browser().get('/.well-known/proofdesk-key.json'))
    expect(await verifyLog({ eventStore, publishedSeals, publishedTree, keys })).toMatchObject({ finding: null, unsealed: 1 })
  })

  it('is sealed when the portal stops, and continues at the next start', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-sealing-'))
    try {
      for (const number of [1, 2]) {
        const other = await openPortal({ dataDir })
        await other.trader()
        await other.stop()
        const seals = await createSealFileStore(readConfig({ DATA_DIR: dataDir, ...(await storesFor(dataDir)) }))
        const outside = createPublishedSeals(seals)
        expect([await outside.seal(number), await outside.seal(number + 1)]).toEqual([expect.objectContaining({ number }), undefined])
        await seals.close()
      }
    } finally {
      await rm(dataDir, { recursive: true })
    }
  })
})

function change<Item extends Record<string, unknown>>(items: readonly Item[], type: string, make: (item: Item) => unknown): void {
  const item = items.find((item) => item['type'] === type)
  if (!item) throw new Error(`No ${type} found`)
  make(item)
}

/** The described event that has evidence. */
function breachIn(facts: Export['facts']): Export['facts'][number] {
  return first(facts.filter(({ evidence }) => evidence !== undefined))
}

function first<Item>([item]: readonly Item[]): Item {
  if (!item) throw new Error('The list is empty')
  return item
}
