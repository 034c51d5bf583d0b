import type { EventStore } from '#infra/event-store/event-store.ts'

/** The process died here. */
export class Killed extends Error {}

/** A store of a process that dies at its nth append: before it, or after it was durable and before it was answered. */
export function dyingStore(store: EventStore, appends: number, isDurable: boolean): EventStore {
  let left = appends
  return {
    ...store,
    append: async (...given) => {
      if (left < 0) throw new Killed()
      if (left-- > 0) return store.append(...given)
      if (isDurable) await store.append(...given)
      throw new Killed()
    },
  }
}
