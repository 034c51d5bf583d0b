import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { OwnFactors } from '#services/identity/second-factors/second-factor-api.ts'
import { ApiError, messageOf } from '@/api/api-error.ts'
import type { Session } from '@/api/session.ts'
import { toast } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { CopyButton } from '@/ui/copy-button.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { TextInput } from '@/ui/field.tsx'
import { QrCode } from '@/ui/qr-code.tsx'
import { ErrorState, LoadingLines } from '@/ui/states.tsx'
import { authenticatorSetupQuery, addPasskey, renamePasskey, turnOnAuthenticator } from './factor-queries.ts'

/** The dialogs that add second factors. */

const OTHERS_OUT = 'Your other browsers were signed out.'

/** The message of a failed change, at the field. */
function problemOf(error: unknown): string | undefined {
  if (!error) return undefined
  const [first] = error instanceof ApiError ? Object.values(error.fields) : []
  return first ?? messageOf(error)
}

interface PasskeyDialogProps {
  readonly kind: Session
  /** The passkey to rename; without one, a new one is made. */
  readonly passkey?: OwnFactors['passkeys'][number]
  readonly onClose: () => void
}

/** Names a passkey, then makes it on this device; or renames one. */
export function PasskeyDialog({ kind, passkey, onClose }: PasskeyDialogProps) {
  const [name, setName] = useState(passkey?.name ?? '')
  const add = useMutation(addPasskey(kind))
  const rename = useMutation(renamePasskey(kind))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const done = (title: string, more?: string) => ({
      onSuccess: () => {
        onClose()
        toast(title, more)
      },
    })
    if (passkey) rename.mutate({ id: passkey.id, name }, done('Passkey renamed'))
    else add.mutate(name, done('Passkey added', OTHERS_OUT))
  }
  return (
    <Dialog title={passkey ? 'Rename passkey' : 'Add a passkey'} about={passkey?.id} width="small" onClose={onClose}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <TextInput
          label="Name"
          data-autofocus
          maxLength={60}
          value={name}
          hint="To recognize it later: 'My phone', 'Blue security key'"
          error={problemOf(passkey ? rename.error : add.error)}
          onChange={({ target }) => setName(target.value)}
        />
        <Button type="submit" busy={add.isPending || rename.isPending} disabled={name.trim() === ''}>
          {passkey ? 'Rename' : 'Continue'}
        </Button>
      </form>
    </Dialog>
  )
}

/** Shows the key of a new authenticator app, and turns it on with its first code. */
export function AuthenticatorDialog({ kind, onClose }: { readonly kind: Session; readonly onClose: () => void }) {
  const setup = useQuery(authenticatorSetupQuery(kind))
  const turnOn = useMutation(turnOnAuthenticator(kind))
  const [code, setCode] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!setup.data) return
    turnOn.mutate(
      { setup: setup.data.setup, code },
      {
        onSuccess: () => {
          onClose()
          toast('Authenticator app turned on', OTHERS_OUT)
        },
      },
    )
  }
  return (
    <Dialog title="Turn on an authenticator app" width="small" onClose={onClose}>
      {setup.isError ? (
        <ErrorState className="py-4!" title="The key could not be loaded" error={setup.error} onRetry={setup.refetch} />
      ) : setup.data ? (
        <form noValidate onSubmit={submit} className="flex flex-col gap-4">
          <p className="text-14">
            Scan this with your authenticator app, or type the key into it. Then enter the code that it shows.
          </p>
          <QrCode text={setup.data.uri} label="QR code of the key" className="size-48 self-center" />
          <div>
            <p className="text-13 font-medium">Key</p>
            <p className="flex items-center gap-1">
              <code className="font-mono text-13">{setup.data.key.match(/.{1,4}/g)?.join(' ')}</code>
              <CopyButton text={setup.data.key} label="Copy the key" />
            </p>
          </div>
          <TextInput
            label="Code"
            // The dialog opens before the key is loaded.
            autoFocus
            autoComplete="one-time-code"
            inputMode="numeric"
            maxLength={10}
            value={code}
            error={problemOf(turnOn.error)}
            onChange={({ target }) => setCode(target.value)}
          />
          <Button type="submit" busy={turnOn.isPending} disabled={code.trim() === ''}>
            Turn On
          </Button>
        </form>
      ) : (
        <LoadingLines label="Loading the key" lines={6} />
      )}
    </Dialog>
  )
}

interface RecoveryCodesDialogProps {
  /** Undefined where the answer with the codes was lost on the way: they are kept nowhere. */
  readonly codes: readonly string[] | undefined
  readonly onMakeOthers: () => void
  readonly onClose: () => void
}

/** Shows new recovery codes, once. */
export function RecoveryCodesDialog({ codes, onMakeOthers, onClose }: RecoveryCodesDialogProps) {
  if (!codes)
    return (
      <Dialog
        stays
        title="Your recovery codes did not arrive"
        description="They were made, and the answer that held them was lost on the way."
        width="small"
        onClose={onClose}
        footer={<Button onClick={onMakeOthers}>Make Others</Button>}
      >
        <p className="text-14">They are kept nowhere, and those from before do not work any more.</p>
      </Dialog>
    )
  return (
    <Dialog
      stays
      focusContent
      title="Your recovery codes"
      description="Keep them on paper or in a password manager. They are shown only now, and each works once."
      width="small"
      onClose={onClose}
      footer={<Button onClick={onClose}>I have kept them</Button>}
    >
      <div className="flex items-start justify-between gap-2">
        <ul aria-label="Recovery codes" className="grid grid-cols-2 gap-x-8 gap-y-2 font-mono text-14">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <CopyButton text={codes.join('\n')} label="Copy the codes" />
      </div>
    </Dialog>
  )
}
