import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { createContext, use, useState } from 'react'
import { z } from 'zod'
import type { Task } from '#services/trading/accounts/task-api.ts'
import type { Labels } from '#services/framework/api/options.ts'
import { accountField } from '#services/trading/accounts/account-fields.ts'
import { HIDDEN } from '#services/framework/api/text.ts'
import { taskKindLabels, type taskKinds } from '#services/trading/accounts/task-vocabulary.ts'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { UserLink } from '@/features/frame/user-link.tsx'
import { FormFields, loginFormFields } from '@/features/trading/accounts/account-form-fields.tsx'
import { accountChangeOf } from '@/features/trading/accounts/account-values.ts'
import { lazyPart } from '@/lazy-page.ts'
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

const AssignMany = lazyPart(() => import('./assign-many.tsx').then(({ AssignMany }) => AssignMany))

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
  { header: 'Login', cell: (task) => <LoginText {...task} /> },
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
  const [listing, setListing] = useState(false)
  const mayDo = useMay('do-tasks')
  return (
    <OpenContext value={setOpened}>
      <PageHeader
        title="Tasks"
        action={
          mayDo && (
            <Button look="secondary" onClick={() => setListing(true)}>
              Assign Logins from a List
            </Button>
          )
        }
      >
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
      {listing && <AssignMany onClose={() => setListing(false)} />}
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

/** The login, and what of it is missing where it cannot be used yet. */
function LoginText({ login, server, missing }: Pick<Task, 'login' | 'server' | 'missing'>) {
  if (login === null) return <span className="text-muted">None yet</span>
  if (missing.length > 0) {
    const fields = missing.map((name) => accountField(name).label.toLowerCase())
    return (
      <span className="[overflow-wrap:anywhere]">
        {login} <span className="text-waiting">without {fields.join(', ')}</span>
      </span>
    )
  }
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
  if (!useMay('do-tasks')) return null
  return (
    <Button look="secondary" onClick={() => open(task)}>
      {actions[task.kind]}
      <span className="sr-only">: {task.userName}</span>
    </Button>
  )
}

const loginForm = z.object({
  platform: z.string().min(1, 'Please choose the platform'),
  login: z.string().regex(/\S/, 'Please enter the login'),
  masterPassword: z.string().min(1, 'Please enter the password'),
  server: z.string().regex(/\S/, 'Please enter the server'),
})

/** Gives an account of a programme its platform login, which makes it active. What it has is not asked again. */
function AssignLoginForm({ task, onClose }: { readonly task: Task; readonly onClose: () => void }) {
  const assign = useMutation(assignLogin)
  const hasPassword = !task.missing.includes('masterPassword')
  const { field, handleSubmit, showRefusal } = useApiForm(loginForm, {
    platform: task.platform ?? '',
    login: task.login ?? '',
    masterPassword: hasPassword ? HIDDEN : '',
    server: task.server ?? '',
  })
  const onSubmit = handleSubmit((values) =>
    assign.mutate({ task, changes: accountChangeOf(values) }, { onSuccess: onClose, onError: showRefusal }),
  )
  const fields = hasPassword ? loginFormFields : loginFormFields.map(({ hint: _, ...rest }) => rest)
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
