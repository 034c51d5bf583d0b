import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext } from '@tanstack/react-router'
import { Root } from '../features/shell/root.tsx'

/** Every page: the cache is at hand for guards and loaders. */
export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Root })
