import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Libsql from 'libsql'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Document } from '#infra/read-model-store/read-model-store.ts'
import { embeddedPaths } from '#services/process/data-folder.ts'
import { AdminPayout, Payout } from '#services/payments/payouts/payout-api.ts'
import { StaffList } from '#services/identity/staff/staff-api.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { isExternal } from '#test-support/portal-stores.ts'
import { withRawDocuments } from '#test-support/raw-documents.ts'
import { rewriteDocument } from '#test-support/rewrite-document.ts'
import { until } from '#test-support/until.ts'

/**
 * Who can write to the read models, and has no key, changes documents. What the portal did not write counts as absent,
 * raises the alarm, and has its read model rebuilt from the log.
 */

let portal: Portal
let admin: Browser
let ada: Trader

beforeAll(async () => {
  portal = await openPortal({ environment: { METRICS_PORT: '0' } })
  admin = await portal.admin()
  ada = await eligibleTrader(portal, admin)
})
afterAll(() => portal.stop())

async function requested(): Promise<string> {
  const request = { amount: '50.00', paymentMethod: 'paypal', paymentDetails: ada.email }
  return read(Payout, await ada.post('/api/user/payouts', request)).id
}

async function listed(id: string): Promise<AdminPayout | undefined> {
  const answer = await admin.get(`/api/admin/payouts?search=${id}`, await portal.atEnd())
  return read(z.array(AdminPayout), answer)[0]
}

const servingOf = async (projection: string) =>
  (await portal.running.parts.readModelStore.projections.load(projection))?.serving

const alarms = async (): Promise<number> => {
  const metric = await portal.running.parts.meters?.forgedRows.get()
  return metric?.values.find(({ labels }) => labels.store === 'read models')?.value ?? 0
}

/** Waits until another collection than this is served. */
const rebuilt = (projection: string, before: string | undefined) =>
  until(async () => ((await servingOf(projection)) === before ? undefined : true), `a rebuild of ${projection}`)

const attacks: readonly [string, (document: Document, other: Document) => Document][] = [
  ['another amount', (document) => ({ ...document, amount: 5_000_00 })],
  ['another amount as text', (document) => ({ ...document, amount: '5000.00' })],
  ['another status', (document) => ({ ...document, status: 'approved' })],
  ['another user', (document) => ({ ...document, userId: 'thief000' })],
  ['the destination of another', (document, other) => ({ ...document, details: other['details'] ?? null })],
  ['the document of another', (_, other) => other],
  ['the document of another under its id', (document, other) => ({ ...other, id: document['id'] ?? null })],
  ['a field more', (document) => ({ ...document, note: 'x' })],
  ['no MAC', ({ '~mac': _mac, ...document }) => document],
  ['a MAC of nothing', (document) => ({ ...document, '~mac': '' })],
  ['another position', (document) => ({ ...document, '~mac': String(document['~mac']).replace(/^\d+/, '9999999') })],
]

describe('a payout whose document got', () => {
  it.each(attacks)('%s is not shown until it is rebuilt', async (_, attack) => {
    const [id, other] = [await requested(), await requested()]
    const whole = await listed(id)
    const serving = await servingOf('payouts')
    const before = await alarms()
    const others = await rewriteDocument(portal, 'payouts', other, (document) => document)
    await rewriteDocument(portal, 'payouts', id, (document) => attack(document, others))
    expect([undefined, whole]).toContainEqual(await listed(id))
    await rebuilt('payouts', serving)
    // A query looks for a collection that replaces another now and then.
    expect(await until(() => listed(id), `${id} to be listed again`)).toEqual(whole)
    expect(await alarms()).toBeGreaterThan(before)
  })
})

it('a member of staff with another role is not shown with it', async () => {
  const dana = await portal.member('support', { name: 'Dana' })
  const members = async () => read(StaffList, await admin.get('/api/admin/staff', await portal.atEnd())).members
  const shown = (await members()).find(({ id }) => id === dana.id)
  const serving = await servingOf('admin-keys')
  await rewriteDocument(portal, 'admin-keys', dana.id, (document) => ({ ...document, role: 'admin' }))
  expect((await members()).find(({ id, role }) => id === dana.id && role === 'admin')).toBeUndefined()
  await rebuilt('admin-keys', serving)
  const again = () => members().then((all) => all.find(({ id }) => id === dana.id))
  expect(await until(again, 'Dana to be listed again')).toEqual(shown)
})

it('an event after a forgery is shown on what the log says', async () => {
  const id = await requested()
  await listed(id)
  await rewriteDocument(portal, 'payouts', id, (document) => ({ ...document, amount: 9_00 }))
  expect((await admin.patch(`/api/admin/payouts/${id}`, { status: 'rejected', adminNotes: 'No' })).status).toBe(200)
  const rejected = async () => {
    const payout = await listed(id)
    return payout?.status === 'rejected' ? payout : undefined
  }
  expect(await until(rejected, `${id} to be rejected`)).toMatchObject({ amount: '50.00' })
})

it.skipIf(isExternal('mongodb')).each([
  ['deleted', "DELETE FROM leases WHERE name = 'projector'"],
  ['put back', "UPDATE leases SET until = 1 WHERE name = 'projector'"],
  ['inserted for another work', "INSERT INTO leases SELECT 'another', 'thief', until FROM leases LIMIT 1"],
])('a lease of the worker that was %s stops no work', async (_, sql) => {
  const database = new Libsql(embeddedPaths.views(portal.dataDir))
  database.exec(sql)
  database.close()
  const id = await requested()
  expect(await until(() => listed(id), `${id} to be listed`)).toMatchObject({ id })
})

it('a row that stands for no user stops no start', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-forged-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const first = await openPortal({ dataDir })
  const { id } = await first.trader()
  await (await first.admin()).get('/api/admin/users', await first.atEnd())
  await withRawDocuments(first, 'users', async (documents) => {
    const { names } = documents
    await documents.put({ ...(await documents.read(id)), [names.id]: 'thief000', [names.rank]: 999_999 })
  })
  await first.stop()
  const second = await openPortal({ dataDir })
  onTestFinished(() => second.stop())
  expect((await (await second.admin()).get(`/api/admin/user/${id}`)).status).toBe(200)
})
