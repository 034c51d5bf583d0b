import { z } from 'zod'
import * as health from './health-schemas.ts'
import * as live from './live-schemas.ts'
import { answer, get, type RouteGroup, throttled, tooLong } from './route.ts'

/** The calls about no subject: live changes, this interface itself, and health. */
export const serviceRoutes = {
  live: get('/api/live', 'trader-or-any-admin', {
    summary: 'Changes as server-sent events: for a trader those of their own data, for an access key those of all',
    query: live.LiveStart,
    headers: {
      'Last-Event-ID': {
        schema: z.string(),
        description: 'The id of the last event received; the stream resumes after it',
      },
    },
    answer: { description: 'The changes', events: live.Changes },
    refuses: throttled,
  }),
  openApi: get('/api/openapi.json', 'public', {
    summary: 'This description',
    answer: answer('An OpenAPI 3.1 document', z.looseObject({ openapi: z.string() })),
  }),
  health: get('/healthz', 'public', {
    summary: 'Whether the service works',
    responses: { 200: answer('It does', health.Health), ...tooLong, 503: answer('It does not', health.Health) },
  }),
  readiness: get('/readyz', 'public', {
    summary: "Whether the service's dependencies are available; part by part for staff who are signed in",
    responses: { 200: answer('All are', health.Readiness), ...tooLong, 503: answer('Some are not', health.Readiness) },
  }),
}

export const serviceGroup: RouteGroup = { title: 'Service', about: 'The service itself', routes: serviceRoutes }
