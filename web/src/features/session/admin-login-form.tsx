import { useForm, useWatch } from 'react-hook-form'
import { messageOf } from '../../api/api-error.ts'
import { toastFailure } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordInput } from '../../ui/field.tsx'
import { useAdminLogin } from './queries.ts'

/** Signs an administrator or auditor in by an access key. */
export function AdminLoginForm({ onDone }: { readonly onDone: () => void }) {
  const { register, handleSubmit, control } = useForm({ defaultValues: { accessKey: '' } })
  const accessKey = useWatch({ control, name: 'accessKey' })
  const login = useAdminLogin()
  const submit = handleSubmit((credentials) =>
    login.mutate(credentials, {
      onSuccess: onDone,
      onError: (error) => toastFailure('Login failed', messageOf(error, 'Invalid access key')),
    }),
  )
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <PasswordInput label="Access Key" autoComplete="off" {...register('accessKey')} />
      <Button type="submit" busy={login.isPending} disabled={accessKey.trim() === ''}>
        Login
      </Button>
    </form>
  )
}
