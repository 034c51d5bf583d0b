import { adminRoleLabels, adminRoles } from '#services/identity/staff/staff-vocabulary.ts'
import { optionsOf } from '#services/framework/api/options.ts'
import { useMutation } from '@tanstack/react-query'
import { type StaffMember, NewStaffMember } from '#services/identity/staff/staff-api.ts'
import { useApiForm } from '@/form/api-form.ts'
import { Button } from '@/ui/button.tsx'
import { CopyButton } from '@/ui/copy-button.tsx'
import { AlertDialog, Dialog } from '@/ui/dialog.tsx'
import { Select, TextInput } from '@/ui/field.tsx'
import { FormDialog } from '@/form/form-dialog.tsx'
import { addMember, changeMember, replaceKey, revokeMember } from './staff-queries.ts'
import { z } from 'zod'

/** The forms about members of staff: the server's rules, with the day that a date field names. */

const expires = z.string()

const replacement = z.object({ expires })

const newMember = z.object({ name: NewStaffMember.shape.name, role: NewStaffMember.shape.role, expires })

const roles = optionsOf(adminRoles, adminRoleLabels)

/** The last moment of a day that a date field names, in UTC; null for an empty field. */
export function expiryOf(day: string): string | null {
  return day === '' ? null : `${day}T23:59:59.999Z`
}

/** What a date field shows for an expiry. */
export function dayOf(expiresAt: string | null): string {
  return expiresAt?.slice(0, 10) ?? ''
}

const expiryHint = 'The last day, in UTC. Empty: it does not expire.'

/** Adds a member of staff, or changes one. The first answer of an addition is the key, which is then shown once. */
export function MemberForm({ member, onClose }: { readonly member?: StaffMember; readonly onClose: () => void }) {
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
  if (add.data) return <NewKey name={String(add.variables.name)} accessKey={add.data.accessKey} onClose={onClose} />
  return (
    <FormDialog
      title={member ? 'Change Member' : 'Add Member'}
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
export function ReplaceKeyForm({ member, onClose }: { readonly member: StaffMember; readonly onClose: () => void }) {
  const replace = useMutation(replaceKey)
  const { field, handleSubmit, showRefusal } = useApiForm(replacement, { expires: dayOf(member.expiresAt) })
  const onSubmit = handleSubmit(({ expires }) =>
    replace.mutate({ id: member.id, name: member.name, expiresAt: expiryOf(expires) }, { onError: showRefusal }),
  )
  if (replace.data) return <NewKey name={member.name} accessKey={replace.data.accessKey} onClose={onClose} />
  return (
    <FormDialog
      title="Replace Key"
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

/** Revokes a member's access for good. */
export function RevokeDialog({ member, onClose }: { readonly member: StaffMember; readonly onClose: () => void }) {
  const revoke = useMutation(revokeMember)
  return (
    <AlertDialog
      onClose={onClose}
      title={`Revoke the access of ${member.name}`}
      description="The key and every session end at once, for good. What this member did stays in the audit under this name."
      action={{
        label: 'Revoke Access',
        busy: revoke.isPending,
        onClick: () => revoke.mutate(member, { onSettled: onClose }),
      }}
    />
  )
}

function NewKey({
  name,
  accessKey,
  onClose,
}: {
  readonly name: string
  readonly accessKey: string
  readonly onClose: () => void
}) {
  return (
    <Dialog
      stays
      // A key held down closes nothing either.
      focusContent
      onClose={onClose}
      width="small"
      title="The new access key"
      description={`For ${name}. It is shown only here, and only now: pass it on before you close this.`}
      footer={<Button onClick={onClose}>Done</Button>}
    >
      <p className="flex items-center gap-2 rounded-md border border-line bg-sunken px-3 py-2">
        <code data-testid="new-access-key" className="min-w-0 font-mono text-13 break-all select-all">
          {accessKey}
        </code>
        <CopyButton text={accessKey} label="Copy the access key" />
      </p>
    </Dialog>
  )
}
