import { messageOf, ApiError } from '../../api/api-error.ts'
import { useSmallForm } from '../../form/small-form.ts'
import { toastFailure } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordInput, TextInput } from '../../ui/field.tsx'
import { TextLink } from '../../ui/link.tsx'
import { useLogin } from './session-queries.ts'
import { toastBanned } from './session-end.ts'

const loadCheck = () => import('./checks.ts').then(({ checkCredentials }) => checkCredentials)

/** Signs a trader in. A toast shows failures (specification §8). */
export function LoginForm({ onDone }: { readonly onDone: () => void }) {
  const login = useLogin()
  const { form, errors, showRefusal } = useSmallForm(loadCheck, (credentials) =>
    login.mutate(credentials, {
      onSuccess: onDone,
      onError: (error) => {
        showRefusal(error)
        if (error instanceof ApiError && error.banned) toastBanned(error.banned.reason)
        else toastFailure('Login failed', messageOf(error, 'Please try again in a moment.'))
      },
    }),
  )
  return (
    <form {...form} className="flex flex-col gap-4">
      <TextInput label="Email" type="email" autoComplete="username" name="email" error={errors['email']} />
      <PasswordInput label="Password" autoComplete="current-password" name="password" error={errors['password']} />
      <Button type="submit" busy={login.isPending}>
        Login
      </Button>
      <p className="text-center text-13">
        <TextLink to="/forgot-password">Forgot your password?</TextLink>
      </p>
    </form>
  )
}
