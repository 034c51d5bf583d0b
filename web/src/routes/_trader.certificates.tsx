import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'

export const Route = createFileRoute('/_trader/certificates')({
  staticData: { title: 'Certificates' },
  component: lazyRouteComponent(() => import('../features/certificates/certificates-page.tsx'), 'CertificatesPage'),
})
