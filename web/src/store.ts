import { readStored, type StoredKey, writeStored } from './stored.ts'

/** Values outside React, which components follow by `useStore`. Without React, which the verify page does not have. */

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

/**
 * Creates a store of a choice that the browser keeps and that other tabs follow. The first of the choices holds until
 * another is made.
 */
export function createStoredChoice<Choice extends string>(
  key: StoredKey,
  choices: readonly [Choice, ...Choice[]],
): Store<Choice> {
  const read = () => choices.find((choice) => choice === readStored(key)) ?? choices[0]
  const store = createStore(read())
  addEventListener('storage', () => store.set(read()))
  return {
    ...store,
    set(next) {
      writeStored(key, next)
      store.set(next)
    },
  }
}
