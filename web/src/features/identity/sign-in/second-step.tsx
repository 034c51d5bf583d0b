import { useMutation, useQuery } from '@tanstack/react-query'
import type { AdminRole } from '#services/identity/staff/staff-api.ts'
import { ApiError } from '@/api/api-error.ts'
import type { Session } from '@/api/session.ts'
import { toastFailure } from '@/toast.ts'
import { ErrorState, LoadingLines } from '@/ui/states.tsx'
import { FactorProofForm } from '@/features/identity/second-factors/factor-proof-form.tsx'
import { signInChoiceQuery } from '@/features/identity/second-factors/factor-queries.ts'
import { tellBan } from './session-end.ts'
import { logInWithFactor } from './sign-in-queries.ts'

interface SecondStepProps {
  readonly session: Session
  readonly onDone: (role: AdminRole | undefined) => void
  /** The password or access key is needed again. */
  readonly onExpired: () => void
}

/** The second step of a sign-in. */
export function SecondStep({ session, onDone, onExpired }: SecondStepProps) {
  const choice = useQuery(signInChoiceQuery(session))
  const step = useMutation(logInWithFactor(session))
  if (choice.isError) return <ErrorState className="py-4!" title="This took too long" error={choice.error} />
  if (!choice.data) return <LoadingLines label="Loading" lines={3} />
  return (
    <FactorProofForm
      choice={choice.data}
      busy={step.isPending}
      error={step.error}
      onProof={(proof) =>
        step.mutate(proof, {
          onSuccess: (admin) => onDone(admin?.role),
          onError: (error) => {
            if (!(error instanceof ApiError)) return
            if (error.banned) tellBan(error.banned.reason)
            if (error.status !== 401) return
            toastFailure('Login failed', error.message)
            onExpired()
          },
        })
      }
    />
  )
}
