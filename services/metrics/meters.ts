import type { IncomingMessage, ServerResponse } from 'node:http'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { routes } from '../api/index.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'])

/**
 * Creates the metrics of this process for Prometheus, at zero. Labels have few values, all known in advance: a route's
 * template and never a path, a projection's name and never a person's.
 */
export function createMeters() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requestSeconds = new Histogram({
    name: 'proofdesk_http_request_seconds',
    help: 'From the arrival of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  })
  return {
    registry,
    /** Times a request until its answer is sent. */
    request(request: IncomingMessage, response: ServerResponse): void {
      const stop = requestSeconds.startTimer()
      response.once('finish', () => {
        const route = routeOf(request)
        // A live stream lasts as long as its page is open.
        if (route === routes.live.path) return
        const { method = '' } = request
        stop({ method: METHODS.has(method) ? method : 'other', route, status: response.statusCode })
      })
    },
    appendSeconds: new Histogram({
      name: 'proofdesk_append_seconds',
      help: 'Appends to the event log, by outcome',
      labelNames: ['outcome'],
      buckets: SECONDS,
      registers,
    }),
    appendConflicts: new Counter({ name: 'proofdesk_append_conflicts_total', help: 'Appends refused because of a concurrent change', registers }),
    batchEvents: new Histogram({ name: 'proofdesk_subscription_batch_events', help: 'Events in a batch read from the log', buckets: SIZES, registers }),
    writtenDocuments: new Histogram({ name: 'proofdesk_view_write_documents', help: 'Documents in one write to a read model', buckets: SIZES, registers }),
    drops: new Counter({ name: 'proofdesk_subscription_drops_total', help: 'Subscriptions to the log that broke and were resumed', registers }),
    mails: new Counter({ name: 'proofdesk_mails_total', help: 'Attempts to send a mail, by outcome', labelNames: ['outcome'], registers }),
    mailsWaiting: new Gauge({ name: 'proofdesk_mails_waiting', help: 'Mails in the outbox', registers }),
    mailsFailed: new Gauge({ name: 'proofdesk_mails_failed', help: 'Mails that failed for good', registers }),
    lagEvents: new Gauge({
      name: 'proofdesk_projection_lag_events',
      help: 'Events that a read model does not include yet, at most 10000',
      labelNames: ['view'],
      registers,
    }),
    lagSeconds: new Gauge({
      name: 'proofdesk_projection_lag_seconds',
      help: 'Age of the oldest event that a read model does not include yet',
      labelNames: ['view'],
      registers,
    }),
    deadLetters: new Gauge({ name: 'proofdesk_poison_events', help: 'Dead letters', labelNames: ['reader'], registers }),
    accessKeysRefused: new Counter({ name: 'proofdesk_access_keys_refused_total', help: 'Sign-ins with an access key that was refused', registers }),
    damagedFiles: new Counter({ name: 'proofdesk_damaged_files_total', help: 'Downloads of certificates whose file is altered or missing', registers }),
    working: new Gauge({ name: 'proofdesk_working', help: '1 while the process works, 0 while it waits for its dependencies', registers }),
  }
}

export type Meters = ReturnType<typeof createMeters>

/** The template of the request's route, which Express leaves on the request. */
function routeOf(request: IncomingMessage): string {
  const route: unknown = 'route' in request ? request.route : undefined
  const path: unknown = route !== null && typeof route === 'object' && 'path' in route ? route.path : undefined
  return typeof path === 'string' ? path : 'other'
}
