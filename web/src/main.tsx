import './styles.css'
import './contract/without-eval.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { userQuery } from './features/session/session-queries.ts'
import { createApp } from './router.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('The page has no place for the app')

const { router, queryClient } = createApp()

// The code of the page is on its way while its guard still asks who is signed in. Strangers are led to another one.
const isStranger = queryClient.getQueryData(userQuery.queryKey) === null
const wanted = new Set(router.matchRoutes(router.latestLocation).map(({ routeId }) => routeId))
for (const { id, options } of Object.values(router.routesById)) {
  const component = (isStranger ? id === '/auth' : wanted.has(id)) ? options.component : undefined
  if (component && 'preload' in component) void component.preload?.()
}

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
