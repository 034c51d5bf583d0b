import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { optional, type Search, textOf } from '@/search.ts'

const searchOf = ({ search, cursor }: Search) => optional({ search: textOf(search), cursor: textOf(cursor) })

export const Route = createFileRoute('/admin/tasks')({
  staticData: { title: 'Tasks' },
  validateSearch: searchOf,
  loader({ context: { queryClient }, location }) {
    const { search, cursor } = searchOf(location.search)
    void prefetchLazily(
      () => import('@/features/trading/tasks/task-queries.ts'),
      ({ tasksQuery }) => queryClient.prefetchQuery(tasksQuery(cursor, search)),
    )
  },
  component: lazyPage(() => import('@/features/trading/tasks/tasks-page.tsx'), 'TasksPage'),
})
