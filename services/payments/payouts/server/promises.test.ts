import { z } from 'zod'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'
import { AdminPayout, ListedPayout, Payout } from '../payout-api.ts'
import { recordOverdue } from './promise-clock.ts'

/** Promises over HTTP (cases.md, "Clocks"). */

let portal: Portal
let admin: Browser

beforeAll(async () => {
  portal = await openPortal({
    environment: { PAYOUT_DECISION_HOURS: '24', PAYOUT_SENDING_HOURS: '48', SUPPORT_EMAIL: 'help@firm.example' },
  })
  admin = await portal.admin()
})
afterAll(() => portal.stop())

it('records what is overdue once, mails it to staff, and lists it until it is done', async () => {
  const trader = await eligibleTrader(portal, admin)
  const asked = read(Payout, await trader.post('/api/user/payouts', { amount: '50.00', paymentMethod: 'paypal' }))
  const { id, createdAt, promise } = asked
  const decideBy = new Date(Date.parse(createdAt) + 24 * 3_600_000).toISOString()
  expect(promise).toEqual({ decideBy, sendBy: null, overdue: null, missed: [] })

  const { parts } = portal.running
  const clock = (hours: number) => ({
    ...{ repositories: parts.repositories, log: parts.log },
    readModels: createReadModels(parts.readModelStore),
    now: () => Date.parse(createdAt) + hours * 3_600_000,
  })
  const { signal } = new AbortController()
  const overdue = async () =>
    (await portal.events(`account-${trader.id}-a1`)).filter(({ type }) => type === 'PayoutOverdue').length
  await until(async () => (await trader.get('/api/user/payouts')).text.includes(id), 'the request to be listed')
  await recordOverdue(clock(24), signal)
  expect(await overdue()).toBe(0)
  await recordOverdue(clock(25), signal)
  await recordOverdue(clock(26), signal)
  expect(await overdue()).toBe(1)
  const listed = async (of: string) =>
    read(z.array(AdminPayout), await admin.get(`/api/admin/payouts?overdue=${of}`)).map((payout) => payout.id)
  await until(async () => (await listed('decision')).includes(id), 'it to be listed as overdue')
  expect(await listed('sending')).toEqual([])
  await portal.mailWith('help@firm.example', ({ text }) => text?.includes(id) ?? false)

  const rejected = await admin.patch(`/api/admin/payouts/${id}`, { status: 'rejected', adminNotes: 'No' })
  const [own] = read(z.array(ListedPayout), await trader.get('/api/user/payouts', after(rejected)))
  // The clock was ahead: the verdict was in time.
  expect(own?.promise).toMatchObject({ overdue: null, missed: [] })
})

it('refuses a filter that is none', async () => {
  expect((await admin.get('/api/admin/payouts?overdue=answer')).status).toBe(400)
})
