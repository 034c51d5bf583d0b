import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Payout } from '../payout-api.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'

const portal = await openPortal()
const admin = await portal.admin()
afterAll(() => portal.stop())

const wanted = { amount: '250.00', paymentMethod: 'bank', paymentDetails: 'IBAN GB29 NWBK' }

const ask = (trader: Browser, change: object = {}, key?: string): Promise<Answer> =>
  trader.post(
    '/api/user/payouts',
    { ...wanted, ...change },
    key === undefined ? {} : { headers: { 'idempotency-key': key } },
  )

const payoutEventsOf = async ({ id }: Pick<Trader, 'id'>, of: Portal = portal) =>
  (await of.events(`account-${id}-a1`)).filter(
    ({ type }) => type.startsWith('Payout') && type !== 'PayoutsEnabled' && type !== 'PayoutsDisabled',
  )

const requested = async (trader: Trader, change: object = {}) => read(Payout, await ask(trader, change)).id

const decide = (id: string, status: string, adminNotes?: string) =>
  admin.patch(`/api/admin/payouts/${id}`, { status, adminNotes })

/** The payout as its trader sees it once the change is visible. */
const shown = async (trader: Trader, id: string, change: Answer) =>
  read(z.array(Payout), await trader.get('/api/user/payouts', after(change))).find((payout) => payout.id === id)

describe('a payout request', () => {
  it('is refused with the specified message while payouts are disabled', async () => {
    const trader = await portal.trader()
    const refusal = 'Your account is not currently eligible for payouts. Please contact support for more information.'
    expect(await ask(trader)).toMatchObject({ status: 403, body: { message: refusal } })
    await admin.patch(`/api/admin/user/${trader.id}/account`, { payoutEnabled: true })
    expect((await ask(trader)).status).toBe(201)
    await admin.patch(`/api/admin/user/${trader.id}/account`, { payoutEnabled: false })
    expect(await ask(trader)).toMatchObject({ status: 403, body: { message: refusal } })
    expect(await payoutEventsOf(trader)).toHaveLength(1)
  })

  it('depends on payouts being enabled, not on the status', async () => {
    const trader = await portal.trader()
    for (const status of ['active', 'under-review', 'breached', 'pending']) {
      await admin.patch(`/api/admin/user/${trader.id}/account`, { status, payoutEnabled: false })
      expect((await ask(trader)).status, status).toBe(403)
      await admin.patch(`/api/admin/user/${trader.id}/account`, { payoutEnabled: true })
      expect((await ask(trader)).status, status).toBe(201)
    }
  })

  it('has no characters in its details that nobody sees, and may have several lines', async () => {
    const trader = await eligibleTrader(portal, admin)
    expect(await ask(trader, { paymentDetails: 'IBAN GB29\u202E$9.00' })).toMatchObject({
      status: 400,
      body: { errors: { paymentDetails: expect.stringContaining('U+202E') } },
    })
    expect(await payoutEventsOf(trader)).toEqual([])
    const { body } = await ask(trader, { paymentDetails: 'First Bank\r\nIBAN GB29' })
    expect(body).toMatchObject({ paymentDetails: 'First Bank\nIBAN GB29' })
  })

  it('requires a signed-in trader', async () => {
    expect((await ask(portal.browser())).status).toBe(401)
    expect((await ask(admin)).status).toBe(401)
  })

  it('is answered as recorded: pending, without notes', async () => {
    const trader = await eligibleTrader(portal, admin)
    const answer = await ask(trader, { amount: '250' })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      userId: trader.id,
      amount: '250.00',
      paymentMethod: 'bank',
      paymentDetails: 'IBAN GB29 NWBK',
      status: 'pending',
      adminNotes: null,
      decidedAt: null,
    })
    const [event] = await payoutEventsOf(trader)
    expect(event).toMatchObject({
      type: 'PayoutRequested',
      data: {
        payoutId: read(Payout, answer).id,
        amount: 25_000,
        method: 'bank',
        details: 'IBAN GB29 NWBK',
        idempotency: null,
      },
      metadata: { actor: { kind: 'trader', id: trader.id }, requestId: answer.headers.get('x-request-id') },
    })
    expect((await trader.get('/api/user/payouts')).body).toMatchObject([answer.body])
  })

  it('stores payment details only encrypted', async () => {
    const trader = await eligibleTrader(portal, admin)
    await ask(trader, { paymentDetails: 'a wallet nobody may read' })
    for await (const events of portal.running.parts.eventStore.readStream(`account-${trader.id}-a1`))
      expect(events.map(({ data }) => data).join()).not.toContain('a wallet nobody')
  })

  const number = 'Amount must be a valid number'
  const positive = 'Amount must be greater than 0'
  const places = 'Amount must have at most 2 decimal places'
  const most = 'Amount must be at most 100,000,000'
  it.each([
    [undefined, number],
    [null, number],
    ['', number],
    [' ', number],
    ['NaN', number],
    ['abc', number],
    ['Infinity', number],
    ['1e3', number],
    ['0x10', number],
    ['1,000', number],
    ['$5', number],
    ['5.', number],
    ['.5', number],
    ['--5', number],
    ['5\n', number],
    ['٥', number],
    [true, number],
    [['5'], number],
    [{ amount: '5' }, number],
    ['0', positive],
    ['0.00', positive],
    ['0.000', positive],
    ['-0', positive],
    [0, positive],
    ['-0.01', positive],
    ['-100', positive],
    [-1, positive],
    ['0.001', places],
    ['0.009', places],
    ['10.999', places],
    ['1.000', places],
    [0.1 + 0.2, places],
    ['100000000.01', most],
    ['100000001', most],
    [1e21, most],
    ['9'.repeat(400), most],
  ])('of the amount %j is refused: %s', async (amount, message) => {
    const trader = await eligibleTrader(portal, admin)
    expect(await ask(trader, { amount })).toMatchObject({ status: 400, body: { message, errors: { amount: message } } })
    expect(await payoutEventsOf(trader)).toEqual([])
  })

  it.each([
    ['0.01', '0.01', 1],
    ['0.1', '0.10', 10],
    ['1', '1.00', 100],
    ['19.99', '19.99', 1_999],
    ['1.15', '1.15', 115],
    ['8.2', '8.20', 820],
    ['007.50', '7.50', 750],
    [19.99, '19.99', 1_999],
    ['99999999.99', '99999999.99', 9_999_999_999],
    ['100000000', '100000000.00', 10_000_000_000],
    ['100000000.00', '100000000.00', 10_000_000_000],
  ])('of the amount %j is one of %s dollars, to the cent', async (amount, decimal, cents) => {
    const trader = await eligibleTrader(portal, admin)
    expect(await ask(trader, { amount })).toMatchObject({ status: 201, body: { amount: decimal } })
    expect(await payoutEventsOf(trader)).toMatchObject([{ data: { amount: cents } }])
    expect((await trader.get('/api/user/payouts')).body).toMatchObject([{ amount: decimal }])
  })

  it.each(['bank', 'paypal', 'crypto', 'skrill'])('may be paid by %s', async (paymentMethod) => {
    const trader = await eligibleTrader(portal, admin)
    expect(await ask(trader, { paymentMethod })).toMatchObject({ status: 201, body: { paymentMethod } })
    expect(await payoutEventsOf(trader)).toMatchObject([{ data: { method: paymentMethod } }])
  })

  it.each([undefined, null, '', 'cash', 'Bank', 'bank ', 7, ['bank']])(
    'by the method %j is refused',
    async (paymentMethod) => {
      const trader = await eligibleTrader(portal, admin)
      const message = 'Please select a payment method'
      expect(await ask(trader, { paymentMethod })).toMatchObject({
        status: 400,
        body: { message, errors: { paymentMethod: message } },
      })
      expect(await payoutEventsOf(trader)).toEqual([])
    },
  )

  it('needs no payment details, and reports all errors together', async () => {
    const trader = await eligibleTrader(portal, admin)
    expect(await ask(trader, { paymentDetails: undefined })).toMatchObject({
      status: 201,
      body: { paymentDetails: '' },
    })
    const answer = await trader.post('/api/user/payouts', {})
    expect(answer).toMatchObject({
      status: 400,
      body: { message: number, errors: { paymentMethod: 'Please select a payment method' } },
    })
    expect((await trader.post('/api/user/payouts', [])).status).toBe(400)
  })

  it('ignores a status, owner or date in the body', async () => {
    const trader = await eligibleTrader(portal, admin)
    const other = await portal.trader()
    const forged = {
      id: 'x',
      userId: other.id,
      status: 'approved',
      adminNotes: 'mine',
      createdAt: '2000-01-01T00:00:00.000Z',
    }
    const answer = await ask(trader, forged)
    expect(answer).toMatchObject({ status: 201, body: { userId: trader.id, status: 'pending', adminNotes: null } })
    expect(read(Payout, answer).createdAt).not.toBe(forged.createdAt)
    expect((await other.get('/api/user/payouts', after(answer))).body).toEqual([])
  })

  it('repeated without a key makes two requests', async () => {
    const trader = await eligibleTrader(portal, admin)
    const [first, second] = [await requested(trader), await requested(trader)]
    expect(first).not.toBe(second)
    expect(await payoutEventsOf(trader)).toHaveLength(2)
  })

  it('is listed newest first to its trader only', async () => {
    const [trader, other] = [await eligibleTrader(portal, admin), await eligibleTrader(portal, admin)]
    const ids = [await requested(trader), await requested(trader), await requested(trader)]
    const last = await ask(other)
    const own = read(z.array(Payout), await trader.get('/api/user/payouts', after(last)))
    expect(own.map(({ id }) => id)).toEqual(ids.reverse())
    expect((await other.get('/api/user/payouts')).body).toMatchObject([last.body])
  })
})

describe('an Idempotency-Key', () => {
  it('pays once for a repeated request, with the same answer', async () => {
    const trader = await eligibleTrader(portal, admin)
    const first = await ask(trader, {}, 'the key')
    for (let again = 0; again < 5; again++) {
      const answer = await ask(trader, {}, 'the key')
      expect(answer.status).toBe(201)
      expect(answer.text).toBe(first.text)
    }
    expect(await payoutEventsOf(trader)).toHaveLength(1)
  })

  it('pays once for thirty simultaneous requests', async () => {
    const trader = await eligibleTrader(portal, admin)
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(trader, {}, 'a double click')))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect(await payoutEventsOf(trader)).toHaveLength(1)
    expect((await trader.get('/api/user/payouts')).body).toMatchObject([answers[0]?.body])
  })

  it('returns the first answer also after a verdict', async () => {
    const trader = await eligibleTrader(portal, admin)
    const first = await ask(trader, {}, 'once')
    await decide(read(Payout, first).id, 'rejected', 'No')
    await admin.patch(`/api/admin/user/${trader.id}/account`, { payoutEnabled: false })
    const again = await ask(trader, {}, 'once')
    expect([again.status, again.text]).toEqual([201, first.text])
    expect((await payoutEventsOf(trader)).map(({ type }) => type)).toEqual(['PayoutRequested', 'PayoutRejected'])
  })

  it.each([{ amount: '250.01' }, { paymentMethod: 'crypto' }, { paymentDetails: 'Another IBAN' }])(
    'with another body (%j) is a conflict and pays nothing',
    async (change) => {
      const trader = await eligibleTrader(portal, admin)
      await ask(trader, {}, 'k')
      expect(await ask(trader, change, 'k')).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining('Idempotency-Key') },
      })
      expect(await payoutEventsOf(trader)).toHaveLength(1)
      expect((await ask(trader, {}, 'k')).status).toBe(201)
    },
  )

  it('accepts one of two different simultaneous requests', async () => {
    const trader = await eligibleTrader(portal, admin)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => ask(trader, { amount: n % 2 ? '1.00' : '2.00' }, 'k')),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), ...Array(10).fill(409)])
    expect(await payoutEventsOf(trader)).toHaveLength(1)
  })

  it("belongs to its trader: another's equal key is independent", async () => {
    const [one, two] = [await eligibleTrader(portal, admin), await eligibleTrader(portal, admin)]
    const answers = [await ask(one, {}, 'shared'), await ask(two, { amount: '7.00' }, 'shared')]
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect((await payoutEventsOf(one)).length + (await payoutEventsOf(two)).length).toBe(2)
  })

  it('of a refused request can be used again', async () => {
    const trader = await portal.trader()
    expect((await ask(trader, {}, 'k')).status).toBe(403)
    await admin.patch(`/api/admin/user/${trader.id}/account`, { payoutEnabled: true })
    expect((await ask(trader, { amount: '' }, 'k')).status).toBe(400)
    expect((await ask(trader, { amount: '5' }, 'k')).status).toBe(201)
  })

  it('must be 1 to 200 printable ASCII characters', async () => {
    const trader = await eligibleTrader(portal, admin)
    for (const key of ['', 'x'.repeat(201), 'é']) expect((await ask(trader, {}, key)).status, key).toBe(400)
    expect(await payoutEventsOf(trader)).toEqual([])
  })

  it('is remembered with its answer after a restart', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-restart-'))
    try {
      const before = await openPortal({ dataDir })
      const trader = await eligibleTrader(before, await before.admin())
      const first = await ask(trader, {}, 'before')
      await before.stop()

      const later = await openPortal({ dataDir })
      const again = later.browser()
      for (const [name, value] of trader.cookies) again.cookies.set(name, value)
      const answer = await ask(again, {}, 'before')
      expect([answer.status, answer.text]).toEqual([201, first.text])
      expect((await ask(again, { amount: '9.00' }, 'before')).status).toBe(409)
      expect(await payoutEventsOf(trader, later)).toHaveLength(1)
      expect((await again.get('/api/user/payouts')).body).toMatchObject([first.body])
      await later.stop()
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})

describe('a verdict', () => {
  it('approves a payout and records who decided', async () => {
    const trader = await eligibleTrader(portal, admin)
    const [plain, noted] = [await requested(trader), await requested(trader, { amount: '10.50' })]
    expect(await decide(plain, 'approved')).toMatchObject({ status: 200, body: {} })
    const answer = await decide(noted, 'approved', 'Well traded')
    expect(answer.status).toBe(200)
    expect(await shown(trader, plain, answer)).toMatchObject({
      status: 'approved',
      adminNotes: null,
      decidedAt: expect.any(String),
    })
    expect(await shown(trader, noted, answer)).toMatchObject({ status: 'approved', adminNotes: 'Well traded' })
    expect((await payoutEventsOf(trader)).at(-1)).toMatchObject({
      type: 'PayoutApproved',
      data: { payoutId: noted, from: 'pending', amount: 1_050, notes: 'Well traded' },
      metadata: { actor: { kind: 'admin', label: 'ADMIN_ACCESS_KEY' }, requestId: answer.headers.get('x-request-id') },
    })
  })

  it.each([undefined, '', '  ', '\n\t'])('that rejects with the notes %j is refused', async (notes) => {
    const trader = await eligibleTrader(portal, admin)
    const id = await requested(trader)
    expect(await decide(id, 'rejected', notes)).toMatchObject({
      status: 400,
      body: { errors: { adminNotes: expect.any(String) } },
    })
    expect(await payoutEventsOf(trader)).toHaveLength(1)
  })

  it.each(['pending', 'paid', '', undefined, null, 'Approved'])(
    'of the unknown status %j is refused',
    async (status) => {
      const trader = await eligibleTrader(portal, admin)
      const id = await requested(trader)
      const answer = await admin.patch(`/api/admin/payouts/${id}`, { status, adminNotes: 'Notes' })
      expect(answer).toMatchObject({ status: 400, body: { errors: { status: expect.any(String) } } })
      expect(await payoutEventsOf(trader)).toHaveLength(1)
    },
  )

  it('repeated is a conflict and recorded once', async () => {
    const trader = await eligibleTrader(portal, admin)
    for (const verdict of ['approved', 'rejected'] as const) {
      const id = await requested(trader)
      expect((await decide(id, verdict, 'Notes')).status).toBe(200)
      expect((await decide(id, verdict, 'Other notes')).status).toBe(409)
      expect(
        (await payoutEventsOf(trader)).filter(
          ({ type, data }) => (type === 'PayoutApproved' || type === 'PayoutRejected') && data.payoutId === id,
        ),
      ).toHaveLength(1)
    }
  })

  it('can be reversed in both directions', async () => {
    const trader = await eligibleTrader(portal, admin)
    const id = await requested(trader)
    for (const verdict of ['rejected', 'approved', 'rejected', 'approved'] as const) {
      const answer = await decide(id, verdict, `now ${verdict}`)
      expect(answer.status).toBe(200)
      expect(await shown(trader, id, answer)).toMatchObject({ status: verdict, adminNotes: `now ${verdict}` })
    }
    const froms = (await payoutEventsOf(trader)).flatMap(({ type, data }) =>
      type === 'PayoutApproved' || type === 'PayoutRejected' ? [data.from] : [],
    )
    expect(froms).toEqual(['pending', 'rejected', 'approved', 'rejected'])
  })

  it('repeated forty times at once takes effect exactly once', async () => {
    const trader = await eligibleTrader(portal, admin)
    const id = await requested(trader)
    const statuses = (await Promise.all(Array.from({ length: 40 }, () => decide(id, 'approved')))).map(
      ({ status }) => status,
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(39)
    expect((await payoutEventsOf(trader)).map(({ type }) => type)).toEqual(['PayoutRequested', 'PayoutApproved'])
  })

  it('is possible after payouts were disabled', async () => {
    const trader = await eligibleTrader(portal, admin)
    const id = await requested(trader)
    await admin.patch(`/api/admin/user/${trader.id}/account`, { payoutEnabled: false })
    expect((await decide(id, 'approved')).status).toBe(200)
  })

  it('on an unknown payout is answered 404', async () => {
    const { id } = await eligibleTrader(portal, admin)
    for (const unknown of [
      `${id}-a1-p1`,
      `${id}-a1-p0`,
      id,
      'nobody00-a1-p1',
      'x',
      `${id}-a1-c1`,
      '%2e%2e',
      `${id}-a1-p1'`,
    ])
      expect((await decide(unknown, 'approved')).status, unknown).toBe(404)
    expect(await payoutEventsOf({ id })).toEqual([])
  })

  it('is for administrators only', async () => {
    const trader = await eligibleTrader(portal, admin)
    const id = await requested(trader)
    const verdict = { status: 'approved' }
    expect((await trader.patch(`/api/admin/payouts/${id}`, verdict)).status).toBe(401)
    expect((await portal.browser().patch(`/api/admin/payouts/${id}`, verdict)).status).toBe(401)
    expect((await (await portal.auditor()).patch(`/api/admin/payouts/${id}`, verdict)).status).toBe(403)
    expect(await payoutEventsOf(trader)).toHaveLength(1)
  })

  it('is mailed to its trader exactly once, with amount and notes', async () => {
    const trader = await eligibleTrader(portal, admin, { fullName: 'Grace <b>Hopper</b>' })
    const id = await requested(trader, { amount: '1234.50', paymentMethod: 'paypal' })
    await decide(id, 'rejected', 'Please <verify> & ask again')
    await decide(id, 'approved')
    expect((await decide(id, 'approved')).status).toBe(409)
    await portal.mailed()
    const mails = (await portal.mails(trader.email)).filter(({ subject }) => subject?.startsWith('Your payout'))
    expect(mails.map(({ subject }) => subject).sort()).toEqual([
      'Your payout of $1,234.50 was approved',
      'Your payout of $1,234.50 was rejected',
    ])
    for (const { text = '', html = '', to } of mails) {
      expect(to?.map(({ address }) => address)).toEqual([trader.email])
      for (const part of [text, html]) for (const said of ['$1,234.50', id, 'PayPal']) expect(part).toContain(said)
      expect(text).toContain('Grace <b>Hopper</b>')
      expect(html).not.toContain('<b>Hopper')
      expect(text).toContain(`/payouts?account=${trader.id}-a1`)
    }
    const rejection = mails.find(({ subject }) => subject?.endsWith('rejected'))
    expect(rejection?.text).toContain('Please <verify> & ask again')
    expect(rejection?.html).toContain('Please &lt;verify&gt; &amp; ask again')
    expect((await portal.running.parts.outbox.counts()).failed).toBe(0)
  })
})

describe('a verdict that names the state it was based on', () => {
  const based = (who: Browser, id: string, status: string, seen: string) =>
    who.patch(
      `/api/admin/payouts/${id}`,
      { status, adminNotes: 'Why not' },
      { headers: { 'x-proofdesk-based-on': seen } },
    )
  const decidedAt = async (trader: Trader, id: string, change: Answer) =>
    (await shown(trader, id, change))?.decidedAt ?? 'undecided'

  it('overrules no verdict that its administrator has not seen: 409 says whose and when', async () => {
    const trader = await eligibleTrader(portal, admin)
    const id = await requested(trader)
    const [first, second] = [
      await based(admin, id, 'approved', 'undecided'),
      await based(await portal.admin(), id, 'rejected', 'undecided'),
    ]
    expect([first.status, second.status]).toEqual([200, 409])
    expect(second.body).toEqual({
      message: expect.stringMatching(
        /^ADMIN_ACCESS_KEY approved this payout on \d{4}-\d\d-\d\d at \d\d:\d\d UTC\. Look at it again before you decide\.$/,
      ),
    })
    // Having seen it, the second may overrule it.
    expect((await based(admin, id, 'rejected', await decidedAt(trader, id, first))).status).toBe(200)
    expect(await payoutEventsOf(trader)).toMatchObject([{}, { type: 'PayoutApproved' }, { type: 'PayoutRejected' }])
  })

  it('is refused too when the status is the same again', async () => {
    const trader = await eligibleTrader(portal, admin)
    const id = await requested(trader)
    const rejected = await based(admin, id, 'rejected', 'undecided')
    const seen = await decidedAt(trader, id, rejected)
    await decide(id, 'approved')
    await decide(id, 'rejected', 'Again')
    expect((await based(admin, id, 'approved', seen)).status).toBe(409)
  })

  it('lets one of many contradicting verdicts on one state through', async () => {
    const trader = await eligibleTrader(portal, admin)
    const id = await requested(trader)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => based(admin, id, n % 2 ? 'approved' : 'rejected', 'undecided')),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
    expect(await payoutEventsOf(trader)).toHaveLength(2)
  })

  it('needs a state that could be one, and a payout', async () => {
    const trader = await eligibleTrader(portal, admin)
    expect((await based(admin, await requested(trader), 'approved', 'yesterday')).status).toBe(400)
    expect((await based(admin, `${trader.id}-a1-p99`, 'approved', 'undecided')).status).toBe(404)
  })
})
