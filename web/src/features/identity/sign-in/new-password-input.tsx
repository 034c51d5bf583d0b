import { type ComponentProps, useEffect, useState } from 'react'
import type { PasswordStrength } from '#services/framework/api/password-strength.ts'
import { PasswordInput } from '@/ui/field.tsx'

type NewPasswordProps = ComponentProps<typeof PasswordInput> & {
  /** The password as it is typed so far. */
  readonly typed: string
}

/** A field for a new password, with its strength below. The server refuses what is too easy to guess. */
export function NewPasswordInput({ typed, ...input }: NewPasswordProps) {
  const strength = useStrength(typed)
  return (
    <div className="flex flex-col gap-1">
      <PasswordInput autoComplete="new-password" {...input} />
      <p role="status" className="text-12 text-muted empty:hidden">
        {strength && !(input.error && strength.level === 0) && strengthText(strength)}
      </p>
    </div>
  )
}

function strengthText({ level, label, reason }: PasswordStrength): string {
  return level === 0 ? `Too easy to guess: ${reason}` : `Strength: ${label}`
}

/** Computed here, for what is typed is sent only with the form. The lists load with the first character. */
function useStrength(typed: string): PasswordStrength | undefined {
  const [strength, setStrength] = useState<PasswordStrength>()
  useEffect(() => {
    if (typed === '') return
    let isLatest = true
    import('#services/framework/api/password-strength.ts')
      .then(({ passwordStrength }) => passwordStrength(typed))
      .then((computed) => isLatest && setStrength(computed))
      // Without the lists there is no strength to show; the server checks the password all the same.
      .catch(() => {})
    return () => {
      isLatest = false
    }
  }, [typed])
  return typed === '' ? undefined : strength
}
