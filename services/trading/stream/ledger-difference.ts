import type { EntryKind } from './ledger-vocabulary.ts'

/** How a balance that was typed or reported differs from the ledger before it. Whole cents. */

export interface Explained {
  readonly explained: number
  readonly unexplained: number
}

interface Moved {
  readonly kind: EntryKind
  readonly amount: number
  /** The booking of an entry that staff booked; null for any other. */
  readonly booking: object | null
}

/** The portal books these itself. */
const portalKinds: ReadonlySet<EntryKind> = new Set(['payout', 'payout-reversed', 'forfeit', 'forfeit-reversed'])

/**
 * Explains each entry, oldest first; null for one that no balance was reported with. A platform that has not booked a
 * payout yet reports a balance that is too high by it: where the difference is at least what was deducted since the
 * last report, that part is explained.
 */
export function explanations(entries: readonly Moved[]): (Explained | null)[] {
  let deducted = 0
  return entries.map(({ kind, amount, booking }) => {
    if (portalKinds.has(kind)) {
      deducted -= amount
      return null
    }
    if (booking || (kind !== 'trade-result' && kind !== 'correction')) return null
    const explained = deducted > 0 && amount >= deducted ? deducted : 0
    deducted = 0
    return { explained, unexplained: amount - explained }
  })
}
