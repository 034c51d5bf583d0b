import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../lazy-page.ts'

export const Route = createFileRoute('/_trader/certificates')({
  staticData: { title: 'Certificates' },
  loader: ({ context: { queryClient } }) =>
    import('../features/certificates/certificate-queries.ts').then(({ certificatesQuery }) => void queryClient.prefetchQuery(certificatesQuery)),
  component: lazyPage(() => import('../features/certificates/certificates-page.tsx'), 'CertificatesPage'),
})
