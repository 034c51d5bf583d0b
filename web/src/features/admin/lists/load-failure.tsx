import { messageOf } from '../../../api/api-error.ts'
import { Button } from '../../../ui/button.tsx'
import { ErrorState } from '../../../ui/states.tsx'

interface LoadFailureProps {
  readonly title: string
  readonly error: unknown
  readonly onRetry: () => void
}

/** A failed read: the server's message and a button to retry. */
export function LoadFailure({ title, error, onRetry }: LoadFailureProps) {
  return (
    <ErrorState
      title={title}
      action={
        <Button look="secondary" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      {messageOf(error, 'Please try again in a moment.')}
    </ErrorState>
  )
}
