import { describe, expect, it } from 'vitest'
import { conforms } from './api-conformance.ts'

const user = {
  id: 'u1',
  fullName: 'Ada Byron',
  email: 'ada@example.com',
  country: 'uk',
  city: 'London',
  street: "St James's Square",
  houseNumber: '12',
  emailConfirmed: true,
  privacyPolicyAgreed: true,
  banned: false,
  banReason: null,
  createdAt: '2024-05-31T10:00:00.000Z',
}
const none = {
  status: null,
  phase: null,
  limits: null,
  dailyDrawdownLimit: null,
  overallLossLimit: null,
  profitTarget: null,
  payouts: null,
}
const tradingAccount = {
  id: 'u1-a1',
  userId: 'u1',
  open: true,
  platform: null,
  login: null,
  server: null,
  balance: '10000.00',
  profitLoss: '-12.50',
  status: 'active',
  phase: 'Phase 1',
  payoutEnabled: true,
  dailyDrawdownLimit: '5% / $500',
  overallLossLimit: null,
  profitTarget: '1000',
  programme: null,
  createdAt: '2024-05-31T10:00:00.000Z',
  stamps: none,
}
const listed = { ...user, banStamp: null, accountCount: 1 }

describe('the conformance check of answers', () => {
  it('accepts a status and body of the table of calls', () => {
    conforms('GET', '/api/user', 200, user)
    conforms('GET', '/api/user', 401, { message: 'Not signed in' })
    conforms('GET', '/api/user', 403, { banned: true, message: 'Banned', banReason: null })
    conforms('POST', '/api/user/payouts', 403, { message: 'Your account is not currently eligible for payouts.' })
    conforms('GET', '/api/admin/users?limit=2', 200, [
      { ...listed, tradingAccount },
      { ...listed, tradingAccount: null },
    ])
    conforms('GET', '/api/admin/user/u1', 200, {
      ...user,
      banStamp: null,
      tradingAccount: { ...tradingAccount, masterPassword: 'x' },
      tradingAccounts: [{ ...tradingAccount, masterPassword: null }],
      enrolments: [],
      unpaid: { owed: { count: 0, total: '0.00' }, requested: { count: 0, total: '0.00' } },
    })
    conforms('GET', '/api/admin/auth', 200, { isAdmin: false })
    conforms('GET', '/api/certificates/u1-c1/file', 200, undefined)
    conforms('GET', '/readyz', 503, { status: 'unavailable', parts: { views: { ready: false, lag: 7 } } })
    conforms('PATCH', '/api/admin/payouts/u1-p1', 200, { status: 'approved' })
    conforms('GET', '/api/no-such-call', 404, { message: 'Not found' })
  })

  it('rejects a status that the call does not have', () => {
    const details = 'POST /api/register answered 200, but the table of calls has only 201'
    expect(() => conforms('POST', '/api/register', 200, user)).toThrow(details)
    expect(() => conforms('GET', '/api/no-such-call', 200, {})).toThrow('only 404')
    expect(() => conforms('DELETE', '/api/user', 404, { message: 'Not found' })).toThrow('only 405')
  })

  it('rejects a missing or wrong field', () => {
    expect(() => conforms('GET', '/api/user', 200, { ...user, banned: 'no' })).toThrow('banned')
    expect(() => conforms('GET', '/api/admin/users', 200, [{ ...user }])).toThrow('tradingAccount')
    expect(() => conforms('GET', '/api/user', 401, undefined)).toThrow('does not conform')
  })

  it('rejects a field that the API does not have', () => {
    expect(() => conforms('GET', '/api/user', 200, { ...user, password: 'x' })).toThrow(
      "the contract doesn't know: password",
    )
    const leaking = [{ ...listed, tradingAccount: { ...tradingAccount, masterPassword: 'x' }, tradingAccounts: [] }]
    expect(() => conforms('GET', '/api/admin/users', 200, leaking)).toThrow('[0].tradingAccount.masterPassword')
    expect(() => conforms('GET', '/api/user', 500, { message: 'A fault', stack: 'at …' })).toThrow('stack')
    expect(() =>
      conforms('POST', '/api/login', 403, { banned: true, message: 'm', banReason: null, toString: 1 }),
    ).toThrow('toString')
  })
})
