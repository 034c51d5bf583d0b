/** A row that is no trade, by its type as MetaTrader writes it in every language. */
export type LedgerKind = { readonly why: (amount: bigint) => string } | { readonly skipped: string }

const kinds: readonly (readonly [RegExp, LedgerKind])[] = [
  [/^balance$/, { why: (cents) => (cents < 0n ? 'withdrawal' : 'deposit') }],
  ...['charge', 'correction', 'interest', 'tax', 'commission', 'dividend'].map(
    (word) =>
      [
        new RegExp(word === 'commission' || word === 'dividend' ? String.raw`\b${word}` : `^${word}$`),
        { why: () => word },
      ] as const,
  ),
  [/^credit$/, { skipped: 'a credit' }],
  [/^bonus$/, { skipped: 'a bonus' }],
  [/^(?:buy|sell) (?:limit|stop|stop limit)$/, { skipped: 'a cancelled order' }],
  [/^(?:buy|sell) cancell?ed$/, { skipped: 'a cancelled deal' }],
]

/** Null for a type that is none of them. */
export function ledgerKind(type: string): LedgerKind | null {
  const word = type.trim().toLowerCase()
  return kinds.find(([pattern]) => pattern.test(word))?.[1] ?? null
}
