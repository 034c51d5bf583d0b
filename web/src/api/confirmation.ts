import { createStore } from '@/store.ts'
import type { Session } from './session.ts'

/**
 * A call that the server refuses until the person confirms who they are (step-up): one dialog asks, then the call goes
 * on.
 */

export interface ConfirmationRequest {
  readonly session: Session
  /** Closes the dialog. */
  readonly done: (confirmed: boolean) => void
}

/** The question to show now. */
export const shownConfirmation = createStore<(ConfirmationRequest & { readonly answer: Promise<boolean> }) | undefined>(
  undefined,
)

/** Asks the person of a session. Calls at the same time share one question. @returns whether they confirmed. */
export function requestConfirmation(session: Session): Promise<boolean> {
  const request = shownConfirmation.get()
  if (request) return request.answer
  let answered: (confirmed: boolean) => void = () => {}
  const answer = new Promise<boolean>((resolve) => (answered = resolve))
  const done = (confirmed: boolean) => {
    shownConfirmation.set(undefined)
    answered(confirmed)
  }
  shownConfirmation.set({ session, done, answer })
  return answer
}
