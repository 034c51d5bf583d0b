import type { Express } from 'express'
import { createAccountTimelines } from '#services/audit/account-timeline.ts'
import { openApiDocument, routes } from '#services/api/index.ts'
import { sendBytes } from '#services/http/memory-file.ts'
import { registerStaffQueries } from './staff-queries.ts'
import { registerAuditQueries } from './audit/audit-queries.ts'
import { registerLogQueries } from './log-queries.ts'
import { registerExports } from './csv-exports.ts'
import { registerLiveQueries } from './live/live-queries.ts'
import { type QueryDependencies, createQueryRegistrar } from './query-dependencies.ts'
import { registerNoticeQueries } from './notice-queries.ts'
import { registerPerformanceQueries } from './performance-queries.ts'
import { registerSharedCertificates } from './shared-certificate.ts'
import { registerSecondFactorQueries } from './second-factor-queries.ts'
import { registerSessionQueries } from './session-queries.ts'
import { registerStaticApp } from './static-app.ts'
import { registerSystemQueries } from './system-queries.ts'
import { registerTraderQueries } from './trader-queries.ts'
import { registerVerifyPage } from './audit/verify-page.ts'

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
  registerNoticeQueries(read, parts)
  const timelines = createAccountTimelines(parts)
  registerAuditQueries(read, timelines, parts)
  registerVerifyPage(read)
  registerLogQueries(read, timelines, parts)
  registerSharedCertificates(read, parts)
  registerSystemQueries(read, parts)
  registerExports(read, parts)
  registerLiveQueries(read, parts)
  read(routes.openApi, [], async ({ response }) => {
    sendBytes(response, 'json', (description ??= Buffer.from(JSON.stringify(openApiDocument({ version: API_VERSION })))))
    return undefined
  })
  registerStaticApp(app, parts.config)
}
