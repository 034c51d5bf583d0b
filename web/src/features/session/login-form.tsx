import { useForm } from 'react-hook-form'
import { messageOf, ApiError } from '../../api/api-error.ts'
import { checkedBy, showAtFields } from '../../form/form.ts'
import { toastFailure } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordInput, TextInput } from '../../ui/field.tsx'
import { TextLink } from '../../ui/link.tsx'
import { useLogin } from './queries.ts'
import { toastBanned } from './session-end.ts'

const loadSchemas = () => import('./schemas.ts')
const checked = checkedBy(() => loadSchemas().then(({ credentials }) => credentials))

/** Signs a trader in. What goes wrong is told by a toast (specification §8). */
export function LoginForm({ onDone }: { readonly onDone: () => void }) {
  const { register, handleSubmit, setError, formState } = useForm({ resolver: checked, defaultValues: { email: '', password: '' } })
  const login = useLogin()
  const submit = handleSubmit((credentials) =>
    login.mutate(credentials, {
      onSuccess: onDone,
      onError: (error) => {
        showAtFields(error, ['email', 'password'], setError)
        if (error instanceof ApiError && error.banned) toastBanned(error.banned.reason)
        else toastFailure('Login failed', messageOf(error, 'Please try again in a moment.'))
      },
    }),
  )
  return (
    <form noValidate onSubmit={(event) => void submit(event)} onFocus={() => void loadSchemas()} className="flex flex-col gap-4">
      <TextInput label="Email" type="email" autoComplete="username" {...register('email')} error={formState.errors.email?.message} />
      <PasswordInput label="Password" autoComplete="current-password" {...register('password')} error={formState.errors.password?.message} />
      <Button type="submit" busy={login.isPending}>
        Login
      </Button>
      <p className="text-center text-13">
        <TextLink to="/forgot-password">Forgot your password?</TextLink>
      </p>
    </form>
  )
}
