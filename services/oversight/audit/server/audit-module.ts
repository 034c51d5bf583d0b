import type { OversightParts } from '#services/oversight/parts.ts'
import type { Module, Queries } from '#services/framework/module.ts'
import { activity } from '../activity-read-model.ts'
import { auditSubject } from '../audit-subject.ts'
import { activityQueries } from './activity-queries.ts'
import { createAccountTimelines } from './account-timeline.ts'
import { auditQueries } from './audit-queries.ts'
import { receiptQueries } from './receipt-queries.ts'
import { sealQueries } from './seal-queries.ts'
import { join } from 'node:path'
import type { Request, Response } from 'express'
import type { auditRoutes } from '../audit-api.ts'
import { BUILT_FOLDER, filesIn } from '#services/framework/http/static-app.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { sendFile } from '#services/framework/http/memory-file.ts'

export const auditModule: Module<typeof auditSubject, OversightParts> = {
  subject: auditSubject,
  queries: (parts) => {
    const timelines = createAccountTimelines(parts)
    return {
      ...auditQueries(timelines, parts),
      ...activityQueries(parts),
      ...receiptQueries(timelines, parts),
      ...verifyPage(),
      ...sealQueries(parts),
    }
  },
  readModels: [activity],
  erase: null,
}

/** The page that verifies exports: one file, built from web/verify. */

const FOLDER = join(BUILT_FOLDER, 'verify')

/** Registers the page, to open here and to keep as a file. */
function verifyPage() {
  const page = filesIn(FOLDER).get('/verify.html')
  // The page's own policy names the hashes of its script and its styles, and allows nothing else.
  const [, policy] = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(page?.plain.toString() ?? '') ?? []

  const send = (request: Request, response: Response): undefined => {
    if (!page || policy === undefined)
      throw new HttpError(503, { message: 'The verify page is not built. Run: npm run build' })
    response.setHeader('Content-Security-Policy', `${policy}; frame-ancestors 'none'`)
    response.setHeader('Cache-Control', 'no-cache')
    sendFile(request, response, page)
  }

  return {
    verifyPage: { needs: [], handle: async ({ request, response }) => send(request, response) },

    verifyFile: {
      needs: [],
      handle: async ({ request, response }) => {
        if (page) response.setHeader('Content-Disposition', 'attachment; filename="verify.html"')
        return send(request, response)
      },
    },
  } satisfies Partial<Queries<typeof auditRoutes>>
}
