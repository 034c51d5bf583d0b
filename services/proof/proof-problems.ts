import { type ProofProblem, type ProofProblemKind, proofProblemKinds } from '#services/framework/api/proof-schemas.ts'
import { SEALS_STREAM } from './seal.ts'
import type { SealingRecord } from './sealing-record.ts'
import type { ComparisonRecord } from './comparison-record.ts'
import { LONGEST_ROUND, longestWait, type VerificationRecord } from './verification-record.ts'

/**
 * The problems of the proof, as one function of data: `/readyz`, the system page, `proofdesk status` and the metrics
 * all show what it says. docs/broken-proof.md says what to do about each.
 */

/** The known state of the proof. Times are ms since 1970. */
export interface KnownOfProof {
  readonly now: number
  /** When this process was started: nothing is overdue before it could have been seen. */
  readonly startedAt: number
  readonly sealSeconds: number
  readonly verifySeconds: number
  readonly verification: VerificationRecord | 'altered' | undefined
  /** When the last verification that found nothing began, by the worker or `audit verify`. */
  readonly verifiedAt: number | undefined
  readonly comparison: ComparisonRecord | 'altered' | undefined
  readonly sealing: SealingRecord | 'altered' | undefined
  /** When the oldest event that waits for a seal was recorded, or why the seals can't be read. */
  readonly unsealedSince: number | Error | undefined
}

/** Sealing has stopped when an event waits for so many intervals, and this long, in ms, beyond. */
const MISSED_SEALS = 3
const SEALING_MS = 10_000
/** A witness may be away for so long, in ms. */
const WITNESS_MS = 60 * 60_000

const page = 'docs/broken-proof.md has the steps'
const keepEvidence = `Change nothing, restart nothing. Copy the log and the published seals to a safe place, then run: npx proofdesk audit verify. ${page}`

const todos: Readonly<Record<ProofProblemKind, string>> = {
  'log-altered': keepEvidence,
  'seals-lost': keepEvidence,
  'read-model-altered': `It is rebuilt by itself. Find out who can write to the store of the read models, and change its passwords. ${page}`,
  'sealing-stopped': `See whether a worker runs and what its log says of sealing. ${page}`,
  'witness-contradicts': `Do not restart the witness and do not change its address: it has seen another history of this log. Copy the log, then ask its host for the checkpoint it cosigned. ${page}`,
  'witness-silent': `Ask the host of the witness whether it runs and knows the newest key: npx proofdesk seal-key list --verifier-keys. ${page}`,
  'verification-overdue': `See whether a worker runs, then run: npx proofdesk audit verify. ${page}`,
  'record-altered': `Someone can write to the file store. Run: npx proofdesk audit verify, and change the passwords of the file store. ${page}`,
}

/** The problems, the most serious first. */
export function proofProblems(watch: KnownOfProof): ProofProblem[] {
  const problems = [
    ...findingsIn(watch),
    ...alteredReadModels(watch),
    ...sealingProblems(watch),
    ...witnessProblems(watch),
    ...overdue(watch),
    ...comparisonOverdue(watch),
    ...alteredRecords(watch),
  ].map(({ since, ...problem }) => ({
    ...problem,
    todo: todos[problem.kind],
    since: since === null ? null : new Date(since).toISOString(),
  }))
  return proofProblemKinds.flatMap((kind) => problems.filter((problem) => problem.kind === kind))
}

type Found = Pick<ProofProblem, 'kind' | 'says'> & { readonly since: number | null }

/** A finding that a later verification has not found any more is gone. */
function findingsIn({ verification, verifiedAt = 0 }: KnownOfProof): Found[] {
  if (typeof verification !== 'object') return []
  return verification.findings
    .filter(({ seenAt }) => seenAt >= verifiedAt)
    .map(({ kind, stream, revision, says, foundAt }) => {
      const place = `${stream}#${revision}`
      return {
        kind: kind === 'seal' || stream === SEALS_STREAM ? 'seals-lost' : 'log-altered',
        says: stream === null || says.includes(place) ? says : `${says} (${place})`,
        since: foundAt,
      }
    })
}

function alteredReadModels({ comparison }: KnownOfProof): Found[] {
  if (typeof comparison !== 'object') return []
  return comparison.altered.map(({ view, documents, foundAt }) => ({
    kind: 'read-model-altered',
    says: `The read model ${view} is not what the log says, in ${documents === 1 ? 'a document' : `at least ${documents} documents`}: the log of the worker names them`,
    since: foundAt,
  }))
}

function sealingProblems({ now, startedAt, sealSeconds, sealing, unsealedSince }: KnownOfProof): Found[] {
  const failure = typeof sealing === 'object' ? sealing.failure : null
  const failed: Found[] =
    failure && failure.kind !== 'other' ? [{ kind: failure.kind, says: failure.says, since: failure.since }] : []
  if (unsealedSince instanceof Error)
    return [...failed, { kind: 'seals-lost', says: `The seals can't be read: ${unsealedSince.message}`, since: null }]
  if (unsealedSince === undefined) return failed
  const waited = now - Math.max(unsealedSince, startedAt)
  if (waited <= MISSED_SEALS * sealSeconds * 1_000 + SEALING_MS) return failed
  const reason = failure ? `: ${failure.says}` : ''
  const says = `Events wait for a seal since ${new Date(unsealedSince).toISOString()}, and there should be one every ${sealSeconds} s${reason}`
  return [...failed, { kind: 'sealing-stopped', says, since: unsealedSince }]
}

function witnessProblems({ now, sealing }: KnownOfProof): Found[] {
  if (typeof sealing !== 'object') return []
  return sealing.witnesses.flatMap(({ name, kind, says, since }): Found[] => {
    if (kind === 'contradicts') return [{ kind: 'witness-contradicts', says, since }]
    if (now - since <= WITNESS_MS) return []
    const long = `Witness ${name} has cosigned nothing since ${new Date(since).toISOString()}: ${says}`
    return [{ kind: 'witness-silent', says: long, since }]
  })
}

function overdue({ now, startedAt, verifySeconds, verification, verifiedAt = 0 }: KnownOfProof): Found[] {
  const ended = typeof verification === 'object' ? (verification.ended?.startedAt ?? 0) : 0
  const last = Math.max(ended, verifiedAt)
  const wait = typeof verification === 'object' ? longestWait(verification, verifySeconds * 1_000) : LONGEST_ROUND
  // A portal that was away for less than that has its rounds ahead.
  const isLate = now - Math.max(last, startedAt) > wait || now - (last === 0 ? startedAt : last) > LONGEST_ROUND
  if (!isLate) return []
  const says =
    last === 0
      ? 'The log was never verified as a whole'
      : `The log was last verified as a whole on ${new Date(last).toISOString()}, and should be every ${Math.ceil(wait / 60_000)} minutes at least`
  return [{ kind: 'verification-overdue', says, since: last === 0 ? null : last }]
}

/** Nobody but the worker compares them, and only while it runs. */
function comparisonOverdue({ now, startedAt, verifySeconds, comparison }: KnownOfProof): Found[] {
  const record = typeof comparison === 'object' ? comparison : { ended: null, complete: null }
  const wait = longestWait(record, verifySeconds * 1_000)
  const last = record.complete?.startedAt ?? null
  if (now - Math.max(last ?? 0, startedAt) <= wait) return []
  const says =
    last === null
      ? 'The read models were never compared with the log'
      : `The read models were last compared with the log on ${new Date(last).toISOString()}, and should be every ${Math.ceil(wait / 60_000)} minutes at least`
  return [{ kind: 'verification-overdue', says, since: last }]
}

function alteredRecords({ verification, comparison, sealing }: KnownOfProof): Found[] {
  return Object.entries({ verification, comparison, sealing }).flatMap(([name, record]): Found[] =>
    record === 'altered'
      ? [{ kind: 'record-altered', says: `What the portal noted of its ${name} is not what it wrote`, since: null }]
      : [],
  )
}
