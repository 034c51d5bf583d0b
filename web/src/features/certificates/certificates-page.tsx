import { useQuery } from '@tanstack/react-query'
import { Award, Download } from 'lucide-react'
import type { Certificate } from '../../../../services/api/certificate-schemas.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { ExternalLink } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { DateText } from '../../ui/text.tsx'
import { certificatesQuery } from './certificate-queries.ts'

const certificateIdOf = ({ id }: Certificate) => id

const columns: readonly Column<Certificate>[] = [
  { id: 'name', header: 'Certificate Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
  { id: 'issued', header: 'Issued Date', cell: ({ issuedAt }) => <DateText at={issuedAt} how="words" /> },
  { id: 'added', header: 'Added Date', cell: ({ uploadedAt }) => <DateText at={uploadedAt} how="words" /> },
  {
    id: 'download',
    header: 'Download',
    align: 'right',
    headerHidden: true,
    cell: ({ name, fileUrl }) => (
      <ExternalLink look="secondary" href={fileUrl} aria-label={`Download ${name}`} className="h-8!">
        <Download size={14} aria-hidden />
        Download
      </ExternalLink>
    ),
  },
]

/** The trader's certificates (specification §2). */
export function CertificatesPage() {
  const { data, isError, refetch } = useQuery(certificatesQuery)
  const table = (
    <DataTable
      label="Certificates"
      columns={columns}
      rows={data}
      rowId={certificateIdOf}
      expectedRows={3}
      empty={
        <EmptyState title="No certificates yet" icon={<Award size={24} aria-hidden />}>
          Your certificates will appear here when they are issued by the admin.
        </EmptyState>
      }
      error={isError && !data && <ErrorState title="Failed to load certificates. Please try refreshing the page." onRetry={refetch} />}
    />
  )
  return (
    <>
      <PageHeader title="Certificates">Proof of the challenges you passed.</PageHeader>
      <Tabs label="Certificates" value="all" onChange={() => {}} tabs={[{ value: 'all', label: 'All Certificates', content: table }]} />
    </>
  )
}
