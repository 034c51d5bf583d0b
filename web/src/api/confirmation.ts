import { useSyncExternalStore } from 'react'

/** A call that the server refuses until the person confirms who they are (step-up): one dialog asks, then the call goes on. */

export interface ConfirmationRequest {
  readonly session: 'trader' | 'admin'
  /** Closes the dialog. */
  readonly done: (confirmed: boolean) => void
}

let current: (ConfirmationRequest & { readonly answer: Promise<boolean> }) | undefined
const listeners = new Set<() => void>()

function show(next: typeof current): void {
  current = next
  for (const listener of listeners) listener()
}

/** Asks the person behind a call to this path. Calls at the same time share one question. @returns whether they confirmed. */
export function requestConfirmation(path: string): Promise<boolean> {
  if (current) return current.answer
  const session = /^\/api\/(admin|audit)\b/.test(path) ? 'admin' : 'trader'
  let answered: (confirmed: boolean) => void = () => {}
  const answer = new Promise<boolean>((resolve) => (answered = resolve))
  const done = (confirmed: boolean) => {
    show(undefined)
    answered(confirmed)
  }
  show({ session, done, answer })
  return answer
}

/** The question to show now. */
export function useConfirmationRequest(): ConfirmationRequest | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => current,
  )
}
