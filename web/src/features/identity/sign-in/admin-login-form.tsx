import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { AdminRole } from '#services/identity/staff/staff-api.ts'
import { ApiError, messageOf } from '@/api/api-error.ts'
import { toastFailure } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { PasswordInput } from '@/ui/field.tsx'
import { FormError } from '@/ui/states.tsx'
import { logInAsAdmin } from './sign-in-queries.ts'

interface AdminLoginFormProps {
  readonly onDone: (role: AdminRole) => void
  readonly onSecondFactor: () => void
}

/** Signs an administrator or auditor in by an access key. */
export function AdminLoginForm({ onDone, onSecondFactor }: AdminLoginFormProps) {
  const [accessKey, setAccessKey] = useState('')
  const login = useMutation(logInAsAdmin)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    login.mutate(
      { accessKey },
      {
        onSuccess: ({ role }) => onDone(role),
        onError: (error) => {
          if (error instanceof ApiError && error.code === 'second-factor-required') onSecondFactor()
          else toastFailure('Login failed', messageOf(error, 'Invalid access key'), { brief: true })
        },
      },
    )
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <PasswordInput
        label="Access Key"
        autoComplete="off"
        value={accessKey}
        onChange={({ target }) => setAccessKey(target.value)}
      />
      <FormError error={login.error} fallback="Invalid access key" />
      <Button type="submit" busy={login.isPending} disabled={accessKey.trim() === ''}>
        Login
      </Button>
    </form>
  )
}
