import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import { useMutation, useQueryClient, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Certificate } from '#services/trading/certificates/certificate-api.ts'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { AlertDialog } from '@/ui/dialog.tsx'
import { TextInput } from '@/ui/field.tsx'
import { ExternalLink } from '@/ui/link.tsx'
import { Loaded, EmptyState, LoadingLines } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import { useMay } from '@/features/frame/access.tsx'
import { mailNote } from '@/features/frame/session-queries.ts'
import { DetailsSection } from '@/ui/details-section.tsx'
import { revokeCertificate, userCertificatesQuery } from './staff-certificate-queries.ts'
import { accountLabel } from '@/format/account-name.ts'
import type { UserName } from '@/features/frame/staff-change.ts'

/** The certificates of a trader, and a way to revoke each. */
export function UserCertificates({ user }: { readonly user: UserDetails }) {
  const mayChange = useMay('issue-certificates')
  const certificates = useQuery(userCertificatesQuery(user.id))
  const [revoking, setRevoking] = useState<Certificate>()
  return (
    <DetailsSection title="Certificates" className="mt-6">
      <Loaded query={certificates} failure="The certificates could not be loaded" loading={<LoadingLines lines={2} />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState className="py-4!" title="No certificates" />
          ) : (
            <ul aria-label="Certificates" className="divide-y divide-line">
              {rows.map((certificate) => (
                <Row
                  key={certificate.id}
                  certificate={certificate}
                  account={user.tradingAccounts.length > 1 ? accountLabel(certificate.accountId) : undefined}
                  onRevoke={mayChange ? () => setRevoking(certificate) : undefined}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {revoking && <Revocation certificate={revoking} holder={user} onClose={() => setRevoking(undefined)} />}
    </DetailsSection>
  )
}

function Row({
  certificate,
  account,
  onRevoke,
}: {
  readonly certificate: Certificate
  /** The account, for a user with several. */
  readonly account: string | undefined
  readonly onRevoke: (() => void) | undefined
}) {
  const { name, issuedAt, fileUrl, revokedAt } = certificate
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-2">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium break-words">{name}</span>
          {revokedAt !== null && <Badge tone="bad">Revoked</Badge>}
        </p>
        <p className="text-13 text-muted">
          {account !== undefined && `${account} · `}Issued <DateText at={issuedAt} how="words" />
          {revokedAt !== null && (
            <>
              , revoked <DateText at={revokedAt} how="stamp" />
            </>
          )}
        </p>
      </div>
      <span className="flex gap-2">
        {onRevoke && revokedAt === null && (
          <Button look="quiet" className="h-8! px-2! text-13!" aria-label={`Revoke ${name}`} onClick={onRevoke}>
            Revoke
          </Button>
        )}
        <ExternalLink look="secondary" className="h-8!" href={fileUrl} aria-label={`Open ${name}`}>
          Open
        </ExternalLink>
      </span>
    </li>
  )
}

interface RevocationProps {
  readonly certificate: Certificate
  readonly holder: UserName
  readonly onClose: () => void
}

function Revocation({ certificate: { id, name }, holder, onClose }: RevocationProps) {
  const revoke = useMutation(revokeCertificate)
  const client = useQueryClient()
  const [reason, setReason] = useState('')
  return (
    <AlertDialog
      onClose={onClose}
      title={`Revoke ${name}`}
      about={id}
      description={`The certificate of ${holder.fullName} is no longer valid, for good, and a shared page of it says so. ${mailNote(client, `${holder.fullName} gets a mail.`)}`}
      action={{
        label: 'Revoke',
        busy: revoke.isPending,
        onClick: () => revoke.mutate({ id, name, holder, reason }, { onSuccess: onClose }),
      }}
    >
      <TextInput
        label="Reason"
        hint="Optional. The trader can read it; the shared page does not show it."
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
    </AlertDialog>
  )
}
