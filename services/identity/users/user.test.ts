import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '#services/event-sourcing/decider.ts'
import { anyEventOf, FIRST_EVENT_AT, frozen, givenEvents, appendedEvents } from '#test-support/given-when-then.ts'
import {
  banUser,
  changePassword,
  changeProfile,
  checkPasswordLink,
  chooseNotices,
  createUser,
  deleteUser,
  endSessions,
  findEmailRevert,
  type ActiveEmailClaim,
  lapseEmailClaim,
  assertUserExists,
  type ProfileChange,
  registerUser,
  rehashPassword,
  requestPasswordReset,
  resetPassword,
  revertEmail,
  unbanUser,
  type User,
  userDecider,
  type UserEvent,
  userEvents,
} from './user.ts'
import type { NoticeKind } from '#services/framework/event-description.ts'
import type { Profile } from './user-vocabulary.ts'

const given = givenEvents(userDecider)

const ada: Profile = {
  fullName: 'Ada Lovelace',
  email: 'ada@example.com',
  country: 'uk',
  city: 'London',
  street: 'St James Square',
  houseNumber: '12',
}
const claim: ActiveEmailClaim = { emailClaim: 'claim-ada', since: FIRST_EVENT_AT }
const registration = { ...ada, emailClaim: 'claim-ada', passwordHash: 'hash-1', privacyPolicyAgreed: true }
const link = { token: 'token-1', tokenHash: 'token-hash-1', expiresAt: FIRST_EVENT_AT + 60_000 }
const creation = { ...ada, emailClaim: 'claim-ada', ...link }

const registered: UserEvent = { type: 'UserRegistered', data: registration }
const created: UserEvent = { type: 'UserCreated', data: creation }
const deleted: UserEvent = { type: 'UserDeleted', data: { banned: false } }
const banned: UserEvent = { type: 'UserBanned', data: { reason: 'Copy trading', from: null } }
const unbanned: UserEvent = { type: 'UserUnbanned', data: { from: 'Copy trading' } }
const resetRequested: UserEvent = { type: 'PasswordResetRequested', data: link }
const lapsed = (emailClaim: string): UserEvent => ({ type: 'EmailClaimLapsed', data: { emailClaim } })

const TAKEN = ['conflict', 'This email is already registered', 'email'] as const
const UNKNOWN = ['not-found', 'User not found'] as const

describe('registering', () => {
  const register = (user: User) => registerUser(user, registration, claim)

  it('records who registered', () => given().when(register).then([registered]))

  it('gives a user who can sign in, is not banned, and has no pending link', () => {
    expect(given(registered).state).toMatchObject({
      ...ada,
      exists: true,
      deleted: false,
      emailClaim: 'claim-ada',
      passwordHash: 'hash-1',
      privacyPolicyAgreed: true,
      ban: null,
      passwordLinks: [],
      createdAt: FIRST_EVENT_AT,
    })
  })

  it('is refused for an id that was used before, also by a user deleted since', () => {
    given(registered).when(register).thenRefused('conflict', 'This user exists already')
    given(registered, deleted).when(register).thenRefused('conflict', 'This user exists already')
  })

  it('is refused when the claim on the email was taken over before it was used', () =>
    given(lapsed('claim-ada'))
      .when(register)
      .thenRefused(...TAKEN))

  it('is possible with a claim made after an older one was taken over', () =>
    given(lapsed('claim-ada'))
      .when((user) => registerUser(user, registration, { emailClaim: 'claim-ada', since: FIRST_EVENT_AT + 1 }))
      .then([registered]))

  it('does not mind that a claim on another email was taken over', () =>
    given(lapsed('claim-other')).when(register).then([registered]))
})

describe('creating a user', () => {
  const create = (user: User) => createUser(user, creation, claim)

  it('records the user with the link that sets the password', () => given().when(create).then([created]))

  it('gives a user without a password, who has not agreed to the privacy policy', () => {
    expect(given(created).state).toMatchObject({
      ...ada,
      exists: true,
      passwordHash: null,
      privacyPolicyAgreed: false,
      passwordLinks: [{ tokenHash: 'token-hash-1', expiresAt: link.expiresAt }],
    })
  })

  it('keeps the token of the link out of the state', () => {
    expect(JSON.stringify(given(created, resetRequested).state)).not.toContain('token-1"')
  })

  it('is refused for an id that was used before', () =>
    given(registered).when(create).thenRefused('conflict', 'This user exists already'))

  it('is refused when the claim on the email was taken over', () =>
    given(lapsed('claim-ada'))
      .when(create)
      .thenRefused(...TAKEN))
})

describe('changing a profile', () => {
  const change =
    (wanted: ProfileChange, claim: ActiveEmailClaim | null = null) =>
    (user: User) =>
      changeProfile(user, wanted, claim)
  const newEmail = { emailClaim: 'claim-new', since: FIRST_EVENT_AT + 5000 }

  it('records only what did change, from what to what', () =>
    given(registered)
      .when(change({ country: 'de', city: 'London', street: 'Unter den Linden' }))
      .then([
        {
          type: 'ProfileChanged',
          data: {
            fields: ['country', 'street'],
            from: { country: 'uk', street: 'St James Square' },
            to: { country: 'de', street: 'Unter den Linden' },
            emailClaim: null,
          },
        },
      ]))

  it('records nothing when nothing did change', () => {
    given(registered).when(change({})).thenNothing()
    given(registered).when(change(ada, claim)).thenNothing()
  })

  it('takes a field set to undefined for one left out, and lets a text be emptied', () => {
    given(registered)
      .when(change({ city: undefined }))
      .thenNothing()
    expect(
      given(registered)
        .when(change({ city: '' }))
        .thenState().city,
    ).toBe('')
  })

  it('records the claim of a new email', () =>
    given(registered)
      .when(change({ email: 'countess@example.com' }, newEmail))
      .then([
        {
          type: 'ProfileChanged',
          data: {
            fields: ['email'],
            from: { email: 'ada@example.com' },
            to: { email: 'countess@example.com' },
            emailClaim: 'claim-new',
          },
        },
      ]))

  it('lets the new claim be the one in use', () => {
    const { email, emailClaim } = given(registered)
      .when(change({ email: 'countess@example.com' }, newEmail))
      .thenState()
    expect({ email, emailClaim }).toEqual({ email: 'countess@example.com', emailClaim: 'claim-new' })
  })

  it('keeps the claim when only the letter case of the email changes', () => {
    const { email, emailClaim } = given(registered)
      .when(change({ email: 'Ada@example.com' }, claim))
      .thenState()
    expect({ email, emailClaim }).toEqual({ email: 'Ada@example.com', emailClaim: 'claim-ada' })
  })

  it('takes no new email without a claim on it', () => {
    expect(() =>
      given(registered)
        .when(change({ email: 'countess@example.com' }))
        .thenState(),
    ).toThrow(TypeError)
  })

  it('is refused when the claim on the new email was taken over meanwhile', () => {
    const late = { ...newEmail, since: FIRST_EVENT_AT + 1000 }
    given(registered, lapsed('claim-new'))
      .when(change({ email: 'countess@example.com' }, late))
      .thenRefused(...TAKEN)
  })

  it('is possible with a claim made after an older one was taken over', () => {
    const { email } = given(registered, lapsed('claim-new'))
      .when(change({ email: 'countess@example.com' }, newEmail))
      .thenState()
    expect(email).toBe('countess@example.com')
  })

  it('is refused for an unknown or deleted user', () => {
    given()
      .when(change({ city: 'Paris' }))
      .thenRefused(...UNKNOWN)
    given(registered, deleted)
      .when(change({ city: 'Paris' }))
      .thenRefused(...UNKNOWN)
  })

  const text = fc.string({ maxLength: 6 })
  const anyChange = fc.record(
    { fullName: text, email: text, country: text, city: text, street: text, houseNumber: text },
    { requiredKeys: [], noNullPrototype: true },
  )

  it('gives exactly the wanted profile, leaves no gap, and the same change again records nothing', () => {
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 8 }), (list) => {
        const decider = frozen(userDecider)
        let state = fold(decider, appendedEvents([registered]))
        for (const wanted of list) {
          const events = changeProfile(state, wanted, claim)
          for (const event of events) if (event.type === 'ProfileChanged') expect(state).toMatchObject(event.data.from)
          const before = state
          state = fold(decider, appendedEvents(events), state)
          expect(state).toEqual({ ...before, ...wanted })
          expect(changeProfile(state, wanted, claim)).toEqual([])
        }
      }),
    )
  })
})

describe('changing a password', () => {
  const change = (user: User) => changePassword(user, 'hash-1', 'hash-2')
  const changed: UserEvent = { type: 'PasswordChanged', data: { passwordHash: 'hash-2' } }
  const WRONG = ['invalid', 'Your current password is not correct', 'currentPassword'] as const

  it('replaces the password', () => {
    given(registered).when(change).then([changed])
    expect(given(registered, changed).state.passwordHash).toBe('hash-2')
  })

  it('is refused when the password that was checked is not the current one any more', () => {
    given(registered, changed)
      .when(change)
      .thenRefused(...WRONG)
    given(created)
      .when(change)
      .thenRefused(...WRONG)
  })

  it('makes a link that was mailed before useless', () =>
    expect(given(registered, resetRequested, changed).state.passwordLinks).toEqual([]))

  it('is refused for an unknown or deleted user', () => {
    given()
      .when(change)
      .thenRefused(...UNKNOWN)
    given(registered, deleted)
      .when(change)
      .thenRefused(...UNKNOWN)
  })
})

describe('rehashing a password', () => {
  const rehash = (checked: string) => (user: User) => rehashPassword(user, checked, 'hash-9')

  it('replaces the hash and nothing else', () => {
    given(registered, resetRequested)
      .when(rehash('hash-1'))
      .then([{ type: 'PasswordRehashed', data: { passwordHash: 'hash-9' } }])
    expect(
      given(registered, resetRequested, { type: 'PasswordRehashed', data: { passwordHash: 'hash-9' } }).state,
    ).toMatchObject({
      passwordHash: 'hash-9',
      passwordLinks: [{ tokenHash: expect.any(String) }],
    })
  })

  it('does nothing when the password has changed since, or the user was deleted', () => {
    given(registered, { type: 'PasswordChanged', data: { passwordHash: 'hash-2' } })
      .when(rehash('hash-1'))
      .then([])
    given(registered, deleted).when(rehash('hash-1')).then([])
  })
})

describe('taking a change of email back', () => {
  const offered: UserEvent = {
    type: 'EmailRevertOffered',
    data: {
      token: 't',
      tokenHash: 'revert-1',
      expiresAt: FIRST_EVENT_AT + 60_000,
      email: ada.email,
      emailClaim: 'claim-ada',
    },
  }
  const moved: UserEvent = {
    type: 'ProfileChanged',
    data: { fields: ['email'], from: { email: ada.email }, to: { email: 'b@example.com' }, emailClaim: 'claim-b' },
  }
  const isIts = (known: string) => (hash: string) => hash === known
  const find =
    (hash: string, now = FIRST_EVENT_AT + 1) =>
    (user: User) =>
      findEmailRevert(user, isIts(hash), now)
  const take = (hash: string, now?: number) => (user: User) => revertEmail(user, find(hash, now)(user), claim, newLink)
  const newLink = { token: 'token-2', tokenHash: 'token-hash-2', expiresAt: FIRST_EVENT_AT + 120_000 }
  const BAD = ['invalid', 'This link is not valid any more. Please contact support.', 'token'] as const

  it('is offered to the address before, with the change', () => {
    const revert = { token: 't', tokenHash: 'revert-1', expiresAt: FIRST_EVENT_AT + 60_000 }
    given(registered)
      .when((user) =>
        changeProfile(user, { email: 'b@example.com' }, { emailClaim: 'claim-b', since: FIRST_EVENT_AT }, revert),
      )
      .then([moved, offered])
    given(registered)
      .when((user) => changeProfile(user, { city: 'Turin' }, null, revert))
      .then([
        {
          type: 'ProfileChanged',
          data: { fields: ['city'], from: { city: 'London' }, to: { city: 'Turin' }, emailClaim: null },
        },
      ])
  })

  it('gives the address back, voids the password, and mails a link to set a new one', () => {
    given(registered, moved, offered)
      .when(take('revert-1'))
      .then([
        {
          type: 'ProfileChanged',
          data: {
            fields: ['email'],
            from: { email: 'b@example.com' },
            to: { email: ada.email },
            emailClaim: 'claim-ada',
          },
        },
        { type: 'EmailChangeReverted', data: {} },
        { type: 'PasswordResetRequested', data: newLink },
      ])
  })

  it('works once, only with its link, and not after it has expired', () => {
    const { state } = given(registered, moved, offered)
    expect(find('revert-1')(state)).toMatchObject({ email: ada.email, emailClaim: 'claim-ada' })
    given(registered, moved, offered)
      .when(take('another'))
      .thenRefused(...BAD)
    given(registered, moved, offered)
      .when(take('revert-1', FIRST_EVENT_AT + 60_000))
      .thenRefused(...BAD)
    given(registered, moved, offered, { type: 'EmailChangeReverted', data: {} })
      .when(take('revert-1'))
      .thenRefused(...BAD)
    given(registered, moved, offered, deleted)
      .when(take('revert-1'))
      .thenRefused(...BAD)
  })

  it('makes a link to set a password useless that was mailed to the other address', () =>
    expect(given(registered, resetRequested, moved).state.passwordLinks).toEqual([]))
})

describe('ending sessions', () => {
  it('is recorded, each time, with its time, and changes nothing else of the user', () => {
    given(registered)
      .when(endSessions)
      .then([{ type: 'SessionsEnded', data: {} }])
    const { sessionsEndedAt, ...user } = given(registered, { type: 'SessionsEnded', data: {} }).state
    expect(given(registered).state).toEqual({ ...user, sessionsEndedAt: 0 })
    expect(sessionsEndedAt).toBeGreaterThan(0)
  })

  it('is refused for an unknown or deleted user', () => {
    given()
      .when(endSessions)
      .thenRefused(...UNKNOWN)
    given(registered, deleted)
      .when(endSessions)
      .thenRefused(...UNKNOWN)
  })
})

describe('setting a password by a mailed link', () => {
  const isIts = (known: string) => (hash: string) => hash === known
  const reset = (tokenHash: string, now: number) => (user: User) => resetPassword(user, isIts(tokenHash), 'hash-2', now)
  const inTimeFor = link.expiresAt - 1
  const wasReset: UserEvent = { type: 'PasswordReset', data: { passwordHash: 'hash-2', mailed: true } }
  const BAD_LINK = ['invalid', 'This link is not valid any more. Please ask for a new one.', 'token'] as const

  it('is requested by the user', () =>
    given(registered)
      .when((user) => requestPasswordReset(user, link))
      .then([resetRequested]))

  it('cannot be requested by an unknown or deleted user', () => {
    given()
      .when((user) => requestPasswordReset(user, link))
      .thenRefused(...UNKNOWN)
    given(registered, deleted)
      .when((user) => requestPasswordReset(user, link))
      .thenRefused(...UNKNOWN)
  })

  it('sets the password until the last moment before the link expires', () => {
    given(registered, resetRequested).when(reset('token-hash-1', inTimeFor)).then([wasReset])
    expect(given(registered, resetRequested, wasReset).state).toMatchObject({
      passwordHash: 'hash-2',
      passwordLinks: [],
    })
  })

  it('is refused from the moment at which the link expires', () =>
    given(registered, resetRequested)
      .when(reset('token-hash-1', link.expiresAt))
      .thenRefused(...BAD_LINK))

  it('is refused with another token', () =>
    given(registered, resetRequested)
      .when(reset('token-hash-2', inTimeFor))
      .thenRefused(...BAD_LINK))

  it('is refused the second time', () =>
    given(registered, resetRequested, wasReset)
      .when(reset('token-hash-1', inTimeFor))
      .thenRefused(...BAD_LINK))

  describe('of which there are several', () => {
    const another: UserEvent = { type: 'PasswordResetRequested', data: { ...link, tokenHash: 'token-hash-2' } }
    const resetFirst: UserEvent = { type: 'PasswordReset', data: { passwordHash: 'hash-2', mailed: false } }

    it.each([
      ['a reset', registered, resetRequested, wasReset],
      ['a welcome', created, { type: 'UserBanned', data: { reason: 'x', from: null } }, resetFirst],
    ] as const)('works with the link of %s after somebody asked for another one', (_, first, between, outcome) => {
      for (const tokenHash of ['token-hash-1', 'token-hash-2'])
        given(first, between, another).when(reset(tokenHash, inTimeFor)).then([outcome])
    })

    it.each<[string, UserEvent]>([
      ['a reset', wasReset],
      ['a change of the password', { type: 'PasswordChanged', data: { passwordHash: 'hash-2' } }],
      ['a change of email that is taken back', { type: 'EmailChangeReverted', data: {} }],
    ])('is refused with each of them after %s', (_, change) => {
      for (const tokenHash of ['token-hash-1', 'token-hash-2'])
        given(registered, resetRequested, another, change)
          .when(reset(tokenHash, inTimeFor))
          .thenRefused(...BAD_LINK)
    })

    it('forgets those that have expired', () => {
      const old: UserEvent = { type: 'PasswordResetRequested', data: { ...link, expiresAt: FIRST_EVENT_AT } }
      expect(given(registered, old, old, another).state.passwordLinks).toHaveLength(1)
    })
  })

  it('is refused without a link, for an unknown and for a deleted user', () => {
    given(registered)
      .when(reset('token-hash-1', inTimeFor))
      .thenRefused(...BAD_LINK)
    given()
      .when(reset('token-hash-1', inTimeFor))
      .thenRefused(...BAD_LINK)
    given(registered, resetRequested, deleted)
      .when(reset('token-hash-1', inTimeFor))
      .thenRefused(...BAD_LINK)
  })

  it('gives a user whom an administrator created the first password, and mails nothing about it', () =>
    given(created)
      .when(reset('token-hash-1', inTimeFor))
      .then([{ type: 'PasswordReset', data: { passwordHash: 'hash-2', mailed: false } }]))

  it('can be checked before a password is entered', () => {
    expect(() => checkPasswordLink(given(created).state, isIts('token-hash-1'), inTimeFor)).not.toThrow()
    expect(() => checkPasswordLink(given(created).state, isIts('token-hash-2'), inTimeFor)).toThrow(BAD_LINK[1])
  })
})

describe('banning', () => {
  const ban = (reason: string) => (user: User) => banUser(user, reason)

  it('records the reason', () => {
    given(registered).when(ban('Copy trading')).then([banned])
    expect(given(registered, banned).state.ban).toEqual({ reason: 'Copy trading' })
  })

  it.each(['', '  ', '\n'])('is refused with a blank reason (%j)', (reason) =>
    given(registered)
      .when(ban(reason))
      .thenRefused('invalid', 'Please provide a reason for banning this user', 'banReason'),
  )

  it('records a new reason for a user who is banned already', () =>
    given(registered, banned)
      .when(ban('Two accounts'))
      .then([{ type: 'UserBanned', data: { reason: 'Two accounts', from: 'Copy trading' } }]))

  it('records nothing when the reason is the same', () =>
    given(registered, banned).when(ban('Copy trading')).thenNothing())

  it('ends by unbanning', () => {
    given(registered, banned).when(unbanUser).then([unbanned])
    expect(given(registered, banned, unbanned).state.ban).toBeNull()
  })

  it('records nothing when a user who is not banned is unbanned', () =>
    given(registered, banned, unbanned).when(unbanUser).thenNothing())

  it('and unbanning are refused for an unknown or deleted user', () => {
    given()
      .when(ban('Copy trading'))
      .thenRefused(...UNKNOWN)
    given()
      .when(unbanUser)
      .thenRefused(...UNKNOWN)
    given(registered, banned, deleted)
      .when(unbanUser)
      .thenRefused(...UNKNOWN)
  })
})

describe('deleting a user', () => {
  it('tells whether the user was banned', () => {
    given(registered).when(deleteUser).then([deleted])
    given(registered, banned)
      .when(deleteUser)
      .then([{ type: 'UserDeleted', data: { banned: true } }])
  })

  it('is refused the second time, and for an unknown user', () => {
    given(registered, deleted)
      .when(deleteUser)
      .thenRefused(...UNKNOWN)
    given()
      .when(deleteUser)
      .thenRefused(...UNKNOWN)
  })

  it('leaves nothing personal in the state', () => {
    const { state } = given(registered, resetRequested, banned, deleted)
    const shown = JSON.stringify(state)
    for (const personal of [...Object.values(ada).filter((text) => text.length > 2), 'hash-1', 'token-hash-1'])
      expect(shown).not.toContain(personal)
    expect(state).toMatchObject({ exists: false, deleted: true, passwordHash: null, passwordLinks: [], ban: null })
  })

  it('keeps the claim on the email, so that it can be given back', () =>
    expect(given(registered, deleted).state.emailClaim).toBe('claim-ada'))
})

describe('a user', () => {
  it('is living once registered or created, until deleted', () => {
    expect(() => assertUserExists(given(registered).state)).not.toThrow()
    expect(() => assertUserExists(given(created).state)).not.toThrow()
    expect(() => assertUserExists(given().state)).toThrow('User not found')
    expect(() => assertUserExists(given(registered, deleted).state)).toThrow('User not found')
  })

  it('has a lapsed claim on record', () =>
    given()
      .when(() => lapseEmailClaim('claim-ada'))
      .then([lapsed('claim-ada')]))

  it('is not made by a lapsed claim alone', () =>
    expect(given(lapsed('claim-ada')).state).toMatchObject({ exists: false, deleted: false }))

  it('folds from every type of event, without changing what it is given', () => {
    fc.assert(
      fc.property(fc.array(anyEventOf(userEvents), { maxLength: 20 }), (events) => {
        const history = appendedEvents(events)
        const before = structuredClone(history)
        expect(fold(frozen(userDecider), history)).toEqual(fold(userDecider, before))
        expect(history).toEqual(before)
      }),
    )
  })

  it.each(Object.keys(userEvents))('knows what to make of %s', (type) => {
    const [events = []] = fc.sample(
      fc.array(
        anyEventOf(userEvents).filter((event) => event.type === type),
        { minLength: 1 },
      ),
      { numRuns: 1, seed: 1 },
    )
    expect(Object.keys(fold(userDecider, appendedEvents(events)))).toEqual(Object.keys(userDecider.initial))
  })
})

describe('notices', () => {
  const chosen = (from: readonly NoticeKind[], to: readonly NoticeKind[]): UserEvent => ({
    type: 'NoticesChosen',
    data: { from: [...from], to: [...to] },
  })

  it('are all mailed until chosen otherwise, and the same choice in another order changes nothing', () => {
    expect(given(registered).state.mutedNotices).toEqual([])
    given(registered)
      .when((user) => chooseNotices(user, ['certificates', 'limits', 'limits']))
      .then([chosen([], ['limits', 'certificates'])])
    given(registered, chosen([], ['limits', 'certificates']))
      .when((user) => chooseNotices(user, ['certificates', 'limits']))
      .thenNothing()
    given(registered, chosen([], ['limits']))
      .when((user) => chooseNotices(user, []))
      .then([chosen(['limits'], [])])
  })

  it('belong to users that exist', () => {
    given(registered, deleted)
      .when((user) => chooseNotices(user, []))
      .thenRefused(...UNKNOWN)
  })
})
