import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { endSessionsAround } from '#services/identity/authentication/ended-sessions.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import {
  hasSecondFactor,
  isRemovalDue,
  secondFactorDecider,
  type SecondFactors,
  settleRemoval,
  staffFactors,
  userFactors,
} from '../second-factor.ts'
import type { AuthenticatedCaller } from '#services/framework/http/caller.ts'

/** Who owns second factors: a user, or a member of staff. */
export interface FactorOwner {
  readonly kind: 'trader' | 'admin'
  readonly id: string
}

export function factorOwnerOf(caller: AuthenticatedCaller): FactorOwner {
  return caller.kind === 'trader' ? { kind: 'trader', id: caller.userId } : { kind: 'admin', id: caller.id }
}

/** The owner in one text, as passkeys keep it (a user handle of at most 64 bytes) and as limits count it. */
export function ownerKey({ kind, id }: FactorOwner): string {
  return `${kind}:${id}`
}

/** The repository of the owner's second factors. */
export function factorsOf(repositories: Repositories, { kind }: Pick<FactorOwner, 'kind'>) {
  return repositories.of(kind === 'trader' ? userFactors : staffFactors)
}

/** The second factors that count now: none of them once their removal is due. */
export async function loadFactors(repositories: Repositories, owner: FactorOwner, now: number): Promise<SecondFactors> {
  const { state } = await factorsOf(repositories, owner).load(owner.id)
  return isRemovalDue(state, now) ? secondFactorDecider.initial : state
}

/** Whether a person has a second factor. */
export async function ownsSecondFactor(
  repositories: Repositories,
  caller: AuthenticatedCaller,
  now: number,
): Promise<boolean> {
  return hasSecondFactor(await loadFactors(repositories, factorOwnerOf(caller), now))
}

/**
 * Records the removal of a user's second factors once it is due, which ends every session. Whoever comes by first does
 * so: until then the date alone counts.
 *
 * @returns whether it was due.
 */
export async function settleDueRemoval(
  { repositories, sessions, now }: Pick<IdentityParts['commands'], 'repositories' | 'sessions' | 'now'>,
  id: string,
  context: Context,
): Promise<boolean> {
  const factors = repositories.of(userFactors)
  if (!isRemovalDue((await factors.load(id)).state, now())) return false
  const bySystem: Context = { ...context, actor: { kind: 'system', label: 'second factors' } }
  await endSessionsAround(sessions, { kind: 'trader', subject: id }, () =>
    factors.decide(id, bySystem, (state) => settleRemoval(state, now())),
  )
  return true
}

/** The purpose for which the key of a new authenticator app is signed, until its first code arrives. */
export function authenticatorPurpose(owner: FactorOwner): string {
  return `authenticator app of ${ownerKey(owner)}`
}
