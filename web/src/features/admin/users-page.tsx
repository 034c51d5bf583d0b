import { PageHeader } from '../../ui/page-header.tsx'

export function AdminUsersPage() {
  return <PageHeader title="User Management" />
}
