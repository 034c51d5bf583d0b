import { PageHeader } from '../../ui/page-header.tsx'

export function AdminPayoutsPage() {
  return <PageHeader title="Payout Management" />
}
