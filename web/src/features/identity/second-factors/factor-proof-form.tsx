import { KeyRound } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { FactorChoice } from '#services/identity/second-factors/factor-proof-api.ts'
import type { Confirmation } from '#services/identity/second-factors/second-factor-api.ts'
import { ApiError, messageOf } from '@/api/api-error.ts'
import { Button } from '@/ui/button.tsx'
import { PasswordInput, TextInput } from '@/ui/field.tsx'
import { signWith } from './passkeys.ts'

interface FactorProofFormProps {
  readonly choice: FactorChoice
  readonly busy: boolean
  /** Why the last proof was refused. */
  readonly error: unknown
  readonly onProof: (proof: Confirmation) => void
}

/**
 * The ways to prove who one is: a passkey, a code, or for people without a second factor the password or access key.
 */
export function FactorProofForm({ choice: { factors, passkey }, busy, error, onProof }: FactorProofFormProps) {
  const [value, setValue] = useState('')
  const [passkeyError, setPasskeyError] = useState<string>()
  const container = useRef<HTMLDivElement>(null)
  // It appears after its screen or dialog, when the choice has loaded.
  useEffect(() => container.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus(), [])
  const hasCodes = factors.includes('authenticator') || factors.includes('recovery-code')
  const secret = factors.includes('password') ? 'Password' : factors.includes('access-key') ? 'Access Key' : undefined
  const message = error ? messageOf(error) : undefined
  const isAboutPasskey = error instanceof ApiError && error.fields['passkey'] !== undefined
  const provePasskey = async () => {
    if (!passkey) return
    setPasskeyError(undefined)
    try {
      onProof({ passkey: await signWith(passkey) })
    } catch (failure) {
      setPasskeyError(messageOf(failure))
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onProof(secret ? { secret: value } : { code: value })
  }
  const shownAtPasskey = passkeyError ?? (isAboutPasskey || !(hasCodes || secret) ? message : undefined)
  const field = {
    value,
    'data-autofocus': passkey ? undefined : true,
    error: shownAtPasskey === undefined ? message : undefined,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => setValue(target.value),
  }
  return (
    <div ref={container} className="flex flex-col gap-4">
      {passkey && (
        <div className="flex flex-col gap-1">
          <Button data-autofocus busy={busy && value === ''} onClick={() => void provePasskey()}>
            <KeyRound size={16} aria-hidden />
            Use a passkey
          </Button>
          {shownAtPasskey !== undefined && (
            <p role="alert" className="text-12 text-bad">
              {shownAtPasskey}
            </p>
          )}
        </div>
      )}
      {(hasCodes || secret) && (
        <form noValidate onSubmit={submit} className="flex flex-col gap-4">
          {secret ? (
            <PasswordInput
              label={secret}
              autoComplete={secret === 'Password' ? 'current-password' : 'off'}
              {...field}
            />
          ) : (
            <TextInput
              label="Code"
              autoComplete="one-time-code"
              spellCheck={false}
              hint={codeHint(factors)}
              {...field}
            />
          )}
          <Button
            type="submit"
            look={passkey ? 'secondary' : 'primary'}
            busy={busy && value !== ''}
            disabled={value.trim() === ''}
          >
            Confirm
          </Button>
        </form>
      )}
    </div>
  )
}

function codeHint(factors: FactorChoice['factors']): string {
  if (!factors.includes('authenticator')) return 'One of your recovery codes. Each works once.'
  return factors.includes('recovery-code')
    ? '6 digits from your authenticator app, or a recovery code'
    : '6 digits from your authenticator app'
}
