import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { Button } from '@/ui/button.tsx'
import { tellSignInFailure } from './session-end.ts'
import { logInWithPasskey } from './sign-in-queries.ts'

/** Signs a trader in with a passkey, without email and password. */
export function PasskeyLogin({ onDone }: { readonly onDone: () => void }) {
  const login = useMutation(logInWithPasskey)
  const start = () => login.mutate(undefined, { onSuccess: onDone, onError: (error) => tellSignInFailure(error) })
  return (
    <Button look="secondary" busy={login.isPending} onClick={start}>
      <KeyRound size={16} aria-hidden />
      Login with a passkey
    </Button>
  )
}
