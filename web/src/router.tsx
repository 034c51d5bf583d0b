import { createRouter } from '@tanstack/react-router'
import { onReachable, watchConnection } from './api/reachability.ts'
import { onOtherTabs } from '@/features/frame/other-tabs.ts'
import { endSession, followOtherTab, isAdminPath } from '@/features/identity/sign-in/session-end.ts'
import { personOf, userQuery } from '@/features/frame/session-queries.ts'
import { followDrafts } from '@/form/drafts.ts'
import { createQueryClient } from './query-client.ts'
import { routeTree } from './route-tree.gen.ts'
import { parseSearch, stringifySearch } from './search.ts'
import { ErrorPage, NotFoundPage, PendingPage } from '@/features/menu/edge-pages.tsx'

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createApp>['router']
  }
  interface StaticDataRouteOption {
    /** The title of the browser tab. */
    title?: string
  }
}

/** The router and the cache: routes load through the cache, and the end of a session redirects. */
export function createApp() {
  const queryClient = createQueryClient(
    (session, error) => endSession(router, queryClient, session, error),
    () => void router.navigate({ to: '/admin/security' }),
  )
  // The request for this page had no session cookie: asking would return 401.
  if (document.querySelector('meta[name=session]')?.getAttribute('content') === 'none')
    queryClient.setQueryData(userQuery.queryKey, null)
  const router = createRouter({
    routeTree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 0,
    defaultPendingMinMs: 0,
    defaultPendingComponent: PendingPage,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    notFoundMode: 'root',
    scrollRestoration: true,
  })
  watchConnection()
  onReachable(() => {
    // Reads that waited continue by themselves; those that failed meanwhile are read again.
    void queryClient.invalidateQueries({ predicate: ({ state }) => state.status === 'error' })
  })
  followDrafts(() => personOf(queryClient, isAdminPath(location.pathname) ? 'admin' : 'trader'))
  onOtherTabs((message) => void followOtherTab(router, queryClient, message))
  return { router, queryClient }
}
