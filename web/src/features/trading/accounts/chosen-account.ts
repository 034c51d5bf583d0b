import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { ListedOwnAccount } from '#services/trading/accounts/account-api.ts'
import { ownAccountsQuery } from './account-queries.ts'

/** Which of a trader's accounts the pages show. */
export interface ChosenAccount {
  /** As the address names it; undefined where it names none: then it is the current account. */
  readonly named: string | undefined
  /** Its id; undefined while that is not known. */
  readonly id: string | undefined
  /** All of the trader's, the newest first; undefined while they load. */
  readonly accounts: readonly ListedOwnAccount[] | undefined
  /** Where there is only one, nothing names it. */
  readonly hasSeveral: boolean
}

/** The account of the address, else the current one. */
export function useChosenAccount(): ChosenAccount {
  const { account: named } = useSearch({ strict: false })
  const { data: accounts } = useQuery(ownAccountsQuery)
  const id = named ?? accounts?.find(({ current }) => current)?.id
  return { named, id, accounts, hasSeveral: accounts !== undefined && accounts.length > 1 }
}
