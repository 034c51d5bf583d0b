/** A value outside React, for `useSyncExternalStore(store.subscribe, store.get)`. */
export interface Store<Value> {
  readonly get: () => Value
  readonly set: (next: Value) => void
  /** Calls `listener` after each change, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void
}

/** Creates a store with its first value. */
export function createStore<Value>(initial: Value): Store<Value> {
  let current = initial
  const listeners = new Set<() => void>()
  return {
    get: () => current,
    set(next) {
      current = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
