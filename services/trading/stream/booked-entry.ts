import { z } from 'zod'
import { defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type Account, assertOpen } from './account.ts'
import { type Cents, cents, toCents } from '#services/rules/money.ts'
import type { Ledger } from './ledger.ts'
import { type BookedKind, bookedKinds } from './ledger-vocabulary.ts'

/** Entries that staff book: fees, credits, deposits and corrections, beside what trading and payouts do. */

export const bookedEntryEvents = defineEvents({
  /** The reference is that of the booking at the platform, or of the paper behind it: unique in the account. */
  EntryBooked: { from: cents, to: cents, kind: z.enum(bookedKinds), reference: z.string(), reason: z.string() },
})

export type BookedEntryEvent = EventOf<typeof bookedEntryEvents>

export interface Booking {
  readonly kind: BookedKind
  /** It moves the balance by this amount. */
  readonly amount: Cents
  readonly reference: string
  readonly reason: string
}

/**
 * Books an entry. The balance follows; it is neither profit nor loss. The same again under one reference books nothing.
 *
 * @throws {Refused} invalid, conflict
 */
export function bookEntry(
  { account, ledger }: { readonly account: Account; readonly ledger: Pick<Ledger, 'booked'> },
  { kind, amount, reference, reason }: Booking,
): BookedEntryEvent[] {
  assertOpen(account)
  const fault = amountFault(kind, amount)
  if (fault !== undefined) throw new Refused('invalid', fault, 'amount')
  const earlier = ledger.booked.get(reference)
  if (earlier && (earlier.kind !== kind || earlier.to - earlier.from !== amount))
    throw new Refused('conflict', 'Another entry of this account has this reference', 'reference')
  if (earlier) return []
  const { balance } = account
  return [{ type: 'EntryBooked', data: { from: balance, to: toCents(balance + amount), kind, reference, reason } }]
}

function amountFault(kind: BookedKind, amount: number): string | undefined {
  if (amount === 0) return 'Please enter an amount other than 0'
  if (kind === 'fee' && amount > 0) return 'A fee takes money: please enter an amount below 0'
  if (kind === 'deposit' && amount < 0) return 'A deposit brings money: please enter an amount above 0'
  return undefined
}
