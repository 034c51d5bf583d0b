import type { Position } from '#infra/event-store/event-store.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type OrderId, userId } from '#services/framework/ids.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { NO_ORDER } from '#services/trading/orders/order-vocabulary.ts'
import {
  isSame,
  type OrderNotTaken,
  refuseOrder,
  settleOrder,
  untakenOrderId,
  untakenOrders,
} from '#services/trading/orders/untaken-order.ts'

/** Notes orders that are not taken, and settles them. */
export function createUntakenOrders({
  repositories,
  throttle,
  react,
}: Pick<TradingParts['commands'], 'repositories' | 'throttle' | 'react'>) {
  const repository = repositories.of(untakenOrders)

  /** The refusals of an order: the one that waits, or where the next begins, and what the one before it said. */
  const lastOf = async (order: OrderId) => {
    let before: OrderNotTaken | null = null
    for (let number = 1; ; number++) {
      const id = untakenOrderId(order, number)
      const { state } = await repository.load(id)
      if (!state.settled) return { id, refused: state.refused, before }
      before = state.refused
    }
  }

  const settle = async (
    id: string,
    settlement: Parameters<typeof settleOrder>[1],
    context: Context,
  ): Promise<Position> => react(await repository.decide(id, context, (state) => settleOrder(state, settlement)))

  return {
    settle,

    /** Where the same request settled it before; undefined where it did not. */
    settledBefore: async (id: string, context: Context): Promise<Position | undefined> =>
      (await repository.firstDecision(id, context))?.position,

    /** Notes a refusal, the same one once. @throws {HttpError} 429 when its key has had too many: it is sent again. */
    async refuse(order: OrderNotTaken, context: Context): Promise<void> {
      const { id, refused, before } = await lastOf(order.order)
      if (isSame(refused, order) || isSame(before, order)) return
      await throttle.attempt(['untakenOrdersOfKey', context.actor.id ?? context.actor.kind])
      await repository.decide(id, context, (state) => refuseOrder(state, order))
    },

    /** An order is taken: what was refused of it waits no longer. */
    async taken(order: OrderId, trader: string, context: Context): Promise<void> {
      const { id, refused } = await lastOf(order)
      if (refused) await settle(id, { how: 'taken', trader: userId.parse(trader), reason: null }, context)
    },

    /** What is known of an order that waits. @throws {Refused} not-found, conflict */
    async open(id: string): Promise<OrderNotTaken> {
      const { refused, settled } = (await repository.load(id)).state
      if (!refused) throw new Refused('not-found', NO_ORDER)
      if (settled || refused.email === ERASED) throw new Refused('conflict', 'This order was settled before')
      return refused
    },
  }
}
