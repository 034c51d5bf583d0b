import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AccessChange,
  type AdminKey,
  type AdminKeyEvent,
  adminKeyDecider,
  adminKeyEvents,
  adminRole,
  assignKey,
  changeAccess,
  changeMember,
  issueAdminKey,
  lastingSinceEndedBy,
  type MemberAccess,
  type MemberChanges,
  replaceKey,
  revokeAdminKey,
  signInAdmin,
} from './access-key.ts'
import { adminKeyId } from '#services/framework/ids.ts'
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
const replaced: Extract<AdminKeyEvent, { type: 'AdminKeyReplaced' }> = {
  type: 'AdminKeyReplaced',
  data: { keyId, keyHash: 'hash-2', expiresAt: null },
}
const refused = (why: 'unknown' | 'revoked' | 'expired'): AdminKeyEvent => ({
  type: 'AdminSignInRefused',
  data: { why },
})

describe('issuing an admin key', () => {
  const issue = (key: AdminKey) => issueAdminKey(key, 'Head office', 'admin', 'hash')

  it('records its label, its role and the hash of the key', () => given().when(issue).then([issued]))

  it.each(adminRole.options)('can be for the role %s', (role) => {
    const { state } = given({
      type: 'AdminKeyIssued',
      data: { label: 'Head office', role, keyHash: 'hash', expiresAt: null },
    })
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

  it('is refused for a key that was never issued', () =>
    given().when(revokeAdminKey).thenRefused('not-found', 'There is no such admin key'))
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
    const changed: AdminKeyEvent = {
      type: 'AdminKeyChanged',
      data: { from, to: { label: 'Dana', role: 'payouts', expiresAt: NOW } },
    }
    expect(given(issued, changed).state.issued).toMatchObject({
      label: 'Dana',
      role: 'payouts',
      expiresAt: NOW,
      keyHash: 'hash',
    })
  })

  it('is refused for an unknown and a revoked member, and without a name', () => {
    const rename = (label: string) => (key: AdminKey) => changeMember(key, { label })
    given().when(rename('Dana')).thenRefused('not-found', 'There is no such member of staff')
    given(issued, revoked).when(rename('Dana')).thenRefused('conflict', 'The access of this member is revoked')
    given(issued).when(rename(' ')).thenRefused('invalid', 'A member of staff needs a name', 'name')
  })
})

describe('replacing a key', () => {
  const replace = (key: AdminKey) => replaceKey(key, replaced.data)

  it('is recorded, and refused for a revoked member', () => {
    given(issued).when(replace).then([replaced])
    given(issued, revoked).when(replace).thenRefused('conflict', 'The access of this member is revoked')
  })

  it('changes nothing with a key that the member has, or had', () => {
    given(issued, replaced).when(replace).thenNothing()
    given(issued, replaced)
      .when((key) => replaceKey(key, { keyId, keyHash: 'hash', expiresAt: null }))
      .thenNothing()
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

describe('an administrator whose key does not expire', () => {
  const access = { label: 'Head office', role: 'admin', expiresAt: null } as const
  const changed = (from: Partial<MemberAccess>, to: Partial<MemberAccess>): AdminKeyEvent => ({
    type: 'AdminKeyChanged',
    data: { from: { ...access, ...from }, to: { ...access, ...to } },
  })
  const asSupport = changed({}, { role: 'support' })
  const again = changed({ role: 'support' }, {})
  const change = (changes: MemberChanges): AccessChange => ({ changes, newKey: null })
  const withNewKey = (expiresAt: number | null): AccessChange => ({
    changes: null,
    newKey: { keyId, keyHash: 'hash-2', expiresAt },
  })
  const revocation: AccessChange = { changes: null, newKey: null }

  it('is one since the event that made them one', () => {
    expect(given(issued).state.lastingSince).toBe(0)
    expect(given(issued, changed({}, { label: 'Dana' }), replaced).state.lastingSince).toBe(0)
    expect(given(issued, asSupport, again).state.lastingSince).toBe(2)
    for (const event of [
      asSupport,
      changed({}, { expiresAt: NOW }),
      revoked,
      { ...replaced, data: { ...replaced.data, expiresAt: NOW } },
    ])
      expect(given(issued, event).state.lastingSince).toBeNull()
  })

  it.each([
    ['a revocation', revocation],
    ['another role', change({ role: 'payouts' })],
    ['an expiry', change({ expiresAt: NOW })],
    ['a new key that expires', withNewKey(NOW)],
  ])('is one no longer after %s', (_, ending) => {
    expect(lastingSinceEndedBy(given(issued).state, ending)).toBe(0)
    expect(lastingSinceEndedBy(given(issued, asSupport, again).state, ending)).toBe(2)
    // Nobody else ends to be one.
    expect(lastingSinceEndedBy(given(issued, asSupport).state, ending)).toBeNull()
  })

  it('remains one after any other change', () => {
    for (const other of [change({ label: 'Dana' }), change({ role: 'admin', expiresAt: null }), withNewKey(null)])
      expect(lastingSinceEndedBy(given(issued).state, other)).toBeNull()
  })

  it('is asked about a change only when it is allowed', () => {
    expect(() => lastingSinceEndedBy(given().state, revocation)).toThrow('There is no such admin key')
    expect(() => lastingSinceEndedBy(given(issued, revoked).state, change({ role: 'support' }))).toThrow(
      'The access of this member is revoked',
    )
  })

  it('is changed, given a new key, or else revoked', () => {
    given(issued)
      .when((key) => changeAccess(key, change({ role: 'support' })))
      .then([asSupport])
    given(issued)
      .when((key) => changeAccess(key, withNewKey(null)))
      .then([replaced])
    given(issued)
      .when((key) => changeAccess(key, revocation))
      .then([revoked])
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
