import { useMutation, useQuery } from '@tanstack/react-query'
import type { User } from '#services/identity/users/user-api.ts'
import { AlertDialog } from '@/ui/dialog.tsx'
import { FormError } from '@/ui/states.tsx'
import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import { counted } from '@/format/counts.ts'
import { formatMoney } from '@/format/money.ts'
import { ordersOfQuery } from '@/features/trading/tasks/task-queries.ts'
import { deleteUser, userDetailsQuery } from './user-queries.ts'

/** Asks, with the person's name, before a user is deleted for good (specification §5). Stays open after a failure. */
export function DeleteUserDialog({
  user,
  onClose,
  onDeleted = onClose,
}: {
  readonly user: Pick<User, 'id' | 'fullName' | 'email'>
  readonly onClose: () => void
  readonly onDeleted?: () => void
}) {
  const remove = useMutation(deleteUser)
  // Not read again once the deletion is sent: then there is nobody.
  const isAsking = remove.isIdle || remove.isError
  const { data: details } = useQuery({ ...userDetailsQuery(user.id), enabled: isAsking })
  const unpaid = details && unpaidInWords(details.unpaid)
  const { data: orders = [] } = useQuery({ ...ordersOfQuery(user.email), enabled: isAsking })
  const waiting = orders.flatMap(({ order }) => (order && !order.settled ? [order.number] : []))
  return (
    <AlertDialog
      onClose={onClose}
      title={`Delete ${user.fullName}`}
      description="Are you sure you want to delete this user? This action cannot be undone."
      action={{ label: 'Delete', busy: remove.isPending, onClick: () => remove.mutate(user, { onSuccess: onDeleted }) }}
    >
      <p>
        {user.fullName} ({user.email}): the session ends, and what is personal is erased for good. Amounts, decisions
        and times stay on record.
      </p>
      {unpaid !== undefined && (
        <p role="status" className="mt-3 rounded-md border border-bad/40 bg-bad-soft px-4 py-2 text-bad">
          {unpaid}
        </p>
      )}
      {waiting.length > 0 && (
        <p role="status" className="mt-3 rounded-md border border-bad/40 bg-bad-soft px-4 py-2 text-bad">
          Paid, and not enrolled: order {waiting.join(', ')}. It stays under Tasks, with name and email, until somebody
          says there what became of the money.
        </p>
      )}
      <FormError error={remove.error} fallback="Failed to delete user" />
    </AlertDialog>
  )
}

/** 'The firm still owes $920.00 (1 payment), and 1 request of $400.00 waits. Both are cancelled.' */
function unpaidInWords({ owed, requested }: UserDetails['unpaid']): string | undefined {
  const debt = owed.count > 0 && `The firm still owes ${formatMoney(owed.total)} (${counted(owed.count, 'payment')})`
  const requests =
    requested.count > 0 && `${counted(requested.count, 'request')} of ${formatMoney(requested.total)} waiting`
  if (debt && requests) return `${debt}, with ${requests} for a verdict. All of it is cancelled.`
  if (debt) return `${debt}. What is not sent yet is cancelled.`
  return requests ? `There is ${requests} for a verdict. It is cancelled.` : undefined
}
