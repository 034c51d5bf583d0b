import { useMutation, useQuery } from '@tanstack/react-query'
import type { OwnEnrolment } from '#services/modules/enrolments/enrolment-api.ts'
import { messageOf } from '@/api/api-error.ts'
import { TermsInWordsView } from '@/features/programmes/terms-in-words-view.tsx'
import { toast, toastFailure } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { acceptTerms, ownEnrolmentsQuery } from './own-enrolment-queries.ts'

interface AcceptTermsProps {
  /** The ids of the trader's open accounts: the terms of an enrolment that is over need no acceptance. */
  readonly open: readonly string[]
}

/** The terms that the trader was enrolled in and has not accepted yet, in plain words; nothing where there are none. */
export function AcceptTerms({ open }: AcceptTermsProps) {
  const { data = [] } = useQuery(ownEnrolmentsQuery)
  const waiting = data.filter(
    ({ accepted, accounts }) => !accepted && accounts.some(({ account }) => open.includes(account)),
  )
  if (waiting.length === 0) return null
  return (
    <div className="mb-6 flex flex-col gap-4">
      {waiting.map((enrolment) => (
        <TermsToAccept key={enrolment.id} enrolment={enrolment} />
      ))}
    </div>
  )
}

function TermsToAccept({ enrolment }: { readonly enrolment: OwnEnrolment }) {
  const { name, version, hash, words } = enrolment
  const accept = useMutation(acceptTerms)
  const onClick = () =>
    accept.mutate(enrolment, {
      onSuccess: () => toast('Terms accepted', `${name}, version ${version}. You find them in Account Details.`),
      onError: (error) => toastFailure('The terms were not accepted', messageOf(error)),
    })
  return (
    <Card title={`Please accept the terms of ${name}`} className="border-accent!">
      <p className="mb-4 text-muted">
        These rules apply to your account. They were fixed when you were enrolled and never change without your consent.
      </p>
      <TermsInWordsView words={words} />
      <p className="mt-4 text-12 text-muted">
        Version {version}, SHA-256 <code className="font-mono break-all">{hash}</code>
      </p>
      <Button className="mt-4" busy={accept.isPending} onClick={onClick}>
        Accept Terms
      </Button>
    </Card>
  )
}
