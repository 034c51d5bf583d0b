import { createFileRoute } from '@tanstack/react-router'
import { payoutsQuery } from '@/features/payments/payouts/payout-queries.ts'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/_trader/receipt/$id')({
  staticData: { title: 'Receipt' },
  loader({ context: { queryClient } }) {
    void queryClient.prefetchQuery(payoutsQuery)
  },
  component: lazyPage(() => import('@/features/payments/payouts/receipt-page.tsx'), 'ReceiptPage'),
})
