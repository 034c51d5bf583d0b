import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import { ApiError, messageOf } from '@/api/api-error.ts'
import { refetchSubjects } from '@/api/route-query.ts'
import { toast, toastFailure } from '@/toast.ts'
import { auditAddressOf } from '@/addresses.ts'

/** A user, and what a toast calls the person. */
export interface UserName {
  readonly id: string
  readonly fullName: string
}

interface AdminChange<Input, Answer> {
  readonly send: (input: Input) => Promise<Answer>
  /** Title and text of the toast afterwards, and the id of the user whose history has what was done. */
  readonly done: (
    input: Input,
    answer: Answer,
    client: QueryClient,
  ) => readonly [title: string, text: string, userId?: string]
  readonly failed: (input: Input) => string
  /** Shown when the server gives no message. */
  readonly fallback?: (error: Error) => string
}

/** A change by an administrator, for `useMutation`. Toasts report its outcome. */
export const staffChange = <Input, Answer = void>({ send, done, failed, fallback }: AdminChange<Input, Answer>) =>
  mutationOptions({
    mutationFn: send,
    onSuccess: (answer, input, _before, { client }) => {
      const [title, text, userId] = done(input, answer, client)
      toast(title, text, userId === undefined ? undefined : { href: auditAddressOf(userId), text: 'Show in history' })
    },
    onError: (error, input) => {
      const cause = error instanceof PartiallySaved ? error.cause : error
      // The toast about the ended session must stay.
      if (cause instanceof ApiError && cause.status === 401) return
      toastFailure(failed(input), messageOf(cause, fallback?.(error)))
    },
    onSettled: (_answer, _error, _input, _before, { client }) => refetchSubjects(client, 'admin'),
    meta: { session: 'admin' },
  })

/** The second request of a save failed. */
export class PartiallySaved extends Error {
  override readonly name = 'PartiallySaved'
  constructor(
    /** The id of the user, whom the first request saved. */
    readonly id: string,
    reason: unknown,
  ) {
    super(messageOf(reason), { cause: reason })
  }
}
