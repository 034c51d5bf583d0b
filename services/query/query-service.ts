import { rolesWith, routeGroups } from '#services/modules/subjects.ts'
import type { Express } from 'express'
import { createAccountTimelines } from '#services/modules/audit/server/account-timeline.ts'
import { openApiDocument } from '#services/api/openapi.ts'
import { serviceRoutes } from '#services/api/service-routes.ts'
import { sendBytes } from '#services/http/memory-file.ts'
import { registerStaffQueries } from './staff-queries.ts'
import { registerAuditQueries } from '#services/modules/audit/server/audit-queries.ts'
import { registerLogQueries } from '#services/modules/seals/server/seal-queries.ts'
import { registerExports } from './csv-exports.ts'
import { registerLiveQueries } from './live/live-queries.ts'
import { type QueryDependencies, createQueryRegistrar } from './query-dependencies.ts'
import { registerPerformanceQueries } from '#services/modules/accounts/server/performance-queries.ts'
import { registerSharedCertificates } from '#services/modules/certificates/server/shared-certificate.ts'
import { registerSecondFactorQueries } from '#services/modules/second-factors/server/second-factor-queries.ts'
import { registerSessionQueries } from '#services/modules/sign-in/server/session-queries.ts'
import { registerStaticApp } from './static-app.ts'
import { registerSystemQueries } from '#services/modules/installation/server/installation-queries.ts'
import { registerTraderQueries } from './trader-queries.ts'
import { registerVerifyPage } from '#services/modules/audit/server/verify-page.ts'

/** The version of the HTTP interface, not of the program. */
const API_VERSION = '1.0.0'

/** The API document, made when it is first asked for: that takes long, and few ask. */
let description: Buffer | undefined

/** Registers every read, and the web app for all other paths. */
export function registerQueries(app: Express, parts: QueryDependencies): void {
  const read = createQueryRegistrar(app, parts)
  registerTraderQueries(read, parts)
  registerStaffQueries(read, parts)
  registerSessionQueries(read, parts)
  registerSecondFactorQueries(read, parts)
  registerPerformanceQueries(read, parts)
  const timelines = createAccountTimelines(parts)
  registerAuditQueries(read, timelines, parts)
  registerVerifyPage(read)
  registerLogQueries(read, timelines, parts)
  registerSharedCertificates(read, parts)
  registerSystemQueries(read, parts)
  registerExports(read, parts)
  registerLiveQueries(read, parts)
  read(serviceRoutes.openApi, [], async ({ response }) => {
    sendBytes(response, 'json', (description ??= Buffer.from(JSON.stringify(openApiDocument({ version: API_VERSION, groups: routeGroups, rolesWith })))))
    return undefined
  })
  registerStaticApp(app, parts.config)
}
