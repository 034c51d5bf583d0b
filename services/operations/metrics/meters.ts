import type { IncomingMessage, ServerResponse } from 'node:http'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { serviceRoutes } from '#services/framework/api/service-routes.ts'

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
  const counter = <Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name, help, labelNames, registers })
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name, help, labelNames, registers })
  const histogram = <Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly Label[] = [],
  ) => new Histogram({ name, help, buckets, labelNames, registers })
  const requestLabels = ['method', 'route', 'status'] as const
  const requestSeconds = histogram(
    'proofdesk_http_request_seconds',
    'From the arrival of a request to the end of its answer',
    SECONDS,
    requestLabels,
  )
  return {
    registry,
    /** Times a request until its answer is sent. */
    request(request: IncomingMessage, response: ServerResponse): void {
      const stop = requestSeconds.startTimer()
      response.once('finish', () => {
        const route = routeOf(request)
        // A live stream lasts as long as its page is open.
        if (route === serviceRoutes.live.path) return
        const { method = '' } = request
        stop({ method: METHODS.has(method) ? method : 'other', route, status: response.statusCode })
      })
    },
    appendSeconds: histogram('proofdesk_append_seconds', 'Appends to the event log, by outcome', SECONDS, ['outcome']),
    appendConflicts: counter('proofdesk_append_conflicts_total', 'Appends refused because of a concurrent change'),
    batchEvents: histogram('proofdesk_subscription_batch_events', 'Events in a batch read from the log', SIZES),
    writtenDocuments: histogram('proofdesk_view_write_documents', 'Documents in one write to a read model', SIZES),
    drops: counter('proofdesk_subscription_drops_total', 'Subscriptions to the log that broke and were resumed'),
    mails: counter('proofdesk_mails_total', 'Attempts to send a mail, by outcome', ['outcome']),
    mailsWaiting: gauge('proofdesk_mails_waiting', 'Mails in the outbox'),
    mailsFailed: gauge('proofdesk_mails_failed', 'Mails that failed for good'),
    lagEvents: gauge(
      'proofdesk_projection_lag_events',
      'Events that a read model does not include yet, at most 10000',
      ['view'],
    ),
    lagSeconds: gauge(
      'proofdesk_projection_lag_seconds',
      'Age of the oldest event that a read model does not include yet',
      ['view'],
    ),
    deadLetters: gauge('proofdesk_poison_events', 'Dead letters', ['reader']),
    pendingPayouts: gauge('proofdesk_pending_payouts', 'Payout requests that wait for a verdict'),
    pendingPayoutDollars: gauge('proofdesk_pending_payouts_dollars', 'What they ask for together'),
    oldestPendingPayoutSeconds: gauge(
      'proofdesk_pending_payouts_oldest_seconds',
      'Age of the oldest one; 0 when none waits',
    ),
    unpaidPayouts: gauge('proofdesk_unpaid_payouts', 'Approved payouts that are not paid'),
    unpaidPayoutDollars: gauge('proofdesk_unpaid_payouts_dollars', 'What traders receive of them together'),
    oldestUnpaidPayoutSeconds: gauge(
      'proofdesk_unpaid_payouts_oldest_seconds',
      'Time since the oldest one was approved; 0 when all are paid',
    ),
    accessKeysRefused: counter('proofdesk_access_keys_refused_total', 'Sign-ins with an access key that was refused'),
    damagedFiles: counter(
      'proofdesk_damaged_files_total',
      'Downloads of certificates whose file is altered or missing',
    ),
    proofProblems: gauge('proofdesk_proof_problems', 'What is wrong with the proof of the log, by kind', ['kind']),
    forgedRows: counter(
      'proofdesk_forged_rows_total',
      'Rows that this process found in a store, and that the portal did not write',
      ['store'],
    ),
    refusedStreams: counter(
      'proofdesk_refused_streams_total',
      'Uses of a stream that were refused because it lost events',
    ),
    health: gauge('proofdesk_health', '1 for the state that /readyz says, 0 for the others', ['state']),
    working: gauge('proofdesk_working', '1 while the process works, 0 while it waits for its dependencies'),
  }
}

export type Meters = ReturnType<typeof createMeters>

/** The template of the request's route, which Express leaves on the request. */
function routeOf(request: IncomingMessage): string {
  const route: unknown = 'route' in request ? request.route : undefined
  const path: unknown = route !== null && typeof route === 'object' && 'path' in route ? route.path : undefined
  return typeof path === 'string' ? path : 'other'
}
