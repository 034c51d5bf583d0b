import { readFile } from 'node:fs/promises'
import { messageOf } from '#infra/failures.ts'
import { utcTime } from '#services/framework/api/utc-time.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import type { GenuineExport } from '#services/oversight/audit/export-verification.ts'
import type { Confirmed } from '#services/oversight/audit/entry-times.ts'
import { keyIdOf } from '#services/proof/signed-texts.ts'
import { parseVerifierKey, type VerifierKey } from '#services/proof/verifier-key.ts'
import { parseCheckpoint } from '#services/proof/tree-checkpoint.ts'
import { WrongSignature } from '#services/proof/witness-cosignature.ts'
import { parseWitnessPolicy, type Witnessed, witnessedBy, type WitnessPolicy } from '#services/proof/witness-policy.ts'

/** A report on what others attest of the checkpoint in a genuine file. */
export interface AttestationReport {
  /** Why the file fails all the same: one sentence. */
  readonly refusal: string | undefined
  /** Sentences for a person. */
  readonly lines: readonly string[]
  /** By the policy; null without one. */
  readonly witnesses: Witnessed | null
  /** The time that the time-stamp token states, ms since 1970; null without one. */
  readonly timestampedAt: number | null
}

/** Reads the file of a witness policy. @throws {Refused} when it can't be read, or is not one. */
export async function readWitnessPolicy(path: string): Promise<WitnessPolicy> {
  try {
    return parseWitnessPolicy(await readFile(path))
  } catch (error) {
    throw new Refused('invalid', `--policy: ${path} can't be used: ${messageOf(error)}`)
  }
}

/** The verifier keys that --log names. @throws {Refused} when one of them is none. */
export function parseLogKeys(texts: readonly string[]): VerifierKey[] {
  try {
    return texts.map((text) => parseVerifierKey(text, 'log'))
  } catch (error) {
    throw new Refused('invalid', `--log: ${messageOf(error)}`)
  }
}

/** The ids of the sealing keys that a policy trusts: those of its logs. */
export async function trustedKeysOf({ logs }: WitnessPolicy): Promise<string[]> {
  return Promise.all(logs.map(({ publicKey }) => keyIdOf(publicKey)))
}

/** Checks what a genuine file has of others: cosignatures by the policy, and that a token is of its checkpoint. */
export async function reportAttestations(
  { checkpoint, checkpointTimestamp }: Pick<GenuineExport, 'checkpoint' | 'checkpointTimestamp'>,
  policy: WitnessPolicy | undefined,
): Promise<AttestationReport> {
  const lines: string[] = []
  const refused = (refusal: string) => ({ refusal, lines, witnesses: null, timestampedAt: null })
  let witnesses: Witnessed | null = null
  try {
    witnesses = policy ? witnessedBy(policy, parseCheckpoint(checkpoint)) : null
  } catch (error) {
    if (error instanceof WrongSignature) return refused(`Altered: ${error.message}.`)
    throw error
  }
  if (witnesses && !witnesses.isOfLog) return refused('Not genuine: no log of the policy signed its checkpoint.')
  if (witnesses && !witnesses.isQuorum)
    return { ...refused(`Not witnessed as the policy asks. ${seenText(witnesses)}`), witnesses }
  if (witnesses) lines.push(seenText(witnesses))
  if (checkpointTimestamp === null) return { refusal: undefined, lines, witnesses, timestampedAt: null }
  try {
    // The ASN.1 code loads slowly, so only where it is used.
    const at = (await import('#services/proof/timestamps.ts')).timestampedAt(
      Buffer.from(checkpointTimestamp, 'base64'),
      checkpoint,
    )
    lines.push(`Time-stamped on ${utcTime(at)}. Whose time stamp it is, openssl checks: docs/audit.md.`)
    return { refusal: undefined, lines, witnesses, timestampedAt: at }
  } catch {
    return refused('Altered: its time stamp is not one of its checkpoint.')
  }
}

/** When others confirm that the checkpoint was there. */
export function confirmationsOf({
  witnesses,
  timestampedAt,
}: Pick<AttestationReport, 'witnesses' | 'timestampedAt'>): Confirmed[] {
  return [
    ...(witnesses && witnesses.before !== null ? [{ at: witnesses.before, by: 'its witnesses saw it' }] : []),
    ...(timestampedAt === null ? [] : [{ at: timestampedAt, by: 'its time stamp' }]),
  ]
}

/** 'Seen by 2 of 3 witnesses before 22 Nov 2026, 19:30:05 UTC.' */
function seenText({ seen, of, before }: Witnessed): string {
  if (of === 0) return 'The policy names no witnesses.'
  return before === null
    ? `Seen by none of ${of} witnesses.`
    : `Seen by ${seen} of ${of} witnesses before ${utcTime(before)}.`
}
