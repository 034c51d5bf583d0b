import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Stats } from '#services/oversight/statistics/statistics-api.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { accountStreams, type AccountStreamEvent } from '#services/trading/stream/account-aggregate.ts'
import { accountOf, payoutId, type PayoutId } from '#services/framework/ids.ts'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Answer } from '#test-support/http-client.ts'
import { openPortal, type Trader } from '#test-support/portal.ts'
import { Notices } from '#services/oversight/notices/notice-api.ts'
import { sampleTerms } from '#test-support/terms.ts'
import { Batch } from '#services/payments/batches/batch-api.ts'
import { NO_DAY } from '#services/framework/api/pagination-schemas.ts'
import { AdminPayout, ListedPayout, Payout } from '../payout-api.ts'
import { movePayoutPayment } from '#services/trading/stream/payout.ts'
import type { PaymentMove } from '#services/trading/stream/payment.ts'

const portal = await openPortal()
const admin = await portal.admin()
afterAll(() => portal.stop())

const ask = (trader: Trader, amount = '250.00') =>
  trader.post('/api/user/payouts', { amount, paymentMethod: 'paypal', destination: { email: 'ada@example.com' } })
const decide = (id: string, verdict: object) => admin.patch(`/api/admin/payouts/${id}`, verdict)
const change = (id: string, body: object) => admin.patch(`/api/admin/payouts/${id}/payment`, body)

async function requested(amount?: string) {
  const trader = await eligibleTrader(portal, admin)
  return { trader, id: payoutId.parse(read(Payout, await ask(trader, amount)).id) }
}

async function approved(amount?: string) {
  const made = await requested(amount)
  expect((await decide(made.id, { status: 'approved' })).status).toBe(200)
  return made
}

const shown = async (id: string, made: Answer) =>
  read(z.array(AdminPayout), await admin.get(`/api/admin/payouts?search=${id}`, after(made)))[0]

/** The events of a payout's money, with what they hold beside its id. */
const eventsOf = async (id: PayoutId) =>
  (await portal.events(`account-${accountOf(id)}`)).flatMap(({ type, data }) => {
    if (!/^(Payment|PayoutHold)/.test(type)) return []
    const { payoutId: of, ...rest } = z.looseObject({ payoutId: z.string() }).parse(data)
    return of === id ? [{ type, ...rest }] : []
  })

/** What a batch does to the payment of one of its payouts. */
async function inBatch(id: PayoutId, ...moves: PaymentMove[]) {
  for (const move of moves)
    await portal.running.parts.repositories
      .of(accountStreams)
      .decide(accountOf(id), systemContext('worker', 'a-test'), (state): AccountStreamEvent[] =>
        movePayoutPayment(state, id, move),
      )
}
const enter: PaymentMove = { kind: 'enter-batch', batch: 'batch0000001' }
const send: PaymentMove = { kind: 'send' }

describe('the payment of a payout', () => {
  it('is none before an approval, open after it, and none again after a rejection', async () => {
    const { id } = await requested()
    expect(await change(id, { state: 'paid', reference: 'wire 7' })).toMatchObject({
      status: 409,
      body: { message: 'This payout is not approved. Only an approved one can be paid.' },
    })
    const approval = await decide(id, { status: 'approved' })
    expect(await shown(id, approval)).toMatchObject({
      payment: { state: 'open', reference: null, batch: null, reason: null, at: expect.any(String) },
    })
    const rejection = await decide(id, { status: 'rejected', adminNotes: 'No' })
    expect(await shown(id, rejection)).toMatchObject({ payment: null, traderReceives: null })
  })

  it('is made by hand with a reference, once, and may come back', async () => {
    const { trader, id } = await approved()
    expect(await change(id, { state: 'paid' })).toMatchObject({
      status: 400,
      body: { errors: { reference: 'Please give the reference of the transfer' } },
    })
    expect(await change(id, { state: 'returned' })).toMatchObject({ status: 409 })
    const paid = await change(id, { state: 'paid', reference: 'wire 7' })
    expect(paid).toMatchObject({ status: 200, body: { payment: { state: 'paid', reference: 'wire 7' }, hold: null } })
    expect(await shown(id, paid)).toMatchObject({ status: 'approved', payment: { state: 'paid', reference: 'wire 7' } })
    expect(read(z.array(ListedPayout), await trader.get('/api/user/payouts', after(paid)))).toMatchObject([
      { payment: { state: 'paid', reference: 'wire 7' } },
    ])
    expect((await change(id, { state: 'paid', reference: 'wire 8' })).status).toBe(409)
    const returned = await change(id, { state: 'returned', reason: 'AC04' })
    expect(returned).toMatchObject({ status: 200, body: { payment: { state: 'returned', reason: 'AC04' } } })
    const details = { amount: 250_00, reference: 'wire 7' }
    expect(await eventsOf(id)).toEqual([
      { type: 'PaymentPaid', ...details, from: 'open' },
      { type: 'PaymentReturned', ...details, reason: 'AC04' },
    ])
  })

  it('is found by its reference, of each attempt and by hand, alone', async () => {
    const [{ id, trader }, other] = [await approved(), await approved()]
    await ask(trader)
    await inBatch(id, enter, send, { kind: 'fail', reason: 'AC01' })
    await inBatch(id, { kind: 'enter-batch', batch: 'batch0000002' })
    const paid = await change(other.id, { state: 'paid', reference: 'Wire of 7 May' })
    const found = async (search: string) =>
      read(
        z.array(AdminPayout),
        await admin.get(`/api/admin/payouts?search=${encodeURIComponent(search)}`, after(paid)),
      )
    await portal.atEnd()
    for (const search of [id, `${id}-1`, `${id}-2`, `${id}-2`.toUpperCase()])
      expect([search, (await found(search)).map((payout) => payout.id)]).toEqual([search, [id]])
    for (const search of ['Wire of 7 May', 'wire of 7 MAY', other.id])
      expect([search, (await found(search)).map((payout) => payout.id)]).toEqual([search, [other.id]])
    expect(await found('Wire of 8 May')).toEqual([])
  })

  it('goes through a batch with a reference of its own, and fails with a reason', async () => {
    const { id } = await approved()
    await inBatch(id, enter)
    expect((await change(id, { state: 'paid', reference: 'wire 7' })).status).toBe(409)
    expect(await change(id, { state: 'sent' })).toMatchObject({
      status: 200,
      body: { payment: { state: 'sent', reference: `${id}-1`, batch: 'batch0000001' } },
    })
    expect(await change(id, { state: 'failed', reason: 'AC01' })).toMatchObject({
      status: 200,
      body: { payment: { state: 'failed', reason: 'AC01' } },
    })
    await inBatch(id, { kind: 'enter-batch', batch: 'batch0000002' }, send)
    expect(await change(id, { state: 'paid' })).toMatchObject({ body: { payment: { reference: `${id}-2` } } })
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
      'PaymentBatched',
      'PaymentSent',
      'PaymentFailed',
      'PaymentBatched',
      'PaymentSent',
      'PaymentPaid',
    ])
  })

  it.each([
    [{}, 'Please give either a state or a hold'],
    [{ state: 'paid', hold: 'Wait' }, 'Please give either a state or a hold'],
    [{ state: 'open' }, 'Invalid input'],
    [{ state: 'lost' }, 'Invalid input'],
  ])('refuses %j', async (body, message) => {
    const { id } = await approved()
    expect(await change(id, body)).toMatchObject({ status: 400, body: { errors: { state: message } } })
    expect(await eventsOf(id)).toEqual([])
  })

  it('is changed only by those who decide payouts, and only where there is one', async () => {
    const { id } = await approved()
    const support = await portal.member('support')
    expect((await support.patch(`/api/admin/payouts/${id}/payment`, { state: 'paid', reference: 'x' })).status).toBe(
      403,
    )
    expect((await change('nobody00-a1-p1', { state: 'paid', reference: 'x' })).status).toBe(404)
    expect((await change(id.replace('p1', 'p9'), { state: 'paid', reference: 'x' })).status).toBe(404)
  })

  it('ends what a rejection may do from the moment that it was sent', async () => {
    const { trader, id } = await requested('1000.00')
    await admin.patch(`/api/admin/accounts/${trader.id}-a1`, { balance: '104000.00', terms: sampleTerms() })
    await decide(id, { status: 'approved' })
    await inBatch(id, enter)
    const rejected = await decide(id, { status: 'rejected', adminNotes: 'Wait' })
    expect(await shown(id, rejected)).toMatchObject({ status: 'rejected', payment: null, deducted: false })
    await decide(id, { status: 'approved' })
    await inBatch(id, enter, send)
    const refusal = { status: 409, body: { message: expect.stringContaining('was sent') } }
    for (const move of [{ state: 'failed' }, undefined]) {
      if (move) expect((await change(id, move)).status).toBe(200)
      expect(await decide(id, { status: 'rejected', adminNotes: 'No' })).toMatchObject(refusal)
    }
    expect(await eventsOf(id)).toMatchObject([
      { type: 'PaymentBatched', reference: `${id}-1` },
      { type: 'PaymentUnbatched', reference: `${id}-1`, to: 'open' },
      // Never the same reference twice.
      { type: 'PaymentBatched', reference: `${id}-2`, attempt: 2 },
      { type: 'PaymentSent', amount: 800_00 },
      { type: 'PaymentFailed', amount: 800_00 },
    ])
  })

  it('tells its trader by mail and in the bell at each step', async () => {
    const { trader, id } = await approved()
    await inBatch(id, enter, send)
    const failure = await change(id, { state: 'failed', reason: 'AC01 wrong account' })
    const { entries } = read(Notices, await trader.get('/api/user/notices', after(failure)))
    expect(entries.slice(0, 2)).toMatchObject([
      { type: 'PaymentFailed', amount: '250.00', reason: 'AC01 wrong account' },
      { type: 'PaymentSent', amount: '250.00' },
    ])
    const mails = await portal.mailsTo(trader.email, 4)
    expect(mails.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(['Your payment of $250.00 was sent', 'Your payment of $250.00 failed']),
    )
    const failed = mails.find(({ subject }) => subject === 'Your payment of $250.00 failed')
    expect(failed?.text).toContain(`${id}-1`)
    expect(failed?.text).toContain('AC01 wrong account')
  })
})

describe('a hold', () => {
  it('keeps a payout from being paid by hand until it is released, and takes it out of its batch', async () => {
    const { id } = await approved()
    await inBatch(id, enter)
    const held = await change(id, { hold: 'Asks the bank' })
    expect(held).toMatchObject({
      status: 200,
      body: { payment: { state: 'open', reference: null, batch: null }, hold: { reason: 'Asks the bank' } },
    })
    expect(await change(id, { state: 'paid', reference: 'wire 7' })).toMatchObject({
      status: 409,
      body: { message: 'This payout is on hold (Asks the bank). Please release it first.' },
    })
    expect((await change(id, { hold: null })).body).toMatchObject({ hold: null })
    expect((await change(id, { state: 'paid', reference: 'wire 7' })).status).toBe(200)
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
      'PaymentBatched',
      'PaymentUnbatched',
      'PayoutHoldChanged',
      'PayoutHoldChanged',
      'PaymentPaid',
    ])
  })

  it.each([
    [
      'breach',
      'The account was breached.',
      ({ id }: Trader) => admin.patch(`/api/admin/accounts/${id}-a1`, { status: 'breached' }),
    ],
    [
      'ban',
      'The trader was banned.',
      ({ id }: Trader) => admin.patch(`/api/admin/user/${id}/ban`, { banned: true, banReason: 'Copy trading' }),
    ],
  ])('follows a %s for what waits and is not sent', async (_, reason, happens) => {
    const { trader, id: open } = await approved()
    const another = async () => payoutId.parse(read(Payout, await ask(trader)).id)
    const [batched, sent, waiting, rejected] = [await another(), await another(), await another(), await another()]
    for (const id of [batched, sent]) await decide(id, { status: 'approved' })
    await decide(rejected, { status: 'rejected', adminNotes: 'No' })
    await inBatch(batched, enter)
    await inBatch(sent, enter, send)
    const happened = await happens(trader)
    expect(happened.status).toBe(200)
    const list = read(z.array(AdminPayout), await admin.get(`/api/admin/payouts?userId=${trader.id}`, after(happened)))
    const of = new Map(list.map(({ id, hold, payment }) => [id, [hold?.reason ?? null, payment?.state ?? null]]))
    expect([open, batched, sent, waiting, rejected].map((id) => of.get(id))).toEqual([
      [reason, 'open'],
      [reason, 'open'],
      [null, 'sent'],
      [reason, null],
      [null, null],
    ])
    // What staff release stays released.
    await change(open, { hold: null })
    expect((await change(open, { state: 'paid', reference: 'wire 7' })).status).toBe(200)
    expect((await change(sent, { state: 'paid' })).status).toBe(200)
  })
})

it('cancels what was not sent of a deleted user, and lets what was sent arrive', async () => {
  const { trader, id: open } = await approved()
  const sent = payoutId.parse(read(Payout, await ask(trader)).id)
  await decide(sent, { status: 'approved' })
  await inBatch(sent, enter, send)
  const deleted = await admin.delete(`/api/admin/user/${trader.id}`)
  expect(await shown(open, deleted)).toMatchObject({ payment: { state: 'cancelled' }, amount: '250.00' })
  expect((await change(open, { state: 'paid', reference: 'wire 7' })).status).toBe(409)
  const paid = await change(sent, { state: 'paid' })
  expect(await shown(sent, paid)).toMatchObject({ payment: { state: 'paid', reference: `${sent}-1` } })
})

it.each([
  ['failed', 'PaymentFailed', ['enter-batch', 'send']],
  ['returned', 'PaymentReturned', ['enter-batch', 'send', 'confirm']],
] as const)('cancels what is %s after the deletion of its person; the amounts stay', async (state, type, moves) => {
  const { trader, id } = await approved('300.00')
  const owed = async (made: Answer) => read(Stats, await admin.get('/api/admin/stats', after(made))).payouts
  await inBatch(id, ...moves.map((kind): PaymentMove => (kind === 'enter-batch' ? enter : { kind })))
  const before = await owed(await admin.delete(`/api/admin/user/${trader.id}`))
  const came = await change(id, { state, reason: 'AC04' })
  expect(came).toMatchObject({ status: 200, body: { payment: { state: 'cancelled', reference: `${id}-1` } } })
  expect((await eventsOf(id)).slice(-2)).toEqual([
    { type, amount: 300_00, reference: `${id}-1`, reason: 'AC04' },
    { type: 'PaymentCancelled', amount: 300_00, from: state },
  ])
  expect(await shown(id, came)).toMatchObject({
    ...{ amount: '300.00', traderReceives: '300.00', status: 'approved' },
    payment: { state: 'cancelled', reason: 'AC04', batch: 'batch0000001' },
  })
  // Nothing of it is owed any more.
  const later = await owed(came)
  expect(Number(before.unpaidAmount) - Number(later.unpaidAmount)).toBe(state === 'failed' ? 300 : 0)
  for (const body of [{ state: 'paid', reference: 'wire 7' }, { state: 'failed' }, { state: 'returned' }])
    expect((await change(id, body)).status).toBe(409)
})

it('is recorded weeks later on an account that was closed: what came back is owed, and may be paid again', async () => {
  const { trader, id } = await approved()
  await change(id, { state: 'paid', reference: 'wire 7' })
  const account = `/api/admin/accounts/${trader.id}-a1`
  expect((await admin.post(`${account}/close`, { reason: 'Over' })).status).toBe(200)
  const returned = await change(id, { state: 'returned', reason: 'AC04' })
  expect(returned).toMatchObject({ status: 200, body: { payment: { state: 'returned' } } })
  expect((await admin.get(`${account}/ledger`, after(returned))).body).toEqual([])
  const batch = await admin.post('/api/admin/batches', { format: 'csv', currency: 'USD', payouts: [id] })
  expect(batch).toMatchObject({ status: 201, body: { items: [{ payoutId: id, reference: `${id}-1` }] } })
})

it('takes a payment that arrives twice at the same moment once', async () => {
  const { id } = await approved()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => change(id, { state: 'paid', reference: `wire ${at}` })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 409)])
  expect(await eventsOf(id)).toMatchObject([{ type: 'PaymentPaid' }])
})

it('shows what is owed, and since when', async () => {
  const figures = async (made: Answer) => read(Stats, await admin.get('/api/admin/stats', after(made))).payouts
  const { id } = await approved('300.00')
  const before = await figures(await change(id, { hold: null }))
  const { id: other } = await requested('200.00')
  const approval = await decide(other, { status: 'approved' })
  const owed = await figures(approval)
  expect(Number(owed.unpaidAmount) - Number(before.unpaidAmount)).toBe(200)
  expect([owed.unpaid - before.unpaid, owed.oldestUnpaidAt]).toEqual([1, before.oldestUnpaidAt])
  expect(await figures(await change(other, { state: 'paid', reference: 'w' }))).toMatchObject({
    unpaid: before.unpaid,
    unpaidAmount: before.unpaidAmount,
  })
  expect(await figures(await change(other, { state: 'returned' }))).toEqual(owed)
  expect(await figures(await decide(id, { status: 'rejected', adminNotes: 'No' }))).toMatchObject({
    unpaid: owed.unpaid - 1,
  })
})

it('lists payouts by payment, method, batch, amount, day, age and first approval', async () => {
  const { trader, id: open } = await approved('100.00')
  const batched = payoutId.parse(read(Payout, await ask(trader, '200.00')).id)
  await decide(batched, { status: 'approved' })
  await inBatch(batched, { kind: 'enter-batch', batch: 'filtered' })
  const last = await ask(trader, '300.00')
  const waiting = read(Payout, last).id
  const requests = async (query: string) =>
    read(z.array(Payout), await admin.get(`/api/admin/payouts?userId=${trader.id}&${query}`, after(last)))
  const found = async (query: string) => (await requests(query)).map(({ id }) => id)
  expect(await found('payment=open')).toEqual([open])
  expect(await found('payment=in-batch')).toEqual([batched])
  expect(await found('batch=filtered')).toEqual([batched])
  expect(await found('method=paypal')).toHaveLength(3)
  expect(await found('method=bank')).toEqual([])
  expect(await found('minAmount=200&maxAmount=250.00')).toEqual([batched])
  expect(await found('minAmount=200.01')).toEqual([waiting])
  expect(await found('olderThan=0')).toHaveLength(3)
  expect(await found('olderThan=1')).toEqual([])
  const [newest, middle, oldest] = await requests('')
  const dayOf = (at = '', later = 0) => new Date(Date.parse(at) + later * 86_400_000).toISOString().slice(0, 10)
  const days = (from: string, to: string) => requests(`from=${from}&to=${to}`)
  expect(await days(dayOf(oldest?.createdAt), dayOf(newest?.createdAt))).toHaveLength(3)
  expect(await days(dayOf(newest?.createdAt, 1), '')).toEqual([])
  expect(await days('', dayOf(oldest?.createdAt, -1))).toEqual([])
  expect(await days(newest?.createdAt ?? '', middle?.createdAt ?? '')).toEqual([])
  const offset = (middle?.createdAt ?? '').replace('Z', '%2B00:00')
  expect((await days(offset, offset)).map(({ createdAt }) => createdAt)).toContain(middle?.createdAt)
  expect(await requests(`from=${oldest?.createdAt}&olderThan=1`)).toEqual([])
  const file = (await admin.get(`/api/admin/payouts.csv?userId=${trader.id}&to=${dayOf(oldest?.createdAt, -1)}`)).text
  expect(file.trim().split('\n')).toHaveLength(1)
  expect(await found('approvals=first')).toEqual([])
  const figures = async (query: string) =>
    (await admin.get(`/api/admin/payouts/figures?userId=${trader.id}&${query}`, after(last))).body
  expect(await figures('')).toEqual({
    count: 3,
    amount: '600.00',
    traderReceives: '300.00',
    unpaid: '300.00',
    exact: true,
  })
  expect(await figures('payment=open')).toMatchObject({ count: 1, amount: '100.00', unpaid: '100.00' })
  expect(await figures('status=rejected')).toMatchObject({ count: 0, amount: '0.00', exact: true })
  const refused = await admin.get('/api/admin/payouts?payment=lost&minAmount=x&olderThan=-1&approvals=second')
  expect([
    refused.status,
    Object.keys(z.object({ errors: z.looseObject({}) }).parse(refused.body).errors).sort(),
  ]).toEqual([400, ['approvals', 'minAmount', 'olderThan', 'payment']])
  for (const date of ['2026-02-30', 'yesterday', '26.11.2026', '2026-11-26T14:07', '1764115200000'])
    for (const list of ['payouts', 'payouts/figures', 'payouts.csv'])
      expect(await admin.get(`/api/admin/${list}?from=${date}&to=${date}`), `${list} ${date}`).toMatchObject({
        status: 400,
        body: { errors: { from: NO_DAY, to: NO_DAY } },
      })
})

describe('the totals of selected payouts', () => {
  const totals = (payouts: unknown, change: object = {}, who = admin) =>
    who.post('/api/admin/payouts/totals', { payouts, ...change })

  it('are what is asked for, and what traders receive of approved ones; reading them changes nothing', async () => {
    const [pending, one, two] = [await requested('200.01'), await approved('100.01'), await approved('100.01')]
    const ids = [pending.id, one.id, two.id]
    const readers = [admin, await portal.member('payouts'), await portal.member('auditor')]
    const before = (await portal.events()).length
    for (const who of readers) {
      const answer = await totals(ids, {}, who)
      expect([answer.status, answer.body]).toEqual([
        200,
        { count: 3, amount: '400.03', traderReceives: '200.02', euro: null },
      ])
      expect(answer.headers.has('x-proofdesk-position')).toBe(false)
    }
    // Each is 92.0092 euro.
    expect((await totals(ids, { rate: '0.92' })).body).toMatchObject({ traderReceives: '200.02', euro: '184.00' })
    expect((await totals(ids, { rate: 0.92 })).body).toMatchObject({ euro: '184.00' })
    // MailSent is appended at any time.
    const appended = (await portal.events()).slice(before).filter(({ type }) => type !== 'MailSent')
    expect(appended).toEqual([])
    await decide(one.id, { status: 'rejected', adminNotes: 'No' })
    expect((await totals([one.id], { rate: '0.92' })).body).toEqual({
      count: 1,
      amount: '100.01',
      traderReceives: '0.00',
      euro: '0.00',
    })
  })

  it('are refused with an unknown payout, with none or too many, with one twice, and at no rate', async () => {
    const { trader, id } = await requested()
    for (const unknown of [`${trader.id}-a1-p999`, `${trader.id}-a9-p1`, 'x'])
      expect(await totals([id, unknown])).toMatchObject({
        status: 404,
        body: { message: 'Payout request not found' },
      })
    const refused = async (payouts: unknown, change?: object) => {
      const { status, body } = await totals(payouts, change)
      return [status, z.object({ errors: z.unknown() }).parse(body).errors]
    }
    expect(await refused([])).toEqual([400, { payouts: 'Please select at least one payout' }])
    expect(await refused([id, id])).toEqual([400, { payouts: 'A payout is selected twice' }])
    expect(await refused(Array.from({ length: 5001 }, (_, n) => `x-${n}`))).toEqual([
      400,
      { payouts: 'Please select at most 5,000 payouts' },
    ])
    expect(await refused([id], { rate: '0' })).toEqual([
      400,
      { rate: 'Please enter euro for one dollar, with at most 6 decimal places' },
    ])
  })
})

describe('with SECOND_CONFIRMATION=batches', () => {
  it('sends no payment around the release of its batch', async () => {
    const strict = await openPortal({ environment: { SECOND_CONFIRMATION: 'batches' } })
    try {
      const staff = await strict.admin()
      const trader = await eligibleTrader(strict, staff)
      const { id } = read(Payout, await ask(trader))
      await staff.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
      const sent = await staff.patch(`/api/admin/payouts/${id}/payment`, { state: 'sent' })
      expect(sent).toMatchObject({ status: 409, body: { message: expect.stringContaining('second member') } })
      const before = await strict.events(`account-${trader.id}-a1`)
      const payouts = await strict.member('payouts')
      for (const { who, change } of [
        { who: payouts, change: { state: 'paid', reference: 'wire 7' } },
        { who: staff, change: { state: 'paid', reference: `of the bank ${id}` } },
        { who: await strict.member('admin'), change: { state: 'paid' } },
      ])
        expect(await who.patch(`/api/admin/payouts/${id}/payment`, change)).toMatchObject({
          status: 409,
          body: { message: expect.stringContaining('second member') },
        })
      expect(await strict.events(`account-${trader.id}-a1`)).toEqual(before)
      // A payment that its batch sent is confirmed by hand.
      const { id: batch } = read(
        Batch,
        await payouts.post('/api/admin/batches', { format: 'csv', currency: 'USD', payouts: [id] }),
      )
      expect((await staff.post(`/api/admin/batches/${batch}/release`)).status).toBe(200)
      expect((await payouts.patch(`/api/admin/payouts/${id}/payment`, { state: 'paid' })).status).toBe(200)
    } finally {
      await strict.stop()
    }
  })
})
