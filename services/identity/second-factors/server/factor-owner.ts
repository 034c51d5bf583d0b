import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { hasSecondFactor, staffFactors, userFactors } from '../second-factor.ts'
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

/** Whether a person has a second factor. */
export async function ownsSecondFactor(repositories: Repositories, caller: AuthenticatedCaller): Promise<boolean> {
  const owner = factorOwnerOf(caller)
  return hasSecondFactor((await factorsOf(repositories, owner).load(owner.id)).state)
}

/** The purpose for which the key of a new authenticator app is signed, until its first code arrives. */
export function authenticatorPurpose(owner: FactorOwner): string {
  return `authenticator app of ${ownerKey(owner)}`
}
