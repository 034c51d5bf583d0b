import { createFileRoute } from '@tanstack/react-router'
import { certificatesQuery } from '@/features/trading/certificates/certificate-queries.ts'
import { lazyPage } from '@/lazy-page.ts'
import { scopeOf } from '@/search.ts'

export const Route = createFileRoute('/_trader/certificates')({
  staticData: { title: 'Certificates' },
  validateSearch: scopeOf,
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(certificatesQuery),
  component: lazyPage(() => import('@/features/trading/certificates/certificates-page.tsx'), 'CertificatesPage'),
})
