import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { type Member, openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { Case } from '../case-api.ts'

const OWN = '/api/user/cases'
const STAFF = '/api/admin/cases'
const TEXT = 'This payout follows from the terms of my account.'

let portal: Portal
let admin: Browser
let support: Member

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
  support = await portal.member('support')
})
afterAll(() => portal.stop())

const accountOf = ({ id }: Pick<Trader, 'id'>) => `${id}-a1`

/** A trader with a payout that the administrator rejected. */
async function rejected(): Promise<{ readonly trader: Trader; readonly payout: string }> {
  const trader = await eligibleTrader(portal, admin)
  const request = { amount: '100.00', paymentMethod: 'paypal', paymentDetails: trader.email }
  const { id } = read(Payout, await trader.post('/api/user/payouts', request))
  await admin.patch(`/api/admin/payouts/${id}`, { status: 'rejected', adminNotes: 'Not now' })
  return { trader, payout: id }
}

const objectTo = (trader: Trader, about: object, text = TEXT) =>
  trader.post(OWN, { account: accountOf(trader), about, text })

async function opened(): Promise<{ readonly trader: Trader; readonly payout: string; readonly id: string }> {
  const { trader, payout } = await rejected()
  return { trader, payout, id: read(Case, await objectTo(trader, { payout })).id }
}

const eventsOf = async (trader: Trader) =>
  (await portal.events(`account-${accountOf(trader)}`)).filter(({ type }) => type.startsWith('Case'))

describe('an objection', () => {
  it('is a case with its subject and deadline, in the stream of the account', async () => {
    const { trader, payout } = await rejected()
    const answer = await objectTo(trader, { payout })
    expect(answer.status).toBe(201)
    const found = read(Case, answer)
    expect(found).toMatchObject({
      ...{ account: accountOf(trader), about: { payout }, state: 'open', overdue: false, text: TEXT, decision: null },
      subject: { kind: 'rejection', payout, notes: 'Not now' },
      ...{ messages: [], files: [] },
    })
    expect(Date.parse(found.answerBy ?? '') - Date.parse(found.createdAt)).toBeLessThanOrEqual(72 * 3_600_000)
    expect(await eventsOf(trader)).toMatchObject([{ type: 'CaseOpened', data: { case: found.id, about: { payout } } }])
    expect(read(Case.array(), await trader.get(OWN, after(answer)))).toEqual([found])
    expect(read(Case, await trader.get(`${OWN}/${found.id}`, after(answer)))).toEqual(found)
  })

  it('names the entry as well as the payout, and is refused for what is no decision of the account', async () => {
    const { trader, payout } = await rejected()
    const log = await portal.events(`account-${accountOf(trader)}`)
    const entry = log.find(({ type }) => type === 'PayoutRejected')
    const other = log.find(({ type }) => type === 'PayoutRequested')
    expect((await objectTo(trader, { event: Number(other?.position) })).status).toBe(409)
    expect((await objectTo(trader, { event: 999_999_999 })).status).toBe(409)
    const byEntry = read(Case, await objectTo(trader, { event: Number(entry?.position) }))
    expect(byEntry).toMatchObject({ about: { event: Number(entry?.position) }, subject: { payout } })
    const second = await objectTo(trader, { payout })
    expect(second).toMatchObject({ status: 409, body: { id: byEntry.id } })
  })

  it('is of its trader alone: another is answered as for none', async () => {
    const { trader, payout, id } = await opened()
    const other = await portal.trader()
    for (const answer of [
      await other.get(`${OWN}/${id}`),
      await other.post(`${OWN}/${id}/messages`, { text: 'Hello' }),
      await other.post(`${OWN}/${id}/withdraw`),
      await other.post(OWN, { account: accountOf(trader), about: { payout }, text: TEXT }),
      await other.get(`${OWN}/nobody0000000000-a1-q1`),
    ])
      expect(answer.status).toBe(404)
  })

  it('is refused by the path of what is wrong', async () => {
    const { trader, payout } = await rejected()
    const faults = async (body: object) => (await trader.post(OWN, { account: accountOf(trader), ...body })).body
    expect(await faults({ about: { payout }, text: 'Too short' })).toMatchObject({
      errors: { text: 'Please write at least 20 characters' },
    })
    expect(await faults({ about: { payout }, text: 'x'.repeat(5_001) })).toMatchObject({
      errors: { text: 'Must be at most 5000 characters' },
    })
    for (const about of [{}, { payout, event: 1 }, { event: 'a' }, 'payout'])
      expect(await faults({ about, text: TEXT })).toMatchObject({ errors: { about: expect.any(String) } })
    expect(await eventsOf(trader)).toEqual([])
  })
})

describe('a case', () => {
  it('is answered by staff and written in by its trader, until it is withdrawn', async () => {
    const { trader, id } = await opened()
    const answered = await support.post(`${STAFF}/${id}/messages`, { text: 'Which trade do you mean?' })
    expect(answered).toMatchObject({ status: 201, body: { state: 'answered', answerBy: null } })
    const written = await trader.post(`${OWN}/${id}/messages`, { text: 'The one of Monday.' })
    expect(read(Case, written)).toMatchObject({
      state: 'open',
      messages: [
        { from: 'staff', text: 'Which trade do you mean?' },
        { from: 'trader', text: 'The one of Monday.' },
      ],
    })
    expect(await trader.post(`${OWN}/${id}/withdraw`)).toMatchObject({ status: 200, body: { state: 'withdrawn' } })
    expect((await support.post(`${STAFF}/${id}/messages`, { text: 'Hello' })).status).toBe(409)
    expect((await trader.post(`${OWN}/${id}/withdraw`)).status).toBe(409)
  })

  it('is in the queue of staff: the earliest deadline first, then those without, newest first', async () => {
    const [first, second, third] = [await opened(), await opened(), await opened()]
    const answer = await support.post(`${STAFF}/${first.id}/messages`, { text: 'We look at it.' })
    const ids = read(Case.array(), await admin.get(STAFF, after(answer))).map(({ id }) => id)
    const places = [second, third, first].map(({ id }) => ids.indexOf(id))
    expect(places).toEqual([...places].toSorted((one, other) => one - other))
    const open = read(Case.array(), await admin.get(`${STAFF}?state=open`, after(answer)))
    expect(open.every(({ state }) => state === 'open')).toBe(true)
    expect(read(Case.array(), await admin.get(`${STAFF}?overdue=true`, after(answer)))).toEqual([])
    expect((await admin.get(`${STAFF}?about=record`)).status).toBe(400)
    expect((await (await portal.auditor()).get(`${STAFF}/${first.id}`)).status).toBe(200)
  })

  it('is upheld by another member than the one who decided', async () => {
    const { trader, id } = await opened()
    const verdict = { outcome: 'upheld', text: 'The rule is clear.' }
    expect(await admin.post(`${STAFF}/${id}/decision`, verdict)).toMatchObject({ status: 409 })
    expect((await (await portal.member('payouts')).post(`${STAFF}/${id}/decision`, verdict)).status).toBe(403)
    const decided = await (await portal.member('admin')).post(`${STAFF}/${id}/decision`, verdict)
    expect(read(Case, decided)).toMatchObject({
      ...{ state: 'decided', answerBy: null },
      decision: { outcome: 'upheld', text: 'The rule is clear.', change: null, events: [] },
    })
    expect((await eventsOf(trader)).map(({ type }) => type)).toEqual(['CaseOpened', 'CaseDecided'])
  })

  it('changes a rejection in the same append, by who may decide payouts, once of forty at once', async () => {
    const { trader, payout, id } = await opened()
    const verdict = { outcome: 'changed', text: 'It follows.', change: { payout: 'approved' } }
    expect((await support.post(`${STAFF}/${id}/decision`, verdict)).status).toBe(403)
    const judge = await portal.member('admin')
    const answers = await Promise.all(Array.from({ length: 40 }, () => judge.post(`${STAFF}/${id}/decision`, verdict)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(39)
    const log = await portal.events(`account-${accountOf(trader)}`)
    const approval = log.find(({ type }) => type === 'PayoutApproved')
    const record = log.find(({ type }) => type === 'CaseDecided')
    expect(record && approval && record.revision - approval.revision).toBe(1)
    const [decided] = answers.filter(({ status }) => status === 200)
    expect(decided && read(Case, decided).decision).toMatchObject({
      ...{ outcome: 'changed', change: { payout: 'approved' }, events: [Number(approval?.position)] },
    })
    expect(read(Payout.array(), await trader.get('/api/user/payouts', await portal.atEnd()))).toMatchObject([
      { id: payout, status: 'approved' },
    ])
  })

  it('names what was done since the opening, and does it not again', async () => {
    const { payout, id, trader } = await opened()
    await (await portal.member('admin')).patch(`/api/admin/payouts/${payout}`, { status: 'approved', adminNotes: '' })
    const verdict = { outcome: 'changed', text: 'It was approved.', change: { payout: 'approved' } }
    const decided = await (await portal.member('admin')).post(`${STAFF}/${id}/decision`, verdict)
    const approvals = (await portal.events(`account-${accountOf(trader)}`)).filter(
      ({ type }) => type === 'PayoutApproved',
    )
    expect(read(Case, decided).decision?.events).toEqual(approvals.map(({ position }) => Number(position)))
    expect(approvals).toHaveLength(1)
  })

  it('has up to five files, which only its trader, who decides and auditors get, as attachments', async () => {
    const { trader, id } = await opened()
    const send = (content: string | Uint8Array<ArrayBuffer>, name: string, type: string) => {
      const form = new FormData()
      form.append('caseFile', new Blob([content], { type }), name)
      return trader.send('POST', `${OWN}/${id}/files`, form)
    }
    const sent = await send('a;b\n1;2', '../Trades é.csv', 'text/csv')
    expect(sent).toMatchObject({ status: 201, body: { id: '1', name: 'Trades é.csv', type: 'text/csv', size: 7 } })
    expect((await send('a;b', 'trades.pdf', 'application/pdf')).body).toMatchObject({
      errors: { caseFile: 'Only PDF, PNG, JPEG, HTML and CSV files are accepted' },
    })
    expect((await send('', 'empty.csv', 'text/csv')).status).toBe(400)
    expect((await send(Buffer.alloc(5 * 2 ** 20 + 1, 'a'), 'large.csv', 'text/csv')).status).toBe(413)
    expect((await send(Buffer.alloc(5 * 2 ** 20, 'a'), 'large.csv', 'text/csv')).status).toBe(201)
    for (const path of [`${OWN}/${id}/files/1`]) {
      const got = await trader.get(path)
      expect(got.text).toBe('a;b\n1;2')
      expect(got.headers.get('content-disposition')).toMatch(/^attachment/)
      expect(got.headers.get('x-content-type-options')).toBe('nosniff')
    }
    expect((await (await portal.trader()).get(`${OWN}/${id}/files/1`)).status).toBe(404)
    expect((await support.get(`${STAFF}/${id}/files/1`)).status).toBe(200)
    expect((await (await portal.auditor()).get(`${STAFF}/${id}/files/1`)).status).toBe(200)
    expect((await (await portal.member('payouts')).get(`${STAFF}/${id}/files/1`)).status).toBe(403)
    expect((await trader.get(`${OWN}/${id}/files/9`)).status).toBe(404)
    // Nobody reads them in the store.
    const kept = await portal.files()
    expect(kept.filter((key) => key.startsWith(`cases/${trader.id}/`))).toHaveLength(2)
    for (let n = 3; n <= 5; n++) expect((await send(`a;${n}`, 'more.csv', 'text/csv')).status).toBe(201)
    expect((await send('a;6', 'more.csv', 'text/csv')).status).toBe(409)
    const deleted = await admin.delete(`/api/admin/user/${trader.id}`)
    expect((await admin.get(`${STAFF}/${id}/files/1`, after(deleted))).status).toBe(404)
    expect((await portal.files()).filter((key) => key.startsWith(`cases/${trader.id}/`))).toEqual([])
  })

  it('is withdrawn and erased with its trader', async () => {
    const { trader, id } = await opened()
    await support.post(`${STAFF}/${id}/messages`, { text: 'We look at it.' })
    const deleted = await admin.delete(`/api/admin/user/${trader.id}`)
    const left = read(Case, await admin.get(`${STAFF}/${id}`, after(deleted)))
    expect(left).toMatchObject({ state: 'withdrawn', text: 'erased', messages: [{ text: 'erased' }] })
  })
})
