import { expect, it } from 'vitest'
import { returnPath } from './session-end.ts'

it('leads back to where somebody was, with everything that the address said', () => {
  expect(returnPath('/payouts?status=pending#h', 'trader')).toBe('/payouts?status=pending#h')
  expect(returnPath('/admin/users?search=ada', 'admin')).toBe('/admin/users?search=ada')
  expect(returnPath('/admin', 'admin')).toBe('/admin')
})

it('leads home without such a place', () => {
  expect(returnPath(undefined, 'trader')).toBe('/')
  expect(returnPath(undefined, 'admin')).toBe('/admin/dashboard')
  expect(returnPath(undefined, 'admin', 'auditor')).toBe('/admin/audit')
})

it('leads nobody to a page of the other kind of session', () => {
  expect(returnPath('/admin/users', 'trader')).toBe('/')
  expect(returnPath('/admin', 'trader')).toBe('/')
  expect(returnPath('/admin?tab=payouts', 'trader')).toBe('/')
  expect(returnPath('/payouts', 'admin')).toBe('/admin/dashboard')
  // Not an administrators' page, though it begins alike.
  expect(returnPath('/administrators', 'trader')).toBe('/administrators')
})

it.each(['//elsewhere.example', '/\\elsewhere.example', 'https://elsewhere.example/', 'javascript:alert(1)', ''])('never leads to another site: %j', (place) =>
  expect(returnPath(place, 'trader')).toBe('/'),
)
