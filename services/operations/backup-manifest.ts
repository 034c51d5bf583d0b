import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { hashesEqual, type Secrets } from '#services/process/keys/derived-secrets.ts'
import { canonicalJson } from '#services/proof/canonical-json.ts'

/**
 * The manifest of a backup names each of its parts. Its MAC (HMAC-SHA-256 over the canonical JSON of the rest, RFC
 * 8785) can only be made with the installation's root secret. docs/decisions/028-authentic-backups.md
 */

export const MANIFEST = 'manifest.json'

const FORMAT = 'proofdesk backup 2'

/** The path of a file in the backup, its size in bytes, and its SHA-256 in hex. */
const part = {
  path: z.string().refine((path) => !/\p{Surrogate}/u.test(path)),
  size: z.int(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
}
export type BackupFile = z.infer<typeof filePart>
const filePart = z.strictObject(part)

const position = z.string().regex(/^\d+$/)

const manifestSchema = z.strictObject({
  format: z.literal(FORMAT),
  madeAt: z.iso.datetime(),
  finished: z.literal(true),
  /** The positions of its first and last event, and their number. */
  log: z.strictObject({ first: position, position, facts: z.int() }),
  /** How many keys, files of certificates, and seals it has. */
  counts: z.strictObject({ keys: z.int(), files: z.int(), seals: z.int() }),
  files: z.array(filePart),
  mac: z.string(),
})
export type Manifest = z.infer<typeof manifestSchema>

/** The manifest of a backup that another version of the program made. */
const formatSchema = z.looseObject({ format: z.string().refine((format) => format !== FORMAT) })

const interruptedSchema = z.looseObject({ finished: z.literal(false) })

/** The text of the manifest of a backup that is being made, or was interrupted. */
export function interruptedManifest(madeAt: string): string {
  return textOf({ format: FORMAT, madeAt, finished: false })
}

/** The text of a manifest with its MAC. */
export function authenticManifest(
  manifest: Omit<Manifest, 'format' | 'finished' | 'mac'>,
  { backupKey }: Pick<Secrets, 'backupKey'>,
): string {
  const { madeAt, log, counts, files } = manifest
  const whole = { format: FORMAT, madeAt, finished: true, log, counts, files } as const
  return textOf({ ...whole, mac: macOf(whole, backupKey) })
}

/** Whether a manifest is as the installation with this key wrote it. */
export function isAuthentic({ mac, ...manifest }: Manifest, { backupKey }: Pick<Secrets, 'backupKey'>): boolean {
  return hashesEqual(mac, macOf(manifest, backupKey))
}

function macOf(manifest: Omit<Manifest, 'mac'>, key: Uint8Array): string {
  return createHmac('sha256', key).update(canonicalJson(manifest)).digest('hex')
}

/**
 * Undefined for the manifest of an interrupted backup.
 *
 * @throws {Refused} for a text that is no manifest as the portal writes it.
 */
export function parseManifest(text: string): Manifest | undefined {
  const value = parseJson(text)
  if (interruptedSchema.safeParse(value).success) return undefined
  const { data: otherFormat } = formatSchema.safeParse(value)
  if (otherFormat) throw new Refused('invalid', `${MANIFEST} is not of the format ${FORMAT}, which this version reads`)
  const { data } = manifestSchema.safeParse(value)
  // A manifest has one text: nothing in it can be said twice or left to interpretation.
  if (!data || textOf(data) !== text) throw new Refused('invalid', `${MANIFEST} can't be read: it was altered`)
  return data
}

const textOf = (manifest: object): string => `${JSON.stringify(manifest, null, 1)}\n`

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
