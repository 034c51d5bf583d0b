import { z } from 'zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AdminPayout, ListedPayout, Payout } from '../payout-api.ts'
import { type AdminRole, IssuedAccessKey } from '#services/identity/staff/staff-api.ts'
import { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import { BASED_ON_HEADER } from '#services/framework/api/headers.ts'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { type Member, openPortal, type Portal, type Trader } from '#test-support/portal.ts'

let portal: Portal
let admin: Browser
let dana: Member
let robin: Member

beforeAll(async () => {
  portal = await openPortal({ environment: { SECOND_APPROVAL_ABOVE: '1000.00' } })
  admin = await portal.admin()
  dana = await portal.member('payouts', { name: 'Dana' })
  robin = await portal.member('payouts', { name: 'Robin' })
})
afterAll(() => portal.stop())

async function requested(amount: string): Promise<{ readonly trader: Trader; readonly id: string }> {
  const trader = await eligibleTrader(portal, admin)
  return { trader, id: read(Payout, await trader.post('/api/user/payouts', { amount, paymentMethod: 'bank' })).id }
}

const approve = (who: Browser, id: string, basedOn?: string): Promise<Answer> =>
  who.patch(
    `/api/admin/payouts/${id}`,
    { status: 'approved' },
    basedOn === undefined ? {} : { headers: { [BASED_ON_HEADER]: basedOn } },
  )

const DEPENDENT = {
  status: 409,
  body: { message: expect.stringContaining('Another member has to give the second approval') },
}

async function signedIn({ accessKey }: Required<IssuedAccessKey>): Promise<Browser> {
  const browser = portal.browser()
  expect((await browser.post('/api/admin/login', { accessKey })).status).toBe(200)
  return browser
}

const issuedBy = async (who: Browser, role: AdminRole) =>
  signedIn(read(IssuedAccessKey.required(), await who.post('/api/admin/staff', { name: 'A helper', role })))

async function listed(id: string, change: Answer): Promise<AdminPayout | undefined> {
  return read(z.array(AdminPayout), await admin.get(`/api/admin/payouts?search=${id}`, after(change)))[0]
}

const verdictsOf = async ({ id }: Trader) =>
  (await portal.events(`account-${id}-a1`))
    .map(({ type }) => type)
    .filter((type) => /^Payout.*(Approved|Rejected)$/.test(type))

describe('a payout above SECOND_APPROVAL_ABOVE', () => {
  it('is pending after the first approval, and approved after that of another member', async () => {
    const { trader, id } = await requested('1000.01')
    const first = await approve(dana, id, 'undecided')
    expect([first.status, first.body]).toEqual([200, { status: 'pending' }])
    expect(await listed(id, first)).toMatchObject({
      status: 'pending',
      decidedAt: null,
      firstApproval: { by: 'admin', name: 'Dana', member: dana.id },
    })
    const second = await approve(robin, id, (await listed(id, first))?.firstApproval?.at)
    expect([second.status, second.body]).toEqual([200, { status: 'approved' }])
    expect(await listed(id, second)).toMatchObject({
      status: 'approved',
      firstApproval: null,
      stamps: { decided: { name: 'Robin' } },
    })
    expect(await verdictsOf(trader)).toEqual(['PayoutFirstApproved', 'PayoutApproved'])
  })

  it('at the amount itself needs one approval', async () => {
    const { id } = await requested('1000.00')
    expect((await approve(dana, id)).body).toEqual({ status: 'approved' })
  })

  it('is refused to the same member twice, also with another key', async () => {
    const { trader, id } = await requested('5000.00')
    const kim = await portal.member('payouts', { name: 'Kim' })
    expect((await approve(kim, id)).status).toBe(200)
    const { accessKey } = read(IssuedAccessKey.required(), await admin.post(`/api/admin/staff/${kim.id}/key`, {}))
    const again = portal.browser()
    await again.post('/api/admin/login', { accessKey })
    for (const attempt of [await approve(again, id), await approve(again, id)]) {
      expect(attempt.status).toBe(409)
      expect(attempt.body).toMatchObject({
        message: 'You gave the first approval of this payout. Another member of staff has to give the second.',
      })
    }
    expect(await verdictsOf(trader)).toEqual(['PayoutFirstApproved'])
  })

  it('deducts by the approval that takes effect, as that one says', async () => {
    const { trader, id } = await requested('1000.01')
    const set = (balance: string) => admin.patch(`/api/admin/accounts/${trader.id}-a1`, { balance })
    const deducting = (who: Browser, deduct: boolean) =>
      who.patch(`/api/admin/payouts/${id}`, { status: 'approved', deduct })
    expect((await deducting(dana, true)).body).toEqual({ status: 'pending' })
    expect((await deducting(robin, true)).status).toBe(409)
    await set('1000.01')
    expect((await deducting(robin, true)).body).toEqual({ status: 'approved' })
    expect((await portal.events(`account-${trader.id}-a1`)).slice(-2).map(({ type }) => type)).toEqual([
      'PayoutApproved',
      'PayoutDeducted',
    ])
  })

  it('takes one of many first approvals at once', async () => {
    const { trader, id } = await requested('5000.00')
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => approve(dana, id, 'undecided')))).map(
      ({ status }) => status,
    )
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
    expect(await verdictsOf(trader)).toEqual(['PayoutFirstApproved'])
  })

  it('names a first approval that a verdict did not know of', async () => {
    const { trader, id } = await requested('5000.00')
    await approve(dana, id)
    const { status, body } = await approve(robin, id, 'undecided')
    expect(status).toBe(409)
    expect(body).toMatchObject({
      message: expect.stringMatching(
        /^Dana gave the first approval of this payout on .* UTC\. Look at it again before you decide\.$/,
      ),
    })
    expect(await verdictsOf(trader)).toEqual(['PayoutFirstApproved'])
  })

  it('can be rejected by anyone who decides payouts; afterwards it needs two approvals again', async () => {
    const { trader, id } = await requested('5000.00')
    await approve(dana, id)
    const rejected = await dana.patch(`/api/admin/payouts/${id}`, { status: 'rejected', adminNotes: 'A mistake' })
    expect(rejected.body).toEqual({ status: 'rejected' })
    expect(await listed(id, rejected)).toMatchObject({ status: 'rejected', firstApproval: null })
    expect((await approve(robin, id)).body).toEqual({ status: 'rejected' })
    expect(await verdictsOf(trader)).toEqual(['PayoutFirstApproved', 'PayoutRejected', 'PayoutFirstApproved'])
  })

  it('is refused to approvers of whom one issued the other a key after the request, directly or not, whichever is first', async () => {
    const [one, two, chained] = [await requested('5000.00'), await requested('5000.00'), await requested('5000.00')]
    const helper = await issuedBy(admin, 'admin')
    expect((await approve(admin, one.id)).body).toEqual({ status: 'pending' })
    expect(await approve(helper, one.id)).toMatchObject(DEPENDENT)
    expect((await approve(helper, two.id)).body).toEqual({ status: 'pending' })
    expect(await approve(admin, two.id)).toMatchObject(DEPENDENT)
    const next = await issuedBy(helper, 'payouts')
    await approve(next, chained.id)
    expect(await approve(admin, chained.id)).toMatchObject(DEPENDENT)
    for (const { trader } of [one, two, chained]) expect(await verdictsOf(trader)).toEqual(['PayoutFirstApproved'])
    for (const { id } of [one, two, chained]) expect((await approve(robin, id)).body).toEqual({ status: 'approved' })
  })

  it.each([
    { tie: 'whose key the other issued', made: async () => [admin, await issuedBy(admin, 'admin')] as const },
    {
      tie: 'of whom a helper of the other issued the key',
      made: async () => {
        const helper = await issuedBy(admin, 'admin')
        return [admin, await issuedBy(await issuedBy(helper, 'admin'), 'payouts')] as const
      },
    },
    {
      tie: 'whose key the other replaced',
      made: async () => {
        const kim = await portal.member('payouts', { name: 'Kim' })
        return [
          await signedIn(read(IssuedAccessKey.required(), await admin.post(`/api/admin/staff/${kim.id}/key`, {}))),
          admin,
        ] as const
      },
    },
    {
      tie: 'whose role the other changed',
      made: async () => {
        const kim = await portal.member('support', { name: 'Kim' })
        await admin.patch(`/api/admin/staff/${kim.id}`, { role: 'payouts' })
        return [await signedIn(kim), admin] as const
      },
    },
    {
      tie: 'who got a key from the same third member as the other',
      made: async () => [await issuedBy(admin, 'payouts'), await issuedBy(admin, 'payouts')] as const,
    },
  ])('is refused to a member $tie before the request', async ({ made }) => {
    const [one, other] = await made()
    const { trader, id } = await requested('5000.00')
    expect((await approve(one, id)).body).toEqual({ status: 'pending' })
    expect(await approve(other, id)).toMatchObject(DEPENDENT)
    expect(await verdictsOf(trader)).toEqual(['PayoutFirstApproved'])
  })

  it('is given by a member whose name or expiry the other changed', async () => {
    const kim = await portal.member('payouts', { name: 'Kim' })
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
    await admin.patch(`/api/admin/staff/${kim.id}`, { name: 'Kim Lee', expiresAt })
    const { id } = await requested('5000.00')
    await approve(admin, id)
    expect((await approve(await signedIn(kim), id)).body).toEqual({ status: 'approved' })
  })

  it('is refused to a member whose key the first approver replaced after the request', async () => {
    const kim = await portal.member('payouts', { name: 'Kim' })
    const { trader, id } = await requested('5000.00')
    await approve(admin, id)
    const taken = await signedIn(
      read(IssuedAccessKey.required(), await admin.post(`/api/admin/staff/${kim.id}/key`, {})),
    )
    expect(await approve(taken, id)).toMatchObject(DEPENDENT)
    expect(await verdictsOf(trader)).toEqual(['PayoutFirstApproved'])
  })

  it('says before the first approval that it needs two', async () => {
    const [large, small] = [await requested('1000.01'), await requested('1000.00')]
    const rows = read(
      z.array(AdminPayout),
      await admin.get(
        '/api/admin/payouts',
        after(await admin.patch(`/api/admin/user/${small.trader.id}`, { city: 'Oslo' })),
      ),
    )
    const needs = ({ id }: { readonly id: string }) => rows.find((row) => row.id === id)?.needsSecondApproval
    expect([needs(large), needs(small)]).toEqual([true, false])
  })

  it.each([
    { end: 'was revoked', change: (id: string) => admin.delete(`/api/admin/staff/${id}`) },
    {
      end: 'may not decide payouts any more',
      change: (id: string) => admin.patch(`/api/admin/staff/${id}`, { role: 'support' }),
    },
  ])('begins again at 1 of 2 when the member of the first approval $end', async ({ change }) => {
    const { trader, id } = await requested('5000.00')
    const kim = await portal.member('payouts', { name: 'Kim' })
    const seen = (await listed(id, await approve(kim, id)))?.firstApproval
    expect(seen).toMatchObject({ name: 'Kim' })
    const changed = await change(kim.id)
    expect(await listed(id, changed)).toMatchObject({ firstApproval: null, needsSecondApproval: true })
    const first = await approve(dana, id, 'undecided')
    expect([first.status, first.body]).toEqual([200, { status: 'pending' }])
    expect(await listed(id, first)).toMatchObject({ firstApproval: { name: 'Dana' } })
    // What a page showed of Kim's approval is not the state any more.
    expect((await approve(robin, id, seen?.at)).status).toBe(409)
    expect((await approve(robin, id)).body).toEqual({ status: 'approved' })
    expect(await verdictsOf(trader)).toEqual(['PayoutFirstApproved', 'PayoutFirstApproved', 'PayoutApproved'])
  })

  it('is only pending to its trader, whose history does not tell', async () => {
    const { trader, id } = await requested('5000.00')
    const first = await approve(dana, id)
    expect(read(z.array(ListedPayout), await trader.get('/api/user/payouts', after(first)))).toMatchObject([
      { id, status: 'pending', stamps: { decided: null } },
    ])
    for (const path of [
      '/api/user/payouts',
      '/api/user/history',
      '/api/user/export',
      '/api/user/history/moments',
      '/api/user/account/history',
    ])
      expect((await trader.get(path)).text).not.toMatch(/FirstApproved|firstApproval|Dana/)
    // The proof shows that the event happened, and neither who nor what.
    const proof = (await trader.get('/api/user/history/proof')).text
    expect(proof).not.toMatch(new RegExp(`Dana|${dana.id}`))
    const events = read(z.array(AuditEvent), await admin.get(`/api/audit/accounts/${trader.id}/events`))
    expect(events.at(-1)).toMatchObject({
      type: 'PayoutFirstApproved',
      actor: { label: 'Dana' },
      changes: [{ to: '1 of 2' }],
    })
    const moments = z
      .object({ numbers: z.array(z.number()) })
      .parse((await trader.get('/api/user/history/moments')).body).numbers
    expect(moments).not.toContain(events.at(-1)?.number)
    expect((await trader.get(`/api/user/history/state?at=${events.at(-1)?.number}`)).status).toBe(404)
  })
})
