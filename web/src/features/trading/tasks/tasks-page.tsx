import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { createContext, use, useState } from 'react'
import { z } from 'zod'
import type { Task } from '#services/trading/accounts/task-api.ts'
import type { Labels } from '#services/framework/api/options.ts'
import { accountField } from '#services/trading/accounts/account-fields.ts'
import { HIDDEN } from '#services/framework/api/text.ts'
import { settlementLabels, untakenReasonLabels } from '#services/trading/orders/order-vocabulary.ts'
import { taskKindLabels, type taskKinds } from '#services/trading/accounts/task-vocabulary.ts'
import { RoleNotice, usePermissions } from '@/features/frame/access.tsx'
import { UserLink } from '@/features/frame/user-link.tsx'
import { FormFields, loginFormFields } from '@/features/trading/accounts/account-form-fields.tsx'
import { accountChangeOf } from '@/features/trading/accounts/account-values.ts'
import { lazyPart } from '@/lazy-page.ts'
import { useApiForm } from '@/form/api-form.ts'
import { ChangeDialog, FormDialog } from '@/form/form-dialog.tsx'
import { SearchField } from '@/lists/list-controls.tsx'
import { ListTable } from '@/lists/list-table.tsx'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { actionsColumn, type Column } from '@/ui/data-table.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { CopyableId, DateText } from '@/ui/text.tsx'
import { assignLogin, closedOnPlatform, enablePayouts } from './task-changes.ts'
import {
  type AccountTask,
  BUYER_DELETED,
  isAboutAccount,
  isAboutOrder,
  type OrderTask,
  tasksQuery,
} from './task-queries.ts'

const AssignMany = lazyPart(() => import('./assign-many.tsx').then(({ AssignMany }) => AssignMany))

const OrderForms = lazyPart(() => import('./order-forms.tsx').then(({ OrderForms }) => OrderForms))
const route = getRouteApi('/admin/tasks')

/** Opens the dialog of a task. A context, so that columns can be constants. */
const OpenContext = createContext<(task: Task) => void>(() => {})

const columns: readonly Column<Task>[] = [
  { header: 'Task', cell: ({ kind }) => <Badge tone="waiting">{taskKindLabels[kind]}</Badge> },
  {
    header: 'Trader',
    cell: ({ userId, userName }) => (userId === null ? userName : <UserLink id={userId}>{userName}</UserLink>),
  },
  { header: 'About', cell: (task) => (isAboutOrder(task) ? <OrderText task={task} /> : <AccountText task={task} />) },
  { header: 'Login', cell: (task) => isAboutAccount(task) && <LoginText {...task} /> },
  { header: 'Since', cell: ({ since }) => <DateText at={since} how="exact" /> },
  { ...actionsColumn, cell: (task) => <DoButton task={task} /> },
]

const taskId = ({ id }: Task) => id

/**
 * Lists the tasks of staff: assign logins, enable payouts, close accounts that are over, and enrol who has paid and is
 * not enrolled.
 */
export function TasksPage() {
  const { cursor, search } = route.useSearch()
  const tasks = useQuery(tasksQuery(cursor, search))
  const [opened, setOpened] = useState<Task>()
  const close = () => setOpened(undefined)
  const [listing, setListing] = useState(false)
  const mayDo = usePermissions()('do-tasks')
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
        are over. And who has paid and is not enrolled.
      </PageHeader>
      <RoleNotice />
      <search className="mb-4 block max-w-md">
        <SearchField placeholder="Number or email of an order, whole" />
      </search>
      <ListTable
        label="Tasks"
        columns={columns}
        rowId={taskId}
        list={tasks}
        empty={
          search === undefined ? (
            <EmptyState title="No tasks">No account waits for a login, for payouts or for its end.</EmptyState>
          ) : (
            <EmptyState title="No such order">
              Every order was taken that has this number or this email. Users are searched by both, too.
            </EmptyState>
          )
        }
      />
      {listing && <AssignMany onClose={() => setListing(false)} />}
      {opened && isAboutOrder(opened) && <OrderForms task={opened} onClose={close} />}
      {opened?.kind === 'platform-login' && isAboutAccount(opened) && <AssignLoginForm task={opened} onClose={close} />}
      {opened?.kind === 'enable-payouts' && isAboutAccount(opened) && (
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
      {opened?.kind === 'close-on-platform' && isAboutAccount(opened) && (
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

function AccountText({ task: { account, programme, stage } }: { readonly task: Task }) {
  return (
    <span className="flex flex-col gap-0.5 max-md:items-end">
      <span>
        {programme}, {stage}
      </span>
      {account !== null && <CopyableId id={account} of="the account" />}
    </span>
  )
}

function OrderText({ task: { programme, order } }: { readonly task: OrderTask }) {
  return (
    <span className="flex flex-col gap-0.5 [overflow-wrap:anywhere] max-md:items-end">
      <span>
        {order.settled ? 'An order' : `Order ${order.number}, ${order.email}`}: {programme}
      </span>
      <span className="text-12 text-muted">
        {untakenReasonLabels[order.reason]}.{order.buyerDeleted && ` ${BUYER_DELETED}`}
        {order.settled && ` ${settlementLabels[order.settled.how]}. ${order.settled.reason ?? ''}`}
      </span>
    </span>
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
  'order-not-taken': 'Settle',
}

function DoButton({ task }: { readonly task: Task }) {
  const open = use(OpenContext)
  const may = usePermissions()
  if (!may(isAboutOrder(task) ? 'enrol-traders' : 'do-tasks') || task.order?.settled) return null
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
function AssignLoginForm({ task, onClose }: { readonly task: AccountTask; readonly onClose: () => void }) {
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
