import { z } from 'zod'
import type { Decider } from '../../event-sourcing/decider.ts'
import { type EventOf, defineEvents, type AppendedEvent } from '../../event-sourcing/event-definitions.ts'
import { Refused } from '../../event-sourcing/refusal.ts'

/** The chain of seals over the log, and the keys that sign them (design: "The auditor"). */

const hash = z.string().regex(/^[0-9a-f]{64}$/)

export const sealEvents = defineEvents({
  /** `publicKey` is the raw Ed25519 key, base64; `endorsement` the key before saying that this one follows it. */
  SealingKeyIntroduced: { keyId: z.string(), publicKey: z.string(), endorsement: z.string().nullable() },
  /** services/proof/export-verification.ts says what each part means and how it is signed. */
  FactsSealed: {
    number: z.int(),
    first: z.string(),
    last: z.string(),
    count: z.int(),
    root: hash,
    previous: hash.nullable(),
    sealedAt: z.int(),
    keyId: z.string(),
    history: hash,
    signature: z.string(),
  },
})

export type SealEvent = EventOf<typeof sealEvents>
export type SealData = Extract<SealEvent, { type: 'FactsSealed' }>['data']

export interface SealingKey {
  readonly id: string
  readonly publicKey: string
  readonly endorsement: string | null
  /** Ms since 1970. */
  readonly since: number
}

export interface Seals {
  readonly newest: SealData | null
  /** Oldest first. */
  readonly keys: readonly SealingKey[]
}

export const sealDecider: Decider<Seals, SealEvent> = {
  initial: { newest: null, keys: [] },
  evolve(before: Seals, { type, data, at }: AppendedEvent<SealEvent>): Seals {
    switch (type) {
      case 'SealingKeyIntroduced':
        return { ...before, keys: [...before.keys, { id: data.keyId, publicKey: data.publicKey, endorsement: data.endorsement, since: at }] }
      case 'FactsSealed':
        return { ...before, newest: data }
    }
  },
}

/** Publishes a key before it signs anything; the same again changes nothing. */
export function introduceSealingKey(
  before: Seals,
  key: { readonly keyId: string; readonly publicKey: string; readonly endorsement: string | null },
): SealEvent[] {
  return before.keys.some(({ id }) => id === key.keyId) ? [] : [{ type: 'SealingKeyIntroduced', data: key }]
}

/** Lets another key follow the newest. @throws {Refused} conflict, when another did meanwhile. */
export function succeedSealingKey(
  before: Seals,
  newest: string,
  key: { readonly keyId: string; readonly publicKey: string; readonly endorsement: string },
): SealEvent[] {
  if (before.keys.at(-1)?.id !== newest) throw new Refused('conflict', `Key ${newest} is not the newest any more`)
  return introduceSealingKey(before, key)
}

/**
 * Records a seal, if it is the one that follows the newest and signed with the newest key.
 *
 * @throws {Refused} conflict, when another was made, or another key came, meanwhile.
 */
export function recordSeal(before: Seals, seal: SealData): SealEvent[] {
  if (seal.number !== (before.newest?.number ?? 0) + 1) throw new Refused('conflict', `Seal ${seal.number} does not follow the newest`)
  if (!before.keys.some(({ id }) => id === seal.keyId)) throw new Refused('invalid', `Seal ${seal.number} is signed with an unknown key`)
  if (before.keys.at(-1)?.id !== seal.keyId) throw new Refused('conflict', `Seal ${seal.number} is signed with a key that another has followed`)
  return [{ type: 'FactsSealed', data: seal }]
}
