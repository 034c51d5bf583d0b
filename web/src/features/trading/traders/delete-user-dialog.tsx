import { useMutation } from '@tanstack/react-query'
import type { User } from '#services/identity/users/user-api.ts'
import { AlertDialog } from '@/ui/dialog.tsx'
import { FormError } from '@/ui/states.tsx'
import { deleteUser } from './user-queries.ts'

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
      <FormError error={remove.error} fallback="Failed to delete user" />
    </AlertDialog>
  )
}
