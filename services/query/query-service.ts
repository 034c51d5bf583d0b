import type { Express } from 'express'
import { openApiDocument } from '#services/framework/api/openapi.ts'
import type { Route } from '#services/framework/api/route.ts'
import { serviceRoutes } from '#services/framework/api/service-routes.ts'
import { sendBytes } from '#services/framework/http/memory-file.ts'
import { registerStaticApp, type StaticApp } from '#services/framework/http/static-app.ts'
import type { PortalParts } from '#services/portal/parts.ts'
import { allModules } from '#services/portal/modules.ts'
import type { Query } from '#services/framework/module.ts'
import { rolesWith } from '#services/identity/staff/permissions.ts'
import { routeGroups } from '#services/portal/routes.ts'
import { createLiveQuery, type LiveQueryParts } from './live/live-queries.ts'
import { createQueryRegistrar } from './read-registrar.ts'

/** The version of the HTTP interface, not of the program. */
const API_VERSION = '1.0.0'

/** The query service is given these parts. */
type QueryServiceParts = PortalParts['queries'] &
  LiveQueryParts & { readonly config: Pick<StaticApp, 'privacyPolicyUrl'> }

/** The API document, made when it is first asked for: that takes long, and few ask. */
let description: Buffer | undefined

/** Registers every read of every subject, and the web app for all other paths. */
export function registerQueries(app: Express, parts: QueryServiceParts): void {
  const read = createQueryRegistrar(app, parts)
  for (const { subject, queries } of allModules) {
    const handlers: Readonly<Record<string, Query<Route> | undefined>> = queries(parts)
    for (const [name, route] of Object.entries(subject.routes)) {
      const query = handlers[name]
      if (query) read(route, query)
    }
  }
  read(serviceRoutes.live, { needs: [], handle: createLiveQuery(parts) })
  read(serviceRoutes.openApi, {
    needs: [],
    async handle({ response }) {
      sendBytes(
        response,
        'json',
        (description ??= Buffer.from(
          JSON.stringify(openApiDocument({ version: API_VERSION, groups: routeGroups, rolesWith })),
        )),
      )
      return undefined
    },
  })
  registerStaticApp(app, { ...parts.config, firm: async () => (await parts.firm.now()).shown })
}
