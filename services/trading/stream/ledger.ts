import { Map as ImmutableMap } from 'immutable'
import type { AppendedEvent, DomainEvent } from '#services/event-sourcing/event-definitions.ts'
import type { PayoutId } from '#services/framework/ids.ts'
import type { Cents } from '#services/rules/money.ts'
import type { BookedKind, EntryKind, TypedKind } from './ledger-vocabulary.ts'

/**
 * The ledger of an account. It is not stored beside the balance: each event that moves the balance is one entry, so
 * every cent has an event (decision 046).
 */

interface Moved {
  /** The balance before and after. */
  readonly from: Cents
  readonly to: Cents
}

type OfPayout = Moved & { readonly payoutId: PayoutId }

interface Booked {
  readonly kind: BookedKind
  readonly reference: string
  readonly reason: string
}

/** An event that moves the balance of an account. */
export type EntryEvent =
  | DomainEvent<'BalanceChanged', Moved & { readonly kind: TypedKind }>
  | DomainEvent<'EntryBooked', Moved & Booked>
  | DomainEvent<'PayoutDeducted', OfPayout>
  | DomainEvent<'PayoutBookedBack', OfPayout>
  | DomainEvent<'PayoutForfeited', OfPayout>
  | DomainEvent<'PayoutForfeitReversed', OfPayout>

const entryTypes: ReadonlySet<string> = new Set<EntryEvent['type']>([
  'BalanceChanged',
  'EntryBooked',
  'PayoutDeducted',
  'PayoutBookedBack',
  'PayoutForfeited',
  'PayoutForfeitReversed',
])

export function isEntryEvent<Event extends DomainEvent>(event: Event): event is Extract<Event, EntryEvent> {
  return entryTypes.has(event.type)
}

export interface LedgerEntry extends Moved {
  readonly kind: EntryKind
  readonly payoutId: PayoutId | null
  /** The reference and the reason of an entry that staff booked; null for any other. */
  readonly booking: { readonly reference: string; readonly reason: string } | null
}

/** The entry that an event makes. */
export function entryOf(event: EntryEvent): LedgerEntry {
  switch (event.type) {
    case 'BalanceChanged':
      return { ...event.data, payoutId: null, booking: null }
    case 'EntryBooked': {
      const { reference, reason, ...moved } = event.data
      return { ...moved, payoutId: null, booking: { reference, reason } }
    }
    case 'PayoutDeducted':
      return { ...event.data, kind: 'payout', booking: null }
    case 'PayoutBookedBack':
      return { ...event.data, kind: 'payout-reversed', booking: null }
    case 'PayoutForfeited':
      return { ...event.data, kind: 'forfeit', booking: null }
    case 'PayoutForfeitReversed':
      return { ...event.data, kind: 'forfeit-reversed', booking: null }
  }
}

/** The ledger added up, in cents. */
export interface Ledger {
  readonly entries: number
  /** The sum of all entries, which is the balance. */
  readonly sum: number
  readonly sums: Readonly<Partial<Record<EntryKind, number>>>
  /** The revision of the first entry that does not begin with the sum of those before it; null while there is none. */
  readonly faultAt: number | null
  /** The entries that staff booked, by their reference. */
  readonly booked: ImmutableMap<string, Moved & { readonly kind: EntryKind }>
}

export const emptyLedger: Ledger = { entries: 0, sum: 0, sums: {}, faultAt: null, booked: ImmutableMap() }

/** The ledger after one more entry. */
export function ledgerAfter(ledger: Ledger, event: AppendedEvent<EntryEvent>): Ledger {
  const { kind, from, to, booking } = entryOf(event)
  const amount = to - from
  return {
    entries: ledger.entries + 1,
    sum: ledger.sum + amount,
    sums: { ...ledger.sums, [kind]: (ledger.sums[kind] ?? 0) + amount },
    faultAt: ledger.faultAt ?? (from === ledger.sum ? null : event.revision),
    booked: booking ? ledger.booked.set(booking.reference, { kind, from, to }) : ledger.booked,
  }
}
