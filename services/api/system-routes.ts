import { z } from 'zod'
import * as system from '#services/modules/installation/installation-api.ts'
import { described } from './openapi-component.ts'
import { answer, get, post } from './route.ts'

/** The calls about the installation. */
export const systemRoutes = {
  system: get('/api/admin/system', 'read', {
    summary: 'The state of the portal: parts, read models and their rebuilds, dead letters, mail, seals',
    position: 'tries',
    answer: answer('The state', system.System),
  }),
  retryEvent: post('/api/admin/system/poison/:id/retry', 'operate', {
    summary: 'Retry a dead letter; a read model is rebuilt for it beside the one in use',
    params: z.object({ id: described('The id of the dead letter', z.string()) }),
  }),
}
