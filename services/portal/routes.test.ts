import { payoutRoutes } from '#services/payments/payouts/payout-api.ts'
import { signInRoutes } from '#services/identity/sign-in/sign-in-api.ts'
import { isPermission, mayRole, permissions } from '#services/identity/staff/permissions.ts'
import { allRoutes } from './routes.ts'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findRoute } from '#test-support/api-conformance.ts'
import { adminRoleLabels, adminRoles } from '#services/identity/staff/staff-vocabulary.ts'

/** The calls of specification §7, and those added where it is silent. */
const calls = [
  'GET /api/user',
  'POST /api/login',
  'POST /api/register',
  'POST /api/logout',
  'GET /api/user/account',
  'GET /api/user/account/history',
  'PATCH /api/user/profile',
  'POST /api/user/change-password',
  'GET /api/user/sessions',
  'DELETE /api/user/sessions',
  'GET /api/user/notices',
  'PATCH /api/user/notices',
  'GET /api/user/payouts',
  'GET /api/user/payouts/summary',
  'POST /api/user/payouts',
  'GET /api/user/certificates',
  'POST /api/forgot-password',
  'POST /api/reset-password',
  'POST /api/revert-email',
  'POST /api/admin/login',
  'GET /api/admin/auth',
  'POST /api/admin/logout',
  'GET /api/admin/auth/sessions',
  'DELETE /api/admin/auth/sessions',
  'GET /api/admin/user/:id/sessions',
  'DELETE /api/admin/user/:id/sessions',
  'GET /api/admin/staff',
  'POST /api/admin/staff',
  'PATCH /api/admin/staff/:id',
  'POST /api/admin/staff/:id/key',
  'DELETE /api/admin/staff/:id',
  'GET /api/admin/users',
  'GET /api/admin/users.csv',
  'POST /api/admin/users',
  'PATCH /api/admin/user/:id',
  'DELETE /api/admin/user/:id',
  'GET /api/admin/user/:id',
  'POST /api/admin/user/:id/account/master-password',
  'GET /api/admin/user/:id/account/history',
  'GET /api/admin/accounts/:id',
  'POST /api/admin/user/:id/account',
  'PATCH /api/admin/user/:id/account',
  'PATCH /api/admin/user/:id/ban',
  'GET /api/admin/payouts',
  'GET /api/admin/payouts.csv',
  'POST /api/admin/payouts/totals',
  'PATCH /api/admin/payouts/:id',
  'POST /api/admin/certificates',
  'GET /api/admin/stats',
  'GET /api/admin/stats/weeks',
  'GET /api/admin/system',
  'POST /api/admin/system/poison/:id/retry',
  'GET /api/offers',
  'GET /api/certificates/:id/file',
  'POST /api/user/certificates/:id/share',
  'DELETE /api/user/certificates/:id/share',
  'GET /api/admin/user/:id/certificates',
  'POST /api/admin/certificates/:id/revoke',
  'GET /api/admin/setup',
  'POST /api/admin/setup/dismiss',
  'POST /api/admin/setup/test-mail',
  'GET /api/firm',
  'GET /api/admin/system/firm',
  'PATCH /api/admin/system/firm',
  'POST /api/admin/system/firm/logo',
  'DELETE /api/admin/system/firm/logo',
  'GET /firm/logo/:name',
  'GET /c/:code',
  'GET /c/:code/receipt',
  'GET /api/user/history',
  'GET /api/user/history/state',
  'GET /api/user/history/moments',
  'GET /api/user/export',
  'GET /api/user/history/proof',
  'GET /.well-known/proofdesk-key.json',
  'GET /verify',
  'GET /verify.html',
  'GET /log/checkpoint',
  'GET /log/tile/*path',
  'GET /api/user/history/:number/receipt',
  'GET /api/audit/accounts/:id/events/:number/receipt',
  'GET /api/audit/accounts',
  'GET /api/audit/accounts/:id',
  'GET /api/audit/accounts/:id/events',
  'GET /api/audit/accounts/:id/moments',
  'GET /api/audit/accounts/:id/difference',
  'GET /api/audit/accounts/:id/export',
  'GET /api/audit/events',
  'GET /api/live',
  'GET /api/openapi.json',
  'GET /healthz',
  'GET /readyz',
  'GET /api/login/factor',
  'POST /api/login/factor',
  'GET /api/login/passkey',
  'POST /api/login/passkey',
  'GET /api/admin/login/factor',
  'POST /api/admin/login/factor',
  'GET /api/admin/user/:id/factors',
  'DELETE /api/admin/user/:id/factors',
  'POST /api/admin/user/:id/factors/removal',
  'DELETE /api/admin/user/:id/factors/removal',
  'DELETE /api/user/factors/removal',
  ...['/api/user/factors', '/api/admin/auth/factors'].flatMap((factors) => [
    `GET ${factors}`,
    `GET ${factors}/confirmation`,
    `POST ${factors}/confirmation`,
    `GET ${factors}/passkeys`,
    `POST ${factors}/passkeys`,
    `PATCH ${factors}/passkeys/:id`,
    `DELETE ${factors}/passkeys/:id`,
    `GET ${factors}/authenticator`,
    `POST ${factors}/authenticator`,
    `DELETE ${factors}/authenticator`,
    `POST ${factors}/recovery-codes`,
  ]),
]

const permissionNames = Object.keys(permissions).filter(isPermission)

describe('the table of calls', () => {
  it('names each call once', () => {
    expect(new Set(allRoutes.map(({ name }) => name)).size).toBe(allRoutes.length)
  })

  it('has every call, and each path and method once', () => {
    const served = allRoutes.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    expect(new Set(served).size).toBe(served.length)
    expect(served).toEqual(expect.arrayContaining(calls))
  })

  it('gives every call for staff a permission: administrators may all, auditors only read', () => {
    const staff = allRoutes.filter(({ path }) => /^\/api\/(admin\/(?!login|logout|auth)|audit\/)/.test(path))
    for (const { name, method, reads = method === 'get', access } of staff) {
      if (!isPermission(access)) throw new Error(`${name} is open to ${access}`)
      // Who may release sees the file before it (calls.md).
      const isForAuditors = reads && name !== 'batchPreview'
      expect([name, mayRole('admin', access), mayRole('auditor', access)]).toEqual([name, true, isForAuditors])
    }
  })

  it('uses every permission', () => {
    expect(permissionNames.filter((permission) => !allRoutes.some(({ access }) => access === permission))).toEqual([])
  })

  it('is the table of permissions that docs/operate.md shows', () => {
    const docs = readFileSync(new URL('../../docs/operate.md', import.meta.url), 'utf8')
    const rows = permissionNames.map(
      (name) =>
        `| ${[permissions[name].label, ...adminRoles.map((role) => (mayRole(role, name) ? 'yes' : '')), `\`${name}\``].join(' | ')} |`,
    )
    expect(docs).toContain(
      `| ${['permission', ...adminRoles.map((role) => adminRoleLabels[role]), 'in the API'].join(' | ')} |\n|---|---|---|---|---|---|\n${rows.join('\n')}\n`,
    )
  })

  it('reserves every trader call for signed-in traders', () => {
    const own = allRoutes.filter(({ path }) => /^\/api\/user(\/|$)/.test(path))
    for (const { path, access } of own) expect(access, path).toBe('trader')
  })

  it('lists one success and the refusals of each call', () => {
    for (const { name, access, body, params, responses } of allRoutes) {
      const statuses = Object.keys(responses)
      // An order that is sent again gets the first answer.
      expect(
        statuses.filter((status) => status.startsWith('2')),
        name,
      ).toEqual(name === 'enrolByOrder' ? ['200', '201'] : [expect.any(String)])
      if (body) expect(statuses, name).toEqual(expect.arrayContaining(['400', '403', '413', '415']))
      if (access !== 'public') expect(statuses, name).toEqual(expect.arrayContaining(['401', '403']))
      if (params) expect(statuses, name).toContain('404')
      expect(statuses, name).toContain('503')
    }
  })

  it('does not reveal by a position whether an address is known', () => {
    expect('position' in signInRoutes.forgotPassword).toBe(false)
  })

  it('types the body that a handler reads', () => {
    const { amount } = payoutRoutes.requestPayout.body.parse({ amount: '250.00', paymentMethod: 'skrill' })
    expect(amount).toBe(25_000)
  })
})

describe('a URL', () => {
  it('matches its call', () => {
    for (const route of allRoutes)
      expect(findRoute(route.method.toUpperCase(), route.path.replace(':id', 'u1-p7'))?.name, route.path).toBe(
        route.name,
      )
    expect(findRoute('GET', '/api/admin/users?limit=5')?.name).toBe('users')
    expect(findRoute('get', '/api/openapi.json')?.name).toBe('openApi')
    expect(findRoute('PUT', '/api/user')).toBeUndefined()
    for (const path of ['/api/user/', '/api/openapiXjson', '/api/admin/user/', '/api/admin/user/u1/x'])
      expect(findRoute('GET', path), path).toBeUndefined()
  })
})

describe('the list of subjects', () => {
  it('runs anywhere: zod, immutable and time zones are its only packages', () => {
    const reached = new Set([new URL('routes.ts', import.meta.url).href])
    const packages = new Set<string>()
    for (const file of reached)
      for (const [, from = ''] of readFileSync(new URL(file), 'utf8').matchAll(
        /^(?:import|export) (?!type )[^']*? ?from '([^']+)'/gm,
      ))
        if (/^\.|^#services\//.test(from))
          reached.add(new URL(from.replace('#services/', '../'), from.startsWith('.') ? file : import.meta.url).href)
        else packages.add(from)
    expect([...packages].toSorted()).toEqual(['immutable', 'temporal-polyfill', 'zod'])
  })
})
