import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { IssuedAccessKey } from '#services/identity/staff/staff-api.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { type Member, openPortal, type Portal } from '#test-support/portal.ts'
import { Batch, BatchDetails } from '../batch-api.ts'

let portal: Portal
let admin: Browser
let dana: Member
let robin: Member

beforeAll(async () => {
  portal = await openPortal({ environment: { SECOND_CONFIRMATION: 'batches' } })
  admin = await portal.admin()
  dana = await portal.member('payouts', { name: 'Dana' })
  robin = await portal.member('payouts', { name: 'Robin' })
})
afterAll(() => portal.stop())

async function madeBy(who: Browser): Promise<string> {
  const trader = await eligibleTrader(portal, admin)
  const { id } = read(
    Payout,
    await trader.post('/api/user/payouts', {
      ...{ amount: '10.00', paymentMethod: 'skrill', paymentDetails: 'ada@example.com' },
    }),
  )
  await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
  return read(Batch, await who.post('/api/admin/batches', { format: 'csv', currency: 'USD', payouts: [id] })).id
}

/** Someone with a key that another member issued. */
async function issued(by: Browser = admin, role = 'payouts'): Promise<Browser> {
  const { accessKey } = read(IssuedAccessKey.required(), await by.post('/api/admin/staff', { name: 'Kim', role }))
  const kim = portal.browser()
  await kim.post('/api/admin/login', { accessKey })
  return kim
}

const release = (who: Browser, id: string) => who.post(`/api/admin/batches/${id}/release`)

describe('with SECOND_CONFIRMATION=batches', () => {
  it('a batch is released by another member than its maker', async () => {
    const id = await madeBy(dana)
    const own = await release(dana, id)
    expect([own.status, own.body]).toEqual([
      409,
      { message: 'You made this batch. Another member of staff has to release it.' },
    ])
    expect(read(BatchDetails, await dana.get(`/api/admin/batches/${id}`)).needsAnother).toBe(true)
    const other = await release(robin, id)
    expect([other.status, other.body]).toMatchObject([200, { maker: dana.id, releaser: robin.id }])
  })

  it.each([
    {
      when: 'since the batch was made',
      made: async () => {
        const id = await madeBy(admin)
        return { id, releaser: await issued() }
      },
    },
    {
      when: 'a moment before the batch was made',
      made: async () => {
        const releaser = await issued()
        return { id: await madeBy(admin), releaser }
      },
    },
    {
      when: 'before, and made it with that key',
      made: async () => ({ id: await madeBy(await issued()), releaser: admin }),
    },
    {
      when: 'from a helper before',
      made: async () => {
        const releaser = await issued(await issued(admin, 'admin'))
        return { id: await madeBy(admin), releaser }
      },
    },
    {
      when: 'and made it with another helper',
      made: async () => ({ id: await madeBy(await issued()), releaser: await issued() }),
    },
  ])('not by one who got a key from the same person $when', async ({ made }) => {
    const { id, releaser } = await made()
    expect((await release(releaser, id)).status).toBe(409)
    expect((await portal.events(`batch-${id}`)).map(({ type }) => type)).toEqual(['BatchMade'])
    expect((await release(robin, id)).status).toBe(200)
  })

  it('may be cancelled by its maker', async () => {
    expect((await dana.post(`/api/admin/batches/${await madeBy(dana)}/cancel`)).status).toBe(200)
  })
})
