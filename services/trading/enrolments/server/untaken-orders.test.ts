import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limits } from '#services/framework/http/limits.ts'
import { Task } from '#services/trading/accounts/task-api.ts'
import { ListedUser, UserDetails } from '#services/trading/traders/trader-api.ts'
import { programOf, read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { newEmail, openPortal, type Portal } from '#test-support/portal.ts'
import { EnrolmentOfOrder } from '../order-api.ts'

const RETIRED = 'one-step-5000'

let portal: Portal
let admin: Browser
let shop: Browser
let orders = 0

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
  shop = await programOf(portal, admin, { name: 'Shop', scopes: ['enrolments'] })
  expect((await admin.post(`/api/admin/programmes/${RETIRED}/versions/1/retire`)).status).toBe(200)
})
afterAll(() => portal.stop())

const newOrder = (given: object = {}) => ({
  order: `WC-${2_000 + ++orders}`,
  email: newEmail(),
  fullName: 'Grace Hopper',
  programme: RETIRED,
  ...given,
})
const send = (order: object) => shop.post('/api/enrolments', order)
const tasksOf = async (search: string) =>
  read(Task.array(), await admin.get(`/api/admin/tasks?search=${encodeURIComponent(search)}`, await portal.atEnd()))
const waiting = async () =>
  read(Task.array(), await admin.get('/api/admin/tasks?kind=order-not-taken&limit=200', await portal.atEnd()))
const only = async (search: string) => {
  const [task, ...more] = await tasksOf(search)
  if (!task?.order || more.length > 0) throw new Error(`There are ${more.length} more tasks than one`)
  return { ...task, order: task.order, path: `/api/admin/orders/${task.order.id}` }
}
const typesAbout = async (id: string) => (await portal.events(`untakenorder-${id}`)).map(({ type }) => type)

describe('an order that cannot be taken', () => {
  it.each([
    ['of a retired programme', 409, 'retired', {}],
    ['of an unknown programme', 400, 'unknown-programme', { programme: 'no-such' }],
    [
      'with other accepted terms',
      409,
      'other-terms',
      { programme: 'one-step-10000', accepted: { hash: 'f'.repeat(64), at: '2026-01-01T00:00:00Z' } },
    ],
    ['with an email that no mail reaches', 400, 'refused-email', { email: 'grace at example' }],
  ])('%s is a task, once, until it is settled', async (_, status, reason, given) => {
    const order = newOrder(given)
    expect((await send(order)).status).toBe(status)
    const before = (await portal.events()).length
    expect((await send({ ...order, order: order.order.toLowerCase() })).status).toBe(status)
    expect((await portal.events()).length).toBe(before)
    const task = await only(order.order)
    expect(task).toMatchObject({
      ...{ kind: 'order-not-taken', account: null, userId: null, userName: 'Grace Hopper', programme: order.programme },
      order: { number: order.order, email: order.email, reason, settled: null },
    })
    expect((await waiting()).map(({ id }) => id)).toContain(task.id)
    expect((await only(order.email.includes('@') ? order.email.toUpperCase() : order.order)).id).toBe(task.id)
    const dismissed = await admin.post(`${task.path}/dismissal`, { reason: 'Refunded' })
    expect(dismissed.status).toBe(200)
    expect((await waiting()).map(({ id }) => id)).not.toContain(task.id)
    // What is known of the buyer ends with it; the number still finds it.
    expect(await only(order.order)).toMatchObject({
      ...{ userName: 'erased' },
      order: { number: 'erased', email: 'erased', settled: { how: 'dismissed', reason: 'Refunded' } },
    })
    expect(await portal.events(`untakenorder-${task.order.id}`)).toMatchObject([
      { type: 'OrderNotTaken', data: { orderNumber: 'erased', email: 'erased', fullName: 'erased' } },
      { type: 'OrderSettled' },
    ])
    expect((await admin.post(`${task.path}/dismissal`, { reason: 'Again' })).status).toBe(409)
    // The same again is known; another reason is a new task, with the buyer's details.
    expect((await send(order)).status).toBe(status)
    expect(await tasksOf(order.order)).toHaveLength(1)
    expect((await send({ ...order, programme: 'other-one', email: newEmail(), accepted: undefined })).status).toBe(400)
    expect((await tasksOf(order.order)).map(({ order: each }) => each?.settled === null)).toEqual([false, true])
  })

  it('is enrolled by staff in another programme, under its own number', async () => {
    const order = newOrder()
    await send(order)
    const task = await only(order.order)
    expect((await admin.post(`${task.path}/enrolment`, { programme: RETIRED })).status).toBe(409)
    const support = await portal.member('support')
    expect((await support.post(`${task.path}/enrolment`, { programme: 'one-step-10000' })).status).toBe(200)
    expect((await only(order.order)).order.settled).toMatchObject({ how: 'enrolled' })
    const found = read(
      ListedUser.array(),
      await admin.get(`/api/admin/users?search=${order.order}`, await portal.atEnd()),
    )
    expect(found).toMatchObject([{ email: order.email, fullName: 'Grace Hopper' }])
    const [user] = found
    const details = read(UserDetails, await admin.get(`/api/admin/user/${user?.id}`))
    expect(details.enrolments).toMatchObject([{ programme: 'one-step-10000', order: order.order }])
    // The shop that sends it again gets the enrolment.
    expect(await send(order)).toMatchObject({ status: 200, body: { userId: user?.id, programme: 'one-step-10000' } })
    expect(await waiting()).not.toContainEqual(expect.objectContaining({ id: task.id }))
  })

  it('is no task any more once the shop sends it again and it is taken', async () => {
    const order = newOrder()
    await send(order)
    const task = await only(order.order)
    const taken = await send({ ...order, programme: 'one-step-25000' })
    expect(taken.status).toBe(201)
    expect((await only(order.order)).order.settled).toMatchObject({ how: 'taken', reason: null })
    expect(await typesAbout(task.order.id)).toEqual(['OrderNotTaken', 'OrderSettled'])
    const { userId } = read(EnrolmentOfOrder, taken)
    const details = read(UserDetails, await admin.get(`/api/admin/user/${userId}`, await portal.atEnd()))
    expect(details.enrolments).toMatchObject([{ order: order.order }])
  })

  it('of a deleted trader is enrolled as a new user, found by the email', async () => {
    const order = newOrder({ programme: 'one-step-50000' })
    const { userId } = read(EnrolmentOfOrder, await send(order))
    expect((await admin.delete(`/api/admin/user/${userId}`)).status).toBe(200)
    expect((await send(order)).status).toBe(409)
    const task = await only(order.email)
    expect(task.order).toMatchObject({ number: order.order, reason: 'trader-deleted' })
    expect((await admin.post(`${task.path}/enrolment`, { programme: 'one-step-50000' })).status).toBe(200)
    const found = read(
      ListedUser.array(),
      await admin.get(`/api/admin/users?search=${order.order}`, await portal.atEnd()),
    )
    expect(found.map(({ id, email }) => [id === userId, email])).toEqual([[false, order.email]])
  })

  it('of a user who is deleted while it waits stays, and says so, until staff say what became of the money', async () => {
    const trader = await portal.trader()
    const order = newOrder({ email: trader.email })
    await send(order)
    expect((await only(order.order)).order).toMatchObject({ email: trader.email, buyerDeleted: false })
    expect((await admin.delete(`/api/admin/user/${trader.id}`)).status).toBe(200)
    const task = await only(order.order)
    expect(task).toMatchObject({
      userName: 'Grace Hopper',
      order: { email: trader.email, buyerDeleted: true, settled: null },
    })
    expect((await admin.post(`${task.path}/dismissal`, { reason: 'Refunded' })).status).toBe(200)
    expect(await only(order.order)).toMatchObject({
      userName: 'erased',
      order: { number: 'erased', email: 'erased', buyerDeleted: false, settled: { reason: 'Refunded' } },
    })
  })

  it('can be enrolled under a corrected email', async () => {
    const order = newOrder({ email: 'grace@', programme: 'one-step-10000' })
    expect(await send(order)).toMatchObject({ status: 400, body: { errors: { email: 'Please enter a valid email' } } })
    const { path } = await only(order.order)
    const email = newEmail()
    expect((await admin.post(`${path}/enrolment`, { programme: 'one-step-10000' })).status).toBe(400)
    expect((await admin.post(`${path}/enrolment`, { programme: 'one-step-10000', email })).status).toBe(200)
    const found = read(
      ListedUser.array(),
      await admin.get(`/api/admin/users?search=${order.order}`, await portal.atEnd()),
    )
    expect(found).toMatchObject([{ email }])
  })

  it('needs a permission and a reason to be settled', async () => {
    const order = newOrder()
    await send(order)
    const { path } = await only(order.order)
    const payouts = await portal.member('payouts')
    expect((await payouts.post(`${path}/dismissal`, { reason: 'x' })).status).toBe(403)
    expect((await payouts.post(`${path}/enrolment`, { programme: 'one-step-10000' })).status).toBe(403)
    expect((await admin.post(`${path}/dismissal`, { reason: ' ' })).status).toBe(400)
    expect((await admin.post(`/api/admin/orders/${'a'.repeat(64)}-1/dismissal`, { reason: 'x' })).status).toBe(404)
    expect((await admin.post('/api/admin/orders/none/dismissal', { reason: 'x' })).status).toBe(404)
  })

  it('is no event beyond the limit of its key, and is told to come again', async () => {
    const flood = await programOf(portal, admin, { name: 'Flood', scopes: ['enrolments'] })
    const { attempts } = limits.attempts.untakenOrdersOfKey
    const answers = await Promise.all(
      Array.from({ length: attempts + 1 }, () => flood.post('/api/enrolments', newOrder())),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 409)).toHaveLength(attempts)
    expect(statuses).toContain(429)
    expect((await flood.post('/api/enrolments', newOrder({ programme: 'one-step-10000' }))).status).toBe(201)
  })
})
