import { createFileRoute } from '@tanstack/react-router'
import { programmesQuery } from '@/features/programmes/programme-queries.ts'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/programmes/')({
  staticData: { title: 'Programmes' },
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(programmesQuery),
  component: lazyPage(() => import('@/features/programmes/programmes-page.tsx'), 'ProgrammesPage'),
})
