import { pause } from '#infra/async.ts'
import type { LeaseStore } from '#infra/read-model-store/read-model-store.ts'
import { compareInSteps, type ComparisonOptions } from '#services/event-sourcing/read-models/read-model-comparison.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { parseObject } from '#services/event-sourcing/codec/event-decoding.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { ReportForgedRow } from '#services/process/forged-rows.ts'
import { runAsLeader } from '#services/event-sourcing/subscriptions/leader-election.ts'
import type { AuthenticRecords } from '#services/proof/authentic-records.ts'
import {
  afterComparison,
  comparisonRecord,
  type ComparisonRecord,
  nothingCompared,
  withDifference,
} from '#services/proof/comparison-record.ts'
import { nextRoundAt, restAfter } from '#services/proof/verification-record.ts'

export interface ComparisonScheduleDependencies extends Omit<ComparisonOptions, 'onDifference' | 'signal'> {
  readonly records: AuthenticRecords
  /** Raises the alarm, and has the read model rebuilt. */
  readonly reportAlteredDocument: (collection: string, id: string, says: string) => void
  readonly personKeys: Pick<PersonKeys, 'get' | 'destroy'>
  /** Raises the alarm about a key that was put back. */
  readonly reportForgedRow: ReportForgedRow
  readonly log: Log
  readonly now: () => number
}

export interface ComparisonScheduleOptions {
  readonly leases: LeaseStore
  /** The least time between the beginnings of two comparisons, in ms. */
  readonly every: number
  readonly signal: AbortSignal
}

/** Before another attempt, in ms. */
const RETRY_MS = 5_000

/**
 * Compares the read models with a fold of the log again and again in small steps, at a few percent of a core. One worker
 * does it, the others stand by; whoever takes over begins again.
 */
export function compareRegularly(
  dependencies: ComparisonScheduleDependencies,
  { leases, every, signal }: ComparisonScheduleOptions,
): Promise<void> {
  const { records, log, now } = dependencies
  return runAsLeader({ leases, name: 'comparer of read models', signal, log }, async (term) => {
    const read = await records.read('comparison', comparisonRecord)
    let record = typeof read === 'object' ? read : nothingCompared
    const write = async (next: ComparisonRecord) => {
      record = next
      await records.write('comparison', next)
    }
    while (!term.aborted)
      try {
        await pause(Math.max(0, nextRoundAt(record, every) - now()), term)
        if (!term.aborted) await compareOnce(dependencies, () => record, write, term)
      } catch (error) {
        log.warn({ err: error }, 'The comparison of the read models was interrupted and will begin again')
        await pause(RETRY_MS, term)
      }
  })
}

async function compareOnce(
  { reportAlteredDocument, reportForgedRow, now, ...options }: ComparisonScheduleDependencies,
  recorded: () => ComparisonRecord,
  write: (record: ComparisonRecord) => Promise<void>,
  term: AbortSignal,
): Promise<void> {
  const startedAt = now()
  const found: { readonly view: string }[] = []
  const deleted: Deletion[] = []
  const steps = compareInSteps({
    ...options,
    signal: term,
    onEvent({ type, stream, metadata }) {
      if (!erasing.has(type)) return
      const { at } = parseObject(metadata)
      deleted.push({ id: parseStreamName(stream).id, at: Number(at) })
    },
    onDifference({ view, collection, id }) {
      reportAlteredDocument(collection, id, 'A document of a read model is not what the log says: docs/broken-proof.md')
      found.push({ view })
    },
  })
  let processorMs = 0
  for (;;) {
    // The time is that of the whole process: its other work in between makes the rest longer.
    const before = process.cpuUsage()
    const step = await steps.next()
    const { user, system } = process.cpuUsage(before)
    processorMs += (user + system) / 1_000
    for (const { view } of found.splice(0)) await write(withDifference(recorded(), view, startedAt, now()))
    if (term.aborted) return void (await steps.return([]))
    if (step.done) {
      await eraseAgain(deleted, { ...options, reportForgedRow, now })
      return write(afterComparison(recorded(), { startedAt, processorMs }, step.value))
    }
    await pause(restAfter((user + system) / 1_000), term)
  }
}

/** After these events a key is destroyed: that of the person whom their stream is about. */
const erasing: ReadonlySet<string> = new Set(['UserDeleted', 'OrderSettled'])

interface Deletion {
  readonly id: string
  /** Ms since 1970. */
  readonly at: number
}

/** So long the erasure that follows a deletion may take before its key counts as put back, in ms. */
const ERASURE_MS = 600_000
/** Keys that are read at a time. */
const KEYS = 500

/** Destroys the keys of deleted persons that are there again: an older row was put back, or the erasure has not ended. */
async function eraseAgain(
  deletions: readonly Deletion[],
  { personKeys, reportForgedRow, now }: Pick<ComparisonScheduleDependencies, 'personKeys' | 'reportForgedRow' | 'now'>,
): Promise<void> {
  for (let from = 0; from < deletions.length; from += KEYS) {
    const some = deletions.slice(from, from + KEYS)
    const keys = await personKeys.get(some.map(({ id }) => id))
    for (const { id, at } of some) {
      if (!keys.has(id) || keys.get(id) === 'destroyed') continue
      if (at < now() - ERASURE_MS) reportForgedRow('key store', id, 'The key of a deleted person was there again')
      await personKeys.destroy(id)
    }
  }
}
