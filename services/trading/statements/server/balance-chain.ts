import type { StatementCheck } from '../statement-vocabulary.ts'
import { amountsAgree, disagreement, rowCheck } from './statement-checks.ts'
import { type Decimal, sumOf } from './values/decimal.ts'

/** A row with the balance that it leaves. */
export interface Link {
  readonly line: number
  /** Rows of one time may stand in another order. */
  readonly at: number
  readonly money: Decimal
  readonly balance: Decimal
  /** Credits move the balance of some brokers, and of others not: the chain begins anew. */
  readonly isRestart: boolean
}

/** Rows of one time that are looked through for the next one. */
const LOOK_AHEAD = 20

/**
 * Each balance is the one before it and the money of its row. `before` is known where the history is whole. After a
 * row that disagrees, the chain goes on from what is printed there. `last` is the balance at its end.
 */
export function balanceChain(
  links: readonly Link[],
  before: Decimal | null,
): { readonly checks: readonly StatementCheck[]; readonly last: Decimal | null } {
  const waiting = [...links]
  const disagreeing: Parameters<typeof rowCheck>[1][number][] = []
  let balance = before
  for (let place = 0; place < waiting.length; place += 1) {
    const next = takeNext(waiting, place, balance)
    if (!next) break
    if (balance !== null && !next.isRestart) {
      const found = disagreement(next.line, next.balance, sumOf([balance, next.money]))
      if (found) disagreeing.push(found)
    }
    balance = next.balance
  }
  const isChecked = links.length > 1 || (links.length === 1 && before !== null)
  const sorted = disagreeing.toSorted((one, other) => one.line - other.line)
  return { checks: isChecked ? rowCheck('balance chain', sorted) : [], last: balance }
}

/** The row at this place, or one of the same time that fits where this one does not; the two change places. */
function takeNext(links: Link[], place: number, balance: Decimal | null): Link | undefined {
  const first = links[place]
  if (!first || balance === null) return first
  const fits = ({ money, balance: after, isRestart }: Link) => isRestart || amountsAgree(after, sumOf([balance, money]))
  if (fits(first)) return first
  for (let other = place + 1; other < Math.min(links.length, place + LOOK_AHEAD); other += 1) {
    const link = links[other]
    if (!link || link.at !== first.at) break
    if (!fits(link)) continue
    links[place] = link
    links[other] = first
    return link
  }
  return first
}
