import { useMutation, useQuery } from '@tanstack/react-query'
import type { ConfirmationRequest } from '@/api/confirmation.ts'
import { Dialog } from '@/ui/dialog.tsx'
import { ErrorState, LoadingLines } from '@/ui/states.tsx'
import { FactorProofForm } from './factor-proof-form.tsx'
import { confirmationChoiceQuery, confirmIdentity } from './factor-queries.ts'

/** Asks who one is before something sensitive, which then goes on. */
export function ConfirmationDialog({ session, done }: ConfirmationRequest) {
  const choice = useQuery(confirmationChoiceQuery(session))
  const confirm = useMutation(confirmIdentity(session))
  return (
    <Dialog
      title="Confirm it is you"
      description="This is a sensitive change. What you began continues afterwards, and you are not asked again for 5 minutes."
      width="small"
      onClose={() => done(false)}
    >
      {choice.isError ? (
        <ErrorState className="py-4!" title="This could not be loaded" error={choice.error} onRetry={choice.refetch} />
      ) : choice.data ? (
        <FactorProofForm
          choice={choice.data}
          busy={confirm.isPending}
          error={confirm.error}
          onProof={(proof) => confirm.mutate(proof, { onSuccess: () => done(true) })}
        />
      ) : (
        <LoadingLines label="Loading" lines={3} />
      )}
    </Dialog>
  )
}
