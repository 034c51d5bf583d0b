import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { optional, textOf } from '@/search.ts'

export const Route = createFileRoute('/admin/programmes/edit')({
  staticData: { title: 'Change Programmes' },
  validateSearch: ({ ids, version }) =>
    optional({
      /** Of the programmes, with commas between them. */
      ids: textOf(ids),
      /** Of one programme: the newest without it. */
      version: textOf(version),
    }),
  loader: ({ context: { queryClient } }) =>
    void prefetchLazily(
      () => import('@/features/programmes/programmes/programme-queries.ts'),
      ({ programmesQuery }) => queryClient.prefetchQuery(programmesQuery),
    ),
  component: lazyPage(() => import('@/features/programmes/programmes/editor-pages.tsx'), 'EditProgrammesPage'),
})
