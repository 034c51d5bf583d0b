import { describe, expect, it } from 'vitest'
import type { ProofProblemKind } from '#services/framework/api/proof-schemas.ts'
import { afterComparison, nothingCompared, withDifference } from './comparison-record.ts'
import type { Finding } from './log-finding.ts'
import { type LogVerification, unverified } from './log-verification.ts'
import { type KnownOfProof, proofProblems } from './proof-problems.ts'
import { AlteredLog } from './sealer.ts'
import { LostSeals } from './seal.ts'
import { afterAsking, afterSealing, allSealed } from './sealing-record.ts'
import {
  afterRound,
  afterStep,
  longestWait,
  nextRoundAt,
  nothingVerified,
  restAfter,
  withRound,
} from './verification-record.ts'
import { WitnessRefusal } from './witness-requests.ts'

const [SECOND, HOUR, DAY] = [1_000, 3_600_000, 86_400_000]
const now = Date.UTC(2026, 3, 1)

/** A portal that has run for a year, and of which nothing is wrong. */
const sound: KnownOfProof = {
  now,
  startedAt: now - 365 * DAY,
  sealSeconds: 300,
  verifySeconds: 30,
  verification: { ...nothingVerified, ended: { startedAt: now - HOUR, processorMs: 60 * SECOND } },
  verifiedAt: now - HOUR,
  comparison: afterComparison(nothingCompared, { startedAt: now - HOUR, processorMs: 60 * SECOND }, []),
  sealing: allSealed,
  unsealedSince: now - 100 * SECOND,
}
const kinds = (known: Partial<KnownOfProof>): ProofProblemKind[] =>
  proofProblems({ ...sound, ...known }).map(({ kind }) => kind)

const altered: Finding = { kind: 'altered', number: '7', stream: 'user-ada', revision: 3, says: 'Event 7 was altered' }
const missing: Finding = { kind: 'missing', number: '40', stream: null, revision: null, says: 'Event 40 is missing' }
const result = (finding: Finding | null, upTo = '50'): LogVerification => {
  return { facts: 50, seals: 3, unsealed: 0, sealedUpTo: '49', upTo, finding }
}
const begun = (record = nothingVerified, at = now) => withRound(record, at)

describe('the problems of the proof', () => {
  it('are none of a sound portal, nor of one that has just started for the first time', () => {
    expect(kinds({})).toEqual([])
    expect(
      kinds({
        startedAt: now - SECOND,
        verification: undefined,
        verifiedAt: undefined,
        sealing: undefined,
        unsealedSince: now - DAY,
      }),
    ).toEqual([])
  })

  it('name stream and revision of what was found, and what to do', () => {
    const verification = afterRound(begun(), result(altered), now)
    expect(proofProblems({ ...sound, verification })).toEqual([
      {
        kind: 'log-altered',
        says: 'Event 7 was altered (user-ada#3)',
        todo: expect.stringContaining('npx proofdesk audit verify'),
        since: '2026-04-01T00:00:00.000Z',
      },
    ])
    // A whole verification since then found nothing.
    expect(kinds({ verification, verifiedAt: now + 1 })).toEqual([])
  })

  it('are seals that are lost when a seal or its stream is concerned', () => {
    for (const finding of [
      { ...altered, kind: 'seal' as const },
      { ...missing, stream: 'seals-this', revision: 4 },
    ])
      expect(kinds({ verification: afterRound(begun(), result(finding), now) })).toEqual(['seals-lost'])
    expect(kinds({ unsealedSince: new Error('seals-this#4 is missing') })).toEqual(['seals-lost'])
  })

  it('are failures of the sealing: some at once, others when an event has waited for three seals', () => {
    expect(kinds({ sealing: afterSealing(allSealed, new LostSeals('Seal 7'), now) })).toEqual(['seals-lost'])
    expect(kinds({ sealing: afterSealing(allSealed, new AlteredLog(7), now) })).toEqual(['log-altered'])
    const sealing = afterSealing(allSealed, new Error('The disk is full'), now)
    expect(kinds({ sealing })).toEqual([])
    const [stopped] = proofProblems({ ...sound, sealing, unsealedSince: now - 911 * SECOND })
    expect([stopped?.kind, stopped?.says]).toEqual(['sealing-stopped', expect.stringContaining(': The disk is full')])
    // Nobody could have sealed before the start.
    expect(kinds({ unsealedSince: now - DAY, startedAt: now - 60 * SECOND })).toEqual([])
    expect(kinds({ sealing: afterSealing(sealing, undefined, now), unsealedSince: undefined })).toEqual([])
  })

  it('are witnesses that contradict at once, and others that cosign nothing for an hour', () => {
    const refusal = new WitnessRefusal('It has cosigned another history')
    const contradicted = afterAsking(allSealed, { name: 'w1', error: refusal }, now)
    expect(kinds({ sealing: contradicted })).toEqual(['witness-contradicts'])
    // One that is away now has not taken it back.
    const away = { name: 'w1', error: new Error('fetch failed') }
    expect(kinds({ sealing: afterAsking(contradicted, away, now) })).toEqual(['witness-contradicts'])
    expect(kinds({ sealing: afterAsking(contradicted, { name: 'w1', error: undefined }, now) })).toEqual([])
    const silent = (ms: number) => afterAsking(afterAsking(allSealed, away, now - ms), away, now)
    expect(kinds({ sealing: silent(HOUR) })).toEqual([])
    expect(kinds({ sealing: silent(HOUR + 1) })).toEqual(['witness-silent'])
  })

  it('are a verification that is overdue, by the worker and by hand', () => {
    const verification = { ...nothingVerified, ended: { startedAt: now - 2 * DAY, processorMs: HOUR } }
    expect(kinds({ verification, verifiedAt: now - 2 * DAY })).toEqual(['verification-overdue'])
    expect(kinds({ verification, verifiedAt: now - DAY })).toEqual([])
    expect(kinds({ verification: undefined, verifiedAt: undefined })).toEqual(['verification-overdue'])
  })

  it('are a verification that someone keeps from running: three times as long as expected, ten minutes at least', () => {
    const rounds = (processorMs: number, minutes: number) => {
      const ended = { startedAt: now - minutes * 60_000, processorMs }
      return kinds({ verification: { ...nothingVerified, ended }, verifiedAt: ended.startedAt })
    }
    expect([rounds(50, 10), rounds(50, 11)]).toEqual([[], ['verification-overdue']])
    // A million events: 17 minutes every 134.
    expect([rounds(40 * SECOND, 400), rounds(40 * SECOND, 460)]).toEqual([[], ['verification-overdue']])
    expect([rounds(HOUR, 35 * 60), rounds(HOUR, 37 * 60)]).toEqual([[], ['verification-overdue']])
    // A portal that was away has its rounds ahead, and one whose round takes longer this time is given its time.
    expect(kinds({ startedAt: now - SECOND, verification: undefined, verifiedAt: now - HOUR })).toEqual([])
    const slow = { ...withRound(nothingVerified, now - HOUR), ended: { startedAt: now - HOUR, processorMs: 50 } }
    expect(longestWait({ ...slow, round: { ...slow.round, processorMs: 60 * SECOND } }, 30 * SECOND)).toBeGreaterThan(
      HOUR,
    )
  })

  it('are read models that are not what the log says, and a comparison that nobody makes', () => {
    const { comparison } = sound
    if (typeof comparison !== 'object') throw new Error('It was compared')
    const twice = [1, 2].reduce((record) => withDifference(record, 'payouts', now - SECOND, now), comparison)
    const once = withDifference(twice, 'users', now - SECOND, now)
    expect(proofProblems({ ...sound, comparison: once }).map(({ kind, says }) => [kind, says])).toEqual([
      ['read-model-altered', expect.stringMatching(/^The read model payouts is not what the log says, in at least 2/)],
      ['read-model-altered', expect.stringMatching(/^The read model users is not what the log says, in a document/)],
    ])
    const ended = { startedAt: now + SECOND, processorMs: 50 }
    expect(kinds({ comparison: afterComparison(once, ended, []) })).toEqual([])
    expect(afterComparison(once, ended, ['users'])).toMatchObject({
      complete: comparison.complete,
      altered: [{ view: 'users' }],
    })
    // One that was behind the log is not compared.
    const since = (hours: number) => {
      const complete = { startedAt: now - hours * HOUR, processorMs: 60 * SECOND }
      return kinds({ comparison: { ended: { ...ended, processorMs: 60 * SECOND }, complete, altered: [] } })
    }
    expect([since(10), since(12)]).toEqual([[], ['verification-overdue']])
    expect(kinds({ comparison: undefined })).toEqual(['verification-overdue'])
  })

  it('are records that the portal did not write', () => {
    expect(kinds({ verification: 'altered' })).toEqual(['record-altered'])
    expect(kinds({ sealing: 'altered' })).toEqual(['record-altered'])
  })
})

describe('the rounds of the verification', () => {
  it('take 4 % of a core while they run, 0.5 % over time, and begin at least once a day', () => {
    expect(restAfter(10)).toBe(240)
    const after = (processorMs: number) =>
      nextRoundAt({ ...nothingVerified, ended: { startedAt: now, processorMs } }, 30 * SECOND) - now
    expect([after(50), after(60 * SECOND), after(HOUR)]).toEqual([30 * SECOND, 12_000 * SECOND, DAY])
  })

  it('continue one that was interrupted, unless it is old', () => {
    const { round } = afterStep(begun(), { state: { ...unverified, forged: null }, processorMs: 9 }, now)
    const interrupted = { ...nothingVerified, round }
    expect(withRound(interrupted, now + DAY).round).toEqual(round)
    expect(withRound(interrupted, now + 2 * DAY).round.startedAt).toBe(now + 2 * DAY)
  })

  it('report an event that does not count at once, and keep when it was found first', () => {
    const state = { ...unverified, forged: altered }
    const first = afterStep(begun(), { state, processorMs: 1 }, now)
    const again = afterRound(first, result(altered), now + 5)
    expect(again.findings).toEqual([{ ...altered, foundAt: now, seenAt: now + 5 }])
  })

  it('forget what is gone: all after a clean round, else what was read before the finding', () => {
    const two = afterRound(begun(afterRound(begun(), result(missing), now)), result(altered, '7'), now + 1)
    expect(two.findings.map(({ number }) => number)).toEqual(['40', '7'])
    const later = afterRound(begun(two), result(missing, '40'), now + 2)
    expect(later.findings.map(({ number }) => number)).toEqual(['40'])
    expect(afterRound(begun(two), result(null), now + 2).findings).toEqual([])
  })
})
