import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/programmes/')({
  staticData: { title: 'Programmes' },
  loader: ({ context: { queryClient } }) =>
    void prefetchLazily(
      () => import('@/features/programmes/programmes/programme-queries.ts'),
      ({ programmesQuery }) => queryClient.prefetchQuery(programmesQuery),
    ),
  component: lazyPage(() => import('@/features/programmes/programmes/programmes-page.tsx'), 'ProgrammesPage'),
})
