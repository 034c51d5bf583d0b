import { useEffect, useRef } from 'react'
import { createStore } from '@/store.ts'

/** Whether something would be lost, asked when somebody leaves. */
type IsUnsaved = () => boolean

/** Open forms and dialogs, in which something may be unsaved. */
export const unsavedWork = createStore<ReadonlySet<IsUnsaved>>(new Set())

/** Has the person asked before the page is left, while `isUnsaved`. */
export function useUnsaved(isUnsaved: IsUnsaved): void {
  const latest = useRef(isUnsaved)
  useEffect(() => {
    latest.current = isUnsaved
  })
  useEffect(() => {
    const ask = () => latest.current()
    unsavedWork.set(new Set([...unsavedWork.get(), ask]))
    return () => unsavedWork.set(new Set([...unsavedWork.get()].filter((other) => other !== ask)))
  }, [])
}
