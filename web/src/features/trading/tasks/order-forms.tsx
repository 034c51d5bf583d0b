import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { orderRoutes, UntakenOrderDismissal, UntakenOrderEnrolment } from '#services/trading/enrolments/order-api.ts'
import { untakenReasonLabels } from '#services/trading/orders/order-vocabulary.ts'
import { programmesQuery } from '@/features/programmes/programmes/programme-queries.ts'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { Select, TextArea, TextInput } from '@/ui/field.tsx'
import { send } from '@/api/api.ts'
import { staffChange } from '@/features/frame/staff-change.ts'
import { BUYER_DELETED, type OrderTask } from './task-queries.ts'

/** Enrols the buyer of an order that was not taken. */
const enrolUntakenOrder = staffChange({
  send: ({ task, body }: { readonly task: OrderTask; readonly body: UntakenOrderEnrolment }) =>
    send(orderRoutes.enrolUntakenOrder, { params: { id: task.order.id }, body }),
  done: ({ task }) => ['Buyer enrolled', `Order ${task.order.number} of ${task.userName}.`],
  failed: () => 'The buyer was not enrolled',
})

/** Says why the buyer of such an order is not enrolled. */
const dismissUntakenOrder = staffChange({
  send: ({ task, reason }: { readonly task: OrderTask; readonly reason: string }) =>
    send(orderRoutes.dismissUntakenOrder, { params: { id: task.order.id }, body: { reason } }),
  done: ({ task }) => ['Order settled', `Order ${task.order.number}: nobody is enrolled.`],
  failed: () => 'The order was not settled',
})

interface OrderFormProps {
  readonly task: OrderTask
  readonly onClose: () => void
}

/** Settles an order that was not taken: the buyer is enrolled, or staff say why not. */
export function OrderForms(props: OrderFormProps) {
  const [enrols, setEnrols] = useState(!props.task.order.buyerDeleted)
  const choice = (
    <Select
      label="What to do"
      options={[
        { value: 'enrol', label: 'Enrol the buyer' },
        { value: 'dismiss', label: 'Enrol nobody: it was refunded, or is a mistake' },
      ]}
      value={enrols ? 'enrol' : 'dismiss'}
      onChange={({ target }) => setEnrols(target.value === 'enrol')}
    />
  )
  return enrols ? <EnrolForm {...props} choice={choice} /> : <DismissForm {...props} choice={choice} />
}

interface SettlingProps extends OrderFormProps {
  readonly choice: ReactNode
}

const titleOf = ({ order }: OrderTask) => `Order ${order.number}`
const descriptionOf = ({ userName, programme, order }: OrderTask) =>
  `${userName} (${order.email}) has paid for ${programme} and is not enrolled. ${untakenReasonLabels[order.reason]}.${order.buyerDeleted ? ` ${BUYER_DELETED}` : ''}`

function EnrolForm({ task, choice, onClose }: SettlingProps) {
  const enrol = useMutation(enrolUntakenOrder)
  const programmes = useQuery(programmesQuery)
  const { field, handleSubmit, showRefusal } = useApiForm(UntakenOrderEnrolment, {
    programme: '',
    email: task.order.email,
  })
  const offered = (programmes.data ?? []).filter(({ versions }) => versions.some(({ state }) => state === 'published'))
  const onSubmit = handleSubmit((body) => enrol.mutate({ task, body }, { onSuccess: onClose, onError: showRefusal }))
  return (
    <FormDialog
      title={titleOf(task)}
      about={task.id}
      description={descriptionOf(task)}
      submit="Enrol Buyer"
      change={enrol}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {choice}
      <Select
        label="Programme"
        options={[
          { value: '', label: 'Please choose a programme' },
          ...offered.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        {...field('programme')}
      />
      <TextInput
        label="Email"
        type="email"
        autoComplete="off"
        hint="Who has no account yet gets one, and a link to set a password"
        {...field('email')}
      />
    </FormDialog>
  )
}

function DismissForm({ task, choice, onClose }: SettlingProps) {
  const dismiss = useMutation(dismissUntakenOrder)
  const { field, handleSubmit, showRefusal } = useApiForm(UntakenOrderDismissal, { reason: '' })
  const onSubmit = handleSubmit(({ reason }) =>
    dismiss.mutate({ task, reason }, { onSuccess: onClose, onError: showRefusal }),
  )
  return (
    <FormDialog
      title={titleOf(task)}
      about={task.id}
      description={`${descriptionOf(task)} Once it is settled, name and email are erased; the order is still found by its number.`}
      submit="Settle"
      change={dismiss}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {choice}
      <TextArea label="Reason" hint="What became of the money: refunded on 3 March" {...field('reason')} />
    </FormDialog>
  )
}
