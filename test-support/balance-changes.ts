import type { BalanceChange } from '#services/trading/stream/trading-results.ts'
import type { EntryKind } from '#services/trading/stream/ledger-vocabulary.ts'

/** A change whose entry is a trading result, or the first money, unless it says otherwise. */
export type GivenChange = Omit<BalanceChange, 'entry'> & { readonly kind?: EntryKind }

/** Changes of a balance as the read model has them, each with its entry. */
export function withEntries(changes: readonly GivenChange[]): BalanceChange[] {
  let before = 0
  return changes.map(({ kind, ...change }) => {
    const { balance } = change
    if (balance === null || (before === 0 && balance === 0)) return { ...change, entry: null }
    const entry = { kind: kind ?? (before === 0 ? 'deposit' : 'trade-result'), amount: balance - before } as const
    before = balance
    return { ...change, entry }
  })
}
