import type { Express } from 'express'
import { openApiDocument, routes } from '../api/index.ts'
import { registerAdminReads } from './staff-queries.ts'
import { registerAudit } from './audit/audit-queries.ts'
import { registerExports } from './csv-exports.ts'
import { registerLive } from './live/live-queries.ts'
import { type QueryParts, reader } from './query-dependencies.ts'
import { registerPerformance } from './performance-queries.ts'
import { registerPages } from './static-app.ts'
import { registerSystem } from './system-queries.ts'
import { registerTraderReads } from './trader-queries.ts'

/** Of the HTTP interface, not of the program. */
const API_VERSION = '1.0.0'

/** Puts every read on the app, and the web app for everything else. */
export function registerQueries(app: Express, parts: QueryParts): void {
  const read = reader(app, parts)
  registerTraderReads(read, parts)
  registerAdminReads(read, parts)
  registerPerformance(read, parts)
  registerAudit(read, parts)
  registerSystem(read, parts)
  registerExports(read, parts)
  registerLive(read, parts)
  const description = openApiDocument({ version: API_VERSION })
  read(routes.openApi, [], async () => ({ body: description }))
  registerPages(app)
}
