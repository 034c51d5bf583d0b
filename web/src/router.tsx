import { createRouter } from '@tanstack/react-router'
import { onOtherTabs } from './features/session/other-tabs.ts'
import { endSession, followOtherTab } from './features/session/session-end.ts'
import { userQuery } from './features/session/session-queries.ts'
import { createQueryClient } from './query-client.ts'
import { routeTree } from './route-tree.gen.ts'
import { parseSearch, stringifySearch } from './search.ts'
import { ErrorPage, NotFoundPage, PendingPage } from './features/shell/edge-pages.tsx'

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createApp>['router']
  }
  interface StaticDataRouteOption {
    /** What the browser's tab says. */
    title?: string
  }
}

/** The router and the cache, which know of each other: routes load through the cache, a refusal leads to another route. */
export function createApp() {
  const queryClient = createQueryClient((session, error) => endSession(router, queryClient, session, error))
  // The server saw no session with the request for this page: asking would only be refused.
  if (document.querySelector('meta[name=session]')?.getAttribute('content') === 'none') queryClient.setQueryData(userQuery.queryKey, null)
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
  onOtherTabs((news) => void followOtherTab(router, queryClient, news))
  return { router, queryClient }
}
