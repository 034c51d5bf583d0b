import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '#services/event-sourcing/decider.ts'
import {
  type EmailClaim,
  type EmailClaimEvent,
  emailClaimEvents,
  emailClaimKind,
  emailClaims,
} from '#services/identity/users/email-claim.ts'
import { makeClaim, releaseClaim, takeOverClaim } from './claim.ts'
import { userId } from '#services/framework/ids.ts'
import { anyEventOf, FIRST_EVENT_AT, frozen, givenEvents, appendedEvents } from '#test-support/given-when-then.ts'

const given = givenEvents(emailClaims.decider)

const ada = userId.parse('trader01')
const bob = userId.parse('trader02')
const claimedBy = (holder: typeof ada): EmailClaimEvent => ({ type: 'EmailClaimed', data: { holder } })
const releasedBy = (holder: typeof ada): EmailClaimEvent => ({ type: 'EmailReleased', data: { holder } })
const TAKEN = ['conflict', 'This email is already registered', 'email'] as const

describe('claiming an email', () => {
  const claim = (state: EmailClaim) => makeClaim(emailClaimKind, state, ada)

  it('gives a free address to the first who asks', () => {
    given()
      .when(claim)
      .then([claimedBy(ada)])
    expect(given(claimedBy(ada)).state).toEqual({ holder: ada, since: FIRST_EVENT_AT })
  })

  it('gives an address that was given back to the next who asks', () =>
    given(claimedBy(bob), releasedBy(bob))
      .when(claim)
      .then([claimedBy(ada)]))

  it("changes nothing when it is one's own", () => given(claimedBy(ada)).when(claim).thenNothing())

  it("is refused when it is another's", () =>
    given(claimedBy(bob))
      .when(claim)
      .thenRefused(...TAKEN))
})

describe('taking over an email', () => {
  const takeOver = (state: EmailClaim) => takeOverClaim(emailClaimKind, state, bob, ada)

  it('gives the address of a holder who never came to another person', () =>
    given(claimedBy(bob))
      .when(takeOver)
      .then([claimedBy(ada)]))

  it('gives it when it was given back meanwhile', () =>
    given(claimedBy(bob), releasedBy(bob))
      .when(takeOver)
      .then([claimedBy(ada)]))

  it('is refused when a third was faster', () => {
    const third = userId.parse('trader03')
    given(claimedBy(bob), claimedBy(third))
      .when(takeOver)
      .thenRefused(...TAKEN)
  })

  it('changes nothing the second time', () => given(claimedBy(bob), claimedBy(ada)).when(takeOver).thenNothing())

  it("renews one's own claim, with a new moment", () => {
    given(claimedBy(ada))
      .when((state) => takeOverClaim(emailClaimKind, state, ada, ada))
      .then([claimedBy(ada)])
    expect(given(claimedBy(ada), claimedBy(ada)).state.since).toBe(FIRST_EVENT_AT + 1000)
  })
})

describe('giving an email back', () => {
  it('frees the address', () => {
    given(claimedBy(ada))
      .when((state) => releaseClaim(emailClaimKind, state, ada))
      .then([releasedBy(ada)])
    expect(given(claimedBy(ada), releasedBy(ada)).state.holder).toBeNull()
  })

  it('is for its holder only, and happens once', () => {
    given(claimedBy(bob))
      .when((state) => releaseClaim(emailClaimKind, state, ada))
      .thenNothing()
    given(claimedBy(ada), releasedBy(ada))
      .when((state) => releaseClaim(emailClaimKind, state, ada))
      .thenNothing()
    given()
      .when((state) => releaseClaim(emailClaimKind, state, ada))
      .thenNothing()
  })
})

describe('a claim on an email', () => {
  it('has at most one holder after any decisions', () => {
    const wish = fc.tuple(
      fc.constantFrom('claim', 'take over', 'release'),
      fc.constantFrom(ada, bob),
      fc.constantFrom(ada, bob),
    )
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 20 }), (wishes) => {
        let state = frozen(emailClaims.decider).initial
        for (const [what, who, other] of wishes) {
          const decide = {
            claim: () => makeClaim(emailClaimKind, state, who),
            'take over': () => takeOverClaim(emailClaimKind, state, other, who),
            release: () => releaseClaim(emailClaimKind, state, who),
          }
          const before = state.holder
          try {
            state = fold(frozen(emailClaims.decider), appendedEvents(decide[what]()), state)
          } catch {
            expect(before).not.toBeNull()
            expect(before).not.toBe(who)
          }
          if (state.holder === before) continue
          // It changes hands only when it was free, was given back, or was taken over from the very one who held it.
          if (what === 'claim') expect(before).toBeNull()
          if (what === 'release') expect([before, state.holder]).toEqual([who, null])
          if (what === 'take over') expect(before === null || before === other).toBe(true)
        }
      }),
    )
  })

  it('folds from every type of event, without changing what it is given', () => {
    fc.assert(
      fc.property(fc.array(anyEventOf(emailClaimEvents), { minLength: 1, maxLength: 10 }), (events) => {
        const last = events.at(-1)
        const { holder } = fold(frozen(emailClaims.decider), appendedEvents(events))
        expect(holder).toBe(last?.type === 'EmailClaimed' ? last.data.holder : null)
      }),
    )
  })
})
