import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { scopeOf } from '@/search.ts'

export const Route = createFileRoute('/_trader/certificates')({
  staticData: { title: 'Certificates' },
  validateSearch: scopeOf,
  loader: ({ context: { queryClient } }) =>
    void prefetchLazily(
      () => import('@/features/trading/certificates/certificate-queries.ts'),
      ({ certificatesQuery }) => queryClient.prefetchQuery(certificatesQuery),
    ),
  component: lazyPage(() => import('@/features/trading/certificates/certificates-page.tsx'), 'CertificatesPage'),
})
