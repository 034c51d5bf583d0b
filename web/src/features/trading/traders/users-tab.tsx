import type { ListedUser } from '#services/trading/traders/trader-api.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Pencil, Trash2 } from 'lucide-react'
import { createContext, use, useState } from 'react'
import { IconButton } from '@/ui/button.tsx'
import { actionsColumn, type Column } from '@/ui/data-table.tsx'
import { useMay } from '@/features/frame/access.tsx'
import { SearchField } from '@/lists/list-controls.tsx'
import { ListTable } from '@/lists/list-table.tsx'
import { RowKeys, usePageKeys } from '@/lists/use-page-keys.tsx'
import { AddUserButton } from './add-user-button.tsx'
import { tabUsersQuery } from './user-queries.ts'
import { useOpenUser } from '@/features/frame/user-link.tsx'
import { userColumns, userRows } from './users-table.tsx'
import { lazyPart } from '@/lazy-page.ts'

const route = getRouteApi('/admin/')
const DeleteUserDialog = lazyPart(() =>
  import('./delete-user-dialog.tsx').then(({ DeleteUserDialog }) => DeleteUserDialog),
)

/** Opens the dialog that deletes a user. A context, so that columns can be constants. */
const Deleting = createContext<(user: ListedUser) => void>(() => {})

const columns: readonly Column<ListedUser>[] = [
  ...[userColumns.id, userColumns.name, userColumns.email, userColumns.status],
  { ...actionsColumn, inCard: { at: 'end', line: 1 }, cell: (user) => <EditAndDelete user={user} /> },
]

/** The users of /admin: search, add, edit, delete (specification §2). */
export function UsersTab() {
  const { search, cursor } = route.useSearch()
  const open = useOpenUser()
  const [deleting, setDeleting] = useState<ListedUser>()
  const users = useQuery(tabUsersQuery(search, cursor))
  usePageKeys(users.data?.items)
  return (
    <Deleting value={setDeleting}>
      <search className="mb-4 flex flex-wrap items-end gap-3">
        <SearchField placeholder="Name or email" className="grow basis-52" />
        <AddUserButton />
      </search>
      <RowKeys opens="a user" />
      <ListTable {...userRows} label="Users" columns={columns} list={users} onOpen={({ id }) => open(id)} />
      {deleting && <DeleteUserDialog user={deleting} onClose={() => setDeleting(undefined)} />}
    </Deleting>
  )
}

function EditAndDelete({ user }: { readonly user: ListedUser }) {
  const open = useOpenUser()
  const askToDelete = use(Deleting)
  const mayEdit = useMay('edit-users')
  const mayDelete = useMay('delete-users')
  return (
    <span className="inline-flex">
      {mayEdit && (
        <IconButton
          className="size-8!"
          label="Edit"
          title={`Edit ${user.fullName}`}
          onClick={() => open(user.id, 'edit')}
        >
          <Pencil size={16} aria-hidden />
        </IconButton>
      )}
      {mayDelete && (
        <IconButton
          label="Delete"
          title={`Delete ${user.fullName}`}
          className="size-8! text-bad"
          onClick={() => askToDelete(user)}
        >
          <Trash2 size={16} aria-hidden />
        </IconButton>
      )}
    </span>
  )
}
