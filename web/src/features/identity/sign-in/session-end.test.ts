import { expect, it } from 'vitest'
import { returnPath } from './session-end.ts'

it('returns to the page on which the session ended, with its whole address', () => {
  expect(returnPath('/payouts?status=pending#h', 'trader')).toBe('/payouts?status=pending#h')
  expect(returnPath('/admin/users?search=ada', 'admin')).toBe('/admin/users?search=ada')
  expect(returnPath('/admin', 'admin')).toBe('/admin')
})

it('returns to the start page without such a page', () => {
  expect(returnPath(undefined, 'trader')).toBe('/')
  expect(returnPath(undefined, 'admin')).toBe('/admin/dashboard')
  expect(returnPath(undefined, 'admin', 'auditor')).toBe('/admin/audit')
})

it('never returns to a page of the other kind of session', () => {
  expect(returnPath('/admin/users', 'trader')).toBe('/')
  expect(returnPath('/admin', 'trader')).toBe('/')
  expect(returnPath('/admin?tab=payouts', 'trader')).toBe('/')
  expect(returnPath('/payouts', 'admin')).toBe('/admin/dashboard')
  // Not a page of the administration: only the prefix is similar.
  expect(returnPath('/administrators', 'trader')).toBe('/administrators')
})

it.each(['//elsewhere.example', '/\\elsewhere.example', 'https://elsewhere.example/', 'javascript:alert(1)', ''])(
  'never returns to another site: %j',
  (address) => expect(returnPath(address, 'trader')).toBe('/'),
)
