import { useSyncExternalStore } from 'react'
import type { Store } from './store.ts'

/** The value of a store. The component renders again when it changes. */
export function useStore<Value>({ subscribe, get }: Pick<Store<Value>, 'subscribe' | 'get'>): Value {
  return useSyncExternalStore(subscribe, get)
}
