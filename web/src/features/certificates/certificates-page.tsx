import { PageHeader } from '../../ui/page-header.tsx'

export function CertificatesPage() {
  return <PageHeader title="Certificates" />
}
