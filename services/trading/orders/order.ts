import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { type AppendedEvent, defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type UserId, userId } from '#services/framework/ids.ts'
import { acceptedTerms, enrolledVersion } from '#services/identity/users/enrolment.ts'

/**
 * An order of a shop, which enrols its buyer once (docs/decisions/051-enrolments.md). Its stream is named by a keyed
 * hash of the order, and holds nothing about the buyer but a keyed hash and the user's id.
 */

export const orderEvents = defineEvents({
  /** The first request of the order: what it said, and what it is about to enrol in. */
  OrderReceived: {
    /** A keyed hash of the request. */
    content: z.string(),
    ...enrolledVersion,
    accepted: acceptedTerms.nullable(),
    /** The id that the buyer gets who is no user yet, so that every repetition creates the same one. */
    newTrader: userId,
  },
  OrderAssigned: { trader: userId },
})

export type OrderEvent = EventOf<typeof orderEvents>
export type ReceivedOrder = Extract<OrderEvent, { type: 'OrderReceived' }>['data']

export interface Order {
  readonly received: ReceivedOrder | null
  /** Null until it is known which user the buyer is. */
  readonly trader: UserId | null
}

export const orderDecider: Decider<Order, OrderEvent> = {
  initial: { received: null, trader: null },
  evolve(order: Order, { type, data }: AppendedEvent<OrderEvent>): Order {
    switch (type) {
      case 'OrderReceived':
        return { ...order, received: data }
      case 'OrderAssigned':
        return { ...order, trader: data.trader }
    }
  },
}

/** Receives an order; the same again changes nothing. @throws {Refused} conflict, when it said something else before */
export function receiveOrder({ received }: Order, order: ReceivedOrder): OrderEvent[] {
  if (!received) return [{ type: 'OrderReceived', data: order }]
  assertSameContent(received, order.content)
  return []
}

/** @throws {Refused} conflict */
export function assertSameContent(received: ReceivedOrder, content: string): void {
  if (received.content !== content)
    throw new Refused('conflict', 'This order was received before, with other content', 'order')
}

/** Assigns the order to a user, once. */
export function assignOrder({ trader }: Order, to: UserId): OrderEvent[] {
  return trader === null ? [{ type: 'OrderAssigned', data: { trader: to } }] : []
}

export const orderStreams = aggregate('order', orderDecider, orderEvents, null)
