import { pause } from '#infra/async.ts'
import type { LeaseStore } from '#infra/read-model-store/read-model-store.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import { runAsLeader } from '#services/event-sourcing/subscriptions/leader-election.ts'
import type { AuthenticRecords } from '#services/proof/authentic-records.ts'
import { type LogVerification, type VerifyDependencies, verifyInSteps } from '#services/proof/log-verification.ts'
import { signingKeys } from '#services/proof/seal-signing.ts'
import {
  afterRound,
  afterStep,
  type KeptFinding,
  nextRoundAt,
  nothingVerified,
  restAfter,
  type VerificationRecord,
  verificationRecord,
  withRound,
} from '#services/proof/verification-record.ts'

export interface VerificationDependencies extends Pick<VerifyDependencies, 'eventStore' | 'publishedTree' | 'stores'> {
  readonly personKeys: Pick<PersonKeys, 'get'>
  readonly records: AuthenticRecords
  readonly log: Log
  readonly now: () => number
}

export interface VerificationOptions {
  readonly leases: LeaseStore
  /** The least time between the beginnings of two rounds, in ms. */
  readonly every: number
  readonly signal: AbortSignal
}

/** Events of a step: about 10 ms, which block the event loop. */
const STEP = 256
/** How often progress is written, in ms: so much is done again after a kill. */
const WRITE_MS = 5_000
/** Before another attempt, in ms. */
const RETRY_MS = 5_000

/**
 * Verifies the log again and again in small steps, at a few percent of a core. One worker does it, the others stand by;
 * whoever takes over continues the round.
 */
export function verifyRegularly(
  dependencies: VerificationDependencies,
  { leases, every, signal }: VerificationOptions,
): Promise<void> {
  const { log, now } = dependencies
  return runAsLeader({ leases, name: 'verifier', signal, log }, async (term) => {
    const progress = createProgress(dependencies)
    while (!term.aborted)
      try {
        const record = await progress.read()
        const wait = record.round ? 0 : nextRoundAt(record, every) - now()
        await pause(Math.max(0, wait), term)
        if (!term.aborted) await runRound(dependencies, progress, term)
      } catch (error) {
        log.warn({ err: error }, 'The verification of the log was interrupted and will continue')
        await pause(RETRY_MS, term)
      }
  })
}

/** Runs or continues a round, until it ends or the term does. */
async function runRound(
  { personKeys, records, now, ...stored }: VerificationDependencies,
  progress: Progress,
  term: AbortSignal,
): Promise<void> {
  const endRound = async (result: LogVerification): Promise<void> => {
    const { startedAt } = record.round
    await progress.write(afterRound(record, result, now()))
    if (result.finding) return
    const [began, at] = [startedAt, now()].map((time) => new Date(time).toISOString())
    await records.write('verification', { startedAt: began, at, events: result.facts, upTo: Number(result.upTo) })
  }
  let record = withRound(await progress.read(), now())
  const keys = await signingKeys(personKeys)
  let before = process.cpuUsage()
  for await (const { state, result } of verifyInSteps({ ...stored, keys, batchSize: STEP }, record.round.state)) {
    // The time is that of the whole process: its other work in between makes the rest longer.
    const { user, system } = process.cpuUsage(before)
    const processorMs = (user + system) / 1_000
    record = afterStep(record, { state, processorMs }, now())
    if (result) return endRound(result)
    await progress.note(record)
    await pause(restAfter(processorMs), term)
    if (term.aborted) return progress.write(record)
    before = process.cpuUsage()
  }
}

type Progress = ReturnType<typeof createProgress>

/** The record of the verification, in memory and in its file. */
function createProgress({ records, log, now }: VerificationDependencies) {
  let record: VerificationRecord | undefined
  let writtenAt = -Infinity

  const write = async (next: VerificationRecord): Promise<void> => {
    report(record?.findings ?? [], next.findings)
    record = next
    await records.write('round', next)
    writtenAt = now()
  }

  /** Without names: the log of the process has no personal data. */
  const report = (before: readonly KeptFinding[], after: readonly KeptFinding[]): void => {
    const isIn = (all: readonly KeptFinding[]) => (one: KeptFinding) =>
      all.some(({ foundAt, number }) => foundAt === one.foundAt && number === one.number)
    for (const { kind, number, revision } of after.filter((found) => !isIn(before)(found)))
      log.error({ kind, number, revision }, 'The event log is not as it was recorded: docs/broken-proof.md')
    for (const { kind, number, revision } of before.filter((found) => !isIn(after)(found)))
      log.info({ kind, number, revision }, 'What the verification had found is gone')
  }

  return {
    async read(): Promise<VerificationRecord> {
      if (record) return record
      const found = await records.read('round', verificationRecord)
      if (found === 'altered') log.error({}, 'The record of the verification was altered: it begins again')
      return (record = found === 'altered' || found === undefined ? nothingVerified : found)
    },
    write,
    /** Writes what is worth it: a finding at once, progress now and then. */
    async note(next: VerificationRecord): Promise<void> {
      const isNews = next.findings.length !== record?.findings.length || !record.round
      if (isNews || now() - writtenAt >= WRITE_MS) await write(next)
      else record = next
    },
  }
}
