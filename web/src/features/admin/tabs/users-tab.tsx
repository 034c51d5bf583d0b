import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Pencil, Trash2, UserPlus } from 'lucide-react'
import { createContext, lazy, Suspense, use, useState } from 'react'
import type { ListedUser } from '../../../../../services/api/user-schemas.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { useIsAuditor } from '../access.tsx'
import { FROM_THE_START, useChangeAddress, usePaging } from '../lists/address.ts'
import { ListFooter } from '../lists/list-footer.tsx'
import { LoadFailure } from '../lists/load-failure.tsx'
import { SearchField } from '../lists/search-field.tsx'
import { tabUsersQuery } from '../users/user-management-queries.ts'
import { useOpenUser } from '../users/user-link.tsx'
import { rowClassOf, noUsers, userColumns, userIdOf } from '../users/users-table.tsx'

const route = getRouteApi('/admin/')
const UserForm = lazy(() => import('../users/user-form.tsx').then((module) => ({ default: module.UserForm })))
const DeleteUserDialog = lazy(() => import('../users/delete-user-dialog.tsx').then((module) => ({ default: module.DeleteUserDialog })))

/** Opens the dialog that deletes a user. A context, so that columns can be constants. */
const Deleting = createContext<(user: ListedUser) => void>(() => {})

function unsorted({ sort: _, ...column }: Column<ListedUser>): Column<ListedUser> {
  return column
}

const { id, name, email, status } = userColumns
const columns: readonly Column<ListedUser>[] = [
  ...[id, name, email, status].map(unsorted),
  { id: 'actions', header: 'Actions', headerHidden: true, align: 'right', cell: (user) => <EditAndDelete user={user} /> },
]

/** The users of /admin: search, add, edit, delete (specification §2). */
export function UsersTab() {
  const { search, cursor } = route.useSearch()
  const change = useChangeAddress()
  const open = useOpenUser()
  const isAuditor = useIsAuditor()
  const [adding, setAdding] = useState(false)
  const [deleting, setDeleting] = useState<ListedUser>()
  const users = useQuery(tabUsersQuery(search, cursor))
  const paging = usePaging('cursor', cursor, users.data?.next)
  return (
    <Deleting value={setDeleting}>
      <search className="mb-4 flex flex-wrap items-end gap-3">
        <SearchField
          label="Search"
          placeholder="Name or email"
          value={search ?? ''}
          onSearch={(text) => change({ ...FROM_THE_START, search: text }, { replace: search !== undefined })}
          className="grow basis-52"
        />
        {!isAuditor && (
          <Button onClick={() => setAdding(true)}>
            <UserPlus size={16} aria-hidden />
            Add User
          </Button>
        )}
      </search>
      <DataTable
        label="Users"
        columns={columns}
        rows={users.data?.items}
        rowId={userIdOf}
        rowClassName={rowClassOf}
        busy={users.isPlaceholderData}
        expectedRows={10}
        empty={noUsers}
        error={
          users.isError && !users.data ? <LoadFailure title="Users could not be loaded" error={users.error} onRetry={() => void users.refetch()} /> : undefined
        }
        onOpen={(user) => open(user.id)}
        footer={<ListFooter what="users" page={users.data} {...paging} />}
      />
      <Suspense>{adding && <UserForm onClose={() => setAdding(false)} />}</Suspense>
      <Suspense>{deleting && <DeleteUserDialog user={deleting} onClose={() => setDeleting(undefined)} />}</Suspense>
    </Deleting>
  )
}

function EditAndDelete({ user }: { readonly user: ListedUser }) {
  const open = useOpenUser()
  const askToDelete = use(Deleting)
  if (useIsAuditor()) return null
  return (
    <span className="inline-flex">
      <IconButton className="size-8!" label="Edit" title={`Edit ${user.fullName}`} onClick={() => open(user.id, 'edit')}>
        <Pencil size={16} aria-hidden />
      </IconButton>
      <IconButton label="Delete" title={`Delete ${user.fullName}`} className="size-8! text-bad" onClick={() => askToDelete(user)}>
        <Trash2 size={16} aria-hidden />
      </IconButton>
    </span>
  )
}
