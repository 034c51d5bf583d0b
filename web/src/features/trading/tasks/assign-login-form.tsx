import { useMutation } from '@tanstack/react-query'
import { z } from 'zod'
import type { Task } from '#services/trading/tasks/task-api.ts'
import { FormFields, platformFields } from '@/features/trading/accounts/account-form-fields.tsx'
import { accountChangeOf } from '@/features/trading/accounts/account-values.ts'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { assignLogin } from './task-queries.ts'

const loginForm = z.object({
  platform: z.string(),
  login: z.string().regex(/\S/, 'Please enter the login'),
  masterPassword: z.string(),
  server: z.string(),
})

type LoginField = keyof z.infer<typeof loginForm>

/** Gives an account of a programme its platform login, which makes it active. */
export function AssignLoginForm({ task, onClose }: { readonly task: Task; readonly onClose: () => void }) {
  const assign = useMutation(assignLogin)
  const { field, handleSubmit, showRefusal } = useApiForm(loginForm, {
    platform: '',
    login: '',
    masterPassword: '',
    server: '',
  })
  const onSubmit = handleSubmit((values) =>
    assign.mutate({ task, changes: accountChangeOf(values) }, { onSuccess: onClose, onError: showRefusal }),
  )
  // The phase is that of the stage. The hint is about a password that is set: a new account has none.
  const fields = platformFields.flatMap(({ name, hint: _, ...rest }) => (isLoginField(name) ? [{ name, ...rest }] : []))
  return (
    <FormDialog
      title="Assign Login"
      description={`${task.userName}: ${task.programme}, ${task.stage}. The account becomes active, and its trader sees the login.`}
      submit="Assign Login"
      change={assign}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <FormFields fields={fields} field={field} />
    </FormDialog>
  )
}

function isLoginField(name: string): name is LoginField {
  return Object.hasOwn(loginForm.shape, name)
}
