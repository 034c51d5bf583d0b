import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Document } from '#infra/read-model-store/read-model-store.ts'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { rewriteDocument } from '#test-support/rewrite-document.ts'
import { Batch, BatchDetails } from '../batch-api.ts'

/** Who can write to the read models, and has no key, changes what a batch pays. */

let portal: Portal
let admin: Browser
let ada: Trader
let thief: Trader

const ADA = 'DE89370400440532013000'
const THIEF = 'NL91ABNA0417164300'
const euro = { format: 'pain.001', currency: 'EUR', rate: '0.90', rateSource: 'ECB' }

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
  ada = await eligibleTrader(portal, admin)
  thief = await eligibleTrader(portal, admin)
  await admin.patch('/api/admin/system/firm-account', { name: 'Proof GmbH', iban: THIEF, bic: 'ABNANL2A' })
})
afterAll(() => portal.stop())

async function requested(trader: Trader, iban: string, amount: string): Promise<string> {
  const bank = { paymentMethod: 'bank', destination: { holder: 'Ada Lovelace', iban } }
  return read(Payout, await trader.post('/api/user/payouts', { amount, ...bank })).id
}

const rewrite = (projection: string, id: string, change: (document: Document) => Document | null) =>
  rewriteDocument(portal, projection, id, change)

describe('a batch whose read models were rewritten', () => {
  let batch: string
  let file: string
  let details: BatchDetails

  beforeAll(async () => {
    const [payout, other] = [await requested(ada, ADA, '1000.00'), await requested(thief, THIEF, '10.00')]
    for (const id of [payout, other]) await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
    const made = await admin.post('/api/admin/batches', { ...euro, payouts: [payout] })
    batch = read(Batch, made).id
    expect((await admin.post(`/api/admin/batches/${batch}/release`)).status).toBe(200)
    file = (await admin.get(`/api/admin/batches/${batch}/file`, await portal.atEnd())).text
    details = read(BatchDetails, await admin.get(`/api/admin/batches/${batch}`))
    const { details: theirs } = z
      .looseObject({ details: z.json() })
      .parse(await rewrite('payouts', other, (same) => same))
    await rewrite('payouts', payout, (document) => ({
      ...document,
      userId: thief.id,
      amount: 10_000_00,
      details: theirs,
    }))
    await rewrite('users', ada.id, (document) => ({ ...document, fullName: 'A Thief' }))
    await rewrite('batches', batch, ({ items, ...document }) => ({
      ...document,
      items: z
        .array(z.record(z.string(), z.json()))
        .parse(items)
        .map((item) => ({ ...item, amount: 9_000_00 })),
      sha256: '00'.repeat(32),
    }))
  })

  it('pays what was released', async () => {
    const answer = await admin.get(`/api/admin/batches/${batch}/file`)
    expect(answer.text).toBe(file)
    expect(file).toContain(ADA)
    expect(file).toContain('900.00')
  })

  it('shows what was released', async () => {
    expect(read(BatchDetails, await admin.get(`/api/admin/batches/${batch}`))).toEqual(details)
    expect(details.items).toMatchObject([{ userId: ada.id, amount: '900.00', payment: 'sent' }])
  })

  it('is found where its document was deleted', async () => {
    await rewrite('batches', batch, () => null)
    expect(read(BatchDetails, await admin.get(`/api/admin/batches/${batch}`))).toEqual(details)
  })
})
