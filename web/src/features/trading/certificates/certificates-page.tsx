import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Award, Download, Share2 } from 'lucide-react'
import { useState } from 'react'
import type { Certificate } from '#services/trading/certificates/certificate-api.ts'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { type Column, DataTable } from '@/ui/data-table.tsx'
import { ExternalLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState, ErrorState } from '@/ui/states.tsx'
import { Tabs } from '@/ui/tabs.tsx'
import { DateText } from '@/ui/text.tsx'
import { AccountScope, accountColumn, useRowsInScope } from '@/features/trading/accounts/account-scope.tsx'
import { useChosenAccount } from '@/features/trading/accounts/chosen-account.ts'
import { certificatesQuery } from './certificate-queries.ts'
import { ShareDialog } from './share-dialog.tsx'

const certificateIdOf = ({ id }: Certificate) => id

const columnsOf = (namesAccount: boolean): readonly Column<Certificate>[] => [
  { header: 'Certificate Name', cell: (certificate) => <Name {...certificate} /> },
  ...(namesAccount ? [accountColumn] : []),
  { header: 'Issued Date', cell: ({ issuedAt }) => <DateText at={issuedAt} how="words" /> },
  { header: 'Added Date', cell: ({ uploadedAt }) => <DateText at={uploadedAt} how="words" /> },
  {
    header: 'Download',
    align: 'right',
    headerHidden: true,
    cell: (certificate) => (
      <span className="inline-flex flex-wrap justify-end gap-2">
        <ShareButton certificate={certificate} />
        <ExternalLink
          look="secondary"
          href={certificate.fileUrl}
          aria-label={`Download ${certificate.name}`}
          className="h-8!"
        >
          <Download size={14} aria-hidden />
          Download
        </ExternalLink>
      </span>
    ),
  },
]

const [columns, columnsWithAccount] = [columnsOf(false), columnsOf(true)]

function Name({ name, revokedAt, share }: Certificate) {
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <span className="font-medium">{name}</span>
      {revokedAt !== null && <Badge tone="bad">Revoked</Badge>}
      {share && <Badge tone="good">Shared</Badge>}
    </span>
  )
}

/** A revoked certificate can no longer be shared, but a link to it can be ended. */
function ShareButton({ certificate }: { readonly certificate: Certificate }) {
  const [isOpen, setIsOpen] = useState(false)
  const { name, revokedAt, share } = certificate
  if (revokedAt !== null && !share && !isOpen) return null
  return (
    <>
      <Button look="secondary" className="h-8!" aria-label={`Share ${name}`} onClick={() => setIsOpen(true)}>
        <Share2 size={14} aria-hidden />
        Share
      </Button>
      {isOpen && <ShareDialog certificate={certificate} onClose={() => setIsOpen(false)} />}
    </>
  )
}

const route = getRouteApi('/_trader/certificates')

/** The trader's certificates (specification §2). */
export function CertificatesPage() {
  const { scope } = route.useSearch()
  const { data, isError, refetch } = useQuery(certificatesQuery)
  const { hasSeveral } = useChosenAccount()
  const inScope = useRowsInScope(data, scope)
  const table = (
    <DataTable
      label="Certificates"
      columns={scope === 'all' && hasSeveral ? columnsWithAccount : columns}
      rows={inScope}
      rowId={certificateIdOf}
      expectedRows={3}
      empty={
        <EmptyState title="No certificates yet" icon={<Award size={24} aria-hidden />}>
          Your certificates will appear here when they are issued by the admin.
        </EmptyState>
      }
      error={
        isError &&
        !data && <ErrorState title="Failed to load certificates. Please try refreshing the page." onRetry={refetch} />
      }
    />
  )
  return (
    <>
      <PageHeader title="Certificates">Proof of the challenges you passed.</PageHeader>
      <AccountScope scope={scope} />
      <Tabs
        label="Certificates"
        value="all"
        onChange={() => {}}
        tabs={[{ value: 'all', label: 'All Certificates', content: table }]}
      />
    </>
  )
}
