import { getRouteApi } from '@tanstack/react-router'
import { PageHeader } from '@/ui/page-header.tsx'
import { Tabs } from '@/ui/tabs.tsx'
import { RoleNotice } from '@/features/frame/access.tsx'
import { FROM_THE_START, useChangeAddress } from '@/lists/address.ts'
import { PayoutsTab } from '@/features/payments/payouts/payouts-tab.tsx'
import { UsersTab } from '@/features/trading/traders/users-tab.tsx'

const route = getRouteApi('/admin/')

/** Users and payouts in two tabs (specification §2). */
export function TabsPage() {
  const { tab } = route.useSearch()
  const change = useChangeAddress()
  return (
    <>
      <PageHeader title="Administration">Users and payout requests on one page.</PageHeader>
      <RoleNotice />
      <Tabs
        label="Users or payouts"
        value={tab ?? 'users'}
        onChange={(chosen) =>
          void change({ ...FROM_THE_START, search: undefined, tab: chosen === 'payouts' ? 'payouts' : undefined })
        }
        tabs={[
          { value: 'users', label: 'Users', content: <UsersTab /> },
          { value: 'payouts', label: 'Payouts', content: <PayoutsTab /> },
        ]}
      />
    </>
  )
}
