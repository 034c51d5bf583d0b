import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { optional, textOf } from '@/search.ts'

export const Route = createFileRoute('/admin/programmes/$id')({
  staticData: { title: 'Programme' },
  validateSearch: ({ version }) => optional({ /** The newest without it. */ version: textOf(version) }),
  loader: ({ context: { queryClient } }) =>
    void prefetchLazily(
      () => import('@/features/programmes/programmes/programme-queries.ts'),
      ({ programmesQuery }) => queryClient.prefetchQuery(programmesQuery),
    ),
  component: lazyPage(() => import('@/features/programmes/programmes/programme-page.tsx'), 'ProgrammePage'),
})
