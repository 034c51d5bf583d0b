import { createStore } from './store.ts'

/** Toasts (specification §8): at most one; callable from anywhere. */

export interface ToastLink {
  /** In this app. */
  readonly href: string
  readonly text: string
}

export interface Toast {
  readonly id: number
  readonly title: string
  readonly description?: string | undefined
  /** Where to see what was done. */
  readonly link?: ToastLink | undefined
  readonly destructive: boolean
  /** Hides by itself. */
  readonly brief: boolean
  readonly open: boolean
}

/** A dismissed toast is removed after this many ms (specification §4). */
export const REMOVED_AFTER = 1_000_000

/** The current toast, for the component that shows it. */
export const shownToast = createStore<Toast | undefined>(undefined)
let lastId = 0
let removal: ReturnType<typeof setTimeout> | undefined

function replace(next: Omit<Toast, 'id' | 'open'>): void {
  clearTimeout(removal)
  lastId += 1
  shownToast.set({ ...next, id: lastId, open: true })
}

/** Reports a success. Replaces a visible toast. */
export function toast(title: string, description?: string, link?: ToastLink): void {
  replace({ title, description, link, destructive: false, brief: true })
}

/**
 * Reports a failure, in the destructive style. It stays until it is closed or replaced, unless the page itself says the
 * same.
 */
export function toastFailure(title: string, description?: string, { brief = false } = {}): void {
  replace({ title, description, destructive: true, brief })
}

/** Hides a failure that a later success makes untrue. */
export function dismissFailure(): void {
  if (shownToast.get()?.destructive) dismissToast()
}

/** Hides the toast; it is removed later. */
export function dismissToast(): void {
  const shown = shownToast.get()
  if (!shown?.open) return
  shownToast.set({ ...shown, open: false })
  clearTimeout(removal)
  removal = setTimeout(() => shownToast.set(undefined), REMOVED_AFTER)
}
