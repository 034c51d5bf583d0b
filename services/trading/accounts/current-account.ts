import type { AccountStatus } from '#services/trading/stream/account.ts'
import { isFunded } from '#services/trading/stream/account-vocabulary.ts'

/** The current one of a trader's accounts is chosen by these fields. */
export interface AccountChoice {
  readonly open: boolean
  readonly status: AccountStatus
  readonly phase: string | null
  /** The stage of its programme, where it has one. */
  readonly programme?: { readonly funded: boolean } | null
}

/**
 * The account used when a call names none: "of the open ones that are not breached a funded one first (a funded
 * stage, or the phase "Funded"), then the newest; if all are breached, the newest." Without an open one it is the
 * newest of all.
 *
 * @param accounts In the order in which they were opened.
 */
export function currentAccount<Account extends AccountChoice>(accounts: readonly Account[]): Account | undefined {
  const open = accounts.filter((account) => account.open)
  const unbreached = open.filter(({ status }) => status !== 'breached')
  return unbreached.findLast(isFunded) ?? unbreached.at(-1) ?? open.at(-1) ?? accounts.at(-1)
}
