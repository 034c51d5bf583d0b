import { useEffect, useRef, useState, useSyncExternalStore } from 'react'

/**
 * `use-sync-external-store/shim/with-selector` for tests: the package itself is CommonJS, whose `require('react')` no alias reaches,
 * so that it would find React where the tests render with Preact. The build bundles the package.
 */
export function useSyncExternalStoreWithSelector<Snapshot, Selection>(
  subscribe: (listener: () => void) => () => void,
  getSnapshot: () => Snapshot,
  _getServerSnapshot: unknown,
  selector: (snapshot: Snapshot) => Selection,
  isEqual: (one: Selection, other: Selection) => boolean = Object.is,
): Selection {
  const shown = useRef<{ readonly selection: Selection }>(undefined)
  const [memo] = useState<{ last?: { readonly snapshot: Snapshot; readonly selector: unknown; readonly selection: Selection } }>({})
  const selection = useSyncExternalStore(subscribe, () => {
    const snapshot = getSnapshot()
    const { last } = memo
    if (last && last.selector === selector && Object.is(last.snapshot, snapshot)) return last.selection
    const next = selector(snapshot)
    const before = last ?? shown.current
    const kept = before && isEqual(before.selection, next) ? before.selection : next
    memo.last = { snapshot, selector, selection: kept }
    return kept
  })
  useEffect(() => {
    shown.current = { selection }
  }, [selection])
  return selection
}
