import type { PlatformLogins } from '#services/trading/accounts/server/platform-logins.ts'
import { type AccountId, accountId } from '#services/framework/ids.ts'

/** How a row names its account. */
export type Whose = { readonly account: string } | { readonly server: string; readonly login: string }

/** Finds accounts for the rows of a call or a file, each login once. */
export function accountFinder(logins: Pick<PlatformLogins, 'accountWith'>) {
  const known = new Map<string, Promise<AccountId | null>>()
  return (row: Whose): Promise<AccountId | null> | AccountId | null => {
    if ('account' in row) return accountId.safeParse(row.account).data ?? null
    const key = JSON.stringify([row.server, row.login])
    const found = known.get(key) ?? logins.accountWith(row)
    known.set(key, found)
    return found
  }
}
