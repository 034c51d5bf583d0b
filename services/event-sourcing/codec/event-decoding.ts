import type { Position } from '#infra/event-store/event-store.ts'
import type { EventDefinition } from '#services/event-sourcing/event-definitions.ts'

/** The part of decoding that needs no key. Runs in browsers. */

/** Stored data in clear. */
export interface ClearData {
  /** The members of the stored JSON. */
  readonly raw: Readonly<Record<string, unknown>>
  /** The clear fields, parsed. */
  readonly data: Record<string, unknown>
}

/** @throws {Error} for an unknown version, a wrong shape, or data that is no object. */
export function decodeClearData(type: string, definition: EventDefinition, data: string, version: number): ClearData {
  if (version !== definition.version)
    throw new Error(`${type} has version ${version}; this program reads version ${definition.version}`)
  const raw = parseObject(data)
  return { raw, data: definition.clearSchema.parse(raw) }
}

/**
 * The field of stored data that names the actor by a keyed hash: the same for the same actor and person. The name is in
 * the metadata only, so an export can withhold it and still prove who is the same.
 */
export const ACTOR_HASH_FIELD = 'staffHash'

const ACTOR_HASH = /^[0-9a-f]{32}$/

/** The hash in stored data; undefined for events whose actor it does not name. */
export function actorHashIn(data: string): string | undefined {
  const hash = parseObject(data)[ACTOR_HASH_FIELD]
  return typeof hash === 'string' && ACTOR_HASH.test(hash) ? hash : undefined
}

/** The field of stored data that names the version of the decisions. Events of 0.2.0 are without it. */
export const DECISIONS_FIELD = 'decisions'

/** Undefined where the stored data names no version. */
export function decisionsIn(raw: Readonly<Record<string, unknown>>): number | undefined {
  const version = raw[DECISIONS_FIELD]
  return typeof version === 'number' && Number.isSafeInteger(version) && version > 1 ? version : undefined
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

/** The number by which people call an event: its position in the log. */
export function eventNumber({ position }: { readonly position: Position }): number {
  return Number(position)
}
