import { z } from 'zod'
import { SEALS_STREAM } from './seal.ts'
import { leafText, textHash } from './signed-texts.ts'

/**
 * The file of an account's history with its proof. It holds recorded bytes, proofs, keys and disclosures, and nothing
 * else to read: what happened is derived from them by export-verification.ts. Unknown, missing and empty parts are
 * refused. Runs in browsers.
 */

/** The format that files name. */
export const EXPORT_FORMAT = 'proofdesk export 4'

const hash = z.string().regex(/^[0-9a-f]{64}$/)
/** 32 bytes. */
const base64Hash = z.string().regex(/^[A-Za-z0-9+/]{43}=$/)
/** 64 bytes. */
const signature = z.string().regex(/^[A-Za-z0-9+/]{86}==$/)
const count = z.int().min(0)

/** A list that is read up to its first fault: a hostile file has millions of them. */
function listOf<Item>(item: z.ZodType<Item>, { least = 0, most = Infinity }: { least?: number; most?: number } = {}) {
  return z.array(z.unknown()).transform((values, context): Item[] => {
    const items: Item[] = []
    const refuse = (issue: z.core.$ZodIssue | undefined, ...path: PropertyKey[]) => {
      context.addIssue({ code: 'custom', message: issue?.message ?? 'Too few or too many', path })
      return z.NEVER
    }
    if (values.length < least || values.length > most) return refuse(undefined)
    for (const [n, value] of values.entries()) {
      const { data, error } = item.safeParse(value)
      if (error) return refuse(error.issues[0], n, ...(error.issues[0]?.path ?? []))
      items.push(data)
    }
    return items
  })
}
const text = z.string().min(1)

export const exportedEvent = z.strictObject({
  /** Its leaf in the tree over the log; null for an event that the checkpoint does not cover yet. */
  index: count.nullable(),
  position: z.string().regex(/^[1-9]\d{0,15}$|^0$/),
  stream: text,
  revision: count,
  id: z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  type: z.string().regex(/^[A-Za-z]+$/),
  /** Ms since 1970. */
  at: z.int(),
  /** The version of the shape of its data. */
  version: z.int(),
  /** As it is stored, or null beside its hash, where it is withheld. */
  data: text.nullable(),
  dataHash: hash.nullable(),
  metadata: text.nullable(),
  metadataHash: hash.nullable(),
  /** Personal fields that the data commits to. */
  disclosures: listOf(text),
})

const sealingKey = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  publicKey: base64Hash,
  endorsement: signature.nullable(),
})
/** A key is rotated a few times a year, and each costs a check of a signature. */
const MOST_KEYS = 1_000

/** Where a stream ended, with its proof. */
export const streamEnd = z.strictObject({
  stream: text,
  /** The end of the path of the stream's key: its own head, or another that shows that it has none. */
  found: z.strictObject({ key: base64Hash, revision: count, leaf: base64Hash }).nullable(),
  siblings: listOf(base64Hash, { most: 256 }),
})

export const accountExport = z.strictObject({
  format: z.literal(EXPORT_FORMAT),
  /** The id of an account, or that of a user with all accounts. */
  account: z.string().regex(/^[a-z0-9]{8,40}(-a[1-9]\d{0,3})?$/),
  /** The signed head of the tree, with the cosignatures of witnesses; null before the first. */
  checkpoint: text.nullable(),
  /** An RFC 3161 time-stamp token of the checkpoint, base64; absent without one. */
  checkpointTimestamp: text.exactOptional(),
  /** All sealing keys, oldest first, each with its predecessor's signature. */
  keys: listOf(sealingKey, { least: 1, most: MOST_KEYS }),
  /** In the order of the log. */
  events: listOf(exportedEvent, { least: 1 }),
  /**
   * Where the streams of the account ended when the checkpoint was made; null before the first. See head-verification.ts.
   */
  heads: z
    .strictObject({
      /** The event that commits to the map of heads, the last leaf of the tree, without what is the same in all. */
      event: exportedEvent.pick({ position: true, revision: true, id: true, at: true, version: true }).extend({
        data: text,
        metadataHash: hash,
      }),
      streams: listOf(streamEnd),
    })
    .nullable(),
  /** The multi-proof of all events with an index and of the heads' event: see tree-verification.ts. */
  inclusion: listOf(base64Hash),
  /** By the newest key, over {@link signedExportText}. */
  signature,
})

export type ExportedEvent = z.infer<typeof exportedEvent>
export type AccountExport = z.infer<typeof accountExport>

/** The text of the leaf of the event that commits to heads. */
export async function headsText({ data, ...event }: NonNullable<AccountExport['heads']>['event']): Promise<string> {
  const common = { stream: SEALS_STREAM, type: 'StreamHeadsCommitted' }
  return leafText({ ...event, ...common, dataHash: await textHash(data) })
}

/** The text of an event's leaf, with the hashes of what is not withheld. */
export async function entryText({ data, dataHash, metadata, metadataHash, ...event }: ExportedEvent): Promise<string> {
  return leafText({
    ...event,
    dataHash: dataHash ?? (await textHash(data ?? '')),
    metadataHash: metadataHash ?? (await textHash(metadata ?? '')),
  })
}

/**
 * The text that the signature of a file covers.
 *
 * @param contentHash SHA-256, hex, of the canonical form (RFC 8785) of the file without its signature.
 */
export function signedExportText(contentHash: string): string {
  return JSON.stringify([EXPORT_FORMAT, contentHash])
}

/**
 * Events whose data is withheld, for it says nothing about the account and holds hashes of secrets and addresses, or
 * who of staff gave a first approval or destination. That the event happened is proven all the same. Of other events the data is
 * always there.
 */
export const withheldTypes: ReadonlySet<string> = new Set([
  'PasswordChanged',
  'PasswordReset',
  'PasswordResetRequested',
  'PasswordRehashed',
  'EmailRevertOffered',
  'EmailClaimLapsed',
  'PayoutFirstApproved',
  'PayoutDestinationProposed',
])
