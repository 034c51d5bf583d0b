import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { optional, type Search, textOf } from '@/search.ts'

const searchOf = ({ cursor }: Search) => optional({ cursor: textOf(cursor) })

export const Route = createFileRoute('/admin/tasks')({
  staticData: { title: 'Tasks' },
  validateSearch: searchOf,
  loader: ({ context: { queryClient }, location }) =>
    void prefetchLazily(
      () => import('@/features/trading/tasks/task-queries.ts'),
      ({ tasksQuery }) => queryClient.prefetchQuery(tasksQuery(searchOf(location.search).cursor)),
    ),
  component: lazyPage(() => import('@/features/trading/tasks/tasks-page.tsx'), 'TasksPage'),
})
