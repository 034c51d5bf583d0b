import type { EventDefinition } from '../event-definitions.ts'
import { upcast } from './upcasters.ts'

/** The part of decoding that needs no key. Runs in browsers. */

/** Stored data in clear. */
export interface ClearData {
  /** The members of the stored JSON, lifted to the current version. */
  readonly raw: Readonly<Record<string, unknown>>
  /** The clear fields, parsed. */
  readonly data: Record<string, unknown>
}

/** @throws {Error} for an unknown version, a wrong shape, or data that is no object. */
export function decodeClearData(type: string, definition: EventDefinition, data: string, version: number): ClearData {
  const raw = upcast(type, parseObject(data), version, definition.upcasters)
  return { raw, data: definition.clearSchema.parse(raw) }
}

/**
 * The version that stored data was written in, where its metadata does not tell: the newest that it fits. Each version must
 * therefore refuse the shapes of those before it, which a test checks with the recorded samples.
 *
 * @throws {Error} when it fits none.
 */
export function versionOf(type: string, definition: EventDefinition, data: string): number {
  for (let { version } = definition; version > 1; version--)
    try {
      decodeClearData(type, definition, data, version)
      return version
    } catch {
      // Of an earlier version, or of none.
    }
  decodeClearData(type, definition, data, 1)
  return 1
}

/**
 * The field of stored data that names the actor by a keyed hash: the same for the same actor and person. The name is in the
 * metadata only, so an export can withhold it and still prove who is the same.
 */
export const ACTOR_HASH_FIELD = 'staffHash'

const ACTOR_HASH = /^[0-9a-f]{32}$/

/** The hash in stored data; undefined for events whose actor it does not name. */
export function actorHashIn(data: string): string | undefined {
  const hash = parseObject(data)[ACTOR_HASH_FIELD]
  return typeof hash === 'string' && ACTOR_HASH.test(hash) ? hash : undefined
}

/** @throws {Error} for JSON that is no object. */
export function parseObject(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json)
  if (!isObject(value)) throw new Error('its data is no object')
  return value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
