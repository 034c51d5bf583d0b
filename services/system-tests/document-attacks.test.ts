import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { DraftedVersion } from '#services/programmes/programmes/programme-api.ts'
import { IssuedApiKey } from '#services/identity/api-keys/api-key-api.ts'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { batchStreams } from '#services/payments/batches/batch.ts'
import { adminKeyId, payoutId } from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import { compareDocuments } from '#test-support/compare-documents.ts'
import { type AttackedDocument, documentAttacks } from '#test-support/document-attacks.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { publishedProgramme, watchedTrader } from '#test-support/programme-account.ts'
import { isExternal } from '#test-support/portal-stores.ts'
import { sampled } from '#test-support/random-seed.ts'
import { type RawRow, withRawDocuments } from '#test-support/raw-documents.ts'
import { describeFerretDb } from '#test-support/servers/ferretdb.ts'
import { until } from '#test-support/until.ts'

/**
 * Who can write to the read models, and has no key, deletes rows, puts older ones back, alters what they are found by, and
 * puts genuine ones elsewhere. Each is told within one round, and the read model is made again from the log.
 */

const PROGRAMME = 'two-step-100000'
const HOUR = 3_600_000

const content = z.object({ document: z.string(), position: z.string() })
/** What a row says, without the MAC, which is that of its collection. */
function contentOf(row: RawRow) {
  const { document, position } = content.parse(row)
  const { '~mac': _, ...fields } = z.record(z.string(), z.unknown()).parse(JSON.parse(document))
  return { fields, position }
}

/** Of those on MongoDB, `npm test` tries one of each kind and some others. */
const kinds = [
  'removed',
  'put back as it was before its last event',
  'found by other keys',
  'repeated under another id',
]

const attacks = Object.entries(documentAttacks)
const anywhere = attacks.filter(([, { isPlaced }]) => !isPlaced)
const others = anywhere.filter(([name]) => !kinds.includes(name))

describe('read models in the data folder', () => {
  attackDocuments(isExternal('mongodb') ? anywhere : attacks, () => ({}))
})

describeFerretDb('read models in MongoDB', (shared) => {
  attackDocuments([...anywhere.filter(([name]) => kinds.includes(name)), ...sampled(others, 2)], () => ({
    MONGODB_URL: shared().newUrl(),
    MASTER_KEY: 'a master key for tests only, nowhere else',
  }))
})

function attackDocuments(tried: typeof attacks, stores: () => Readonly<Record<string, string>>): void {
  let portal: Portal
  let admin: Browser
  /** The document of each read model that is attacked, and another one of it. */
  let targets: Readonly<Record<string, { readonly id: string; readonly other: string }>>
  /** Each as it was before its last event. */
  const older = new Map<string, RawRow>()

  const rowOf = (projection: string, id: string) =>
    withRawDocuments(portal, projection, (documents) => documents.read(id))

  /** Waits until everything that happened is served. */
  const served = async () => {
    const { eventStore, readModelStore } = portal.running.parts
    const end = Number(await eventStore.end())
    const positions = async () => {
      const [states, checkpoints] = await Promise.all([
        readModelStore.projections.loadAll(),
        readModelStore.checkpoints.loadAll(),
      ])
      return [...states.values()].map(({ serving }) => Number(checkpoints.get(serving)?.position ?? 0))
    }
    await until(async () => (await positions()).every((position) => position >= end) || undefined, 'all to be served')
  }

  const alarms = async (): Promise<number> => {
    const metric = await portal.running.parts.meters?.forgedRows.get()
    return metric?.values.find(({ labels }) => labels.store === 'read models')?.value ?? 0
  }

  const servingOf = async () => {
    const states = await portal.running.parts.readModelStore.projections.loadAll()
    return Object.fromEntries(Object.keys(targets).map((name) => [name, states.get(name)?.serving]))
  }

  beforeAll(async () => {
    portal = await openPortal({
      environment: { METRICS_PORT: '0', VERIFY_SECONDS: '86400', SEAL_SECONDS: '86400', ...stores() },
    })
    admin = await portal.admin()
    const { repositories } = portal.running.parts
    const context = systemContext('test', 'r1')
    const traders = [
      await eligibleTrader(portal, admin),
      await eligibleTrader(portal, admin, { fullName: 'Charles Babbage' }),
    ]
    const payouts = await Promise.all(
      traders.map(async (trader, n) => {
        const request = { amount: `5${n}.00`, paymentMethod: 'paypal', paymentDetails: trader.email }
        return read(Payout, await trader.post('/api/user/payouts', request)).id
      }),
    )
    const [id = '', otherId = ''] = payouts
    const members = [await portal.member('support', { name: 'Dana' }), await portal.member('admin', { name: 'Eve' })]
    const expiresAt = new Date(Date.now() + 24 * HOUR).toISOString()
    const keys = await Promise.all(
      ['Shop', 'Bridge'].map(async (name) =>
        read(IssuedApiKey.required(), await admin.post('/api/admin/keys', { name, scopes: ['enrolments'], expiresAt })),
      ),
    )
    await publishedProgramme(admin, { ...presetTerms('two-step', 50_000), name: 'Other' })
    const draft = { ...presetTerms('two-step', 25_000), name: 'Attacked' }
    const drafted = read(DraftedVersion, await admin.post('/api/admin/programmes', { terms: draft }))
    const breached = await Promise.all(
      [1, 2].map(async () => {
        const watched = await watchedTrader(portal, admin, PROGRAMME)
        const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString()
        const state = { kind: 'state', open: false }
        await watched.observe([
          { ...state, at: at(2), balance: '100000.00', equity: '100000.00' },
          { ...state, at: at(1), balance: '89000.00', equity: '89000.00' },
        ])
        return `${watched.account}-f1`
      }),
    )
    const item = (of: string) => ({ payoutId: payoutId.parse(of), reference: `${of}-1`, amount: toCents(50_00) })
    for (const [batch, of] of [
      ['attackedbatch', id],
      ['otherbatch', otherId],
    ] as const)
      await repositories.of(batchStreams).decide(batch, context, () => [
        {
          type: 'BatchMade',
          data: {
            ...{ format: 'csv', currency: 'USD', rate: null, rateSource: null },
            items: [item(of)],
            member: adminKeyId.parse(members[0]?.id),
          },
        },
      ])
    targets = {
      payouts: { id, other: otherId },
      batches: { id: 'attackedbatch', other: 'otherbatch' },
      users: { id: traders[0]?.id ?? '', other: traders[1]?.id ?? '' },
      'admin-keys': { id: members[0]?.id ?? '', other: members[1]?.id ?? '' },
      'program-keys': { id: keys[0]?.id ?? '', other: keys[1]?.id ?? '' },
      findings: { id: breached[0] ?? '', other: breached[1] ?? '' },
      programmes: { id: drafted.id, other: PROGRAMME },
    }
    await served()
    for (const [projection, { id: attacked }] of Object.entries(targets))
      older.set(projection, await rowOf(projection, attacked))

    await admin.patch(`/api/admin/payouts/${id}`, { status: 'rejected', adminNotes: 'No' })
    await repositories
      .of(batchStreams)
      .decide('attackedbatch', context, () => [{ type: 'BatchItemRemoved', data: { ...item(id), reason: 'Rejected' } }])
    await traders[0]?.patch('/api/user/profile', { city: 'Ockham' })
    await portal.browser().post('/api/admin/login', { accessKey: members[0]?.accessKey })
    await admin.delete(`/api/admin/keys/${keys[0]?.id}`)
    await admin.post(`/api/admin/findings/${breached[0]}/dismiss`, { reason: 'A wrong quote' })
    const terms = { ...draft, name: 'Attacked again' }
    await admin.patch(`/api/admin/programmes/${drafted.id}/versions/1`, { terms })
    await served()
    for (const [projection, { id: attacked }] of Object.entries(targets))
      expect((await rowOf(projection, attacked))['position'], projection).not.toBe(older.get(projection)?.['position'])
  }, 60_000)
  afterAll(() => portal.stop())

  it('is not an attack when nothing happened', async () => {
    expect(await compareDocuments(portal.running.parts)).toEqual({ differences: [], behind: [] })
    expect(await alarms()).toBe(0)
  })

  describe('documents of payouts, batches, users, staff, keys, findings and programmes', () => {
    it.each(tried)('%s are told in one round, and made again', async (_, { without = [], run }) => {
      const attacked = Object.entries(targets).filter(([projection]) => !without.includes(projection))
      const [serving, before] = [await servingOf(), await alarms()]
      const whole = new Map<string, RawRow>()
      const foreign = {
        payouts: await rowOf('payouts', targets['payouts']?.id ?? ''),
        users: await rowOf('users', targets['users']?.id ?? ''),
      }
      for (const [projection, { id, other }] of attacked)
        await withRawDocuments(portal, projection, async (documents) => {
          const row = await documents.read(id)
          whole.set(projection, row)
          const attack: AttackedDocument = {
            ...{ documents, row, older: older.get(projection) ?? {}, other: await documents.read(other) },
            foreign: projection === 'payouts' ? foreign.users : foreign.payouts,
          }
          await run(attack)
        })
      const views = attacked.map(([projection]) => projection)
      const { differences } = await compareDocuments(portal.running.parts)
      expect([...new Set(differences.map(({ view }) => view))].toSorted()).toEqual(views.toSorted())
      await until(
        async () => {
          const now = await servingOf()
          return views.every((projection) => now[projection] !== serving[projection]) || undefined
        },
        `all of ${views.join(', ')} to be made again`,
        60_000,
      )
      expect(await alarms()).toBeGreaterThanOrEqual(before + views.length)
      for (const [projection, { id }] of attacked)
        expect(contentOf(await rowOf(projection, id)), projection).toEqual(contentOf(whole.get(projection) ?? {}))
      expect(await compareDocuments(portal.running.parts)).toEqual({ differences: [], behind: [] })
    })
  })
}
