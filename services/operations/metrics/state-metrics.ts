import { setTimeout as delay } from 'node:timers/promises'
import { type Checkpoint, comparePositions, type EventStore, type Position } from '#infra/event-store/event-store.ts'
import type { Outbox } from '#infra/outbox/outbox.ts'
import type { ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import { metadata } from '#services/event-sourcing/codec/metadata.ts'
import { readLog } from '#services/event-sourcing/read-log.ts'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'
import { payouts } from '#services/trading/accounts/payout-read-model.ts'
import { oldestUnpaidOf } from '#services/payments/payouts/server/payout-queries.ts'
import { firmFigures } from '#services/trading/traders/server/firm-figures.ts'
import { initialState } from '#services/event-sourcing/read-models/blue-green-rebuild.ts'
import { listDeadLetters } from '#services/event-sourcing/read-models/projection-progress.ts'
import { proofProblemKinds } from '#services/framework/api/proof-schemas.ts'
import type { ProofWatch } from '#services/proof/proof-watch.ts'
import type { Meters } from './meters.ts'

export interface ObservedStores {
  readonly eventStore: Pick<EventStore, 'end' | 'subscribe'>
  readonly readModelStore: Pick<ReadModelStore, 'checkpoints' | 'projections' | 'deadLetters' | 'documents'>
  readonly outbox: Pick<Outbox, 'counts'>
  readonly proofWatch: ProofWatch
  /** The projections of all subjects. */
  readonly projections: readonly Projection[]
}

/** Events are counted up to here. */
const COUNT_LIMIT = 10_000
/** Metrics of a store that takes longer to answer, in ms, are left out. */
const TIMEOUT_MS = 3_000

/**
 * Updates the metrics of lag, dead letters, mails, proofs, pending and unpaid payouts before a scrape. Metrics of unavailable
 * stores are left out.
 */
export async function updateStateMetrics(parts: ObservedStores, meters: Meters): Promise<void> {
  const all = [
    observe(
      () => (meters.lagEvents.reset(), meters.lagSeconds.reset()),
      () => observeLag(parts, meters),
    ),
    observe(
      () => meters.deadLetters.reset(),
      async () => {
        const deadLetters = await listDeadLetters(parts.readModelStore, parts.projections)
        for (const { name } of parts.projections) meters.deadLetters.set({ reader: name }, 0)
        for (const { reader } of deadLetters) meters.deadLetters.inc({ reader })
      },
    ),
    observe(
      () => (meters.mailsWaiting.set(Number.NaN), meters.mailsFailed.set(Number.NaN)),
      async () => {
        const { waiting, failed } = await parts.outbox.counts()
        meters.mailsWaiting.set(waiting)
        meters.mailsFailed.set(failed)
      },
    ),
    observe(
      () => meters.proofProblems.reset(),
      async () => {
        const { problems } = await parts.proofWatch.read()
        for (const kind of proofProblemKinds) meters.proofProblems.set({ kind }, 0)
        for (const { kind } of problems) meters.proofProblems.inc({ kind })
      },
    ),
    observe(
      () => {
        for (const gauge of [
          meters.pendingPayouts,
          meters.pendingPayoutDollars,
          meters.oldestPendingPayoutSeconds,
          meters.unpaidPayouts,
          meters.unpaidPayoutDollars,
          meters.oldestUnpaidPayoutSeconds,
        ])
          gauge.set(Number.NaN)
      },
      () => observePayouts(parts, meters),
    ),
  ]
  await Promise.race([Promise.all(all), delay(TIMEOUT_MS, undefined, { ref: false })])
}

/** Resets the metric first, so that no stale value is reported. */
async function observe(reset: () => void, update: () => Promise<void>): Promise<void> {
  reset()
  await update().catch(reset)
}

/** As the read models of this moment say: a scrape waits for none of them. */
async function observePayouts({ readModelStore }: ObservedStores, meters: Meters): Promise<void> {
  const readModels = createReadModels(readModelStore)
  const [figures, { documents: oldest }, unpaidSince] = await Promise.all([
    firmFigures(readModels),
    readModels.find(payouts, { where: { status: 'pending' }, sort: { by: 'queue', direction: 1 }, limit: 1 }),
    oldestUnpaidOf(readModels),
  ])
  meters.pendingPayouts.set(figures.payouts.pending)
  meters.pendingPayoutDollars.set(figures.payouts.pendingAmount / 100)
  meters.oldestPendingPayoutSeconds.set(oldest[0] ? Math.max(0, (Date.now() - oldest[0].requestedAt) / 1_000) : 0)
  meters.unpaidPayouts.set(figures.payouts.unpaid)
  meters.unpaidPayoutDollars.set(figures.payouts.unpaidAmount / 100)
  meters.oldestUnpaidPayoutSeconds.set(unpaidSince === null ? 0 : Math.max(0, (Date.now() - unpaidSince) / 1_000))
}

async function observeLag(
  { eventStore, readModelStore, projections }: ObservedStores,
  { lagEvents, lagSeconds }: Meters,
): Promise<void> {
  const end = await eventStore.end()
  const [checkpoints, states] = await Promise.all([
    readModelStore.checkpoints.loadAll(),
    readModelStore.projections.loadAll(),
  ])
  const known = new Map<Checkpoint | undefined, Promise<Lag>>()
  for (const projection of projections) {
    const { serving } = states.get(projection.name) ?? initialState(projection)
    const progress = checkpoints.get(serving)
    const isBehind = progress === undefined || comparePositions(progress.position, end) < 0
    const checkpoint = progress?.checkpoint
    // Read models mostly share a checkpoint.
    const counted =
      known.get(checkpoint) ??
      (isBehind ? countFrom(eventStore, checkpoint, end) : Promise.resolve({ events: 0, seconds: 0 }))
    known.set(checkpoint, counted)
    const { events, seconds } = await counted
    lagEvents.set({ view: projection.name }, events)
    lagSeconds.set({ view: projection.name }, seconds)
  }
}

interface Lag {
  readonly events: number
  readonly seconds: number
}

async function countFrom(
  eventStore: Pick<EventStore, 'subscribe'>,
  checkpoint: Checkpoint | undefined,
  end: Position,
): Promise<Lag> {
  let events = 0
  let oldest: number | undefined
  for await (const batch of readLog(eventStore, checkpoint)) {
    for (const event of batch.events) {
      oldest ??= recordedAt(event.metadata)
      if (comparePositions(event.position, end) <= 0) events += 1
    }
    if (events >= COUNT_LIMIT || comparePositions(batch.position, end) >= 0) break
  }
  return {
    events: Math.min(events, COUNT_LIMIT),
    seconds: oldest === undefined || events === 0 ? 0 : Math.max(0, (Date.now() - oldest) / 1_000),
  }
}

function recordedAt(text: string): number | undefined {
  try {
    return metadata.shape.at.safeParse(Reflect.get(Object(JSON.parse(text)), 'at')).data
  } catch {
    return undefined
  }
}
