import { KeyRound } from 'lucide-react'
import { ApiError, messageOf } from '../../api/api-error.ts'
import { toastFailure } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { tellBan } from './session-end.ts'
import { usePasskeyLogin } from './session-queries.ts'

/** Signs a trader in with a passkey, without email and password. */
export function PasskeyLogin({ onDone }: { readonly onDone: () => void }) {
  const login = usePasskeyLogin()
  const start = () =>
    login.mutate(undefined, {
      onSuccess: onDone,
      onError: (error) => {
        if (error instanceof ApiError && error.banned) tellBan(error.banned.reason)
        else toastFailure('Login failed', messageOf(error, 'Please try again in a moment.'))
      },
    })
  return (
    <Button look="secondary" busy={login.isPending} onClick={start}>
      <KeyRound size={16} aria-hidden />
      Login with a passkey
    </Button>
  )
}
