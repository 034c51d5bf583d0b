import { onlineManager } from '@tanstack/react-query'
import { createStore } from '@/store.ts'
import { useStore } from '@/use-store.ts'

/**
 * Whether the server can be reached. A failed request asks once more with a small one; if that fails too, or the
 * browser says that it is offline, reads wait until the server answers again, and then continue by themselves.
 */

type Reachability = 'reachable' | 'offline' | 'unreachable'

/** Between two attempts to reach the server again, in ms. */
const RETRY_MS = 3_000

const state = createStore<Reachability>('reachable')
let probing: Promise<void> | undefined
let waiting: ReturnType<typeof setTimeout> | undefined

function set(next: Reachability): void {
  if (next === state.get()) return
  document.documentElement.toggleAttribute('data-unreachable', next !== 'reachable')
  onlineManager.setOnline(next === 'reachable')
  state.set(next)
}

/** A request got no answer. */
export function reportNoAnswer(): void {
  void probe()
}

/** Concurrent callers share one question. */
function probe(): Promise<void> {
  probing ??= askServer().finally(() => (probing = undefined))
  return probing
}

async function askServer(): Promise<void> {
  clearTimeout(waiting)
  if (!navigator.onLine) return set('offline')
  const answered = await fetch('/robots.txt', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
  if (answered) return set('reachable')
  set(navigator.onLine ? 'unreachable' : 'offline')
  waiting = setTimeout(() => void probe(), RETRY_MS)
}

/** Follows the browser's own knowledge of its connection. Called once, when the app starts. */
export function watchConnection(): void {
  // Only what is found here pauses reads: the browser does not know whether the server answers.
  onlineManager.setEventListener(() => () => {})
  window.addEventListener('offline', () => set('offline'))
  window.addEventListener('online', () => void probe())
  if (!navigator.onLine) set('offline')
}

/** Asks the server for an answer of any kind. */
export async function isReachable(): Promise<boolean> {
  await probe()
  return state.get() === 'reachable'
}

/** The present state, for components. */
export function useReachability(): Reachability {
  return useStore(state)
}

/** Calls `listener` whenever the server can be reached again. */
export function onReachable(listener: () => void): () => void {
  return state.subscribe(() => state.get() === 'reachable' && listener())
}
