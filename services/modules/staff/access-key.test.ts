import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AdminKey,
  type AdminKeyEvent,
  adminKeyDecider,
  adminKeyEvents,
  adminRole,
  assertAdministratorRemains,
  assignKey,
  changeMember,
  issueAdminKey,
  replaceKey,
  revokeAdminKey,
  signInAdmin,
} from './access-key.ts'
import { adminKeyId } from '#services/modules/ids.ts'
import { fold } from '#services/event-sourcing/decider.ts'
import { anyEventOf, FIRST_EVENT_AT, frozen, givenEvents, appendedEvents } from '#test-support/given-when-then.ts'

const given = givenEvents(adminKeyDecider)
const NOW = FIRST_EVENT_AT + 60_000

const issued: Extract<AdminKeyEvent, { type: 'AdminKeyIssued' }> = {
  type: 'AdminKeyIssued',
  data: { label: 'Head office', role: 'admin', keyHash: 'hash', expiresAt: null },
}
const revoked: AdminKeyEvent = { type: 'AdminKeyRevoked', data: {} }
const keyId = adminKeyId.parse('key2')
const replaced: AdminKeyEvent = { type: 'AdminKeyReplaced', data: { keyId, keyHash: 'hash-2', expiresAt: null } }
const refused = (why: 'unknown' | 'revoked' | 'expired'): AdminKeyEvent => ({ type: 'AdminSignInRefused', data: { why } })

describe('issuing an admin key', () => {
  const issue = (key: AdminKey) => issueAdminKey(key, 'Head office', 'admin', 'hash')

  it('records its label, its role and the hash of the key', () => given().when(issue).then([issued]))

  it.each(adminRole.options)('can be for the role %s', (role) => {
    const { state } = given({ type: 'AdminKeyIssued', data: { label: 'Head office', role, keyHash: 'hash', expiresAt: null } })
    expect(state.issued).toEqual({ label: 'Head office', role, keyHash: 'hash', expiresAt: null, at: FIRST_EVENT_AT })
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
  const present = (hash: string) => (key: AdminKey) => signInAdmin(key, (known) => known === hash, NOW)

  it('opens with the key that was issued', () =>
    given(issued)
      .when(present('hash'))
      .then([{ type: 'AdminSignedIn', data: {} }]))

  it('records a refusal of a key that was never issued', () =>
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

  it('records a refusal of an expired key, and of one that was replaced', () => {
    given({ type: 'AdminKeyIssued', data: { ...issued.data, expiresAt: NOW } })
      .when(present('hash'))
      .then([refused('expired')])
    given(issued, replaced)
      .when(present('hash'))
      .then([refused('revoked')])
    given(issued, replaced)
      .when(present('hash-2'))
      .then([{ type: 'AdminSignedIn', data: {} }])
  })

  it('changes nothing about the key', () => {
    expect(given(issued, refused('unknown'), { type: 'AdminSignedIn', data: {} }).state).toEqual(given(issued).state)
  })
})

describe('changing a member of staff', () => {
  const from = { label: 'Head office', role: 'admin', expiresAt: null } as const

  it('records name, role and expiry, before and after', () =>
    given(issued)
      .when((key) => changeMember(key, { role: 'support', expiresAt: NOW }))
      .then([{ type: 'AdminKeyChanged', data: { from, to: { ...from, role: 'support', expiresAt: NOW } } }]))

  it('changes nothing when nothing differs', () =>
    given(issued)
      .when((key) => changeMember(key, { label: 'Head office', expiresAt: null }))
      .thenNothing())

  it('takes effect', () => {
    const changed: AdminKeyEvent = { type: 'AdminKeyChanged', data: { from, to: { label: 'Dana', role: 'payouts', expiresAt: NOW } } }
    expect(given(issued, changed).state.issued).toMatchObject({ label: 'Dana', role: 'payouts', expiresAt: NOW, keyHash: 'hash' })
  })

  it('is refused for an unknown and a revoked member, and without a name', () => {
    const rename = (label: string) => (key: AdminKey) => changeMember(key, { label })
    given().when(rename('Dana')).thenRefused('not-found', 'There is no such member of staff')
    given(issued, revoked).when(rename('Dana')).thenRefused('conflict', 'The access of this member is revoked')
    given(issued).when(rename(' ')).thenRefused('invalid', 'A member of staff needs a name', 'name')
  })
})

describe('replacing a key', () => {
  const replace = (key: AdminKey) => replaceKey(key, keyId, 'hash-2', null)

  it('is recorded, and refused for a revoked member', () => {
    given(issued).when(replace).then([replaced])
    given(issued, revoked).when(replace).thenRefused('conflict', 'The access of this member is revoked')
  })

  it('names the member in the stream of the new key, once', () => {
    const member = adminKeyId.parse('key1')
    const assigned: AdminKeyEvent = { type: 'AdminKeyAssigned', data: { member } }
    given()
      .when((key) => assignKey(key, member))
      .then([assigned])
    given(assigned)
      .when((key) => assignKey(key, adminKeyId.parse('thief')))
      .thenNothing()
    given(assigned)
      .when((key) => issueAdminKey(key, 'Thief', 'admin', 'hash-2'))
      .thenNothing()
  })
})

describe('the last administrator', () => {
  const lasting = given(issued).state
  const expiring = given({ ...issued, data: { ...issued.data, expiresAt: NOW } }).state
  const support = given({ ...issued, data: { ...issued.data, role: 'support' } }).state
  const gone = given(issued, revoked).state

  it.each([
    ['revoked', gone],
    ['given another role', support],
    ['given an expiry', expiring],
  ])('cannot be %s', (_, after) => {
    for (const others of [[], [expiring, support, gone]]) expect(() => assertAdministratorRemains(lasting, after, others)).toThrow(/last administrator/)
    expect(() => assertAdministratorRemains(lasting, after, [lasting])).not.toThrow()
  })

  it('is no reason to keep others', () => expect(() => assertAdministratorRemains(support, gone, [])).not.toThrow())
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
