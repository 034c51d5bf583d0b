import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnEnrolment } from '#services/trading/enrolments/own-enrolment-api.ts'
import { messageOf } from '@/api/api-error.ts'
import { TermsInWordsView } from '@/features/programmes/programmes/terms-in-words-view.tsx'
import { toast, toastFailure } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { acceptTerms, ownEnrolmentsQuery } from './own-enrolment-queries.ts'
import { ShortHash } from '@/ui/text.tsx'

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

/** One line, so that the account stays in sight. The terms are read before they are accepted. */
function TermsToAccept({ enrolment }: { readonly enrolment: OwnEnrolment }) {
  const [isRead, setIsRead] = useState(false)
  return (
    <section className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 rounded-lg border border-accent bg-card px-5 py-3">
      <div className="min-w-0">
        <h2 className="text-14 font-semibold">Please accept the terms of {enrolment.name}</h2>
        <p className="text-13 text-muted">They apply to your account and never change without your consent.</p>
      </div>
      <Button onClick={() => setIsRead(true)}>
        Read the Terms<span className="sr-only"> of {enrolment.name}</span>
      </Button>
      {isRead && <TermsDialog enrolment={enrolment} onClose={() => setIsRead(false)} />}
    </section>
  )
}

interface TermsDialogProps {
  readonly enrolment: OwnEnrolment
  readonly onClose: () => void
}

function TermsDialog({ enrolment, onClose }: TermsDialogProps) {
  const { name, version, hash, words } = enrolment
  const accept = useMutation(acceptTerms)
  const onClick = () =>
    accept.mutate(enrolment, {
      onSuccess: () => {
        onClose()
        toast('Terms accepted', `${name}, version ${version}. You find them in Account Details.`)
      },
      onError: (error) => toastFailure('The terms were not accepted', messageOf(error)),
    })
  return (
    <Dialog
      title={`Terms of ${name}`}
      description="They were fixed when you were enrolled."
      focusContent
      onClose={onClose}
      footer={
        <>
          <Button look="secondary" onClick={onClose}>
            Not Now
          </Button>
          <Button busy={accept.isPending} onClick={onClick}>
            Accept Terms
          </Button>
        </>
      }
    >
      <TermsInWordsView words={words} />
      <p className="mt-4 text-12 text-muted">
        Version {version}, SHA-256 <ShortHash hash={hash} of="the terms" />
      </p>
    </Dialog>
  )
}
