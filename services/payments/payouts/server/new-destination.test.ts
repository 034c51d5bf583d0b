import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Batch, BatchDetails } from '#services/payments/batches/batch-api.ts'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { type Member, openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { AdminPayout, ListedPayout, Payout, PayoutContext } from '../payout-api.ts'

const [wrong, right] = [{ email: 'ada@exampel.com' }, { email: 'ada@example.com' }]
const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

let portal: Portal
let admin: Browser

const give = (who: Browser, id: string, destination: object = right) =>
  who.post(`/api/user/payouts/${id}/destination`, { destination })
const giveByStaff = (who: Browser, id: string, destination: object = right, more: object = { reason: 'By phone' }) =>
  who.post(`/api/admin/payouts/${id}/destination`, { destination, ...more })
const listed = async (trader: Trader) =>
  read(ListedPayout.array(), await trader.get('/api/user/payouts', await portal.atEnd()))
const shown = async (id: string) =>
  read(AdminPayout.array(), await admin.get(`/api/admin/payouts?search=${id}`, await portal.atEnd()))[0]
const typesOf = async (trader: Trader) => (await portal.events(`account-${trader.id}-a1`)).map(({ type }) => type)
const eventsOf = async (trader: Trader, type: string) =>
  (await portal.events(`account-${trader.id}-a1`)).filter((event) => event.type === type)

const batch = (who: Browser, id: string, format = 'paypal') =>
  who.post('/api/admin/batches', { format, currency: 'USD', payouts: [id] })
const move = (id: string, body: object) => admin.patch(`/api/admin/payouts/${id}/payment`, body)

async function approved(request: object = { paymentMethod: 'paypal', destination: wrong }) {
  const trader = await eligibleTrader(portal, admin)
  const { id } = read(Payout, await trader.post('/api/user/payouts', { amount: '250.00', ...request }))
  expect((await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })).status).toBe(200)
  return { trader, id }
}

/** A payment that left in a batch. */
async function sent(releaser = admin) {
  const { trader, id } = await approved()
  const made = read(Batch, await batch(admin, id))
  expect((await releaser.post(`/api/admin/batches/${made.id}/release`)).status).toBe(200)
  return { trader, id, batchId: made.id }
}

async function failed(releaser = admin) {
  const made = await sent(releaser)
  const fault = { state: 'failed', reason: 'Receiver has no PayPal account' }
  expect((await move(made.id, fault)).status).toBe(200)
  return made
}

describe('a payment to a wrong address', () => {
  beforeAll(async () => {
    portal = await openPortal()
    admin = await portal.admin()
  })
  afterAll(() => portal.stop())

  it('is put right by its trader, from the mail that tells of it, and paid in another batch', async () => {
    const { trader, id, batchId } = await failed()
    const mail = await portal.mailWith(trader.email, ({ subject }) => subject?.endsWith('failed') === true)
    expect(mail.text).toContain(`/payouts?account=${trader.id}-a1&payout=${id}`)
    expect(mail.text).toContain('Give a new destination')

    const answer = await give(trader, id)
    expect([answer.status, answer.body]).toEqual([200, { destination: right }])
    expect(await eventsOf(trader, 'PayoutDestinationChanged')).toMatchObject([
      {
        data: {
          payoutId: id,
          from: { details: '', destination: wrong },
          to: { details: '', destination: right },
          reason: null,
        },
      },
    ])
    expect(await listed(trader)).toMatchObject([
      {
        destination: right,
        paymentDetails: right.email,
        takesDestination: true,
        payment: { state: 'failed' },
        destinationChanges: [{ from: wrong.email, to: right.email, reason: null, stamp: { by: 'trader' } }],
      },
    ])
    await portal.mailWith(trader.email, ({ subject }) => subject === 'Another destination was given for your payout')

    // A payment that left before stays as it was: its file, its hash and its page.
    expect((await admin.get(`/api/admin/batches/${batchId}/file`)).text).toContain(wrong.email)
    expect(read(BatchDetails, await admin.get(`/api/admin/batches/${batchId}`)).items).toMatchObject([
      { reference: `${id}-1`, destination: wrong.email },
    ])
    const again = read(Batch, await batch(admin, id))
    expect(again.items).toMatchObject([{ payoutId: id, reference: `${id}-2` }])
    expect((await admin.post(`/api/admin/batches/${again.id}/release`)).status).toBe(200)
    const file = (await admin.get(`/api/admin/batches/${again.id}/file`)).text
    expect(file).toContain(right.email)
    expect(file).not.toContain(wrong.email)
    expect((await give(trader, id, wrong)).body).toEqual({
      message: 'The payment was sent. Where it goes cannot be changed any more.',
    })
  })

  it('is put right by staff, with a reason that the trader reads', async () => {
    const { trader, id } = await failed()
    expect(await giveByStaff(admin, id, right, {})).toMatchObject({
      status: 400,
      body: { errors: { reason: 'Required' } },
    })
    expect((await giveByStaff(await portal.member('support'), id)).status).toBe(403)
    expect(await giveByStaff(admin, id)).toMatchObject({ status: 200, body: { destination: right } })
    expect(await listed(trader)).toMatchObject([
      { destinationChanges: [{ reason: 'By phone', stamp: { by: 'admin' } }] },
    ])
    const mail = await portal.mailWith(
      trader.email,
      ({ subject }) => subject?.startsWith('Another destination') === true,
    )
    expect(mail.text).toContain('By phone')
  })

  it('is nobody else’s to put right', async () => {
    const { id } = await failed()
    const eve = await eligibleTrader(portal, admin)
    expect((await give(eve, id)).status).toBe(404)
    expect((await give(eve, `${eve.id}-a1-p7`)).status).toBe(404)
    expect((await giveByStaff(admin, `${eve.id}-a1-p7`)).status).toBe(404)
    expect((await give(portal.browser(), id)).status).toBe(401)
  })

  it('takes the same destination again without another entry, and a wrong one never', async () => {
    const { trader, id } = await failed()
    expect((await give(trader, id)).status).toBe(200)
    expect(await give(trader, id)).toMatchObject({ status: 200, body: { destination: right } })
    expect(await eventsOf(trader, 'PayoutDestinationChanged')).toHaveLength(1)
    expect(await give(trader, id, { email: 'ada' })).toMatchObject({
      status: 400,
      body: { errors: { 'destination.email': 'Please enter a valid email address' } },
    })
    expect(await give(trader, id, {})).toMatchObject({
      status: 400,
      body: { errors: { 'destination.email': 'Required' } },
    })
  })

  it('can be given another one after it came back, and while it waits in a batch, which it then leaves', async () => {
    const { trader, id } = await sent()
    expect((await give(trader, id)).status).toBe(409)
    expect((await move(id, { state: 'paid' })).status).toBe(200)
    expect((await give(trader, id)).status).toBe(409)
    expect((await move(id, { state: 'returned' })).status).toBe(200)
    const again = read(Batch, await batch(admin, id))
    expect((await give(trader, id)).status).toBe(200)
    expect((await typesOf(trader)).slice(-2)).toEqual(['PaymentUnbatched', 'PayoutDestinationChanged'])
    expect(await admin.post(`/api/admin/batches/${again.id}/release`)).toMatchObject({ status: 409 })
    expect(await listed(trader)).toMatchObject([{ payment: { state: 'returned' }, destination: right }])
  })

  it('is on hold where the email changed within 72 hours before', async () => {
    const { trader, id } = await failed()
    await trader.patch('/api/user/profile', { email: `new.${trader.email}` })
    expect((await give(trader, id)).status).toBe(200)
    const hold = 'The email was changed or the password reset within 72 hours before another destination was given.'
    expect(await listed(trader)).toMatchObject([{ destination: right, hold: { reason: hold } }])
    // Asked for once more, the same destination is as new as it was.
    const more = await trader.post('/api/user/payouts', { amount: '1.00', paymentMethod: 'paypal', destination: right })
    expect((await shown(read(Payout, more).id))?.hold).not.toBeNull()
  })

  it('is decided on as it was shown: a page from before is told so', async () => {
    const { trader, id } = await failed()
    const payout = await shown(id)
    if (!payout) throw new Error('It is not listed')
    const { amount, destinationDigest: destination, user } = payout
    expect((await give(trader, id)).status).toBe(200)
    const seen = { amount, destination, name: user.fullName }
    expect(await giveByStaff(admin, id, { email: 'eve@example.com' }, { reason: 'By phone', seen })).toMatchObject({
      status: 409,
      body: { message: 'What the page showed has changed meanwhile. Look at it again before you decide.' },
    })
  })

  it('keeps no destination of a deleted trader', async () => {
    const { trader, id } = await failed()
    expect((await give(trader, id)).status).toBe(200)
    expect((await admin.delete(`/api/admin/user/${trader.id}`)).status).toBe(200)
    const [event] = await eventsOf(trader, 'PayoutDestinationChanged')
    const erased = { details: 'erased', destination: null }
    expect(event).toMatchObject({ data: { from: erased, to: erased } })
    expect(await shown(id)).toMatchObject({
      destination: null,
      destinationChanges: [{ from: 'erased', to: 'erased' }],
      takesDestination: false,
    })
    expect((await giveByStaff(admin, id)).status).toBe(404)
  })
})

describe('a destination that was not checked', () => {
  beforeAll(async () => {
    portal = await openPortal()
    admin = await portal.admin()
  })
  afterAll(() => portal.stop())

  const wallet = { network: 'ERC20', address: EVM }

  it('is warned about at the verdict, refused from a batch with the way out, and given by the trader', async () => {
    const trader = await eligibleTrader(portal, admin)
    const asked = await trader.post('/api/user/payouts', { amount: '250.00', paymentMethod: 'crypto' })
    const { id } = read(Payout, asked)
    const context = read(PayoutContext, await admin.get(`/api/admin/payouts/${id}/context`, after(asked)))
    expect(context.warnings).toContain(
      'The request says nothing about where the money goes: no batch takes it before it has a destination.',
    )
    await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
    const mail = await portal.mailWith(trader.email, ({ subject }) => subject?.endsWith('was approved') === true)
    expect(mail.text).toContain(`&payout=${id}`)
    expect(mail.text).toContain('Give a new destination')
    const out = 'Choose “New Destination” in its row, or ask its trader to give one'
    expect((await batch(admin, id, 'crypto')).body).toMatchObject({
      problems: [{ payoutId: id, reason: `It has no wallet address that was checked. ${out}` }],
    })
    expect((await batch(admin, id, 'csv')).body).toMatchObject({
      problems: [{ payoutId: id, reason: `Nothing says where the money goes. ${out}` }],
    })
    expect(await give(trader, id, wallet)).toMatchObject({ status: 200, body: { destination: wallet } })
    expect((await batch(admin, id, 'crypto')).status).toBe(201)
    expect((await give(trader, id, wallet)).status).toBe(409)
  })

  it('may be given while the request waits, and ends a first approval', async () => {
    const trader = await eligibleTrader(portal, admin)
    const { id } = read(
      Payout,
      await trader.post('/api/user/payouts', { amount: '250.00', paymentMethod: 'skrill', paymentDetails: 'ask me' }),
    )
    expect(await give(trader, id)).toMatchObject({ status: 200, body: { destination: right } })
    expect(await give(trader, id, wrong)).toMatchObject({ status: 409 })
    expect(await eventsOf(trader, 'PayoutDestinationChanged')).toMatchObject([
      { data: { from: { details: 'ask me', destination: null } } },
    ])
  })

  it('keeps the first answer to a request that is repeated with its key', async () => {
    const trader = await eligibleTrader(portal, admin)
    const ask = () =>
      trader.post(
        '/api/user/payouts',
        { amount: '250.00', paymentMethod: 'skrill', paymentDetails: 'ask me' },
        { headers: { 'Idempotency-Key': 'once' } },
      )
    const first = await ask()
    expect((await give(trader, read(Payout, first).id)).status).toBe(200)
    expect((await ask()).body).toEqual(first.body)
  })

  it('is not given where the money is not owed, or the destination was checked', async () => {
    const checked = await approved()
    expect(await give(checked.trader, checked.id)).toMatchObject({
      status: 409,
      body: {
        message:
          'The destination of this payout was checked. Another one can be given once a payment fails or comes back.',
      },
    })
    const trader = await eligibleTrader(portal, admin)
    const { id } = read(Payout, await trader.post('/api/user/payouts', { amount: '1.00', paymentMethod: 'skrill' }))
    await trader.post(`/api/user/payouts/${id}/withdraw`)
    expect(await give(trader, id)).toMatchObject({ status: 409, body: { message: 'This payout is already withdrawn' } })
  })
})

describe('with SECOND_CONFIRMATION=batches', () => {
  let [dana, robin]: Member[] = []
  beforeAll(async () => {
    portal = await openPortal({ environment: { SECOND_CONFIRMATION: 'batches' } })
    admin = await portal.admin()
    dana = await portal.member('payouts', { name: 'Dana' })
    robin = await portal.member('payouts', { name: 'Robin' })
  })
  afterAll(() => portal.stop())

  it('a destination that staff give counts once a second member gives the same', async () => {
    if (!dana || !robin) throw new Error('There is no staff')
    const { trader, id } = await failed(dana)
    expect(await giveByStaff(dana, id)).toMatchObject({ status: 200, body: { destination: wrong } })
    expect(await shown(id)).toMatchObject({
      destination: wrong,
      proposedDestination: { destination: right, reason: 'By phone', member: dana.id },
    })
    expect(await giveByStaff(dana, id)).toMatchObject({
      status: 409,
      body: { message: 'You gave this destination. Another member of staff has to give the same one.' },
    })
    expect(await giveByStaff(robin, id)).toMatchObject({ status: 200, body: { destination: right } })
    expect(await shown(id)).toMatchObject({ destination: right, proposedDestination: null })
    expect((await typesOf(trader)).slice(-2)).toEqual(['PayoutDestinationProposed', 'PayoutDestinationChanged'])
    expect(z.array(z.object({ destination: z.unknown() })).parse(await listed(trader))).toMatchObject([
      { destination: right },
    ])
  })

  it('is the same however its fields are ordered and written', async () => {
    if (!dana || !robin) throw new Error('There is no staff')
    const { id } = await approved({ paymentMethod: 'bank', paymentDetails: 'at my bank' })
    const account = { holder: 'Ada', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' }
    expect((await giveByStaff(dana, id, account)).body).toEqual({ destination: null })
    const typed = { bic: 'COBADEFFXXX', iban: 'de89 3704 0044 0532 0130 00', holder: 'Ada' }
    expect((await giveByStaff(robin, id, typed)).body).toEqual({ destination: account })
  })

  it('another destination of the second member waits for the first, and the trader’s own counts at once', async () => {
    if (!dana || !robin) throw new Error('There is no staff')
    const { trader, id } = await failed(dana)
    await giveByStaff(dana, id)
    const other = { email: 'ada@example.org' }
    expect(await giveByStaff(robin, id, other)).toMatchObject({ status: 200, body: { destination: wrong } })
    expect(await shown(id)).toMatchObject({ proposedDestination: { destination: other, member: robin.id } })
    expect(await give(trader, id)).toMatchObject({ status: 200, body: { destination: right } })
    expect(await shown(id)).toMatchObject({ destination: right, proposedDestination: null })
  })
})
