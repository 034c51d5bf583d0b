import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'

export const Route = createFileRoute('/_trader/certificates')({
  staticData: { title: 'Certificates' },
  loader: ({ context: { queryClient } }) =>
    import('../features/certificates/certificate-queries.ts').then(({ certificatesQuery }) => void queryClient.prefetchQuery(certificatesQuery)),
  component: lazyRouteComponent(() => import('../features/certificates/certificates-page.tsx'), 'CertificatesPage'),
})
