import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { createContext, use, useState } from 'react'
import { z } from 'zod'
import { type ListedApiKey, NewApiKey, apiKeyRoutes } from '#services/identity/api-keys/api-key-api.ts'
import { keyScopeLabels, keyScopes } from '#services/identity/api-keys/api-key-vocabulary.ts'
import { serverNow } from '@/api/server-clock.ts'
import { useApiForm } from '@/form/api-form.ts'
import { ChangeDialog, FormDialog } from '@/form/form-dialog.tsx'
import { useMay } from '@/features/frame/access.tsx'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { CopyButton } from '@/ui/copy-button.tsx'
import { actionsColumn, type Column } from '@/ui/data-table.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { Checkbox, TextInput } from '@/ui/field.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import { send, sendAndParse } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'
import { QueryTable } from '@/lists/query-table.tsx'

export const apiKeysQuery = routeQuery(apiKeyRoutes.apiKeys, { subjects: ['api-keys'] })

/** Makes a key. The key in the answer is shown once, and kept only while it is. */
const makeKey = {
  ...staffChange({
    send: (body: z.input<typeof NewApiKey>) => sendAndParse(apiKeyRoutes.makeApiKey, { body }),
    done: ({ name }) => ['Key made', `${name} can call the portal with it.`],
    failed: () => 'The key could not be made',
  }),
  gcTime: 0,
}

/** Ends a key for good. */
const revokeKey = staffChange({
  send: ({ id }: Pick<ListedApiKey, 'id' | 'name'>) => send(apiKeyRoutes.revokeApiKey, { params: { id } }),
  done: ({ name }) => ['Key revoked', `${name} cannot call the portal with it any more.`],
  failed: () => 'The key could not be revoked',
})

type Opened = { readonly what: 'make' } | { readonly what: 'revoke'; readonly key: ListedApiKey }

/** Opens a dialog. A context, so that columns can be constants. */
const OpenContext = createContext<(opened: Opened) => void>(() => {})

const columns: readonly Column<ListedApiKey>[] = [
  { header: 'Program', cell: ({ name }) => <span className="font-medium [overflow-wrap:anywhere]">{name}</span> },
  { header: 'May', cell: ({ scopes }) => scopes.map((scope) => keyScopeLabels[scope]).join(', ') },
  { header: 'Key', cell: (key) => <KeyBadge apiKey={key} /> },
  { header: 'Expires', cell: ({ expiresAt }) => <DateText at={expiresAt} how="day" /> },
  { header: 'Made', cell: ({ createdAt }) => <DateText at={createdAt} how="day" /> },
  { header: 'By', cell: ({ createdBy }) => createdBy },
  { ...actionsColumn, cell: (key) => <RevokeButton apiKey={key} /> },
]

const keyId = ({ id }: ListedApiKey) => id

/** The keys that programs call the portal with. */
export function KeysSection() {
  const keys = useQuery(apiKeysQuery)
  const mayManage = useMay('manage-staff')
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  return (
    <OpenContext value={setOpened}>
      <section aria-labelledby="keys-of-programs" className="mt-8">
        <header className="mb-3 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
          <div className="min-w-0">
            <h2 id="keys-of-programs" className="text-20 font-semibold tracking-tight">
              Keys of programs
            </h2>
            <p className="mt-1 text-14 text-muted">
              Your shop enrols its buyers with a key, and a bridge to your platform sends observations with one.
            </p>
          </div>
          {mayManage && (
            <Button look="secondary" onClick={() => setOpened({ what: 'make' })}>
              <KeyRound size={16} aria-hidden />
              Make Key
            </Button>
          )}
        </header>
        <QueryTable
          label="Keys of programs"
          columns={columns}
          rows={keys.data}
          rowId={keyId}
          query={keys}
          failure="The keys could not be loaded"
          empty={<EmptyState title="No keys">No program calls this portal yet.</EmptyState>}
        />
      </section>
      {opened?.what === 'make' && <KeyForm onClose={close} />}
      {opened?.what === 'revoke' && (
        <ChangeDialog
          change={revokeKey}
          input={opened.key}
          label="Revoke Key"
          onClose={close}
          title={`Revoke the key of ${opened.key.name}`}
          description="Its next call is refused. What it did stays in the audit under this name."
        />
      )}
    </OpenContext>
  )
}

function KeyBadge({ apiKey: { revokedAt, expiresAt } }: { readonly apiKey: ListedApiKey }) {
  if (revokedAt) return <Badge>Revoked</Badge>
  return Date.parse(expiresAt) <= serverNow() ? <Badge tone="waiting">Expired</Badge> : <Badge tone="good">Valid</Badge>
}

function RevokeButton({ apiKey: key }: { readonly apiKey: ListedApiKey }) {
  const open = use(OpenContext)
  if (!useMay('manage-staff') || key.revokedAt) return null
  return (
    <Button look="secondary" onClick={() => open({ what: 'revoke', key })}>
      Revoke
      <span className="sr-only"> the key of {key.name}</span>
    </Button>
  )
}

const newKey = z.object({
  name: NewApiKey.shape.name,
  scopes: NewApiKey.shape.scopes,
  expiresAt: z.string().min(1, 'Please choose a date in the future'),
})

/** Makes a key. The answer is the key, which is then shown once. */
function KeyForm({ onClose }: { readonly onClose: () => void }) {
  const make = useMutation(makeKey)
  const revoke = useMutation(revokeKey)
  const initial: { name: string; scopes: string[]; expiresAt: string } = { name: '', scopes: [], expiresAt: '' }
  const { field, handleSubmit, showRefusal } = useApiForm(newKey, initial)
  const onSubmit = handleSubmit(({ expiresAt: day, ...values }) =>
    make.mutate({ ...values, expiresAt: `${day}T23:59:59.999Z` }, { onError: showRefusal }),
  )
  if (make.data)
    return (
      <NewKeyDialog
        what="key"
        description={`For ${String(make.variables.name)}. It is shown only here, and only now: store it in the program before you close this.`}
        value={make.data.key}
        replacement={{
          label: 'Revoke It and Make Another',
          change: revoke,
          onReplace: () =>
            revoke.mutate({ id: make.data.id, name: String(make.variables.name) }, { onSuccess: make.reset }),
        }}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title="Make Key"
      description="The key is shown once, after this."
      submit="Make Key"
      change={make}
      onSubmit={onSubmit}
      onClose={onClose}
      width="small"
    >
      <TextInput
        label="Program"
        hint="Its name stands in every entry of the audit that its calls make."
        autoComplete="off"
        maxLength={100}
        {...field('name')}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-13 font-medium">What it may do</legend>
        {keyScopes.map((scope, n) => {
          const { error, ...input } = field('scopes')
          const last = n === keyScopes.length - 1
          return (
            <Checkbox
              key={scope}
              label={keyScopeLabels[scope]}
              value={scope}
              error={last ? error : undefined}
              {...input}
            />
          )
        })}
      </fieldset>
      <TextInput label="Expires" type="date" hint="The last day, in UTC." {...field('expiresAt')} />
    </FormDialog>
  )
}

interface NewKeyDialogProps {
  readonly what: 'key' | 'access key'
  /** It says whose key it is, and what to do with it. */
  readonly description: string
  /** Undefined where the answer with the key was lost on the way: it is kept nowhere. */
  readonly value: string | undefined
  /** The way to another key. */
  readonly replacement: {
    readonly label: string
    readonly change: { readonly isPending: boolean }
    readonly onReplace: () => void
  }
  readonly onClose: () => void
}

/** Shows a new key, once. A key held down closes nothing. */
export function NewKeyDialog({ what, description, value, replacement, onClose }: NewKeyDialogProps) {
  if (value === undefined)
    return (
      <Dialog
        stays
        onClose={onClose}
        width="small"
        title={`The new ${what} did not arrive`}
        description="It was made, and the answer that held it was lost on the way."
        footer={
          <>
            <Button look="secondary" onClick={onClose}>
              Close
            </Button>
            <Button busy={replacement.change.isPending} onClick={replacement.onReplace}>
              {replacement.label}
            </Button>
          </>
        }
      >
        <p className="text-14">Nobody has seen it, and it is kept nowhere. Replace it: it then opens nothing.</p>
      </Dialog>
    )
  return (
    <Dialog
      stays
      focusContent
      onClose={onClose}
      width="small"
      title={`The new ${what}`}
      description={description}
      footer={<Button onClick={onClose}>Done</Button>}
    >
      <p className="flex items-center gap-2 rounded-md border border-line bg-sunken px-3 py-2">
        <code
          data-testid={what === 'key' ? 'new-api-key' : 'new-access-key'}
          className="min-w-0 font-mono text-13 break-all select-all"
        >
          {value}
        </code>
        <CopyButton text={value} label={`Copy the ${what}`} />
      </p>
    </Dialog>
  )
}
