import type { Position } from '#infra/event-store/event-store.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { Claims } from '#services/event-sourcing/claims.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { pagesOf, type ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { Secrets } from '#services/process/keys/derived-secrets.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { type AccountId, accountId, ownerOf } from '#services/framework/ids.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { type ActiveLoginClaim, lapseLoginClaim, type PlatformLogin } from '#services/trading/stream/account.ts'
import { loginClaimKind, loginClaims, loginTaken } from '#services/trading/stream/login-claim.ts'

/** An account that has a login, or had it when it was closed. */
export interface AccountWithLogin {
  readonly id: AccountId
  readonly server: string | null
  readonly open: boolean
}

/** Where accounts are found by their login alone. */
export interface LoginIndex {
  readonly readModels: Pick<ReadModels, 'find' | 'waitFor'>
  /** The end of the log. */
  readonly end: () => Promise<Position>
}

/** Logins that are searched for one by one; of more, all users are read. */
const SEARCHED = 20
const USERS_AT_ONCE = 200

/** One login on a server, one account, however many processes there are. */
export class PlatformLogins {
  private readonly claims

  constructor(
    private readonly repositories: Repositories,
    private readonly secrets: Pick<Secrets, 'platformLoginHash'>,
    private readonly index: LoginIndex,
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

  /** The accounts with these logins on any server, and those without one, by their login. */
  async accountsWith(logins: ReadonlySet<string>): Promise<ReadonlyMap<string, readonly AccountWithLogin[]>> {
    const { readModels, end } = this.index
    await readModels.waitFor([users], await end())
    const found = new Map<string, AccountWithLogin[]>()
    const searches = logins.size > SEARCHED ? [{}] : [...logins].map((search) => ({ search }))
    const seen = new Set<string>()
    for (const search of searches)
      for await (const page of pagesOf(readModels, users, { ...search, limit: USERS_AT_ONCE }))
        for (const { id: text, login, server, open } of page.flatMap(({ accounts }) => accounts)) {
          const { data: id } = accountId.safeParse(text)
          if (!id || login === null || !logins.has(login) || seen.has(id)) continue
          seen.add(id)
          found.set(login, [...(found.get(login) ?? []), { id, server, open }])
        }
    return found
  }

  /** The account that was closed last; none where none was closed. */
  async closedLast(accounts: readonly AccountId[]): Promise<AccountId | undefined> {
    let last: { readonly id: AccountId; readonly at: number } | undefined
    for (const id of accounts)
      for await (const { type, at } of this.repositories.of(accountStreams).readEvents(id))
        if (type === 'AccountClosed' && at >= (last?.at ?? 0)) last = { id, at }
    return last?.id
  }

  /** Releases a login that the account no longer has; `left` is the position at which the account left it. */
  release(holder: AccountId, loginClaim: string, context: Context, left: Position): Promise<void> {
    return this.claims.release(holder, loginClaim, context, left)
  }
}
