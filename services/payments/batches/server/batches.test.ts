import { createHash } from 'node:crypto'
import { z } from 'zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AdminPayout, Payout } from '#services/payments/payouts/payout-api.ts'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { faultsBySchema, whyNoSchemas } from '#test-support/iso20022/iso20022-schemas.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { adminKeyId, batchId, payoutId } from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import { ANSWER_FIELD, AnswerRow, Batch, BatchDetails, ListedBatch } from '../batch-api.ts'
import { batchStreams, makeBatch, type NewBatch } from '../batch.ts'
import { createBatchWork } from './batch-work.ts'

let portal: Portal
let admin: Browser

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
})
afterAll(() => portal.stop())

const IBAN = 'DE89370400440532013000'
const firm = { name: 'Proof & Partners GmbH', iban: 'NL91 ABNA 0417 1643 00', bic: 'abnanl2a' }
const bank = { paymentMethod: 'bank', destination: { holder: 'Ada Lovelace', iban: IBAN } }
const euro = { format: 'pain.001', currency: 'EUR', rate: '0.92', rateSource: 'ECB, 25 November' }

/** An approved payout of a new trader. */
async function approved(amount = '3200.00', how: object = bank): Promise<{ trader: Trader; id: string }> {
  const trader = await eligibleTrader(portal, admin)
  const { id } = read(Payout, await trader.post('/api/user/payouts', { amount, ...how }))
  expect((await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })).status).toBe(200)
  return { trader, id }
}

const make = (payouts: readonly string[], change: object = euro, who = admin): Promise<Answer> =>
  who.post('/api/admin/batches', { payouts, ...change })

async function made(payouts: readonly string[], change: object = euro): Promise<Batch> {
  const answer = await make(payouts, change)
  expect(answer.status, answer.text).toBe(201)
  return read(Batch, answer)
}

const release = (id: string, who = admin): Promise<Answer> => who.post(`/api/admin/batches/${id}/release`)

async function released(payouts: readonly string[], change: object = euro): Promise<Batch> {
  const answer = await release((await made(payouts, change)).id)
  expect(answer.status, answer.text).toBe(200)
  return read(Batch, answer)
}

async function paymentOf(id: string): Promise<AdminPayout['payment']> {
  const [payout] = read(z.array(AdminPayout), await admin.get(`/api/admin/payouts?search=${id}`, await portal.atEnd()))
  return payout?.payment ?? null
}

function answers(format: string, text: string, who = admin): Promise<Answer> {
  const form = new FormData()
  form.append('format', format)
  form.append(ANSWER_FIELD, new Blob([text]), 'answers')
  return who.send('POST', '/api/admin/payments/answers', form)
}

const csv = (...rows: readonly string[]) => ['reference,amount,currency,state,reason', ...rows, ''].join('\n')

const outcomes = (answer: Answer) => read(z.array(AnswerRow), answer).map(({ outcome }) => outcome)

describe("the firm's account", () => {
  it('is missing at first, so that there is no batch for a bank', async () => {
    const { id } = await approved()
    expect((await admin.get('/api/admin/system/firm-account')).body).toEqual({ account: null })
    const refused = await make([id])
    expect([refused.status, refused.body]).toEqual([
      409,
      { message: "Set the firm's account under System first: the bank's file names it." },
    ])
  })

  it('is set by an administrator, checked, as an event', async () => {
    const set = (body: object, who = admin) => who.patch('/api/admin/system/firm-account', body)
    expect((await set(firm, await portal.member('payouts'))).status).toBe(403)
    expect(await set({ name: '\u3000', iban: 'NL91ABNA0417164301', bic: 'X' })).toMatchObject({ status: 400 })
    const wrong = await set({ ...firm, iban: 'NL91ABNA0417164301', bic: 'X' })
    expect(wrong.body).toMatchObject({
      errors: {
        iban: 'This IBAN is mistyped: its check digits do not fit',
        bic: 'Please enter a valid BIC of 8 or 11 characters',
      },
    })
    const done = await set(firm)
    expect(done.status).toBe(200)
    await set(firm)
    expect((await admin.get('/api/admin/system/firm-account', after(done))).body).toEqual({
      account: { name: firm.name, iban: 'NL91ABNA0417164300', bic: 'ABNANL2A' },
    })
    const events = await portal.events('firmaccount-this')
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['FirmAccountChanged', { from: null, to: { name: firm.name, iban: 'NL91ABNA0417164300', bic: 'ABNANL2A' } }],
    ])
  })
})

describe('the codes of coins', () => {
  const at = '/api/admin/system/coin-codes'
  const evm = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  const wallet = (network: string, coin?: string) => ({
    paymentMethod: 'crypto',
    destination: { network, coin, address: evm },
  })
  const wallets = { format: 'crypto', currency: 'USD' }

  it('are ours at first, and those of the provider once an administrator sets them', async () => {
    expect((await admin.get(at)).body).toMatchObject({ codes: { USDC_ERC20: 'USDC', TRC20: 'TRC20' } })
    expect((await (await portal.member('payouts')).patch(at, { USDC_ERC20: 'X' })).status).toBe(403)
    const faulty = await admin.patch(at, { USDC_ERC20: '=cmd', POLYGON: '', TRC20: 'a,b' })
    expect(faulty).toMatchObject({ status: 400 })
    expect(Object.keys(z.object({ errors: z.record(z.string(), z.string()) }).parse(faulty.body).errors)).toEqual([
      'USDC_ERC20',
      'TRC20',
      'POLYGON',
    ])
    // There is no USDC on TRON.
    expect(await admin.patch(at, { USDC_TRC20: 'USDC' })).toMatchObject({
      status: 400,
      body: { message: 'Please give at least one code' },
    })
    const done = await admin.patch(at, { USDC_ERC20: 'USDC (ERC-20)', POLYGON: 'POL' })
    expect(done.status).toBe(200)
    await admin.patch(at, { POLYGON: 'POL' })
    expect((await admin.get(at, after(done))).body).toMatchObject({
      codes: { USDC_ERC20: 'USDC (ERC-20)', POLYGON: 'POL', USDT_TRC20: 'USDT' },
    })
    expect((await portal.events('coincodes-this')).map(({ type }) => type)).toEqual(['CoinCodesChanged'])
  })

  it('stand in the preview and in the file, and stay in it when they change', async () => {
    const ids = [
      (await approved('10.00', wallet('ERC20'))).id,
      (await approved('10.00', wallet('POLYGON', 'USDT'))).id,
      (await approved('10.00', wallet('BEP20'))).id,
    ]
    await admin.patch(at, { POLYGON: 'MATIC' })
    const { id } = await made(ids, wallets)
    const preview = await admin.get(`/api/admin/batches/${id}/preview`)
    expect(preview.text.split('\r\n')).toEqual([
      'Address,Tag,Currency,Amount,Note,Network',
      `${evm},,USDC (ERC-20),10.00,${ids[0]}-1,ERC20`,
      `${evm},,USDT,10.00,${ids[1]}-1,MATIC`,
      `${evm},,USDC,10.00,${ids[2]}-1,BEP20`,
      '',
    ])
    expect((await release(id)).status).toBe(200)
    await admin.patch(at, { POLYGON: 'POLYGON', USDC_ERC20: 'USDC' })
    const file = await admin.get(`/api/admin/batches/${id}/file`, await portal.atEnd())
    expect([file.status, file.text]).toEqual([200, preview.text])
  })

  it('are of no use for a coin that a wallet does not take: the payout is named', async () => {
    const [usdt, eurc] = [await approved('10.00', wallet('ERC20', 'USDT')), await approved('10.00', wallet('BEP20'))]
    const euros = { format: 'crypto', currency: 'EUR', rate: '0.92', rateConfirmed: true }
    expect((await make([usdt.id, eurc.id], euros)).body).toMatchObject({
      problems: [
        { payoutId: usdt.id, reason: 'Its wallet takes USDT: pay it in a batch in dollars' },
        {
          payoutId: eurc.id,
          reason: 'There is no EURC on BNB Smart Chain (BEP20): pay it in a batch in dollars',
        },
      ],
    })
  })

  it('a batch that release 0.2.0 made for a coin that there is not is neither shown nor released', async () => {
    const payout = payoutId.parse((await approved('10.00', wallet('BEP20'))).id)
    const old = batchId.parse('madebefore')
    const content: NewBatch = {
      ...{ format: 'crypto', currency: 'EUR', rate: '1', rateSource: null, member: adminKeyId.parse('dana') },
      items: [{ payoutId: payout, reference: `${payout}-1`, amount: toCents(1000) }],
    }
    const { repositories } = portal.running.parts
    const context = systemContext('test', 'r1')
    await repositories.of(batchStreams).decide(old, context, (batch) => makeBatch(batch, content))
    await createBatchWork(repositories).enter(old, context)
    expect((await admin.get(`/api/admin/batches/${old}/preview`, await portal.atEnd())).status).toBe(409)
    expect(await release(old)).toMatchObject({ status: 409, body: { problems: [{ payoutId: payout }] } })
    expect((await portal.events(`batch-${old}`)).map(({ type }) => type)).not.toContain('BatchReleaseBegun')
  })
})

describe('a batch', () => {
  it('shows its whole file before the release, with where the money goes', async () => {
    const { id } = await approved()
    const batch = await made([id])
    const at = `/api/admin/batches/${batch.id}`
    expect((await (await portal.member('auditor')).get(`${at}/preview`)).status).toBe(403)
    expect((await admin.get(`${at}/file`)).status).toBe(409)
    const preview = await admin.get(`${at}/preview`)
    expect([preview.status, preview.headers.get('content-type')]).toEqual([200, 'application/xml'])
    const open = read(BatchDetails, await admin.get(at))
    expect(open).toMatchObject({ method: 'bank', settled: false, items: [{ destination: `Ada Lovelace, ${IBAN}` }] })
    const done = await release(batch.id)
    expect(read(Batch, done).file?.sha256).toBe(createHash('sha256').update(preview.text).digest('hex'))
    expect((await admin.get(`${at}/file`, after(done))).text).toBe(preview.text)
    expect(await admin.get(`${at}/preview`)).toMatchObject({
      status: 409,
      body: { message: 'This batch was released already' },
    })
  })

  it('shows in its preview only what is still in it, and nothing once all has left', async () => {
    const [one, two] = [await approved(), await approved()]
    const batch = await made([one.id, two.id])
    const held = await admin.patch(`/api/admin/payouts/${one.id}/payment`, { hold: 'Asks the bank' })
    const preview = () => admin.get(`/api/admin/batches/${batch.id}/preview`, after(held))
    const { text } = await preview()
    expect([text.includes(`${one.id}-1`), text.includes(`${two.id}-1`)]).toEqual([false, true])
    await admin.patch(`/api/admin/payouts/${two.id}`, { status: 'rejected', adminNotes: 'Not yours' })
    expect(await preview()).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('No payment is left') },
    })
  })

  it('tells the trader what arrives in euro, at which rate, on the page and by mail', async () => {
    const [one, dollars] = [await approved('1080.00'), await approved('100.00')]
    await released([one.id], { ...euro, rate: '0.921659' })
    await released([dollars.id], { format: 'csv', currency: 'USD' })
    const sent = async ({ trader }: { readonly trader: Trader }) => {
      const [payout] = read(z.array(Payout), await trader.get('/api/user/payouts', await portal.atEnd()))
      return payout?.payment?.exchanged
    }
    expect(await sent(one)).toEqual({ currency: 'EUR', amount: '995.39', rate: '0.921659' })
    expect(await sent(dollars)).toBeUndefined()
    const about = ({ subject }: { readonly subject?: string | undefined }) => subject?.includes('was sent') ?? false
    const mail = await portal.mailWith(one.trader.email, about)
    expect(mail.text).toContain('995.39 EUR, at 1 EUR = 1.0850 USD')
    expect((await portal.mailWith(dollars.trader.email, about)).text).not.toContain('EUR')
  })

  it('is settled once all its payments are paid, and says how many are in each state', async () => {
    const all = [await approved(), await approved(), await approved()]
    const batch = await released(all.map(({ id }) => id))
    const listed = async () => {
      const list = read(z.array(ListedBatch), await admin.get('/api/admin/batches', await portal.atEnd()))
      const { settled, payments } = list.find(({ id }) => id === batch.id) ?? {}
      const details = read(BatchDetails, await admin.get(`/api/admin/batches/${batch.id}`, await portal.atEnd()))
      expect(details.settled).toBe(settled)
      return { settled, payments }
    }
    const set = (index: number, state: string) =>
      admin.patch(`/api/admin/payouts/${all[index]?.id}/payment`, { state, reason: 'AC04', reference: 'R1' })
    await set(0, 'paid')
    await set(1, 'failed')
    expect(await listed()).toEqual({
      settled: false,
      payments: [
        { state: 'paid', count: 1 },
        { state: 'sent', count: 1 },
        { state: 'failed', count: 1 },
      ],
    })
    await set(2, 'paid')
    await released([all[1]?.id ?? ''])
    expect(await listed()).toEqual({ settled: true, payments: [{ state: 'paid', count: 2 }] })
    const other = await released([await approved()].map(({ id }) => id))
    await admin.patch(`/api/admin/payouts/${other.items[0]?.payoutId}/payment`, { state: 'paid', reference: 'R2' })
    const paid = read(BatchDetails, await admin.get(`/api/admin/batches/${other.id}`, await portal.atEnd()))
    expect([paid.settled, paid.state]).toEqual([true, 'released'])
  })

  it.each([
    ['far from the last one', '0.8', '13.0 % from it'],
    ['the wrong way round', '1.0869', 'the other way round'],
    ['an order of magnitude away', '9.2', '900.0 % from it'],
  ])('at a rate that is %s is made only once it is confirmed', async (_what, rate, why) => {
    const { id } = await approved()
    await made([id]).then(({ id: first }) => admin.post(`/api/admin/batches/${first}/cancel`))
    const refused = await make([id], { ...euro, rate })
    expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining(why) } })
    expect(await paymentOf(id)).toMatchObject({ state: 'open' })
    const confirmed = await made([id], { ...euro, rate, rateConfirmed: true })
    await admin.post(`/api/admin/batches/${confirmed.id}/cancel`)
    // The next ones are compared with this one.
    expect((await make([id], { ...euro, rateConfirmed: true })).status).toBe(201)
    expect((await portal.events('paymentrate-eur')).at(-1)).toMatchObject({
      type: 'PaymentRateUsed',
      data: { rate: '0.92', source: euro.rateSource },
    })
  })

  it('is listed by pages, the newest first, also by its state', async () => {
    const { id } = await approved()
    const first = await made([id])
    await admin.post(`/api/admin/batches/${first.id}/cancel`)
    const newest = await made([id])
    const list = async (query: string) => {
      const answer = await admin.get(`/api/admin/batches${query}`, await portal.atEnd())
      return { answer, batches: read(z.array(ListedBatch), answer) }
    }
    const all = await list('')
    expect(all.batches.slice(0, 2).map((each) => each.id)).toEqual([newest.id, first.id])
    expect(all.answer.headers.get('x-total-count')).toBe(String(all.batches.length))
    const page = await list('?limit=1')
    expect([page.batches.map((each) => each.id), page.answer.headers.get('x-total-count')]).toEqual([
      [newest.id],
      String(all.batches.length),
    ])
    const next = /<([^>]+)>; rel="next"/.exec(page.answer.headers.get('link') ?? '')?.[1] ?? ''
    expect(read(z.array(ListedBatch), await admin.get(next)).map((each) => each.id)).toEqual([first.id])
    const cancelled = await list('?status=cancelled')
    expect(new Set(cancelled.batches.map(({ state }) => state))).toEqual(new Set(['cancelled']))
    expect(cancelled.batches.map((each) => each.id)).toContain(first.id)
    expect((await admin.get('/api/admin/batches?status=lost&limit=0')).status).toBe(400)
  })

  it('collects payouts in the order given, with the amount in euro rounded down', async () => {
    const [one, two] = [await approved('3200.00'), await approved('0.03')]
    const totals = await admin.post('/api/admin/payouts/totals', { payouts: [two.id, one.id], rate: '0.92' })
    const batch = await made([two.id, one.id])
    expect(totals.body).toMatchObject({ count: 2, traderReceives: '3200.03', euro: batch.total })
    expect(batch).toMatchObject({ state: 'open', count: 2, total: '2944.02', releaser: null, file: null, rate: '0.92' })
    expect(batch.items).toEqual([
      { payoutId: two.id, reference: `${two.id}-1`, amount: '0.02' },
      { payoutId: one.id, reference: `${one.id}-1`, amount: '2944.00' },
    ])
    expect(await paymentOf(one.id)).toMatchObject({ state: 'in-batch', reference: `${one.id}-1`, batch: batch.id })
    expect((await portal.events(`batch-${batch.id}`)).map(({ type }) => type)).toEqual(['BatchMade'])
    const details = read(BatchDetails, await admin.get(`/api/admin/batches/${batch.id}`, await portal.atEnd()))
    expect(details.items).toMatchObject([
      { payment: 'in-batch', fullName: 'Ada Lovelace', traderReceives: '0.03', userId: two.trader.id, notice: null },
      { payment: 'in-batch', traderReceives: '3200.00' },
    ])
    const [newest] = read(z.array(ListedBatch), await admin.get('/api/admin/batches'))
    expect(newest).toMatchObject({ id: batch.id, count: 2, stamps: { made: { by: 'admin' }, released: null } })
    const filtered = read(z.array(AdminPayout), await admin.get(`/api/admin/payouts?batch=${batch.id}`))
    expect(filtered.map(({ id }) => id).toSorted()).toEqual([one.id, two.id].toSorted())
  })

  it('is not made of payouts that do not fit: each is named, and nothing is made', async () => {
    const fine = await approved()
    const paypal = await approved('10.00', { paymentMethod: 'paypal', destination: { email: 'ada@example.com' } })
    const words = await approved('10.00', { paymentMethod: 'bank', paymentDetails: 'To my uncle' })
    const { id: taken } = await approved()
    await made([taken])
    const waiting = await eligibleTrader(portal, admin)
    const { id: pending } = read(Payout, await waiting.post('/api/user/payouts', { amount: '10.00', ...bank }))
    const answer = await make([fine.id, paypal.id, words.id, taken, pending, `${waiting.id}-a1-p9`, 'nothing'])
    expect(answer.status).toBe(409)
    expect(answer.body).toEqual({
      message: 'Some payouts do not fit into this batch',
      problems: [
        { payoutId: paypal.id, reason: 'It is paid by PayPal, the first one by Bank Transfer' },
        {
          payoutId: words.id,
          reason: 'It has no IBAN that was checked. Choose “New Destination” in its row, or ask its trader to give one',
        },
        { payoutId: taken, reason: 'The payment is in a batch: this is not possible now.' },
        { payoutId: pending, reason: 'This payout is not approved. Only an approved one can be paid.' },
        { payoutId: `${waiting.id}-a1-p9`, reason: 'Payout request not found' },
        { payoutId: 'nothing', reason: 'Payout request not found' },
      ],
    })
    expect(await paymentOf(fine.id)).toMatchObject({ state: 'open' })
  })

  it.each([
    ['none', { payouts: [] }, 'payouts'],
    ['one twice', { payouts: ['a-a1-p1', 'a-a1-p1'] }, 'payouts'],
    ['dollars in a SEPA transfer', { currency: 'USD', rate: undefined }, 'currency'],
    ['no rate', { rate: undefined }, 'rate'],
    ['a rate of seven places', { rate: '0.9200001' }, 'rate'],
    ['a rate of nothing', { rate: '0' }, 'rate'],
    ['a rate of dollars', { format: 'csv', currency: 'USD' }, 'rate'],
    ['another format', { format: 'mt101' }, 'format'],
    [
      'more than the reader takes',
      { format: 'crypto', payouts: Array.from({ length: 501 }, (_, n) => `a-${n}`) },
      'payouts',
    ],
  ])('is refused with %s', async (_what, change, field) => {
    const answer = await admin.post('/api/admin/batches', { payouts: ['a-a1-p1'], ...euro, ...change })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ errors: { [field]: expect.any(String) } })
  })

  it('takes a payout once, of many batches at the same moment', async () => {
    const { id } = await approved()
    const statuses = await Promise.all(Array.from({ length: 6 }, async () => (await make([id])).status))
    expect(statuses.toSorted()).toEqual([201, 409, 409, 409, 409, 409])
    expect(await paymentOf(id)).toMatchObject({ state: 'in-batch' })
  })

  it('lets its payments go when it is cancelled, and its references are never used again', async () => {
    const { id } = await approved()
    const first = await made([id])
    const cancelled = await admin.post(`/api/admin/batches/${first.id}/cancel`)
    expect([cancelled.status, cancelled.body]).toMatchObject([200, { state: 'cancelled' }])
    expect(await paymentOf(id)).toMatchObject({ state: 'open', reference: null, batch: null })
    expect((await admin.post(`/api/admin/batches/${first.id}/cancel`)).status).toBe(409)
    expect((await release(first.id)).status).toBe(409)
    expect((await made([id])).items).toMatchObject([{ reference: `${id}-2` }])
  })

  it('loses a payout that is rejected or put on hold', async () => {
    const [one, two, three] = [await approved(), await approved(), await approved()]
    const { id } = await made([one.id, two.id, three.id])
    await admin.patch(`/api/admin/payouts/${one.id}`, { status: 'rejected', adminNotes: 'A mistake' })
    const held = await admin.patch(`/api/admin/payouts/${two.id}/payment`, { hold: 'Ask the bank' })
    const details = read(BatchDetails, await admin.get(`/api/admin/batches/${id}`, after(held)))
    expect(details).toMatchObject({ count: 1, total: '2944.00', items: [{ payoutId: three.id }] })
    expect(details.removed.map(({ payoutId }) => payoutId)).toEqual([one.id, two.id])
    // A release that comes before the batch has heard of it names them.
    const answer = await release(id)
    if (answer.status === 409) expect(answer.body).toMatchObject({ problems: expect.any(Array) })
    const again = answer.status === 409 ? await release(id) : answer
    expect(read(Batch, again)).toMatchObject({ state: 'released', count: 1 })
    expect(await paymentOf(one.id)).toBeNull()
    expect(await paymentOf(two.id)).toMatchObject({ state: 'open' })
    expect(await paymentOf(three.id)).toMatchObject({ state: 'sent' })
  })

  it('takes none that is on hold, and loses what a breach holds', async () => {
    const [one, two] = [await approved(), await approved()]
    await admin.patch(`/api/admin/payouts/${one.id}/payment`, { hold: 'Ask the bank' })
    expect((await make([one.id])).body).toMatchObject({
      problems: [{ payoutId: one.id, reason: 'This payout is on hold (Ask the bank). Please release it first.' }],
    })
    const { id } = await made([two.id])
    const breach = await admin.patch(`/api/admin/accounts/${two.trader.id}-a1`, { status: 'breached' })
    expect(read(BatchDetails, await admin.get(`/api/admin/batches/${id}`, after(breach)))).toMatchObject({
      count: 0,
      removed: [{ payoutId: two.id }],
    })
    expect(await paymentOf(two.id)).toMatchObject({ state: 'open' })
    expect((await release(id)).status).toBe(409)
  })

  it('loses a payout whose person is deleted', async () => {
    const [one, two] = [await approved(), await approved()]
    const { id } = await made([one.id, two.id])
    await admin.delete(`/api/admin/user/${one.trader.id}`)
    const details = await until(async () => {
      const seen = read(BatchDetails, await admin.get(`/api/admin/batches/${id}`, await portal.atEnd()))
      return seen.count === 1 ? seen : undefined
    }, 'the worker to take it out')
    expect(details.removed).toEqual([
      { payoutId: one.id, reference: `${one.id}-1`, amount: '2944.00', reason: 'Its person was deleted' },
    ])
    expect(read(Batch, await release(id))).toMatchObject({ state: 'released', count: 1 })
  })

  it('does not send again by its file what was recorded as sent by hand', async () => {
    const [one, two] = [await approved(), await approved()]
    const { id } = await made([one.id, two.id])
    await admin.patch(`/api/admin/payouts/${one.id}/payment`, { state: 'sent' })
    expect((await release(id)).body).toMatchObject({
      message: 'Payments have left this batch. Look at it again before you release it.',
      problems: [{ payoutId: one.id, reason: 'It was recorded by hand' }],
    })
    expect(read(Batch, await release(id)).items).toMatchObject([{ payoutId: two.id }])
    expect((await admin.get(`/api/admin/batches/${id}/file`, await portal.atEnd())).text).not.toContain(one.id)
  })
})

describe('a release', () => {
  it.skipIf(whyNoSchemas)('sends the payments, and gives the same valid file each time', async () => {
    const { id: held } = await approved('3200.00', {
      ...bank,
      destination: { holder: 'Søren & Søn', iban: IBAN, bic: 'COBADEFFXXX' },
    })
    const { id } = await made([held])
    const early = await admin.get(`/api/admin/batches/${id}/file`)
    expect(early.status).toBe(409)
    const done = await release(id)
    const batch = read(Batch, done)
    expect(batch).toMatchObject({ state: 'released', count: 1, total: '2944.00' })
    expect(batch.releaser).toBe(batch.maker)
    expect(await paymentOf(held)).toMatchObject({ state: 'sent', reference: `${held}-1` })
    const files = [
      await admin.get(`/api/admin/batches/${id}/file`, after(done)),
      await admin.get(`/api/admin/batches/${id}/file`),
    ]
    for (const { status, bytes, headers } of files) {
      expect(status).toBe(200)
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(batch.file?.sha256)
      expect(headers.get('content-disposition')).toBe(`attachment; filename="${id}.xml"`)
    }
    const [first] = files
    expect(await faultsBySchema('pain.001.001.09', first?.text ?? '')).toEqual([])
    expect(first?.text).toContain('<Nm>Soren + Son</Nm>')
    expect((await release(id)).status).toBe(409)
    expect((await admin.post(`/api/admin/batches/${id}/cancel`)).status).toBe(409)
    expect((await admin.patch(`/api/admin/payouts/${held}`, { status: 'rejected', adminNotes: 'Late' })).status).toBe(
      409,
    )
    const details = read(BatchDetails, await admin.get(`/api/admin/batches/${id}`))
    expect(details.items).toMatchObject([{ notice: 'The bank reads the name of the holder as “Soren + Son”' }])
    const taken = (await portal.events()).filter(({ type }) => type === 'ListDownloaded')
    expect(taken.map(({ data }) => data)).toContainEqual({ list: 'batches', status: id, searched: false })
  })

  it.each([
    ['wise', bank, { currency: 'USD' }],
    ['wise', bank, { currency: 'EUR', rate: 0.92 }],
    ['paypal', { paymentMethod: 'paypal', destination: { email: 'ada@example.com' } }, { currency: 'USD' }],
    [
      'crypto',
      { paymentMethod: 'crypto', destination: { network: 'TRC20', address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' } },
      { currency: 'USD' },
    ],
    ['csv', { paymentMethod: 'skrill', paymentDetails: 'ada@example.com' }, { currency: 'USD' }],
  ])('of a file for %s has a table (%#)', async (format, how, change) => {
    const { id } = await approved('10.00', how)
    const batch = await released([id], { format, ...change })
    const file = await admin.get(`/api/admin/batches/${batch.id}/file`, await portal.atEnd())
    expect(createHash('sha256').update(file.bytes).digest('hex')).toBe(batch.file?.sha256)
    expect(file.text).toContain(`${id}-1`)
    expect(file.headers.get('content-type')).toMatch(/^text\/csv/)
  })

  it.each([
    ['pain.001', bank, euro],
    ['wise', bank, { currency: 'USD' }],
    [
      'csv',
      {
        paymentMethod: 'bank',
        destination: {
          holder: 'Ada Lovelace',
          accountNumber: '000123456789',
          bic: 'CHASUS33',
          bankName: '1-2-2024',
        },
      },
      { currency: 'USD' },
    ],
  ])('of a file for %s has one for people beside it, as it was shown', async (format, how, change) => {
    const { id } = await approved('10.00', how)
    const batch = await made([id], { format, ...change })
    const at = `/api/admin/batches/${batch.id}`
    expect((await admin.get(`${at}/file?for=people`)).status).toBe(409)
    const preview = await admin.get(`${at}/preview?for=people`)
    const done = read(Batch, await release(batch.id))
    const file = await admin.get(`${at}/file?for=people`, await portal.atEnd())
    expect([file.status, file.headers.get('content-type'), file.headers.get('content-disposition')]).toEqual([
      200,
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      `attachment; filename="${batch.id}-for-people.xlsx"`,
    ])
    expect(Buffer.compare(file.bytes, preview.bytes)).toBe(0)
    const hash = createHash('sha256').update(file.bytes).digest('hex')
    expect(done.file?.sha256ForPeople).toBe(hash)
    expect((await portal.events(`batch-${batch.id}`)).at(-1)).toMatchObject({ data: { sha256ForPeople: hash } })
    // Its parts are not compressed.
    expect(file.text).toContain(`preserve">${id}-1<`)
    if (format === 'csv') expect(file.text).toMatch(/preserve">000123456789<.*preserve">1-2-2024</)
    expect((await (await portal.member('support')).get(`${at}/file?for=people`)).status).toBe(403)
    expect((await admin.get(`${at}/file?for=nobody`)).status).toBe(400)
  })

  it('happens once, of many at the same moment', async () => {
    const { id } = await made([(await approved()).id, (await approved()).id])
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await release(id)).status))
    expect(statuses.toSorted()).toEqual([200, 409, 409, 409, 409])
    const types = (await portal.events(`batch-${id}`)).map(({ type }) => type)
    expect(types).toEqual(['BatchMade', 'BatchReleaseBegun', 'BatchReleased'])
  })

  it('has no file any more once a person in it is deleted; the hash stays', async () => {
    const { trader, id } = await approved()
    const batch = await released([id])
    const deleted = await admin.delete(`/api/admin/user/${trader.id}`)
    expect(deleted.status).toBe(200)
    for (const reader of ['', '?for=people']) {
      const file = await admin.get(`/api/admin/batches/${batch.id}/file${reader}`, after(deleted))
      expect([file.status, file.body]).toEqual([
        409,
        { message: 'A person in this batch was erased. The file cannot be made any more; its hash stays.' },
      ])
    }
    expect((await admin.get(`/api/admin/batches/${batch.id}`)).body).toMatchObject({ file: batch.file })
  })

  it('is refused to everyone who may not decide payouts', async () => {
    const { id } = await made([(await approved()).id])
    for (const role of ['support', 'auditor'] as const) {
      const member = await portal.member(role)
      expect((await release(id, member)).status).toBe(403)
      expect((await member.get(`/api/admin/batches/${id}/file`)).status).toBe(role === 'auditor' ? 409 : 403)
      expect((await answers('csv', csv(), member)).status).toBe(403)
      expect((await member.get(`/api/admin/batches/${id}`, await portal.atEnd())).status).toBe(200)
    }
    for (const path of ['', '/release', '/cancel', '/file']) {
      const answer =
        path === '' || path === '/file'
          ? await admin.get(`/api/admin/batches/nothing${path}`)
          : await admin.post(`/api/admin/batches/nothing${path}`)
      expect(answer.status).toBe(404)
    }
  })
})

describe('answers of a bank', () => {
  it('move payments, once each; what does not fit changes nothing and is listed', async () => {
    const [one, two, three, four] = [await approved(), await approved(), await approved(), await approved()]
    const open = await approved()
    await released([one.id, two.id, three.id, four.id])
    await made([open.id])
    const text = csv(
      `${one.id}-1,2944.00,EUR,paid,`,
      `${two.id}-1,2944.00,EUR,failed,AC01`,
      `${three.id}-1,2944.01,EUR,paid,`,
      `${three.id}-1,2944.00,USD,paid,`,
      `${three.id}-9,2944.00,EUR,paid,`,
      'INVOICE-7,1.00,EUR,paid,',
      `${open.id}-1,2944.00,EUR,paid,`,
      `${four.id}-1,2944.00,EUR,returned,AC04`,
      `${one.id}-1,2944.00,EUR,paid,`,
      `${one.id}-1,2944.00,EUR,failed,`,
    )
    expect(outcomes(await answers('csv', text))).toEqual([
      ...['recorded', 'recorded', 'other-amount', 'other-amount', 'unknown', 'unknown', 'refused', 'recorded'],
      ...['duplicate', 'refused'],
    ])
    expect(await paymentOf(one.id)).toMatchObject({ state: 'paid' })
    expect(await paymentOf(two.id)).toMatchObject({ state: 'failed', reason: 'AC01' })
    expect(await paymentOf(three.id)).toMatchObject({ state: 'sent' })
    expect(await paymentOf(four.id)).toMatchObject({ state: 'returned', reason: 'AC04' })
    const before = (await portal.events()).length
    expect(outcomes(await answers('csv', text)).filter((outcome) => outcome === 'recorded')).toEqual([])
    expect((await portal.events()).filter(({ type }) => type.startsWith('Payment')).length).toBeGreaterThan(0)
    expect(await portal.events()).toHaveLength(before)
  })

  it('to fifty payments, in any order and twice: 49 are paid, one failed and is owed', async () => {
    const trader = await eligibleTrader(portal, admin)
    const ids: string[] = []
    for (let n = 0; n < 50; n++)
      ids.push(read(Payout, await trader.post('/api/user/payouts', { amount: '100.00', ...bank })).id)
    for (const id of ids) await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
    await released(ids)
    const rows = ids.map((id, n) => `${id}-1,92.00,EUR,${n === 7 ? 'failed,AC04' : 'paid,'}`)
    expect(new Set(outcomes(await answers('csv', csv(...rows.toReversed()))))).toEqual(new Set(['recorded']))
    expect(new Set(outcomes(await answers('csv', csv(...rows, ...rows))))).toEqual(new Set(['duplicate']))
    const count = async (state: string) =>
      read(z.array(AdminPayout), await admin.get(`/api/admin/payouts?userId=${trader.id}&payment=${state}`)).length
    expect([await count('paid'), await count('failed')]).toEqual([49, 1])
    const types = (await portal.events(`account-${trader.id}-a1`)).map(({ type }) => type)
    expect(types.filter((type) => type === 'PaymentPaid')).toHaveLength(49)
    expect((await made([ids[7] ?? ''])).items).toMatchObject([{ reference: `${ids[7]}-2` }])
  })

  it('after the deletion of a person are recorded once, and leave nothing to pay', async () => {
    const [one, two] = [await approved(), await approved()]
    await released([one.id, two.id])
    for (const { trader } of [one, two]) await admin.delete(`/api/admin/user/${trader.id}`)
    const text = csv(`${one.id}-1,2944.00,EUR,failed,AC04`, `${two.id}-1,2944.00,EUR,returned,AC04`)
    expect(outcomes(await answers('csv', text))).toEqual(['recorded', 'recorded'])
    for (const { id } of [one, two]) expect(await paymentOf(id)).toMatchObject({ state: 'cancelled', reason: 'AC04' })
    expect(outcomes(await answers('csv', text))).toEqual(['duplicate', 'duplicate'])
    const refused = await make([one.id])
    expect(refused).toMatchObject({
      status: 409,
      body: { problems: [{ reason: 'The payment is cancelled: this is not possible now.' }] },
    })
  })

  it('may come for a whole batch, beside those of single payments', async () => {
    const [one, two] = [await approved(), await approved()]
    const batch = await released([one.id, two.id])
    const report = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.12"><CstmrPmtStsRpt>
<OrgnlGrpInfAndSts><OrgnlMsgId>${batch.id}</OrgnlMsgId></OrgnlGrpInfAndSts>
<OrgnlPmtInfAndSts><OrgnlPmtInfId>${batch.id}</OrgnlPmtInfId><PmtInfSts>ACSC</PmtInfSts>
<TxInfAndSts><OrgnlEndToEndId>${one.id}-1</OrgnlEndToEndId><TxSts>RJCT</TxSts></TxInfAndSts>
</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`
    expect(read(z.array(AnswerRow), await answers('pain.002', report))).toMatchObject([
      { index: 0, reference: `${one.id}-1`, outcome: 'recorded', reason: null },
      { index: 1, reference: `${two.id}-1`, outcome: 'recorded', reason: null },
    ])
    expect([(await paymentOf(one.id))?.state, (await paymentOf(two.id))?.state]).toEqual(['failed', 'paid'])
    const statement = (
      amount: string,
    ) => `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>
<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
<NtryDtls><Btch><PmtInfId>${batch.id}</PmtInfId></Btch></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`
    expect(outcomes(await answers('camt.053', statement('5888.01')))).toEqual(['other-amount'])
    expect(outcomes(await answers('camt.053', statement('5888.00')))).toEqual(['refused', 'duplicate'])
  })

  it('to an attempt before the last one change nothing', async () => {
    const { id } = await approved()
    await released([id])
    await answers('csv', csv(`${id}-1,2944.00,EUR,failed,AC04`))
    const { items } = await released([id])
    expect(items).toMatchObject([{ reference: `${id}-2` }])
    const [late] = read(z.array(AnswerRow), await answers('csv', csv(`${id}-1,2944.00,EUR,paid,`)))
    expect(late).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('Look into it') })
    expect(await paymentOf(id)).toMatchObject({ state: 'sent', reference: `${id}-2` })
  })

  it('are refused as a whole when the file cannot be read', async () => {
    const { id } = await approved()
    await released([id])
    const text = csv(`${id}-1,2944.00,EUR,paid,`, `${id}-1,2944.0,EUR,paid,`)
    const answer = await answers('csv', text)
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        message: 'Line 3: the amount has to be like 3200.00, above 0',
        errors: { [ANSWER_FIELD]: 'Line 3: the amount has to be like 3200.00, above 0' },
      },
    ])
    expect(await paymentOf(id)).toMatchObject({ state: 'sent' })
    expect((await answers('camt.053', '<!DOCTYPE x []><x/>')).body).toMatchObject({
      message: 'Line 1: the file has a DTD, which no bank sends',
    })
    expect((await answers('mt940', text)).body).toMatchObject({ errors: { format: expect.any(String) } })
    expect((await answers('csv', 'x'.repeat(5_000_000))).status).toBe(413)
    expect((await admin.send('POST', '/api/admin/payments/answers', new FormData())).status).toBe(400)
    expect((await admin.post('/api/admin/payments/answers', {})).status).toBe(415)
  })
})
