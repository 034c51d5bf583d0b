import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import { type Claim, claimDecider, type ClaimKind } from '#services/event-sourcing/claim.ts'
import { type EventOf, defineEvents } from '#services/event-sourcing/event-definitions.ts'
import { type UserId, userId } from '#services/framework/ids.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/**
 * One email, one user: the claim on an address, in a stream named by a keyed hash of it (design: "One email, one
 * user").
 */
export const emailClaimEvents = defineEvents({
  EmailClaimed: { holder: userId },
  EmailReleased: { holder: userId },
})

export type EmailClaimEvent = EventOf<typeof emailClaimEvents>
export type EmailClaim = Claim<UserId>

export const emailClaimKind = {
  claimed: 'EmailClaimed',
  released: 'EmailReleased',
  taken: emailTaken,
} as const satisfies ClaimKind<string, string>

export const emailClaims = aggregate(
  'email',
  claimDecider<'EmailClaimed', 'EmailReleased', UserId>(emailClaimKind),
  emailClaimEvents,
  null,
)

export function emailTaken(): Refused {
  return new Refused('conflict', 'This email is already registered', 'email')
}
