import { z } from 'zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import { isPermission } from '#services/identity/staff/permissions.ts'
import { allRoutes } from '#services/portal/routes.ts'
import { ShownPassword } from '#services/trading/accounts/account-change-api.ts'
import { limits } from '#services/framework/http/limits.ts'
import { after, read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { type Member, openPortal, type Portal, type Trader } from '#test-support/portal.ts'

const PASSWORD = 'only-for-the-broker'

let portal: Portal
let admin: Browser
let trader: Trader

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
  trader = await portal.trader()
  await admin.patch(`/api/admin/user/${trader.id}/account`, { login: '4711', masterPassword: PASSWORD, server: 'Live' })
  await portal.mailed()
})
afterAll(() => portal.stop())

const show = (who: Browser, id = trader.id) => who.post(`/api/admin/user/${id}/account/master-password`)
const eventsOf = async (who: Browser, path: string) => read(z.array(AuditEvent), await who.get(path))

describe('the master password', () => {
  it('is shown on request, recorded first, and stored nowhere on the way', async () => {
    const support = await portal.member('support', { name: 'Kim, support' })
    const answer = await show(support)
    expect(read(ShownPassword, answer)).toEqual({ masterPassword: PASSWORD })
    expect(answer.headers.get('cache-control')).toContain('no-store')
    expect((await portal.events(`account-${trader.id}-a1`)).at(-1)).toMatchObject({
      type: 'MasterPasswordShown',
      metadata: { actor: { id: support.id, label: 'Kim, support' } },
    })
    // Its trader learns that, and not by whom.
    const [own] = (await eventsOf(trader, '/api/user/history?order=desc')).filter(
      ({ type }) => type === 'MasterPasswordShown',
    )
    expect(own).toMatchObject({
      actor: { kind: 'admin', label: expect.stringMatching(/^admin [\w-]{12}$/) },
      changes: [],
    })
    expect((await eventsOf(admin, `/api/audit/accounts/${trader.id}/events?order=desc`))[0]).toMatchObject({
      actor: { label: 'Kim, support' },
    })
  })

  it('is in no other answer to staff, for any role and call', async () => {
    const readers: readonly Browser[] = [
      admin,
      await portal.auditor(),
      await portal.member('support'),
      await portal.member('payouts'),
    ]
    const gets = allRoutes.filter(
      ({ method, access }) => method === 'get' && (isPermission(access) || access === 'trader-or-any-admin'),
    )
    for (const { path } of gets)
      for (const who of readers) {
        const { text } = await who.get(`${path.replace(':id', trader.id).replace(':number', '1')}?search=${PASSWORD}`)
        expect([path, text.replaceAll(`search=${PASSWORD}`, '').includes(PASSWORD)]).toEqual([path, false])
      }
  })

  it('is refused where there is none, and recorded only when it is shown', async () => {
    const without = await portal.trader()
    expect((await show(admin, without.id)).status).toBe(404)
    for (const who of [await portal.auditor(), await portal.member('payouts'), trader, portal.browser()])
      expect([401, 403]).toContain((await show(who)).status)
    expect((await portal.events(`account-${without.id}-a1`)).map(({ type }) => type)).not.toContain(
      'MasterPasswordShown',
    )
  })

  it('stays as it is when its mask is sent back', async () => {
    const saved = await admin.patch(`/api/admin/user/${trader.id}/account`, {
      masterPassword: '••••••••',
      server: 'Demo',
    })
    expect((await trader.get('/api/user/account', after(saved))).body).toMatchObject({
      masterPassword: PASSWORD,
      server: 'Demo',
    })
  })

  it('is shown to a member only so often', async () => {
    const curious = await portal.member('support')
    const { attempts } = limits.attempts.showPasswordMember
    const without = await portal.trader()
    for (let n = 0; n < attempts; n++) expect((await show(curious, without.id)).status).toBe(404)
    const refused = await show(curious)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('a download by staff', () => {
  let auditor: Member
  beforeAll(async () => {
    auditor = await portal.member('auditor', { name: 'Ernst & Co' })
  })

  it.each(['json', 'csv'])('of a history as %s is in the history of its trader', async (format) => {
    const answer = await auditor.get(`/api/audit/accounts/${trader.id}/export?format=${format}`)
    expect(answer.status).toBe(200)
    expect(answer.text).not.toContain('HistoryDownloaded","stream')
    expect((await portal.events(`account-${trader.id}-a1`)).at(-1)).toMatchObject({
      type: 'HistoryDownloaded',
      data: { format },
    })
    const own = (await eventsOf(trader, '/api/user/history?order=desc'))[0]
    expect(own).toMatchObject({ type: 'HistoryDownloaded', actor: { kind: 'admin' } })
    expect(JSON.stringify(own)).not.toContain('Ernst')
  })

  it('of a list is recorded with its filter, and not with what was searched for', async () => {
    await auditor.get('/api/admin/users.csv?status=active&search=Lovelace')
    await auditor.get('/api/admin/payouts.csv')
    const recorded = (await portal.events(`admin-${auditor.id}`)).filter(({ type }) => type === 'ListDownloaded')
    expect(recorded.map(({ data }) => data)).toEqual([
      { list: 'users', status: 'active', searched: true },
      { list: 'payouts', status: null, searched: false },
    ])
    const recordedLast = await admin.get('/api/audit/events?type=ListDownloaded', await portal.atEnd())
    expect(read(z.array(AuditEvent), recordedLast)[0]).toMatchObject({
      actor: { label: 'Ernst & Co' },
    })
  })

  it('is refused without the permission, and not recorded', async () => {
    const support = await portal.member('support')
    for (const path of ['/api/admin/users.csv', '/api/admin/payouts.csv', `/api/audit/accounts/${trader.id}/export`])
      expect((await support.get(path)).status).toBe(403)
    expect((await portal.events(`admin-${support.id}`)).map(({ type }) => type)).toEqual([
      'AdminKeyIssued',
      'AdminSignedIn',
    ])
  })
})
