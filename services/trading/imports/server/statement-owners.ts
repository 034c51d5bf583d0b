import { type AccountId, accountId } from '#services/framework/ids.ts'
import type { AccountWithLogin } from '#services/trading/accounts/server/platform-logins.ts'
import { accountFinder } from '#services/trading/observations/server/account-finder.ts'
import type { Account } from '#services/trading/stream/account.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { SourceRow, SourceStatement } from './statement-source.ts'

/** The account that all rows of a file are said to be of. */
export interface Owner {
  readonly id: AccountId
  readonly login: Account['login']
  readonly server: Account['server']
}

const NONE = { reason: 'There is no such account' }

type Found = AccountId | { readonly reason: string }

/**
 * Finds the account of each row: the one that all are of, else the one with its login, which is open, else the one that
 * was closed last (statements.md, "Import").
 *
 * @returns a reason where there is none, or several.
 */
export async function ownersOf(
  { logins }: Pick<TradingParts['commands'], 'logins'>,
  statement: SourceStatement,
  ofAll: Owner | null,
) {
  const accountOf = accountFinder(logins)
  const found = new Map<string, Promise<Found>>()
  const unplaced = new Set<string>()
  for (const source of ofAll ? [] : statement.rows) {
    const login = source.account === undefined ? loginOf(source, statement) : null
    if (login !== null && serverOf(source, statement) === null) unplaced.add(login)
  }
  const known = unplaced.size > 0 ? await logins.accountsWith(unplaced) : new Map<string, readonly AccountWithLogin[]>()
  const withLogin = async (login: string, server: string | null): Promise<Found> =>
    server === null ? oneOf(logins, login, known.get(login) ?? []) : ((await accountOf({ server, login })) ?? NONE)

  return (source: SourceRow): Promise<Found> | Found => {
    if (ofAll) return ofAll.id
    const login = loginOf(source, statement)
    if (source.account !== undefined) return accountId.safeParse(source.account).data ?? NONE
    if (login === null) return { reason: 'The row says no login' }
    const server = serverOf(source, statement)
    const key = JSON.stringify([server, login])
    const owner = found.get(key) ?? withLogin(login, server)
    found.set(key, owner)
    return owner
  }
}

function serverOf(source: SourceRow, statement: SourceStatement): string | null {
  return source.server ?? statement.server
}

/** The login of a row: its own, else the one that the file says once. */
export function loginOf({ row }: SourceRow, { file }: SourceStatement): string | null {
  return ('login' in row ? row.login : null) ?? file?.account.login ?? null
}

/** Servers are written with capitals here and without them there. */
export function isSame(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase()
}

type Logins = Pick<TradingParts['commands']['logins'], 'accountsWith' | 'accountWith' | 'closedLast'>

/** The account with a login that a person named; a reason where there is none, or several. */
export async function accountWithLogin(logins: Logins, login: string, server: string | null): Promise<Found> {
  if (server !== null) return (await logins.accountWith({ server, login })) ?? NONE
  return oneOf(logins, login, (await logins.accountsWith(new Set([login]))).get(login) ?? [])
}

async function oneOf(logins: Logins, login: string, candidates: readonly AccountWithLogin[]): Promise<Found> {
  if (new Set(candidates.map((each) => each.server?.toLowerCase())).size > 1)
    return { reason: `The login ${login} is on several servers: say on which one this statement is` }
  const open = candidates.find((each) => each.open)
  return open?.id ?? (await logins.closedLast(candidates.map(({ id }) => id))) ?? NONE
}
