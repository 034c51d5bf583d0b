import { useQuery } from '@tanstack/react-query'
import { Check, UserPlus } from 'lucide-react'
import { createContext, use, useState } from 'react'
import type { StaffList, StaffMember } from '#services/identity/staff/staff-api.ts'
import { adminRoleLabels, adminRoles } from '#services/identity/staff/staff-vocabulary.ts'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { actionsColumn, type Column } from '@/ui/data-table.tsx'
import { Menu, MenuItem, MenuSeparator } from '@/ui/menu.tsx'
import { QueryTable } from '@/lists/query-table.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import { RoleNotice, useMay, useMember } from '@/features/frame/access.tsx'
import { KeysSection } from '@/features/identity/api-keys/keys-section.tsx'
import { MemberForm, ReplaceKeyForm, RevokeDialog } from './member-dialogs.tsx'
import { staffQuery } from './staff-queries.ts'

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
      <KeysSection />
      <div className="mt-8">
        <Card title="What each role may do">
          {staff.data && <PermissionTable permissions={staff.data.permissions} />}
        </Card>
      </div>
      {opened?.what === 'add' && <MemberForm onClose={close} />}
      {opened?.what === 'change' && <MemberForm member={opened.member} onClose={close} />}
      {opened?.what === 'replace' && <ReplaceKeyForm member={opened.member} onClose={close} />}
      {opened?.what === 'revoke' && <RevokeDialog member={opened.member} onClose={close} />}
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
  return expiresAt && Date.parse(expiresAt) <= Date.now() ? (
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
