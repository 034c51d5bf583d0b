import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import { claimDecider, type ClaimKind } from '#services/event-sourcing/claim.ts'
import { type EventOf, defineEvents } from '#services/event-sourcing/event-definitions.ts'
import { type AccountId, accountId } from '#services/framework/ids.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/**
 * One login on a server, one account: the claim on it, in a stream named by a keyed hash of both (domain.md, Account).
 * It is free again once the account is closed.
 */
export const loginClaimEvents = defineEvents({
  LoginClaimed: { holder: accountId },
  LoginReleased: { holder: accountId },
})

export type LoginClaimEvent = EventOf<typeof loginClaimEvents>

export const loginClaimKind = {
  claimed: 'LoginClaimed',
  released: 'LoginReleased',
  taken: loginTaken,
} as const satisfies ClaimKind<string, string>

export const loginClaims = aggregate(
  'login',
  claimDecider<'LoginClaimed', 'LoginReleased', AccountId>(loginClaimKind),
  loginClaimEvents,
  null,
)

export function loginTaken(): Refused {
  return new Refused('conflict', 'Another account has this login on this server', 'login')
}
