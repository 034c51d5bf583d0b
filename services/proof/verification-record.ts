import { z } from 'zod'
import { type Finding, finding } from './log-finding.ts'
import { type LogVerification, unverified, type VerificationState, verificationState } from './log-verification.ts'

/**
 * The worker keeps this record of its verification of the log, round after round: plain data and pure functions. Times
 * are ms since 1970.
 */

const keptFinding = finding.extend({
  /** When it was found, and when it was there last. */
  foundAt: z.int(),
  seenAt: z.int(),
})
export type KeptFinding = Readonly<z.infer<typeof keptFinding>>

export const verificationRecord = z.object({
  /** The round under way. */
  round: z.object({ startedAt: z.int(), processorMs: z.number(), state: verificationState }).nullable(),
  /** The last round that came to an end. */
  ended: z.object({ startedAt: z.int(), processorMs: z.number() }).nullable(),
  /** The oldest first. */
  findings: z.array(keptFinding),
})
export type VerificationRecord = Readonly<z.infer<typeof verificationRecord>>

export const nothingVerified: VerificationRecord = { round: null, ended: null, findings: [] }

const DAY = 24 * 60 * 60_000

/** A round older than this is begun again: what it read first says little of now. */
export const LONGEST_ROUND = 1.5 * DAY

/** The part of a core that verification takes while a round runs, and over time. */
export const ROUND_SHARE = 0.04
const LASTING_SHARE = 0.005

/** Findings that are kept beside the first. */
const MOST_FINDINGS = 20

/** How long to rest after a step that took so much processor time, in ms. */
export function restAfter(processorMs: number): number {
  return processorMs * (1 / ROUND_SHARE - 1)
}

/**
 * When the next round begins: the more rarely the more a round costs, but once a day.
 *
 * @param every The least time between the beginnings of two rounds, in ms.
 */
export function nextRoundAt({ ended }: Pick<VerificationRecord, 'ended'>, every: number): number {
  return ended ? ended.startedAt + pauseBetween(ended.processorMs, every) : 0
}

/** Between the beginnings of two rounds that cost so much, in ms. */
function pauseBetween(processorMs: number, every: number): number {
  return Math.min(DAY, Math.max(every, processorMs / LASTING_SHARE))
}

/** A busy machine delays a small round for so long, in ms. */
const SHORTEST_WAIT = 10 * 60_000

/**
 * How long after its beginning a round is followed by the end of another at the latest, in ms: three times as long as
 * expected. A round that takes longer this time is given its time.
 */
export function longestWait(
  { round, ended }: Pick<VerificationRecord, 'ended'> & Partial<Pick<VerificationRecord, 'round'>>,
  every: number,
): number {
  if (!ended) return LONGEST_ROUND
  const costs = Math.max(ended.processorMs, round?.processorMs ?? 0)
  const expected = pauseBetween(ended.processorMs, every) + costs / ROUND_SHARE
  return Math.min(LONGEST_ROUND, Math.max(SHORTEST_WAIT, 3 * expected))
}

/** The record with a round under way: the one that was interrupted, or another. */
export function withRound(record: VerificationRecord, now: number) {
  const { round } = record
  if (round && now - round.startedAt < LONGEST_ROUND) return { ...record, round }
  return { ...record, round: { startedAt: now, processorMs: 0, state: unverified } }
}

/** A round has taken a step. An event that does not count is a finding before its end. */
export function afterStep(
  record: ReturnType<typeof withRound>,
  { state, processorMs }: { readonly state: VerificationState; readonly processorMs: number },
  now: number,
): ReturnType<typeof withRound> {
  const round = { ...record.round, processorMs: record.round.processorMs + processorMs, state }
  return {
    ...record,
    round,
    findings: state.forged ? withFinding(record.findings, state.forged, now) : record.findings,
  }
}

/**
 * A round has ended. Without a finding, all that were kept are gone. With one, those in what was read before it are:
 * the round would have stopped there.
 */
export function afterRound(
  record: ReturnType<typeof withRound>,
  { upTo, finding }: LogVerification,
  now: number,
): VerificationRecord {
  const { startedAt, processorMs } = record.round
  const ended = { startedAt, processorMs }
  if (!finding) return { round: null, ended, findings: [] }
  const left = record.findings.filter(
    (kept) => isSame(kept, finding) || kept.number === null || Number(kept.number) > Number(upTo),
  )
  return { round: null, ended, findings: withFinding(left, finding, now) }
}

function withFinding(findings: readonly KeptFinding[], found: Finding, now: number): KeptFinding[] {
  if (findings.some((kept) => isSame(kept, found)))
    return findings.map((kept) => (isSame(kept, found) ? { ...kept, ...found, seenAt: now } : kept))
  if (findings.length > MOST_FINDINGS) return [...findings]
  return [...findings, { ...found, foundAt: now, seenAt: now }]
}

function isSame(a: Finding, b: Finding): boolean {
  return a.kind === b.kind && a.number === b.number && a.stream === b.stream && a.revision === b.revision
}
