import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import { accountLabel } from '@/format/account-name.ts'
import { useMay } from '@/features/frame/access.tsx'
import { DetailsSection } from '@/ui/details-section.tsx'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { TextLink } from '@/ui/link.tsx'
import { DateText } from '@/ui/text.tsx'

interface UserEnrolmentsProps {
  readonly user: Pick<UserDetails, 'enrolments'>
  readonly onEnrol: () => void
}

/** The programmes that a user is enrolled in, and whether the terms of each were accepted. */
export function UserEnrolments({ user: { enrolments }, onEnrol }: UserEnrolmentsProps) {
  const mayEnrol = useMay('enrol-traders')
  const button = mayEnrol && (
    <Button look="quiet" className="h-8! px-2! text-13!" onClick={onEnrol}>
      Enrol
    </Button>
  )
  return (
    <DetailsSection title="Enrolments" buttons={button} className="mb-6">
      {enrolments.length === 0 ? (
        <p className="py-2 text-13 text-muted">In no programme: staff set the limits and the payouts.</p>
      ) : (
        <ul aria-label="Enrolments, newest first" className="divide-y divide-line">
          {enrolments.map(({ id, programme, name, version, accepted, accounts, at }) => (
            <li key={id} className="py-2">
              <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <TextLink to="/admin/programmes/$id" params={{ id: programme }} search={{ version: String(version) }}>
                  {name}, version {version}
                </TextLink>
                {!accepted && <Badge tone="waiting">Terms not accepted yet</Badge>}
              </p>
              <p className="text-13 text-muted">
                Enrolled <DateText at={at} how="words" />
                {accepted && (
                  <>
                    , terms accepted <DateText at={accepted.at} how="words" />
                  </>
                )}
                . {accounts.map(({ account, stage }) => `Stage ${stage + 1}: ${accountLabel(account)}`).join(', ')}
              </p>
            </li>
          ))}
        </ul>
      )}
    </DetailsSection>
  )
}
