import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AdminKey, type AdminKeyEvent, adminKeyDecider, adminKeyEvents, adminRole, issueAdminKey, revokeAdminKey, signInAdmin } from './access-key.ts'
import { fold } from '../../event-sourcing/decider.ts'
import { anyEventOf, FIRST_EVENT_AT, frozen, givenEvents, appendedEvents } from '../../../test-support/given-when-then.ts'

const given = givenEvents(adminKeyDecider)

const issued: AdminKeyEvent = { type: 'AdminKeyIssued', data: { label: 'Head office', role: 'admin', keyHash: 'hash' } }
const revoked: AdminKeyEvent = { type: 'AdminKeyRevoked', data: {} }
const refused = (why: 'unknown' | 'revoked'): AdminKeyEvent => ({ type: 'AdminSignInRefused', data: { why } })

describe('issuing an admin key', () => {
  const issue = (key: AdminKey) => issueAdminKey(key, 'Head office', 'admin', 'hash')

  it('records its label, its role and the hash of the key', () => given().when(issue).then([issued]))

  it.each(adminRole.options)('can be for the role %s', (role) => {
    const { state } = given({ type: 'AdminKeyIssued', data: { label: 'Head office', role, keyHash: 'hash' } })
    expect(state.issued).toEqual({ label: 'Head office', role, keyHash: 'hash', at: FIRST_EVENT_AT })
  })

  it('changes nothing the second time, also when the key was revoked since', () => {
    given(issued).when(issue).thenNothing()
    given(issued, revoked).when(issue).thenNothing()
  })

  it.each(['', ' \t'])('is refused without a label (%j)', (label) =>
    given()
      .when((key) => issueAdminKey(key, label, 'admin', 'hash'))
      .thenRefused('invalid', 'An admin key needs a label', 'label'),
  )
})

describe('revoking an admin key', () => {
  it('is recorded once', () => {
    given(issued).when(revokeAdminKey).then([revoked])
    given(issued, revoked).when(revokeAdminKey).thenNothing()
  })

  it('is refused for a key that was never issued', () => given().when(revokeAdminKey).thenRefused('not-found', 'There is no such admin key'))
})

describe('signing in with an access key', () => {
  const present = (hash: string) => (key: AdminKey) => signInAdmin(key, (known) => known === hash)

  it('opens with the key that was issued', () =>
    given(issued)
      .when(present('hash'))
      .then([{ type: 'AdminSignedIn', data: {} }]))

  it('records a refusal of a key that nobody issued', () =>
    given()
      .when(present('hash'))
      .then([refused('unknown')]))

  it('records a refusal of a key whose hash is not the one on record', () =>
    given(issued)
      .when(present('other'))
      .then([refused('unknown')]))

  it('records a refusal of a revoked key', () =>
    given(issued, revoked)
      .when(present('hash'))
      .then([refused('revoked')]))

  it('does not tell a stranger that a key was revoked', () =>
    given(issued, revoked)
      .when(present('other'))
      .then([refused('unknown')]))

  it('changes nothing about the key', () => {
    expect(given(issued, refused('unknown'), { type: 'AdminSignedIn', data: {} }).state).toEqual(given(issued).state)
  })
})

describe('an admin key', () => {
  it('folds from every type of event, without changing what it is given', () => {
    fc.assert(
      fc.property(fc.array(anyEventOf(adminKeyEvents), { maxLength: 10 }), (events) => {
        const state = fold(frozen(adminKeyDecider), appendedEvents(events))
        expect(state.revoked).toBe(events.some(({ type }) => type === 'AdminKeyRevoked'))
        expect(state.issued !== null).toBe(events.some(({ type }) => type === 'AdminKeyIssued'))
      }),
    )
  })
})
