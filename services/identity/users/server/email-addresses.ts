import type { Position } from '#infra/event-store/event-store.ts'
import type { AggregateRepository, Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { Claims } from '#services/event-sourcing/claims.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { Secrets } from '#services/process/keys/derived-secrets.ts'
import { type UserId, userId } from '#services/framework/ids.ts'
import { emailClaimKind, emailClaims, emailTaken } from '../email-claim.ts'
import { type ActiveEmailClaim, lapseEmailClaim, type User, type UserStreamEvent, userStreams } from '../user.ts'

/** One email, one user, however many processes there are. */
export class EmailAddresses {
  private readonly claims
  private readonly users: AggregateRepository<User, UserStreamEvent>

  constructor(
    repositories: Repositories,
    private readonly secrets: Secrets,
    now: () => number = Date.now,
  ) {
    this.users = repositories.of(userStreams)
    const holders = {
      claimOf: async (holder: UserId) => {
        const { state: user } = await this.users.load(holder)
        return user.exists ? user.emailClaim : null
      },
      lapse: (holder: UserId, emailClaim: string, context: Context) =>
        this.users.decide(holder, context, (user) => {
          if (user.exists && user.emailClaim === emailClaim) throw emailTaken()
          return lapseEmailClaim(emailClaim)
        }),
      areOfOnePerson: () => false,
    }
    this.claims = new Claims(emailClaimKind, repositories.of(emailClaims), holders, now)
  }

  /** The user who uses this address now, if one does. */
  findUser(email: string): Promise<UserId | undefined> {
    return this.claims.findHolder(this.secrets.emailHash(email))
  }

  /** Claims an address for a user. @throws {Refused} conflict, when it is another's. */
  async claim(claimant: UserId, email: string, context: Context): Promise<ActiveEmailClaim> {
    const { claim, since } = await this.claims.claim(claimant, this.secrets.emailHash(email), context)
    return { emailClaim: claim, since }
  }

  /**
   * Releases an address that the user no longer has.
   *
   * @param left The position at which the user left it. A later claim is about to be used again and stays.
   */
  release(holder: UserId, emailClaim: string, context: Context, left: Position): Promise<void> {
    return this.claims.release(holder, emailClaim, context, left)
  }

  /** Releases the address that a user had before, unless it is in use again. */
  async releasePrevious(holder: string, email: string, context: Context, left: Position): Promise<void> {
    const emailClaim = this.secrets.emailHash(email)
    const { state: user } = await this.users.load(holder)
    if (user.emailClaim !== emailClaim) await this.release(userId.parse(holder), emailClaim, context, left)
  }
}
