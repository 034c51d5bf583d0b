import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'

export const Route = createFileRoute('/admin/system')({
  staticData: { title: 'System' },
  loader: ({ context: { queryClient } }) =>
    import('../features/admin/system/system-queries.ts').then(({ systemQuery }) => void queryClient.prefetchQuery(systemQuery)),
  component: lazyRouteComponent(() => import('../features/admin/system/system-page.tsx'), 'SystemPage'),
})
