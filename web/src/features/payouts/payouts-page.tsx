import { PageHeader } from '../../ui/page-header.tsx'

export function PayoutsPage() {
  return <PageHeader title="Payouts" />
}
