import { ApiError, messageOf } from '../../api/api-error.ts'
import { toastFailure } from '../../toast.ts'

/** Says that a change failed. After a 401 the toast about the ended session must stay. */
export function toastRefusal(title: string, error: unknown, fallback = 'Please try again in a moment.'): void {
  if (error instanceof ApiError && error.status === 401) return
  toastFailure(title, messageOf(error, fallback))
}
