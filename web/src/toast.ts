import { useSyncExternalStore } from 'react'

/** What is told to the person in passing (specification §8): one at most; callable from anywhere. */

export interface Toast {
  readonly id: number
  readonly title: string
  readonly description?: string | undefined
  readonly destructive: boolean
  readonly open: boolean
}

/** A dismissed toast is removed after this many ms (specification §4). */
export const REMOVED_AFTER = 1_000_000

let current: Toast | undefined
let lastId = 0
let removal: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function show(next: Toast | undefined): void {
  current = next
  for (const listener of listeners) listener()
}

function replace(title: string, description: string | undefined, destructive: boolean): void {
  clearTimeout(removal)
  lastId += 1
  show({ id: lastId, title, description, destructive, open: true })
}

/** Says that something worked. A toast that is still there gives way. */
export function toast(title: string, description?: string): void {
  replace(title, description, false)
}

/** Says that something failed, in the destructive style. */
export function toastFailure(title: string, description?: string): void {
  replace(title, description, true)
}

/** Takes the toast from sight; it is removed later. */
export function dismissToast(): void {
  if (!current?.open) return
  const { id } = current
  show({ ...current, open: false })
  clearTimeout(removal)
  removal = setTimeout(() => {
    if (current?.id === id) show(undefined)
  }, REMOVED_AFTER)
}

/** The toast that there is, for the one component that shows it. */
export function useToast(): Toast | undefined {
  return useSyncExternalStore(subscribe, () => current)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
