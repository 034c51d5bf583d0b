import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { OwnFactors } from '#services/identity/second-factors/second-factor-api.ts'
import { messageOf } from '@/api/api-error.ts'
import { counted } from '@/format/counts.ts'
import { lazyPart } from '@/lazy-page.ts'
import type { Session } from '@/api/session.ts'
import { toast, toastFailure } from '@/toast.ts'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { AlertDialog } from '@/ui/dialog.tsx'
import { Loaded, LoadingLines } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import {
  factorsQuery,
  issueRecoveryCodes,
  removePasskey,
  stopOwnRemoval,
  turnOffAuthenticator,
} from './factor-queries.ts'

const dialogs = () => import('./factor-dialogs.tsx')
const PasskeyDialog = lazyPart(() => dialogs().then(({ PasskeyDialog }) => PasskeyDialog))
const AuthenticatorDialog = lazyPart(() => dialogs().then(({ AuthenticatorDialog }) => AuthenticatorDialog))
const RecoveryCodesDialog = lazyPart(() => dialogs().then(({ RecoveryCodesDialog }) => RecoveryCodesDialog))

type Passkey = OwnFactors['passkeys'][number]

/** The dialog that is open over the sections. */
type Open =
  | { readonly what: 'add passkey' | 'turn on' | 'turn off' | 'replace codes' }
  | { readonly what: 'rename' | 'remove'; readonly passkey: Passkey }
  | { readonly what: 'codes'; readonly codes: readonly string[] | undefined }

const failed = (error: unknown) => toastFailure('Update failed', messageOf(error))

/** The sections "Passkeys", "Authenticator app" and "Recovery codes" of one's own settings. */
export function FactorSections({ kind }: { readonly kind: Session }) {
  const factors = useQuery(factorsQuery(kind))
  const { data } = factors
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const remove = useMutation(removePasskey(kind))
  const turnOff = useMutation(turnOffAuthenticator(kind))
  const issue = useMutation(issueRecoveryCodes(kind))
  const issueCodes = () =>
    issue.mutate(undefined, { onSuccess: (codes) => setOpen({ what: 'codes', codes }), onError: failed })
  const settled = (title: string) => ({
    onSuccess: () => {
      close()
      toast(title, 'Your other browsers were signed out.')
    },
    onError: failed,
  })

  const content = (show: (factors: OwnFactors) => ReactNode) => (
    <Loaded
      query={factors}
      failure="This could not be loaded"
      className="py-4!"
      loading={<LoadingLines lines={2} />}
      children={show}
    />
  )
  const hasFactor = data !== undefined && (data.passkeys.length > 0 || data.authenticator !== null)
  return (
    <>
      {kind === 'trader' && data?.removal && <RemovalNote dueAt={data.removal.dueAt} />}
      <Card
        title="Passkeys"
        action={
          data?.passkeysUnusable === null && (
            <Button look="secondary" onClick={() => setOpen({ what: 'add passkey' })}>
              Add Passkey
            </Button>
          )
        }
      >
        <p className="not-last:mb-2 text-13 text-muted">
          {kind === 'trader'
            ? 'Sign in with your fingerprint, face, PIN or security key instead of a password. Nobody can guess or phish a passkey.'
            : 'Confirm your access key with your fingerprint, face, PIN or security key. Nobody can guess or phish a passkey.'}
        </p>
        {content(({ passkeys, passkeysUnusable }) => (
          <>
            {passkeysUnusable !== null && (
              <p role="note" className="rounded-md border border-line bg-sunken px-4 py-2 text-13">
                {passkeysUnusable}
              </p>
            )}
            <PasskeyList
              passkeys={passkeys}
              onRename={(passkey) => setOpen({ what: 'rename', passkey })}
              onRemove={(passkey) => setOpen({ what: 'remove', passkey })}
            />
          </>
        ))}
      </Card>
      <Card title="Authenticator app" action={data?.authenticator && <Badge tone="good">On</Badge>}>
        <p className="mb-3 text-13 text-muted">
          An app on your phone shows a new code every 30 seconds. Signing in then needs a code as well.
        </p>
        {content(({ authenticator }) =>
          authenticator ? (
            <div className="flex flex-wrap items-center justify-between gap-3">
              <p className="text-13 text-muted">
                Since <DateText at={authenticator.since} how="stamp" />
              </p>
              <Button look="secondary" onClick={() => setOpen({ what: 'turn off' })}>
                Turn Off
              </Button>
            </div>
          ) : (
            <Button look="secondary" onClick={() => setOpen({ what: 'turn on' })}>
              Turn On
            </Button>
          ),
        )}
      </Card>
      <Card title="Recovery codes" className="lg:col-span-2">
        <p className="mb-3 text-13 text-muted">
          For when you have lost your passkeys and your phone. Each code works once. Keep them on paper or in a password
          manager.
        </p>
        {content(({ recoveryCodes }) => (
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="text-13">
              {!hasFactor ? (
                <span className="text-muted">Add a passkey or turn on an authenticator app first.</span>
              ) : recoveryCodes ? (
                <>
                  {counted(recoveryCodes.left, 'code')} left,{' '}
                  <span className="text-muted">
                    made <DateText at={recoveryCodes.issuedAt} how="stamp" />
                  </span>
                </>
              ) : (
                'You have no recovery codes yet. Without them, a lost phone can lock you out.'
              )}
            </p>
            <Button
              look="secondary"
              disabled={!hasFactor}
              busy={issue.isPending && open === undefined}
              onClick={() => (recoveryCodes ? setOpen({ what: 'replace codes' }) : issueCodes())}
            >
              {recoveryCodes ? 'Make New Codes' : 'Make Codes'}
            </Button>
          </div>
        ))}
      </Card>
      {open?.what === 'add passkey' && <PasskeyDialog kind={kind} onClose={close} />}
      {open?.what === 'rename' && <PasskeyDialog kind={kind} passkey={open.passkey} onClose={close} />}
      {open?.what === 'turn on' && <AuthenticatorDialog kind={kind} onClose={close} />}
      {open?.what === 'codes' && <RecoveryCodesDialog codes={open.codes} onMakeOthers={issueCodes} onClose={close} />}
      {open?.what === 'remove' && (
        <AlertDialog
          onClose={close}
          title={`Remove the passkey "${open.passkey.name}"`}
          description="It no longer signs you in. Your other browsers are signed out, and you get a mail."
          action={{
            label: 'Remove',
            busy: remove.isPending,
            onClick: () => remove.mutate(open.passkey.id, settled('Passkey removed')),
          }}
        />
      )}
      {open?.what === 'turn off' && (
        <AlertDialog
          onClose={close}
          title="Turn off the authenticator app"
          description="Signing in no longer needs its codes. Your other browsers are signed out, and you get a mail."
          action={{
            label: 'Turn Off',
            busy: turnOff.isPending,
            onClick: () => turnOff.mutate(undefined, settled('Authenticator app turned off')),
          }}
        />
      )}
      {open?.what === 'replace codes' && (
        <AlertDialog
          onClose={close}
          title="Make new recovery codes"
          description="The codes that you have now stop working."
          action={{ label: 'Make New Codes', busy: issue.isPending, onClick: issueCodes, look: 'primary' }}
        />
      )}
    </>
  )
}

interface PasskeyListProps {
  readonly passkeys: readonly Passkey[]
  readonly onRename: (passkey: Passkey) => void
  readonly onRemove: (passkey: Passkey) => void
}

function PasskeyList({ passkeys, onRename, onRemove }: PasskeyListProps) {
  if (passkeys.length === 0) return null
  return (
    <ul aria-label="Passkeys" className="divide-y divide-line">
      {passkeys.map((passkey) => (
        <li key={passkey.id} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3 last:pb-0">
          <div className="min-w-0">
            <p className="font-medium break-words">{passkey.name}</p>
            <p className="text-13 text-muted">
              Added <DateText at={passkey.addedAt} how="stamp" />
              {passkey.lastUsedAt !== null && (
                <>
                  , last used <DateText at={passkey.lastUsedAt} how="stamp" />
                </>
              )}
            </p>
          </div>
          <div className="flex gap-2">
            <Button look="quiet" aria-label={`Rename ${passkey.name}`} onClick={() => onRename(passkey)}>
              Rename
            </Button>
            <Button look="secondary" aria-label={`Remove ${passkey.name}`} onClick={() => onRemove(passkey)}>
              Remove
            </Button>
          </div>
        </li>
      ))}
    </ul>
  )
}

/** Staff were told that the factors are lost. Who still has them stops it. */
function RemovalNote({ dueAt }: { readonly dueAt: string }) {
  const stop = useMutation(stopOwnRemoval)
  const onClick = () =>
    stop.mutate(undefined, {
      onSuccess: () => toast('Removal stopped', 'Your second factors stay. Now set a new password.'),
      onError: failed,
    })
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 rounded-md border border-line bg-sunken px-4 py-3 lg:col-span-2"
    >
      <p>
        Support was told that your second factors are lost. All of them are removed <DateText at={dueAt} how="exact" />.
      </p>
      <Button look="secondary" busy={stop.isPending} onClick={onClick}>
        This Was Not Me: Stop It
      </Button>
    </div>
  )
}
