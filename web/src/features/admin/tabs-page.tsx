import { PageHeader } from '../../ui/page-header.tsx'

export function AdminTabsPage() {
  return <PageHeader title="Administration" />
}
