import { useQuery } from '@tanstack/react-query'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { TermsInWordsView } from '@/features/programmes/programmes/terms-in-words-view.tsx'
import { Card, DescriptionList } from '@/ui/card.tsx'
import { ErrorState, LoadingLines } from '@/ui/states.tsx'
import { DateText, ShortHash } from '@/ui/text.tsx'
import { ownEnrolmentsQuery } from './own-enrolment-queries.ts'

interface AccountProgrammeProps {
  readonly programme: NonNullable<OwnAccount['programme']>
  /** The name of the account's stage. */
  readonly phase: string | null
}

/** The programme of an account, and its terms in plain words. */
export function AccountProgramme({ programme, phase }: AccountProgrammeProps) {
  const enrolments = useQuery(ownEnrolmentsQuery)
  const enrolment = enrolments.data?.find(({ id }) => id === programme.enrolment)
  return (
    <Card title="Programme" className="lg:col-span-2">
      <DescriptionList
        className="mb-5"
        items={[
          { name: 'Programme', value: `${programme.name}, version ${programme.version}` },
          { name: 'Stage', value: phase ?? String(programme.stage + 1) },
          ...(enrolment ? [{ name: 'Terms Accepted', value: <Accepted at={enrolment.accepted?.at} /> }] : []),
          { name: 'SHA-256', value: <ShortHash hash={programme.hash} of="the terms" /> },
        ]}
      />
      {enrolment ? (
        <TermsInWordsView words={enrolment.words} inStage={programme.stage} />
      ) : enrolments.isError ? (
        <ErrorState title="The terms could not be loaded" error={enrolments.error} onRetry={enrolments.refetch} />
      ) : (
        <LoadingLines lines={6} label="Loading the terms" />
      )}
    </Card>
  )
}

function Accepted({ at }: { readonly at: string | undefined }) {
  return at === undefined ? <span className="text-muted">Not yet</span> : <DateText at={at} how="exact" />
}
