import { z } from 'zod'
import type { ProofProblem } from '#services/framework/api/proof-schemas.ts'
import { Unavailable } from '#infra/failures.ts'
import type { AuthenticRecords } from './authentic-records.ts'
import { comparisonRecord } from './comparison-record.ts'
import { proofProblems } from './proof-problems.ts'
import { readSealStatus, type SealStatus, type SealStatusDependencies } from './seal-status.ts'
import { sealingRecord } from './sealing-record.ts'
import { verificationRecord } from './verification-record.ts'

export interface ProofWatchDependencies extends SealStatusDependencies {
  readonly records: AuthenticRecords
  readonly config: { readonly sealSeconds: number; readonly verifySeconds: number }
  readonly now: () => number
}

export interface ProofState {
  readonly problems: readonly ProofProblem[]
  /** The round of verification under way, with the position up to which the log was read. */
  readonly verifying: { readonly startedAt: number; readonly position: number } | undefined
  /** Undefined where it can't be read, which is a problem. */
  readonly seals: SealStatus | undefined
}

/** Callers within this time, in ms, share one reading: anyone can ask `/readyz`. */
const SHARED_MS = 1_000

/** Reads the problems of the proof and the progress of its verification, as every process finds them noted. */
export function createProofWatch(parts: ProofWatchDependencies) {
  let reading: Promise<ProofState> | undefined
  return {
    /**
     * @param startedAt Since when someone looks, ms since 1970: nothing is overdue before it could have been seen.
     * @throws {Unavailable}
     */
    async read(startedAt = performance.timeOrigin): Promise<ProofState> {
      reading ??= readProofState(parts, startedAt).finally(() => {
        setTimeout(() => (reading = undefined), SHARED_MS).unref()
      })
      return reading
    },
  }
}
export type ProofWatch = ReturnType<typeof createProofWatch>

async function readProofState(parts: ProofWatchDependencies, startedAt: number): Promise<ProofState> {
  const { records, config, now } = parts
  const [verification, verified, comparison, sealing, seals] = await Promise.all([
    records.read('round', verificationRecord),
    records.read('verification', z.object({ startedAt: z.iso.datetime() })),
    records.read('comparison', comparisonRecord),
    records.read('sealing', sealingRecord),
    readSealStatus(parts).catch((error: unknown) => {
      if (error instanceof Unavailable || !(error instanceof Error)) throw error
      return error
    }),
  ])
  const problems = proofProblems({
    now: now(),
    startedAt,
    sealSeconds: config.sealSeconds,
    verifySeconds: config.verifySeconds,
    verification,
    verifiedAt: typeof verified === 'object' ? Date.parse(verified.startedAt) : undefined,
    comparison,
    sealing,
    unsealedSince: seals instanceof Error ? seals : seals.unsealedSince,
  })
  const round = typeof verification === 'object' ? verification.round : undefined
  return {
    problems,
    verifying: round ? { startedAt: round.startedAt, position: Number(round.state.at.position) } : undefined,
    seals: seals instanceof Error ? undefined : seals,
  }
}
