import { UserDetails } from '#services/trading/traders/trader-api.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { DraftedVersion } from '#services/programmes/programmes/programme-api.ts'
import { hashedTerms } from '#services/programmes/programmes/server/terms-hash.ts'
import { after, programOf, read, tryDraft } from '#test-support/http-calls.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { tokenOf } from '#test-support/mail-links.ts'
import { newEmail, openPortal, type Portal } from '#test-support/portal.ts'
import { EnrolmentOfOrder } from '../order-api.ts'

const PROGRAMME = 'two-step-100000'
const { hash } = hashedTerms(presetTerms('two-step', 100_000))

let portal: Portal
let admin: Browser
let shop: Browser
let orders = 0

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
  shop = await programOf(portal, admin, { name: 'Shop', scopes: ['enrolments'] })
})
afterAll(() => portal.stop())

const newOrder = (given: object = {}) => ({
  order: `A-${++orders}`,
  email: newEmail(),
  fullName: 'Grace Hopper',
  programme: PROGRAMME,
  ...given,
})
const send = (order: object): Promise<Answer> => shop.post('/api/enrolments', order)
const typesOf = async (stream: string) => (await portal.events(stream)).map(({ type }) => type)
const enrolmentsOf = async (id: string) =>
  (await portal.events(`user-${id}`)).filter(({ type }) => type === 'TraderEnrolled')

describe('an order', () => {
  it('takes every address that mail can be sent to, in its own spelling or the one of the network', async () => {
    const name = `smith&jones-${++orders}`
    const order = newOrder({ email: `${name}@bücher.example` })
    const first = await send(order)
    expect(first.status).toBe(201)
    const other = await send(newOrder({ email: `${name.toUpperCase()}@xn--bcher-kva.example` }))
    expect(other).toMatchObject({ status: 201, body: { userId: read(EnrolmentOfOrder, first).userId } })
    expect(await send(order)).toMatchObject({ status: 200, body: first.body })
    expect(await portal.mailsTo(`${name}@xn--bcher-kva.example`, 1)).not.toEqual([])
    for (const email of ['a@b.example\r\nBcc: c@d.example', 'a b@bücher.example', 'a@bücher.example:25'])
      expect((await send(newOrder({ email }))).status).toBe(400)
  })

  it.each([
    ['in other letter case', (name: string) => name.toLowerCase()],
    ['in wide characters', (name: string) => name.replace('A', '\uff21')],
    ['with another sign of the same look', (name: string) => name.replace('1', '\u00b9')],
  ])('is the same one %s', async (_, rename) => {
    const order = newOrder({ order: `A-1-${++orders}` })
    const first = await send(order)
    const again = await send({ ...order, order: rename(order.order) })
    expect([first.status, again.status]).toEqual([201, 200])
    expect(read(EnrolmentOfOrder, again).userId).toBe(read(EnrolmentOfOrder, first).userId)
    expect((await send({ ...order, order: rename(order.order), fullName: 'Another' })).status).toBe(409)
  })

  it('creates the buyer, who gets a link by mail, and enrols them', async () => {
    const order = newOrder()
    const answer = await send(order)
    expect(answer.status).toBe(201)
    const { userId, ...enrolment } = read(EnrolmentOfOrder, answer)
    expect(enrolment).toEqual({
      ...{ id: `${userId}-e1`, order: order.order, programme: PROGRAMME, version: 1, hash },
      accounts: [{ stage: 0, account: `${userId}-a1` }],
    })
    expect(await typesOf(`user-${userId}`)).toEqual([
      'UserCreated',
      'AccountAssigned',
      'TraderEnrolled',
      'OrderNumberRecorded',
    ])
    expect(await typesOf(`account-${userId}-a1`)).toEqual(['AccountOpened', 'BalanceChanged', 'StageBegun'])
    const details = read(UserDetails, await admin.get(`/api/admin/user/${userId}`, after(answer)))
    expect(details).toMatchObject({
      fullName: 'Grace Hopper',
      email: order.email,
      enrolments: [{ id: `${userId}-e1`, accepted: null }],
    })
    const mail = await portal.mailWith(order.email, ({ text }) => text?.includes('reset-password') ?? false)
    const buyer = portal.browser()
    const chosen = await buyer.post('/api/reset-password', { token: tokenOf(mail), password: 'correct horse' })
    expect(chosen.status).toBe(200)
  })

  it('answers the same again with 200, also after a newer version, and enrols once', async () => {
    const terms = { ...presetTerms('two-step', 100_000), name: 'Orders' }
    const draft = read(DraftedVersion, await admin.post('/api/admin/programmes', { terms }))
    const publish = async (version: number, seen: string) => {
      const path = `/api/admin/programmes/${draft.id}/versions/${version}`
      await tryDraft(admin, path)
      expect((await admin.post(`${path}/publish`, { hash: seen })).status).toBe(200)
    }
    await publish(1, draft.hash)
    const order = newOrder({ programme: draft.id })
    const first = await send(order)
    expect(first.status).toBe(201)
    const next = await admin.post(`/api/admin/programmes/${draft.id}/versions`, { terms: { ...terms, name: 'Later' } })
    await publish(2, read(DraftedVersion, next).hash)
    for (const again of [order, { ...order, email: order.email.toUpperCase() }]) {
      const repeated = await send(again)
      expect([repeated.status, repeated.body]).toEqual([200, first.body])
    }
    expect(await enrolmentsOf(read(EnrolmentOfOrder, first).userId)).toHaveLength(1)
    expect(read(EnrolmentOfOrder, await send(newOrder({ programme: draft.id }))).version).toBe(2)
  })

  it('with other content is refused', async () => {
    const order = newOrder()
    const { userId } = read(EnrolmentOfOrder, await send(order))
    for (const other of [
      { email: newEmail() },
      { fullName: 'Grace B. Hopper' },
      { programme: 'one-step-5000' },
      { programme: 'no-such' },
      { accepted: { hash, at: '2026-01-01T00:00:00Z' } },
    ])
      expect((await send({ ...order, ...other })).status, JSON.stringify(other)).toBe(409)
    expect(await enrolmentsOf(userId)).toHaveLength(1)
  })

  it('finds a known user by the email without regard to case, and leaves the name', async () => {
    const trader = await portal.trader()
    const answer = await send(newOrder({ email: trader.email.toUpperCase(), fullName: 'Another Name' }))
    expect(read(EnrolmentOfOrder, answer)).toMatchObject({ userId: trader.id, id: `${trader.id}-e1` })
    const second = await send(newOrder({ email: trader.email }))
    expect(read(EnrolmentOfOrder, second)).toMatchObject({
      id: `${trader.id}-e2`,
      accounts: [{ stage: 0, account: `${trader.id}-a2` }],
    })
    const user = await admin.get(`/api/admin/user/${trader.id}`, after(second))
    expect(read(UserDetails, user)).toMatchObject({ fullName: 'Ada Lovelace', email: trader.email })
  })

  it('keeps what its buyer accepted, and refuses other terms', async () => {
    const accepted = { hash, at: '2026-03-01T10:00:00+01:00' }
    const answer = await send(newOrder({ accepted }))
    const { userId } = read(EnrolmentOfOrder, answer)
    expect((await enrolmentsOf(userId))[0]?.data).toMatchObject({
      accepted: { hash, at: Date.parse(accepted.at) },
    })
    expect((await send(newOrder({ accepted: { ...accepted, hash: 'f'.repeat(64) } }))).status).toBe(409)
    const before = (await portal.events()).length
    for (const bad of [
      { ...accepted, at: '2026-03-01' },
      { ...accepted, hash: 'x' },
      { hash },
      { ...accepted, at: new Date(Date.now() + 3_600_000).toISOString() },
    ])
      expect((await send(newOrder({ accepted: bad }))).status, JSON.stringify(bad)).toBe(400)
    expect((await portal.events()).length).toBe(before)
  })

  it('is refused without a programme on offer, and with a faulty body', async () => {
    expect(await send(newOrder({ programme: 'no-such' }))).toMatchObject({
      status: 400,
      body: { errors: { programme: 'There is no such programme' } },
    })
    const before = (await portal.events()).length
    const { errors } = (await send({})).body as { errors: Record<string, string> }
    expect(Object.keys(errors).toSorted()).toEqual(['email', 'fullName', 'order', 'programme'])
    expect((await portal.events()).length).toBe(before)
  })

  it('of a deleted trader is refused', async () => {
    const order = newOrder()
    const { userId } = read(EnrolmentOfOrder, await send(order))
    expect((await admin.delete(`/api/admin/user/${userId}`)).status).toBe(200)
    expect(await send(order)).toMatchObject({
      status: 409,
      body: { errors: { order: 'The trader of this order was deleted' } },
    })
    // The email is free: another order makes another user.
    expect(read(EnrolmentOfOrder, await send(newOrder({ email: order.email }))).userId).not.toBe(userId)
  })

  it('enrols once, however many of the same come at once', async () => {
    const order = newOrder()
    const answers = await Promise.all(Array.from({ length: 40 }, () => send(order)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 200)).toHaveLength(39)
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const [first] = answers
    if (!first) throw new Error('There are forty')
    const { userId } = read(EnrolmentOfOrder, first)
    expect(await typesOf(`user-${userId}`)).toEqual([
      'UserCreated',
      'AccountAssigned',
      'TraderEnrolled',
      'OrderNumberRecorded',
    ])
    expect(await typesOf(`account-${userId}-a1`)).toEqual(['AccountOpened', 'BalanceChanged', 'StageBegun'])
  })

  it('of one new buyer is one of several at once: all enrol the same user', async () => {
    const email = newEmail()
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(newOrder({ email }))))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201))
    const enrolments = answers.map((answer) => read(EnrolmentOfOrder, answer))
    expect(new Set(enrolments.map(({ userId }) => userId)).size).toBe(1)
    expect(new Set(enrolments.flatMap(({ accounts }) => accounts.map(({ account }) => account))).size).toBe(8)
    await portal.mailed()
    const subjects = (await portal.mails(email)).map(({ subject }) => subject ?? '')
    expect(subjects.filter((subject) => subject.startsWith('You are enrolled in '))).toHaveLength(8)
    expect(subjects).toHaveLength(9)
  })
})
