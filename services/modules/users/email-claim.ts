import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { type EventOf, defineEvents, type AppendedEvent } from '#services/event-sourcing/event-definitions.ts'
import { type UserId, userId } from '#services/modules/ids.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/**
 * One email, one user: the claim on an address, in a stream named by a keyed hash of it (design: "One email, one
 * user").
 */
export const emailClaimEvents = defineEvents({
  EmailClaimed: { userId },
  EmailReleased: { userId },
})

export type EmailClaimEvent = EventOf<typeof emailClaimEvents>

export interface EmailClaim {
  readonly holder: UserId | null
  /** When the holder claimed it, ms since 1970. */
  readonly since: number
}

export const emailClaimDecider: Decider<EmailClaim, EmailClaimEvent> = {
  initial: { holder: null, since: 0 },
  evolve(_claim: EmailClaim, { type, data, at }: AppendedEvent<EmailClaimEvent>): EmailClaim {
    switch (type) {
      case 'EmailClaimed':
        return { holder: data.userId, since: at }
      case 'EmailReleased':
        return { holder: null, since: at }
    }
  },
}

/**
 * Claims a free address. Claiming one's own again changes nothing.
 *
 * @throws {Refused} conflict, when it is another's.
 */
export function claimEmail(claim: EmailClaim, claimant: UserId): EmailClaimEvent[] {
  if (claim.holder === claimant) return []
  if (claim.holder) throw emailTaken()
  return [{ type: 'EmailClaimed', data: { userId: claimant } }]
}

/** Takes the claim of a holder who never came to use it. The caller has made sure of that. */
export function takeOverEmail(claim: EmailClaim, from: UserId, claimant: UserId): EmailClaimEvent[] {
  if (claim.holder !== from) return claimEmail(claim, claimant)
  return [{ type: 'EmailClaimed', data: { userId: claimant } }]
}

/** Gives an address back; only its holder can. */
export function releaseEmail(claim: EmailClaim, holder: UserId): EmailClaimEvent[] {
  return claim.holder === holder ? [{ type: 'EmailReleased', data: { userId: holder } }] : []
}

export function emailTaken(): Refused {
  return new Refused('conflict', 'This email is already registered', 'email')
}

export const emailClaims = aggregate('email', emailClaimDecider, emailClaimEvents, null)
