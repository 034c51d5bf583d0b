import { useMutation } from '@tanstack/react-query'
import { Credentials } from '#services/identity/sign-in/sign-in-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { useApiForm } from '@/form/api-form.ts'
import { Button } from '@/ui/button.tsx'
import { PasswordInput, TextInput } from '@/ui/field.tsx'
import { TextLink } from '@/ui/link.tsx'
import { FormError } from '@/ui/states.tsx'
import { logIn } from './sign-in-queries.ts'
import { tellSignInFailure } from './session-end.ts'

/** Signs a trader in. A toast shows failures (specification §8). */
export function LoginForm({
  onDone,
  onSecondFactor,
}: {
  readonly onDone: () => void
  readonly onSecondFactor: () => void
}) {
  const login = useMutation(logIn)
  const { field, handleSubmit, showRefusal } = useApiForm(Credentials, { email: '', password: '' })
  const onSubmit = handleSubmit((credentials) =>
    login.mutate(credentials, {
      onSuccess: onDone,
      onError: (error) => {
        if (error instanceof ApiError && error.code === 'second-factor-required') return onSecondFactor()
        showRefusal(error)
        tellSignInFailure(error, { brief: true })
      },
    }),
  )
  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
      <TextInput label="Email" type="email" autoComplete="username" {...field('email')} />
      <PasswordInput label="Password" autoComplete="current-password" {...field('password')} />
      <FormError error={login.error} />
      <Button type="submit" busy={login.isPending}>
        Login
      </Button>
      <p className="text-center text-13">
        <TextLink to="/forgot-password">Forgot your password?</TextLink>
      </p>
    </form>
  )
}
