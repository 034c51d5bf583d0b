import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { aggregate, streamName } from '#services/event-sourcing/aggregate-type.ts'
import { z } from 'zod'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { type EventOf, defineEvents, type AppendedEvent } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/** The checkpoints over the log, and the keys that sign them (design: "The auditor"). */

/** The log was set back: when, from how many sealed events to how many, and why. `from` is null where nobody knows. */
const restoration = z.object({ at: z.int(), from: z.int().nullable(), to: z.int(), reason: z.string() })
const heads = { size: z.int(), streams: z.int(), root: z.string(), restorations: z.array(restoration) }
const checkpoint = { number: z.int(), size: z.int(), last: z.string(), keyId: z.string(), note: z.string() }

export const sealEvents = defineEvents({
  /** `publicKey` is the raw Ed25519 key, base64; `endorsement` the key before saying that this one follows it. */
  SealingKeyIntroduced: { keyId: z.string(), publicKey: z.string(), endorsement: z.string().nullable() },
  /**
   * The root, base64, of the map from each of the log's streams to its head (head-map.ts), over the first `size` events
   * of the log. It is the last event under the next checkpoint, so every export has it, and says what was restored.
   */
  StreamHeadsCommitted: heads,
  /**
   * The signed head of the tree over the first `size` events of the log, the last of them at position `last`. That one
   * commits to the heads of all streams; `heads` is its revision in this stream. `note` is what
   * services/proof/tree-checkpoint.ts reads.
   */
  TreeCheckpointSigned: { ...checkpoint, heads: z.int() },
  /**
   * The log was restored from a backup: from a state with the checkpoint `note` over `from` events, as far as that is
   * known, to one with a checkpoint over `to` events. The metadata say who did it.
   */
  LogRestored: { note: z.string().nullable(), from: z.int().nullable(), to: z.int(), reason: z.string() },
})

export type SealEvent = EventOf<typeof sealEvents>
export type TreeCheckpointData = Extract<SealEvent, { type: 'TreeCheckpointSigned' }>['data']
export type HeadsData = Extract<SealEvent, { type: 'StreamHeadsCommitted' }>['data']

const sealingKey = z.object({
  id: z.string(),
  publicKey: z.string(),
  endorsement: z.string().nullable(),
  /** Ms since 1970. */
  since: z.int(),
})
export type SealingKey = Readonly<z.infer<typeof sealingKey>>

/** Heads as the log commits to them, with the revision of their event in this stream. */
const committedHeads = z.object({ ...heads, revision: z.int() })
export type CommittedHeads = Readonly<z.infer<typeof committedHeads>>

/** When the log was set back, and the newest checkpoint that was known then. */
const knownRestoration = restoration.extend({ note: z.string().nullable() })
export type Restoration = Readonly<z.infer<typeof knownRestoration>>

const sealState = z.object({
  /** The newest; a checkpoint over them may be still to come. */
  heads: committedHeads.nullable(),
  /** `sealedAt` is in ms since 1970. */
  newest: z.object({ ...checkpoint, heads: committedHeads, sealedAt: z.int() }).nullable(),
  /** Oldest first. */
  keys: z.array(sealingKey).readonly(),
  /** Oldest first. */
  restorations: z.array(knownRestoration).readonly(),
})
export type Seals = Readonly<z.infer<typeof sealState>>

export const sealDecider: Decider<Seals, SealEvent> = {
  initial: { heads: null, newest: null, keys: [], restorations: [] },
  evolve(before: Seals, { type, data, at, revision }: AppendedEvent<SealEvent>): Seals {
    switch (type) {
      case 'SealingKeyIntroduced':
        return {
          ...before,
          keys: [
            ...before.keys,
            { id: data.keyId, publicKey: data.publicKey, endorsement: data.endorsement, since: at },
          ],
        }
      case 'StreamHeadsCommitted':
        return { ...before, heads: { ...data, revision } }
      case 'TreeCheckpointSigned':
        return before.heads?.revision === data.heads
          ? { ...before, newest: { ...data, heads: before.heads, sealedAt: at } }
          : before
      case 'LogRestored':
        return { ...before, restorations: [...before.restorations, { ...data, at }] }
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
 * Commits to the heads of all streams, for the checkpoint after the newest.
 *
 * @throws {Refused} conflict, when they cover no more events than that one.
 */
export function commitHeads(before: Seals, heads: Omit<HeadsData, 'restorations'>): SealEvent[] {
  if (heads.size <= (before.newest?.size ?? 0))
    throw new Refused('conflict', `The heads of ${heads.size} events are no newer than the newest checkpoint`)
  const restorations = before.restorations.map(({ at, from, to, reason }) => ({ at, from, to, reason }))
  return [{ type: 'StreamHeadsCommitted', data: { ...heads, restorations } }]
}

/**
 * Records a tree checkpoint, if it follows the newest, covers more events, the newest heads as the last of them, and is
 * signed with the newest key.
 *
 * @throws {Refused} conflict, when another was made, or another key came, meanwhile.
 */
export function recordCheckpoint(before: Seals, checkpoint: TreeCheckpointData): SealEvent[] {
  const { number, size, keyId, heads } = checkpoint
  if (number !== (before.newest?.number ?? 0) + 1)
    throw new Refused('conflict', `Checkpoint ${number} does not follow the newest`)
  if (size <= (before.newest?.size ?? 0))
    throw new Refused('conflict', `Checkpoint ${number} covers no more events than the newest`)
  if (before.heads?.revision !== heads || before.heads.size >= size)
    throw new Refused('conflict', `Checkpoint ${number} does not cover the newest heads of streams`)
  if (!before.keys.some(({ id }) => id === keyId))
    throw new Refused('invalid', `Checkpoint ${number} is signed with an unknown key`)
  if (before.keys.at(-1)?.id !== keyId)
    throw new Refused('conflict', `Checkpoint ${number} is signed with a key that another has followed`)
  return [{ type: 'TreeCheckpointSigned', data: checkpoint }]
}

/**
 * Records that the log was set back: from a state with this checkpoint, if one is published, and so many sealed events,
 * as far as anyone knows.
 */
export function recordRestoration(
  before: Seals,
  { note, from }: Pick<Restoration, 'note' | 'from'>,
  reason: string,
): SealEvent[] {
  return [{ type: 'LogRestored', data: { note, from, to: before.newest?.size ?? 0, reason } }]
}

/**
 * Whether a log that once had so many sealed events is this one: it has them, or records that it was set back from there.
 *
 * @param before How often it had been set back when it had them, as far as that is known.
 */
export function hadSealed(
  { newest, restorations }: Pick<Seals, 'newest' | 'restorations'>,
  size: number,
  before = 0,
): boolean {
  return size <= (newest?.size ?? 0) || restorations.slice(before).some(({ from }) => from !== null && size <= from)
}

/** A log has one chain of seals. It grows for ever. */
export const sealStreams = { ...aggregate('seals', sealDecider, sealEvents, null), snapshot: sealState }

/** The id of the log's only stream of seals. */
export const SEALS_ID = 'this'

/** The name of that stream. */
export const SEALS_STREAM = streamName(sealStreams, SEALS_ID)

/** The seals as the log has them now. */
export async function loadSeals(repositories: Repositories): Promise<Seals> {
  return (await repositories.of(sealStreams).load(SEALS_ID)).state
}

/** The name of the sealer's checkpoint: where the newest seal ends. */
export const SEALER_CHECKPOINT = 'sealer'

/** The log was set back to before something that was published. Sealing it again would hide that. */
export class LostSeals extends Error {
  override readonly name = 'LostSeals'
  /**
   * @param what What is published: 'Seal 7'.
   * @param loser What has lost it.
   */
  constructor(what: string, loser = 'the log') {
    super(
      `${what} is outside the log, but ${loser} has lost it: it was restored from a backup, or tampered with. Sealing stops until this is resolved: npx proofdesk audit verify`,
    )
  }
}
