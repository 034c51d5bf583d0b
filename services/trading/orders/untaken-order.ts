import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { defineEvents, type EventOf, personal } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type OrderId, orderId, userId } from '#services/framework/ids.ts'
import { NO_ORDER, settlements, untakenReasons } from './order-vocabulary.ts'

/**
 * An order of a shop that could not be taken: somebody has paid and is not enrolled. Staff settle it, or the shop does by
 * sending the order again. Each time that this happens to an order has a stream and a key of its own, so that settling it
 * can end what is known of the buyer (docs/decisions/051-enrolments.md).
 */

const text = z.string()

export const untakenOrderEvents = defineEvents({
  OrderNotTaken: {
    order: orderId,
    reason: z.enum(untakenReasons),
    /** As the shop sent it. */
    programme: text,
    /** A keyed hash of the request. */
    content: text,
    /** A keyed hash of the email, as claims of emails have it. */
    emailHash: text,
    /** What the shop calls the order. */
    orderNumber: personal(text),
    email: personal(text),
    fullName: personal(text),
  },
  OrderSettled: {
    order: orderId,
    how: z.enum(settlements),
    /** Who was enrolled; null where nobody was. */
    trader: userId.nullable(),
    /** What staff wrote; null where the order was taken. */
    reason: text.nullable(),
  },
})
export type UntakenOrderEvent = EventOf<typeof untakenOrderEvents>
export type OrderNotTaken = Extract<UntakenOrderEvent, { type: 'OrderNotTaken' }>['data']

export interface UntakenOrder {
  /** Null before the first refusal. */
  readonly refused: OrderNotTaken | null
  readonly settled: Extract<UntakenOrderEvent, { type: 'OrderSettled' }>['data'] | null
}

const untakenOrderDecider: Decider<UntakenOrder, UntakenOrderEvent> = {
  initial: { refused: null, settled: null },
  evolve: (order: UntakenOrder, event) =>
    event.type === 'OrderNotTaken' ? { ...order, refused: event.data } : { ...order, settled: event.data },
}

/** Notes that an order was not taken; the same again, and what is settled, changes nothing. */
export function refuseOrder({ refused, settled }: UntakenOrder, order: OrderNotTaken): UntakenOrderEvent[] {
  return settled || isSame(refused, order) ? [] : [{ type: 'OrderNotTaken', data: order }]
}

/** Whether an order is refused for what it was refused for before. */
export function isSame(refused: OrderNotTaken | null, { reason, content }: OrderNotTaken): boolean {
  return refused?.reason === reason && refused.content === content
}

/** The order is taken after all, or staff say why it is not. @throws {Refused} not-found, conflict */
export function settleOrder(
  { refused, settled }: UntakenOrder,
  settlement: Omit<NonNullable<UntakenOrder['settled']>, 'order'>,
): UntakenOrderEvent[] {
  if (!refused) throw new Refused('not-found', NO_ORDER)
  if (settled) throw new Refused('conflict', 'This order was settled before')
  return [{ type: 'OrderSettled', data: { order: refused.order, ...settlement } }]
}

/** '<orderId>-<number>', counted from 1. */
export const untakenOrders = aggregate('untakenorder', untakenOrderDecider, untakenOrderEvents, {
  kind: 'order',
  idOf: (id) => id,
  begins: true,
})

/** The id of the stream about so many refusals of an order, counted from 1. */
export function untakenOrderId(order: OrderId, number: number): string {
  return `${order}-${number}`
}
