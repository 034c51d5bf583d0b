import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { createContext, use, useState } from 'react'
import { z } from 'zod'
import type { Task } from '#services/trading/accounts/task-api.ts'
import type { Labels } from '#services/framework/api/options.ts'
import { taskKindLabels, type taskKinds } from '#services/trading/accounts/task-vocabulary.ts'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { UserLink } from '@/features/frame/user-link.tsx'
import { FormFields, platformFields } from '@/features/trading/accounts/account-form-fields.tsx'
import { accountChangeOf } from '@/features/trading/accounts/account-values.ts'
import { useApiForm } from '@/form/api-form.ts'
import { ChangeDialog, FormDialog } from '@/form/form-dialog.tsx'
import { ListTable } from '@/lists/list-table.tsx'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { actionsColumn, type Column } from '@/ui/data-table.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { CopyableId, DateText } from '@/ui/text.tsx'
import { closedOnPlatform, enablePayouts, tasksQuery, assignLogin } from './task-queries.ts'

const route = getRouteApi('/admin/tasks')

/** Opens the dialog of a task. A context, so that columns can be constants. */
const OpenContext = createContext<(task: Task) => void>(() => {})

const columns: readonly Column<Task>[] = [
  { header: 'Task', cell: ({ kind }) => <Badge tone="waiting">{taskKindLabels[kind]}</Badge> },
  { header: 'Trader', cell: ({ userId, userName }) => <UserLink id={userId}>{userName}</UserLink> },
  {
    header: 'Account',
    cell: ({ account, programme, stage }) => (
      <span className="flex flex-col gap-0.5 max-md:items-end">
        <span>
          {programme}, {stage}
        </span>
        <CopyableId id={account} of="the account" />
      </span>
    ),
  },
  { header: 'Login', cell: ({ login, server }) => <LoginText login={login} server={server} /> },
  { header: 'Since', cell: ({ since }) => <DateText at={since} how="exact" /> },
  { ...actionsColumn, cell: (task) => <DoButton task={task} /> },
]

const taskId = ({ id }: Task) => id

/** Lists the tasks of staff about accounts: assign logins, enable payouts, and close accounts that are over. */
export function TasksPage() {
  const { cursor } = route.useSearch()
  const tasks = useQuery(tasksQuery(cursor))
  const [opened, setOpened] = useState<Task>()
  const close = () => setOpened(undefined)
  return (
    <OpenContext value={setOpened}>
      <PageHeader title="Tasks">
        What accounts wait for: a login when they begin, payouts when they are funded, the end on the platform when they
        are over.
      </PageHeader>
      <RoleNotice />
      <ListTable
        label="Tasks"
        columns={columns}
        rowId={taskId}
        list={tasks}
        empty={<EmptyState title="No tasks">No account waits for a login, for payouts or for its end.</EmptyState>}
      />
      {opened?.kind === 'platform-login' && <AssignLoginForm task={opened} onClose={close} />}
      {opened?.kind === 'enable-payouts' && (
        <ChangeDialog
          change={enablePayouts}
          input={opened}
          label="Enable Payouts"
          look="primary"
          onClose={close}
          title={`Enable payouts for ${opened.userName}`}
          description={`${opened.programme}, ${opened.stage}. Its terms leave it to staff when a trader may ask for the first payout.`}
        />
      )}
      {opened?.kind === 'close-on-platform' && (
        <ChangeDialog
          change={closedOnPlatform}
          input={opened}
          label="Mark as Closed"
          onClose={close}
          title={`Login ${opened.login ?? ''} is closed on the platform`}
          description={`Close it there first: ${opened.userName} must not trade on it any more. This records that it is done.`}
        />
      )}
    </OpenContext>
  )
}

function LoginText({ login, server }: Pick<Task, 'login' | 'server'>) {
  if (login === null) return <span className="text-muted">None yet</span>
  return (
    <span className="[overflow-wrap:anywhere]">
      {login}
      {server !== null && <span className="text-muted"> on {server}</span>}
    </span>
  )
}

const actions: Labels<typeof taskKinds> = {
  'platform-login': 'Assign Login',
  'enable-payouts': 'Enable Payouts',
  'close-on-platform': 'Mark as Closed',
}

function DoButton({ task }: { readonly task: Task }) {
  const open = use(OpenContext)
  if (!useMay('change-accounts')) return null
  return (
    <Button look="secondary" onClick={() => open(task)}>
      {actions[task.kind]}
      <span className="sr-only">: {task.userName}</span>
    </Button>
  )
}

const loginForm = z.object({
  platform: z.string(),
  login: z.string().regex(/\S/, 'Please enter the login'),
  masterPassword: z.string(),
  server: z.string(),
})

type LoginField = keyof z.infer<typeof loginForm>

/** Gives an account of a programme its platform login, which makes it active. */
function AssignLoginForm({ task, onClose }: { readonly task: Task; readonly onClose: () => void }) {
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
      about={task.id}
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
