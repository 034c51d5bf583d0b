import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import { openPortal } from '#test-support/portal.ts'

const portal = await openPortal()
const admin = await portal.admin()
afterAll(() => portal.stop())

const MANY = 12

beforeAll(async () => {
  for (let n = 0; n < MANY; n++) {
    const trader = await eligibleTrader(portal, admin, {
      fullName: n === 3 ? '=cmd|calc' : n === 4 ? 'Zoë "Zed" Quick, Jr.' : `Trader Number${n}`,
    })
    await admin.patch(`/api/admin/user/${trader.id}/account`, {
      profitLoss: '-12.50',
      masterPassword: 'never-exported',
      status: n % 2 === 0 ? 'active' : 'breached',
    })
    const payout = read(
      Payout,
      await trader.post('/api/user/payouts', {
        amount: `${n + 1}.00`,
        paymentMethod: 'paypal',
        paymentDetails: `pay${n}@example.com`,
      }),
    )
    if (n % 3 === 0)
      await admin.patch(`/api/admin/payouts/${payout.id}`, { status: 'rejected', adminNotes: '@not, yet' })
  }
})

const rows = (text: string) =>
  text
    .replace('\ufeff', '')
    .split('\r\n')
    .filter((row) => row !== '')

describe.each(['users', 'payouts'])('the file of %s', (list) => {
  it('is a named CSV download with a byte order mark', async () => {
    const { status, headers, bytes } = await admin.get(`/api/admin/${list}.csv`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="${list}-\\d{4}-\\d\\d-\\d\\d\\.csv"$`),
    )
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  })

  it('has every entry once', async () => {
    expect(rows((await admin.get(`/api/admin/${list}.csv`)).text)).toHaveLength(MANY + 1)
  })

  it('is for administrators and auditors only', async () => {
    const trader = await portal.trader()
    expect((await (await portal.auditor()).get(`/api/admin/${list}.csv`)).status).toBe(200)
    for (const who of [trader, portal.browser()]) expect((await who.get(`/api/admin/${list}.csv`)).status).toBe(401)
    await admin.delete(`/api/admin/user/${trader.id}`)
  })

  it('validates its filters like the list', async () => {
    expect((await admin.get(`/api/admin/${list}.csv?status=closed`)).status).toBe(400)
  })
})

it('has the entries of the filtered list, in the same order', async () => {
  const ids = ({ text }: { readonly text: string }) =>
    rows(text)
      .slice(1)
      .map((row) => row.split(',')[0])
  for (const query of [
    'status=active',
    'status=breached&search=number',
    'sort=fullName',
    'banned=true',
    'payoutEnabled=true&sort=-email',
  ]) {
    const listed = await admin.get(`/api/admin/users?${query}`)
    expect(ids(await admin.get(`/api/admin/users.csv?${query}`)), query).toEqual(
      [...listed.text.matchAll(/\{"id":"([a-z0-9]+)","fullName"/g)].map(([, id]) => id),
    )
  }
  for (const query of ['status=decided', 'status=pending&sort=amount', 'search=number']) {
    const listed = await admin.get(`/api/admin/payouts?${query}`)
    expect(ids(await admin.get(`/api/admin/payouts.csv?${query}`)), query).toEqual(
      [...listed.text.matchAll(/"id":"([a-z0-9]+-a\d+-p\d+)"/g)].map(([, id]) => id),
    )
  }
})

it('escapes formulas, keeps negative money, and has no master password', async () => {
  const users = (await admin.get('/api/admin/users.csv')).text
  expect(users).toContain(",'=cmd|calc,")
  expect(users).toContain(',"Zoë ""Zed"" Quick, Jr.",')
  expect(users).toContain(',-12.50,')
  expect(users).not.toContain('never-exported')
  expect((await admin.get('/api/admin/payouts.csv')).text).toContain(',"\'@not, yet"')
})
