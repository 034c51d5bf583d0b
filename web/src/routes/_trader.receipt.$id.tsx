import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'

export const Route = createFileRoute('/_trader/receipt/$id')({
  staticData: { title: 'Receipt' },
  loader: ({ context: { queryClient } }) =>
    void prefetchLazily(
      () => import('@/features/payments/payouts/payout-queries.ts'),
      ({ payoutsQuery }) => queryClient.prefetchQuery(payoutsQuery),
    ),
  component: lazyPage(() => import('@/features/payments/payouts/receipt-page.tsx'), 'ReceiptPage'),
})
