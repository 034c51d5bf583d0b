import { toCents } from '#services/money/money.ts'
import type { BalanceChangeDocument } from './balance-read-model.ts'
import { beginStage, type Stage, stageAfter } from './stage.ts'

/** The stage of an account, and the numbers of the events behind it. */
export interface StageFound {
  readonly stage: Stage
  readonly events: { readonly terms: number; readonly balance: number; readonly payout: number | null }
}

/** The stage that the changes of an account lead to, oldest first, as its stream does; null without terms. */
export function stageOfChanges(changes: readonly BalanceChangeDocument[]): StageFound | null {
  let stage: Stage | null = null
  let begun = 0
  let balance = 0
  for (const [index, change] of changes.entries()) {
    if (change.set) {
      stage = change.set.terms && beginStage(change.set.terms, change.at, balance)
      begun = index
    } else if (change.entry && change.balance !== null) {
      const { kind, payoutId, booking } = change.entry
      const entry = { kind, payoutId, booking, from: toCents(balance), to: toCents(change.balance) }
      balance = change.balance
      stage &&= stageAfter(stage, change.at, entry)
    }
  }
  if (!stage) return null
  const terms = changes[begun]?.number ?? 0
  const entries = changes.filter(({ entry }) => entry)
  const lastPaid = stage.seen.findLast(({ payout }) => payout !== null)?.payout?.id
  const paid = entries.findLast(({ entry }) => entry?.kind === 'payout' && entry.payoutId === lastPaid)
  return {
    stage,
    events: { terms, balance: entries.at(-1)?.number ?? terms, payout: lastPaid ? (paid?.number ?? null) : null },
  }
}
