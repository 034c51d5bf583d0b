import { z } from 'zod'
import type { AppendedEvent, DomainEvent } from '#services/event-sourcing/event-definitions.ts'
import type { Promises } from '#services/rules/programme.ts'
import type { PayoutStatus, PromiseKind } from './payout-vocabulary.ts'
import { promiseKinds } from './payout-vocabulary.ts'

/** Until when a payout is promised to be decided and sent (cases.md, "Clocks"). Times in ms. */

const HOUR = 3_600_000

/** The hours that a request records; null where that one is not promised. */
export const promisedHours = z.object({
  decidedWithinHours: z.int().nullable(),
  sentWithinHours: z.int().nullable(),
})
export type PromisedHours = { readonly [Name in keyof Promises]: Promises[Name] | null }

const time = z.int().nullable()
const kind = z.enum(promiseKinds)

/** The promise of a payout, and how far it was kept. */
export const payoutPromise = z.object({
  hours: promisedHours,
  decideBy: time,
  /** From the approval in force; null without one. */
  sendBy: time,
  /** Since when a hold stops the clock. */
  heldSince: time,
  /** When the first verdict was given, and when the payment was first sent; the beginning of a hold in which it was. */
  decidedAt: time,
  sentAt: time,
  /** Withdrawn, or cancelled with its person. */
  isEnded: z.boolean(),
  /** What an entry says is overdue. */
  told: z.array(kind),
  missed: z.array(z.object({ of: kind, seconds: z.int() })),
})
export type PayoutPromise = Readonly<z.infer<typeof payoutPromise>>

/** The promise of a request made at a moment; null where nothing is promised. */
export function promiseFrom(hours: PromisedHours | undefined, at: number): PayoutPromise | null {
  if (!hours || (hours.decidedWithinHours === null && hours.sentWithinHours === null)) return null
  const decideBy = hours.decidedWithinHours === null ? null : at + hours.decidedWithinHours * HOUR
  const open = { sendBy: null, heldSince: null, decidedAt: null, sentAt: null, isEnded: false, told: [], missed: [] }
  return { hours, decideBy, ...open }
}

interface Promising {
  readonly status: PayoutStatus
  readonly promise: PayoutPromise | null
}

export interface Deadline {
  readonly of: PromiseKind
  readonly due: number
}

/** The deadline that runs; null while a hold stops it, and where none does. */
export function deadlineOf({ status, promise }: Promising): Deadline | null {
  if (!promise || promise.isEnded || promise.heldSince !== null) return null
  const { decideBy, sendBy, decidedAt, sentAt } = promise
  if (status === 'pending' && decidedAt === null && decideBy !== null) return { of: 'decision', due: decideBy }
  if (status === 'approved' && sentAt === null && sendBy !== null) return { of: 'sending', due: sendBy }
  return null
}

/** What is overdue, as an entry says; null for nothing. */
export function overdueOf(payout: Promising): PromiseKind | null {
  const of = deadlineOf(payout)?.of
  return of && payout.promise?.told.includes(of) ? of : null
}

/** The deadline that is over at a moment, which no entry says yet. */
export function missedDeadline(payout: Promising, now: number): Deadline | null {
  const deadline = deadlineOf(payout)
  return deadline && now > deadline.due && !payout.promise?.told.includes(deadline.of) ? deadline : null
}

/** When the running deadline is over, if no entry says that it is; null for never. */
export function dueOf(payout: Promising): number | null {
  return missedDeadline(payout, Infinity)?.due ?? null
}

type PromiseEvent =
  | DomainEvent<'PayoutApproved' | 'PayoutRejected' | 'PayoutWithdrawn' | 'PaymentSent' | 'PaymentCancelled'>
  | DomainEvent<'PayoutHoldChanged', { readonly to: string | null }>
  | DomainEvent<'PaymentPaid', { readonly from: 'open' | 'sent' }>
  | DomainEvent<'PayoutOverdue', { readonly of: PromiseKind }>

const moving: ReadonlySet<string> = new Set<PromiseEvent['type']>([
  ...(['PayoutApproved', 'PayoutRejected', 'PayoutWithdrawn', 'PaymentSent', 'PaymentCancelled'] as const),
  ...(['PayoutHoldChanged', 'PaymentPaid', 'PayoutOverdue'] as const),
])

export function movesPromise<Event extends DomainEvent>(event: Event): event is Extract<Event, PromiseEvent> {
  return moving.has(event.type)
}

/** The promise after an event of its payout. */
export function promiseAfter(
  { status, promise }: Promising,
  { type, data, at }: Pick<AppendedEvent<PromiseEvent>, 'at'> & PromiseEvent,
): PayoutPromise | null {
  if (!promise) return null
  const { heldSince, hours, sentAt } = promise
  switch (type) {
    case 'PayoutHoldChanged':
      return data.to === null ? released(promise, status, at) : { ...promise, heldSince: heldSince ?? at }
    case 'PayoutApproved': {
      const sendBy = hours.sentWithinHours === null ? null : at + hours.sentWithinHours * HOUR
      return { ...decidedAt(promise, at), sendBy, heldSince: heldSince === null ? null : at }
    }
    case 'PayoutRejected':
      return { ...decidedAt(promise, at), sendBy: null }
    case 'PaymentPaid':
      return data.from === 'open' ? sentIn(promise, at) : promise
    case 'PaymentSent':
      return sentAt === null ? sentIn(promise, at) : promise
    case 'PayoutWithdrawn':
    case 'PaymentCancelled':
      return { ...promise, isEnded: true }
    case 'PayoutOverdue': {
      const told = { ...promise, told: [...promise.told, data.of] }
      return data.of === 'decision'
        ? withMissed(told, 'decision', told.decidedAt, told.decideBy)
        : withMissed(told, 'sending', told.sentAt, told.sendBy)
    }
  }
}

/** "Its length is added when it ends." */
function released(promise: PayoutPromise, status: PayoutStatus, at: number): PayoutPromise {
  const { heldSince, decideBy, sendBy, decidedAt: decided, sentAt } = promise
  if (heldSince === null) return promise
  const later = (by: number | null) => by && by + Math.max(0, at - heldSince)
  return {
    ...promise,
    heldSince: null,
    decideBy: status === 'pending' && decided === null ? later(decideBy) : decideBy,
    sendBy: status === 'approved' && sentAt === null ? later(sendBy) : sendBy,
  }
}

function decidedAt(promise: PayoutPromise, at: number): PayoutPromise {
  if (promise.decidedAt !== null) return promise
  const decided = { ...promise, decidedAt: promise.heldSince ?? at }
  return promise.told.includes('decision')
    ? withMissed(decided, 'decision', decided.decidedAt, promise.decideBy)
    : decided
}

function sentIn(promise: PayoutPromise, at: number): PayoutPromise {
  if (promise.sentAt !== null) return promise
  const sent = { ...promise, sentAt: at }
  return promise.told.includes('sending') ? withMissed(sent, 'sending', at, promise.sendBy) : sent
}

/** By how many seconds it was missed, rounded up; as it is where it is not done yet, or a clock was set back. */
function withMissed(promise: PayoutPromise, of: PromiseKind, done: number | null, due: number | null): PayoutPromise {
  const seconds = done === null || due === null ? 0 : Math.ceil((done - due) / 1000)
  return seconds > 0 ? { ...promise, missed: [...promise.missed, { of, seconds }] } : promise
}
