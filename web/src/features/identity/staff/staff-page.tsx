import { useQuery, useMutation } from '@tanstack/react-query'
import { Check, UserPlus } from 'lucide-react'
import { createContext, use, useState } from 'react'
import { z } from 'zod'
import { optionsOf } from '#services/framework/api/options.ts'
import { type StaffList, type StaffMember, NewStaffMember } from '#services/identity/staff/staff-api.ts'
import { adminRoleLabels, adminRoles } from '#services/identity/staff/staff-vocabulary.ts'
import { serverNow } from '@/api/server-clock.ts'
import { RoleNotice, useMay, useMember } from '@/features/frame/access.tsx'
import { apiKeysQuery, NewKeyDialog, KeysSection } from '@/features/identity/api-keys/keys-section.tsx'
import { useApiForm } from '@/form/api-form.ts'
import { ChangeDialog, FormDialog } from '@/form/form-dialog.tsx'
import { QueryTable } from '@/lists/query-table.tsx'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { actionsColumn, type Column } from '@/ui/data-table.tsx'
import { Select, TextInput } from '@/ui/field.tsx'
import { Menu, MenuItem, MenuSeparator } from '@/ui/menu.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import { staffQuery, addMember, changeMember, replaceKey, revokeMember } from './staff-queries.ts'

type Opened =
  | { readonly what: 'add' }
  | { readonly what: 'change' | 'replace' | 'revoke'; readonly member: StaffMember }

/** Opens a dialog. A context, so that columns can be constants. */
const OpenContext = createContext<(opened: Opened) => void>(() => {})

const never = <span className="text-muted">Never</span>

const columns: readonly Column<StaffMember>[] = [
  { header: 'Name', cell: (member) => <MemberName member={member} /> },
  { header: 'Role', cell: ({ role }) => adminRoleLabels[role] },
  { header: 'Access', cell: (member) => <AccessBadge member={member} /> },
  { header: 'Key expires', cell: ({ expiresAt }) => (expiresAt ? <DateText at={expiresAt} how="day" /> : never) },
  { header: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <DateText at={lastUsedAt} how="exact" /> : never) },
  { header: 'Member since', cell: ({ since }) => <DateText at={since} how="day" /> },
  { ...actionsColumn, cell: (member) => <MemberMenu member={member} /> },
]

const memberId = ({ id }: StaffMember) => id

/** The members of staff with their access keys, and what each role may do. */
export function StaffPage() {
  const staff = useQuery(staffQuery)
  const keys = useQuery(apiKeysQuery)
  const mayManage = useMay('manage-staff')
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  return (
    <OpenContext value={setOpened}>
      <PageHeader
        title="Staff"
        action={
          mayManage && (
            <Button onClick={() => setOpened({ what: 'add' })}>
              <UserPlus size={16} aria-hidden />
              Add Member
            </Button>
          )
        }
      >
        Who can sign in with an access key, and what each role may do.
      </PageHeader>
      <RoleNotice />
      <QueryTable
        label="Members of staff"
        columns={columns}
        rows={staff.data?.members}
        rowId={memberId}
        query={staff}
        failure="The members could not be loaded"
        empty={<EmptyState title="No members">Add the first member.</EmptyState>}
      />
      {/* What stands below a list of unknown length is shown once the list is there: it would move. */}
      {staff.data && <KeysSection />}
      {staff.data && !keys.isPending && (
        <div className="mt-8">
          <Card title="What each role may do">
            <PermissionTable permissions={staff.data.permissions} />
          </Card>
        </div>
      )}
      {opened?.what === 'add' && <MemberForm onClose={close} />}
      {opened?.what === 'change' && <MemberForm member={opened.member} onClose={close} />}
      {opened?.what === 'replace' && <ReplaceKeyForm member={opened.member} onClose={close} />}
      {opened?.what === 'revoke' && (
        <ChangeDialog
          change={revokeMember}
          input={opened.member}
          label="Revoke Access"
          onClose={close}
          title={`Revoke the access of ${opened.member.name}`}
          description="The key and every session end at once, for good. What this member did stays in the audit under this name."
        />
      )}
    </OpenContext>
  )
}

function MemberName({ member: { id, name } }: { readonly member: StaffMember }) {
  const self = useMember()
  return (
    <span className="inline-flex flex-wrap items-center gap-2 max-md:justify-end">
      <span className="font-medium [overflow-wrap:anywhere]">{name}</span>
      {self?.id === id && <Badge>You</Badge>}
    </span>
  )
}

function AccessBadge({ member: { revokedAt, expiresAt } }: { readonly member: StaffMember }) {
  if (revokedAt) return <Badge>Revoked</Badge>
  return expiresAt && Date.parse(expiresAt) <= serverNow() ? (
    <Badge tone="waiting">Expired</Badge>
  ) : (
    <Badge tone="good">Active</Badge>
  )
}

function MemberMenu({ member }: { readonly member: StaffMember }) {
  const open = use(OpenContext)
  if (!useMay('manage-staff') || member.revokedAt) return null
  return (
    <Menu label={`Actions for ${member.name}`}>
      <MenuItem onSelect={() => open({ what: 'change', member })}>Change Member</MenuItem>
      <MenuItem onSelect={() => open({ what: 'replace', member })}>Replace Key</MenuItem>
      <MenuSeparator />
      <MenuItem dangerous onSelect={() => open({ what: 'revoke', member })}>
        Revoke Access
      </MenuItem>
    </Menu>
  )
}

/** A column for each role; on a phone the roles are named below each permission. */
function PermissionTable({ permissions }: Pick<StaffList, 'permissions'>) {
  return (
    <table aria-label="What each role may do" className="w-full text-13">
      <thead className="max-md:hidden">
        <tr className="border-b border-line text-left text-muted">
          <th scope="col" className="py-2 pr-3 font-medium">
            Permission
          </th>
          {adminRoles.map((role) => (
            <th key={role} scope="col" className="px-2 py-2 text-center font-medium">
              {adminRoleLabels[role]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {permissions.map(({ name, label, roles }) => (
          <tr key={name}>
            <th scope="row" className="py-2 pr-3 text-left font-normal">
              {label}
              <span className="block text-muted md:hidden">
                {roles.map((role) => adminRoleLabels[role]).join(', ')}
              </span>
            </th>
            {adminRoles.map((role) => (
              <td key={role} className="px-2 py-2 text-center max-md:hidden">
                {roles.includes(role) ? (
                  <Check size={16} aria-label="Yes" className="inline text-good" />
                ) : (
                  <span aria-label="No">–</span>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The forms about members of staff: the server's rules, with the day that a date field names. */

const expires = z.string()

const replacement = z.object({ expires })

const newMember = z.object({ name: NewStaffMember.shape.name, role: NewStaffMember.shape.role, expires })

const roles = optionsOf(adminRoles, adminRoleLabels)

/** The last moment of a day that a date field names, in UTC; null for an empty field. */
function expiryOf(day: string): string | null {
  return day === '' ? null : `${day}T23:59:59.999Z`
}

/** Returns the day that a date field shows for an expiry. */
function dayOf(expiresAt: string | null): string {
  return expiresAt?.slice(0, 10) ?? ''
}

const expiryHint = 'The last day, in UTC. Empty: it does not expire.'

/** Adds a member of staff, or changes one. The first answer of an addition is the key, which is then shown once. */
function MemberForm({ member, onClose }: { readonly member?: StaffMember; readonly onClose: () => void }) {
  const add = useMutation(addMember)
  const change = useMutation(changeMember)
  const initial = { name: member?.name ?? '', role: member?.role ?? '', expires: dayOf(member?.expiresAt ?? null) }
  const { field, handleSubmit, showRefusal } = useApiForm(newMember, initial)
  const onSubmit = handleSubmit(({ name, role, expires }) => {
    const values = { name, role, expiresAt: expiryOf(expires) }
    if (!member) return add.mutate(values, { onError: showRefusal })
    const { expiresAt, ...others } = values
    // An unchanged day stays the moment that it was.
    const changes = expires === initial.expires ? others : { ...others, expiresAt }
    change.mutate({ id: member.id, name: member.name, changes }, { onSuccess: onClose, onError: showRefusal })
  })
  if (add.data)
    return (
      <NewAccessKey
        id={add.data.id}
        name={String(add.variables.name)}
        expiresAt={add.variables.expiresAt ?? null}
        accessKey={add.data.accessKey}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title={member ? 'Change Member' : 'Add Member'}
      about={member?.id}
      description={
        member
          ? `${member.name}. A change ends their sessions: they sign in again.`
          : 'The access key is shown once, after this.'
      }
      submit={member ? 'Save Changes' : 'Add Member'}
      change={member ? change : add}
      onSubmit={onSubmit}
      onClose={onClose}
      width="small"
    >
      <TextInput
        label="Name"
        hint="It names the person in every entry of the audit."
        autoComplete="off"
        maxLength={100}
        {...field('name')}
      />
      <Select
        label="Role"
        options={member ? roles : [{ value: '', label: 'Please select a role' }, ...roles]}
        {...field('role')}
      />
      <TextInput label="Key expires" type="date" hint={expiryHint} {...field('expires')} />
    </FormDialog>
  )
}

/** Replaces a member's key and shows the new one, once. */
function ReplaceKeyForm({ member, onClose }: { readonly member: StaffMember; readonly onClose: () => void }) {
  const replace = useMutation(replaceKey)
  const { field, handleSubmit, showRefusal } = useApiForm(replacement, { expires: dayOf(member.expiresAt) })
  const onSubmit = handleSubmit(({ expires }) =>
    replace.mutate({ id: member.id, name: member.name, expiresAt: expiryOf(expires) }, { onError: showRefusal }),
  )
  if (replace.data)
    return (
      <NewAccessKey
        id={member.id}
        name={member.name}
        expiresAt={replace.variables.expiresAt ?? null}
        accessKey={replace.data.accessKey}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title="Replace Key"
      about={member.id}
      description={`${member.name} gets a new access key. The present one, and every session begun with it, end at once.`}
      submit="Replace Key"
      dangerous
      change={replace}
      onSubmit={onSubmit}
      onClose={onClose}
      width="small"
    >
      <TextInput label="Key expires" type="date" hint={expiryHint} {...field('expires')} />
    </FormDialog>
  )
}

interface NewAccessKeyProps {
  readonly id: string
  readonly name: string
  readonly expiresAt: string | null
  readonly accessKey: string | undefined
  readonly onClose: () => void
}

function NewAccessKey({ id, name, expiresAt, accessKey, onClose }: NewAccessKeyProps) {
  const replace = useMutation(replaceKey)
  return (
    <NewKeyDialog
      what="access key"
      description={`For ${name}. It is shown only here, and only now: pass it on before you close this.`}
      value={accessKey ?? replace.data?.accessKey}
      replacement={{
        label: 'Replace Key',
        change: replace,
        onReplace: () => replace.mutate({ id, name, expiresAt }),
      }}
      onClose={onClose}
    />
  )
}
