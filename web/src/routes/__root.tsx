import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext } from '@tanstack/react-router'
import { Root } from '@/features/menu/root.tsx'

/** The root of all routes: gives the query cache to guards and loaders. */
export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Root })
