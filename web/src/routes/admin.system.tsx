import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../lazy-page.ts'

export const Route = createFileRoute('/admin/system')({
  staticData: { title: 'System' },
  loader: ({ context: { queryClient } }) =>
    import('../features/admin/system/system-queries.ts').then(({ systemQuery }) => void queryClient.prefetchQuery(systemQuery)),
  component: lazyPage(() => import('../features/admin/system/system-page.tsx'), 'SystemPage'),
})
