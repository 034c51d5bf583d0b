import { PageHeader } from '../../ui/page-header.tsx'

export function OffersPage() {
  return <PageHeader title="Buy an Account" />
}
