import type { Decider } from './decider.ts'
import type { AppendedEvent } from './event-definitions.ts'
import type { Refused } from './refusal.ts'

/**
 * One value, one holder, over two streams: the value is claimed first, in a stream that a keyed hash of it names, then
 * the holder's own event uses the claim. A process may die between the two; the next who wants the value takes such a
 * claim over.
 */

export interface Claim<Holder extends string> {
  readonly holder: Holder | null
  /** When the holder claimed it, ms since 1970. */
  readonly since: number
}

/** The names of the events of a kind of claim, and the refusal for a value that another one holds. */
export interface ClaimKind<Claimed extends string, Released extends string> {
  readonly claimed: Claimed
  readonly released: Released
  readonly taken: () => Refused
}

export type ClaimEvent<Claimed extends string, Released extends string, Holder extends string> =
  | { readonly type: Claimed; readonly data: { readonly holder: Holder } }
  | { readonly type: Released; readonly data: { readonly holder: Holder } }

export function claimDecider<Claimed extends string, Released extends string, Holder extends string>({
  claimed,
}: ClaimKind<Claimed, Released>): Decider<Claim<Holder>, ClaimEvent<Claimed, Released, Holder>> {
  return {
    initial: { holder: null, since: 0 },
    evolve: (_, { type, data, at }: AppendedEvent<ClaimEvent<Claimed, Released, Holder>>) => ({
      holder: type === claimed ? data.holder : null,
      since: at,
    }),
  }
}

/**
 * Claims a free value. Claiming one's own again changes nothing.
 *
 * @throws {Refused} conflict, when it is another's.
 */
export function makeClaim<Claimed extends string, Released extends string, Holder extends string>(
  { claimed, taken }: ClaimKind<Claimed, Released>,
  { holder }: Claim<Holder>,
  claimant: Holder,
): ClaimEvent<Claimed, Released, Holder>[] {
  if (holder === claimant) return []
  if (holder) throw taken()
  return [{ type: claimed, data: { holder: claimant } }]
}

/** Takes the claim of a holder who never came to use it. The caller has made sure of that. */
export function takeOverClaim<Claimed extends string, Released extends string, Holder extends string>(
  kind: ClaimKind<Claimed, Released>,
  claim: Claim<Holder>,
  from: Holder,
  claimant: Holder,
): ClaimEvent<Claimed, Released, Holder>[] {
  if (claim.holder !== from) return makeClaim(kind, claim, claimant)
  return [{ type: kind.claimed, data: { holder: claimant } }]
}

/** Gives a value back; only its holder can. */
export function releaseClaim<Claimed extends string, Released extends string, Holder extends string>(
  { released }: ClaimKind<Claimed, Released>,
  claim: Claim<Holder>,
  holder: Holder,
): ClaimEvent<Claimed, Released, Holder>[] {
  return claim.holder === holder ? [{ type: released, data: { holder } }] : []
}
