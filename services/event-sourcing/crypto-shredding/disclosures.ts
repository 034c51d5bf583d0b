import { z } from 'zod'

/**
 * Salted commitments to personal fields, after the disclosures of RFC 9901 (SD-JWT). The stored data of an event holds
 * a hash of each disclosable field in clear; the salts are encrypted with the fields. A disclosure is salt, field and
 * value: it proves the value against the hash, and without it the hash reveals nothing.
 * docs/decisions/023-salted-commitments.md
 */

/** The field of stored data that holds the commitments: the SHA-256 of each field's disclosure, base64url. */
export const COMMITMENTS_FIELD = 'commitments'
/** The encrypted field that holds the salts: 128 random bits for each disclosable field, base64url. */
export const SALTS_FIELD = 'salts'

/** A personal field of one event, proven by a disclosure. */
export interface DisclosedField {
  readonly field: string
  /** As it is stored: parse it with the schema of its event. */
  readonly value: unknown
}

const textsByField = z.record(z.string(), z.string())
const commitmentsSchema = z.looseObject({ [COMMITMENTS_FIELD]: textsByField })
const disclosureSchema = z.tuple([z.string(), z.string(), z.unknown()])

/** The disclosure of a field: base64url of the JSON list of salt, field and value. On the server. */
export function disclosureOf(salt: string, field: string, value: unknown): string {
  return Buffer.from(JSON.stringify([salt, field, value])).toString('base64url')
}

/**
 * The disclosures of these fields of a decrypted event, in their order. Fields without a commitment have none: secrets,
 * and everything of an erased person. On the server.
 */
export function disclosuresOf(
  { personalFields }: { readonly personalFields: Readonly<Record<string, unknown>> | null },
  fields: Iterable<string>,
): string[] {
  const salts = new Map(Object.entries(textsByField.parse(personalFields?.[SALTS_FIELD] ?? {})))
  return [...fields].flatMap((field) => {
    const salt = salts.get(field)
    return salt === undefined ? [] : [disclosureOf(salt, field, personalFields?.[field])]
  })
}

/**
 * Checks a disclosure against the stored data of its event, and returns the field that it proves. Runs in browsers.
 *
 * @param data The event's stored text of data, which the caller has proven.
 * @param disclosable The fields that events of its type can disclose (`EventDefinition.disclosable`): no disclosure can
 * replace others.
 * @throws {Error} when the event holds no commitment to this disclosure.
 */
export async function openDisclosure(
  data: string,
  disclosable: ReadonlySet<string>,
  disclosure: string,
): Promise<DisclosedField> {
  const { success, data: stored } = commitmentsSchema.safeParse(JSON.parse(data))
  if (!success) throw new Error('The event has no commitments')
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(disclosure))
  const digest = toBase64Url(new Uint8Array(bytes))
  const field = [...disclosable].find(
    (each) => Object.hasOwn(stored[COMMITMENTS_FIELD], each) && stored[COMMITMENTS_FIELD][each] === digest,
  )
  if (field === undefined) throw new Error('The event has no commitment to this disclosure')
  // The commitment is to the text, so only text that the portal wrote gets here.
  const [, disclosed, value] = disclosureSchema.parse(
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(fromBase64Url(disclosure))),
  )
  if (disclosed !== field) throw new Error(`The disclosure is of ${disclosed}, its commitment of ${field}`)
  return { field, value }
}

function toBase64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function fromBase64Url(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (digit) => digit.charCodeAt(0))
}
