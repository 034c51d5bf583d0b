import type { Position } from '#infra/event-store/event-store.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { Claims } from '#services/event-sourcing/claims.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { Secrets } from '#services/process/keys/derived-secrets.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { type AccountId, ownerOf } from '#services/framework/ids.ts'
import { type ActiveLoginClaim, lapseLoginClaim, type PlatformLogin } from '#services/trading/stream/account.ts'
import { loginClaimKind, loginClaims, loginTaken } from '#services/trading/stream/login-claim.ts'

/** One login on a server, one account, however many processes there are. */
export class PlatformLogins {
  private readonly claims

  constructor(
    private readonly repositories: Repositories,
    private readonly secrets: Pick<Secrets, 'platformLoginHash'>,
    now: () => number = Date.now,
  ) {
    const streams = repositories.of(accountStreams)
    this.claims = new Claims(
      loginClaimKind,
      repositories.of(loginClaims),
      {
        claimOf: async (holder: AccountId) => (await streams.load(holder)).state.account.loginClaim,
        lapse: (holder: AccountId, loginClaim: string, context: Context) =>
          streams.decide(holder, context, ({ account }) => {
            if (account.loginClaim === loginClaim) throw loginTaken()
            return lapseLoginClaim(loginClaim)
          }),
        areOfOnePerson: (holder, claimant) => ownerOf(holder) === ownerOf(claimant),
      },
      now,
    )
  }

  /**
   * Claims a login for an account; null where the login or its server is not known: then it is not unique.
   *
   * @throws {Refused} conflict, when it is another account's.
   */
  async claim(
    claimant: AccountId,
    { login, server }: PlatformLogin,
    context: Context,
  ): Promise<ActiveLoginClaim | null> {
    if (login === null || server === null) return null
    const { claim, since } = await this.claims.claim(claimant, this.secrets.platformLoginHash(server, login), context)
    return { login, server, loginClaim: claim, since }
  }

  /** The account that has a login; where none has, the closed one that had it last. */
  async accountWith({ server, login }: { readonly server: string; readonly login: string }): Promise<AccountId | null> {
    const claim = this.secrets.platformLoginHash(server, login)
    const holder = await this.claims.findHolder(claim)
    if (holder) return holder
    let last: AccountId | null = null
    for await (const { data } of this.repositories.of(loginClaims).readEvents(claim)) last = data.holder
    if (!last) return null
    const { account } = (await this.repositories.of(accountStreams).load(last)).state
    const wasIts = account.server === server && account.login === login
    return wasIts && !account.open && !account.erased ? last : null
  }

  /** Releases a login that the account no longer has; `left` is the position at which the account left it. */
  release(holder: AccountId, loginClaim: string, context: Context, left: Position): Promise<void> {
    return this.claims.release(holder, loginClaim, context, left)
  }
}
