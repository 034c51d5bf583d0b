import { comparePositions, type Position } from '#infra/event-store/event-store.ts'
import { claimEmail, emailTaken, releaseEmail, takeOverEmail, emailClaims } from '../email-claim.ts'
import { type UserId, userId } from '#services/modules/ids.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type ActiveEmailClaim, lapseEmailClaim, users } from '../user.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { Secrets } from '#services/keys/derived-secrets.ts'

/** How long a claim waits for its user's own event before another user may take it over, in ms. */
const UNUSED_CLAIM_TIMEOUT = 10_000

/**
 * One email, one user, over two streams: the address is claimed first, then the user's own event uses the claim.
 * A process may die between the two; the next user who wants the address takes such a claim over.
 */
export class EmailAddresses {
  private readonly claims
  private readonly users

  constructor(
    repositories: Repositories,
    private readonly secrets: Secrets,
    private readonly now: () => number = Date.now,
  ) {
    this.claims = repositories.of(emailClaims)
    this.users = repositories.of(users)
  }

  /** The user who uses this address now, if one does. */
  async findUser(email: string): Promise<UserId | undefined> {
    const claim = this.secrets.emailHash(email)
    const { holder } = (await this.claims.load(claim)).state
    if (!holder) return undefined
    const { state: user } = await this.users.load(holder)
    return user.exists && user.emailClaim === claim ? holder : undefined
  }

  /** Claims an address for a user. @throws {Refused} conflict, when it is another's. */
  async claim(claimant: UserId, email: string, context: Context): Promise<ActiveEmailClaim> {
    const emailClaim = this.secrets.emailHash(email)
    const { state: user } = await this.users.load(claimant)
    try {
      // An unused claim of the claimant may be about to be released; a renewed one is not: see release.
      const { state } = await this.claims.decide(emailClaim, context, (claim) =>
        user.emailClaim === emailClaim ? claimEmail(claim, claimant) : takeOverEmail(claim, claimant, claimant),
      )
      return { emailClaim, since: state.since }
    } catch (error) {
      if (!(error instanceof Refused) || error.kind !== 'conflict') throw error
      return this.takeOver(claimant, emailClaim, context)
    }
  }

  /**
   * Releases an address that the user no longer has.
   *
   * @param left The position at which the user left it. A later claim is about to be used again and stays.
   */
  async release(holder: UserId, emailClaim: string, context: Context, left: Position): Promise<void> {
    const { state: known, position } = await this.claims.load(emailClaim)
    if (comparePositions(position, left) > 0) return
    await this.claims.decide(emailClaim, context, (claim) =>
      claim.since === known.since ? releaseEmail(claim, holder) : [],
    )
  }

  /** Releases the address that a user had before, unless it is in use again. */
  async releasePrevious(holder: string, email: string, context: Context, left: Position): Promise<void> {
    const emailClaim = this.secrets.emailHash(email)
    const { state: user } = await this.users.load(holder)
    if (user.emailClaim !== emailClaim) await this.release(userId.parse(holder), emailClaim, context, left)
  }

  private async takeOver(claimant: UserId, emailClaim: string, context: Context): Promise<ActiveEmailClaim> {
    const { holder, since } = (await this.claims.load(emailClaim)).state
    if (holder && holder !== claimant) {
      if (this.now() - since < UNUSED_CLAIM_TIMEOUT) throw emailTaken()
      // If its holder is slow and not dead, this makes the late event fail instead of creating a second user.
      await this.users.decide(holder, context, (user) => {
        if (user.exists && user.emailClaim === emailClaim) throw emailTaken()
        return lapseEmailClaim(emailClaim)
      })
    }
    const { state } = await this.claims.decide(emailClaim, context, (claim) => {
      // The holder renewed it meanwhile.
      if (holder && claim.holder === holder && claim.since !== since) throw emailTaken()
      return holder ? takeOverEmail(claim, holder, claimant) : claimEmail(claim, claimant)
    })
    return { emailClaim, since: state.since }
  }
}
