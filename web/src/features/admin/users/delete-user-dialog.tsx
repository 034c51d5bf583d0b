import type { ListedUser } from '../../../../../services/api/user-schemas.ts'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { useDeleteUser } from './user-management-queries.ts'

interface DeleteUserDialogProps {
  readonly user: ListedUser
  readonly onClose: () => void
}

/** Asks, with the person's name, before a user is deleted for good (specification §5). */
export function DeleteUserDialog({ user, onClose }: DeleteUserDialogProps) {
  const remove = useDeleteUser()
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete ${user.fullName}`}
      description="Are you sure you want to delete this user? This action cannot be undone."
      confirm="Delete"
      dangerous
      onConfirm={() =>
        remove.mutateAsync(user.id).then(
          onClose,
          // The toast said what went wrong; the question stays open for another try.
          () => undefined,
        )
      }
    >
      <p>
        {user.fullName} ({user.email}): the session ends, and what is personal is erased for good. Amounts, decisions and times stay on record.
      </p>
    </ConfirmDialog>
  )
}
