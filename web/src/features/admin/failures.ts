import { ApiError, messageOf } from '../../api/api-error.ts'
import { toastFailure } from '../../toast.ts'

/** Says that a change failed. The end of the session is told by whoever watches it, and that must stay to be read. */
export function toastRefusal(title: string, error: unknown, fallback = 'Please try again in a moment.'): void {
  if (error instanceof ApiError && error.status === 401) return
  toastFailure(title, messageOf(error, fallback))
}
