import { namedRoutes, type RouteGroup } from '#services/framework/api/route.ts'
import { serviceGroup } from '#services/framework/api/service-routes.ts'
import { merged, type Subject } from '#services/framework/subject.ts'
import { subjects } from '#services/oversight/event-catalogue.ts'

const all: readonly Subject[] = Object.values(subjects)

/** All calls of the HTTP API (specification §7), by subject; the last group is the service's own. */
export const routeGroups: readonly RouteGroup[] = [
  ...all.filter(({ routes }) => Object.keys(routes).length > 0),
  serviceGroup,
]
merged(
  'call',
  routeGroups.map(({ routes }) => routes),
)

export const allRoutes = namedRoutes(routeGroups)
