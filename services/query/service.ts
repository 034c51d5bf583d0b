import type { Express } from 'express'
import { openApiDocument, routes } from '../contract/index.ts'
import { registerAdminReads } from './admin.ts'
import { registerAudit } from './audit/audit.ts'
import { registerExports } from './exports.ts'
import { registerLive } from './live/live.ts'
import { type QueryParts, reader } from './parts.ts'
import { registerPerformance } from './performance.ts'
import { registerPages } from './pages.ts'
import { registerSystem } from './system.ts'
import { registerTraderReads } from './trader.ts'

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
