import type { Log } from '#services/event-sourcing/process-log.ts'
import type { CheckpointAttestations } from './checkpoint-attestations.ts'
import type { SealingWatch } from './sealing-watch.ts'
import type * as timestamps from './timestamps.ts'
import type { TransparencyLog } from './transparency-log.ts'
import { parseCheckpoint } from './tree-checkpoint.ts'
import { cosignedAt } from './witness-cosignature.ts'
import type { PolicyWitness } from './witness-policy.ts'
import { post, requestCosignature, WitnessRefusal } from './witness-requests.ts'

export interface AttestationRequestDependencies {
  readonly transparencyLog: Pick<TransparencyLog, 'newest' | 'consistencyOf'>
  readonly attestations: CheckpointAttestations
  /** Witnesses with an address are asked. */
  readonly witnesses: readonly PolicyWitness[]
  readonly timestamping: Timestamping | undefined
  /** Learns what witnesses answer. */
  readonly watch: Pick<SealingWatch, 'asked'>
  readonly log: Pick<Log, 'warn' | 'error'>
}

/** A time-stamping authority, and the RFC 3161 code, which loads slowly. */
export interface Timestamping extends Pick<typeof timestamps, 'timestampRequest' | 'tokenOf'> {
  readonly url: URL
}

/** Requests to witnesses and to a time-stamping authority, in the background. */
export type AttestationRequests = ReturnType<typeof createAttestationRequests>

export function createAttestationRequests(parts: AttestationRequestDependencies) {
  const { transparencyLog, attestations, witnesses, timestamping, watch, log } = parts
  /** The size that each witness cosigned last, as far as this process knows. */
  const cosigned = new Map<PolicyWitness, number>()
  const underWay = new Map<string, Promise<void>>()

  const askWitness = async (witness: PolicyWitness, note: string, signal: AbortSignal): Promise<void> => {
    if (cosignedAt(parseCheckpoint(note), witness.key) !== undefined) return
    const { consistencyOf } = transparencyLog
    const line = await requestCosignature({ witness, note, old: cosigned.get(witness) ?? 0, consistencyOf, signal })
    cosigned.set(witness, parseCheckpoint(note).size)
    await attestations.addCosignature(note, line)
  }

  const askAuthority = async (
    { url, timestampRequest, tokenOf }: Timestamping,
    note: string,
    signal: AbortSignal,
  ): Promise<void> => {
    if (await attestations.timestampOf(note)) return
    const request = timestampRequest(note)
    const { status, bytes } = await post(url, 'application/timestamp-query', request.bytes, signal)
    if (status !== 200) throw new Error(`The time-stamping authority answered ${status}`)
    await attestations.addTimestamp(note, tokenOf(bytes, note, request))
  }

  const requested = new Map<string, (note: string, signal: AbortSignal) => Promise<void>>()
  for (const witness of witnesses)
    if (witness.url)
      requested.set(`witness ${witness.name}`, async (note, signal) => {
        try {
          await askWitness(witness, note, signal)
          watch.asked(witness.name)
        } catch (error) {
          if (!signal.aborted) watch.asked(witness.name, error)
          throw error
        }
      })
  if (timestamping) requested.set('time-stamping authority', (note, signal) => askAuthority(timestamping, note, signal))

  return {
    /** Asks for what the newest checkpoint lacks, each of them on its own: one that does not answer delays nothing. */
    begin(signal: AbortSignal): void {
      for (const [name, ask] of requested) {
        if (underWay.has(name)) continue
        const asking = async () => {
          try {
            const newest = await transparencyLog.newest()
            if (newest) await ask(newest.note, signal)
          } catch (error) {
            // The worker is stopping, or another one has taken over.
            if (signal.aborted) return
            if (error instanceof WitnessRefusal) log.error({ err: error }, 'A witness refuses this log')
            else
              log.warn(
                { err: error, from: name },
                'A checkpoint is not attested yet; the next attempt is after the next sealing',
              )
          } finally {
            underWay.delete(name)
          }
        }
        underWay.set(name, asking())
      }
    },
    /** Resolves when none is under way. */
    ended: async () => void (await Promise.all(underWay.values())),
  }
}
