import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { type AppendedEvent, defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type KeyScope, keyScopes } from './api-key-vocabulary.ts'

/**
 * The keys of programs: a shop that enrols its buyers, a bridge that sends observations. The stream of a key is named
 * after the key's hash, so that a key finds its own stream; the key itself is stored nowhere.
 */

export const apiKeyEvents = defineEvents({
  /** `keyHash` is a keyed hash of the key, hex; `expiresAt` is in ms since 1970. */
  ProgramKeyIssued: { name: z.string(), scopes: z.array(z.enum(keyScopes)), keyHash: z.string(), expiresAt: z.int() },
  ProgramKeyRevoked: {},
})

export type ApiKeyEvent = EventOf<typeof apiKeyEvents>

export interface ApiKey {
  /** Null for a key that was never issued. */
  readonly issued: Extract<ApiKeyEvent, { type: 'ProgramKeyIssued' }>['data'] | null
  readonly revoked: boolean
}

export const apiKeyDecider: Decider<ApiKey, ApiKeyEvent> = {
  initial: { issued: null, revoked: false },
  evolve(key: ApiKey, { type, data }: AppendedEvent<ApiKeyEvent>): ApiKey {
    switch (type) {
      case 'ProgramKeyIssued':
        return { ...key, issued: data }
      case 'ProgramKeyRevoked':
        return { ...key, revoked: true }
    }
  },
}

/** Issues a key. */
export function issueApiKey(key: ApiKey, issued: NonNullable<ApiKey['issued']>): ApiKeyEvent[] {
  return key.issued ? [] : [{ type: 'ProgramKeyIssued', data: issued }]
}

/** Revokes a key for good. @throws {Refused} not-found */
export function revokeApiKey(key: ApiKey): ApiKeyEvent[] {
  if (!key.issued) throw new Refused('not-found', 'There is no such key')
  return key.revoked ? [] : [{ type: 'ProgramKeyRevoked', data: {} }]
}

/** Returns the name and scopes of a presented key; null for one that is unknown, revoked or expired. */
export function openedBy(
  { issued, revoked }: ApiKey,
  isItsHash: (hash: string) => boolean,
  now: number,
): { readonly name: string; readonly scopes: readonly KeyScope[] } | null {
  if (!issued || revoked || !isItsHash(issued.keyHash) || issued.expiresAt <= now) return null
  return { name: issued.name, scopes: issued.scopes }
}

export const apiKeyStreams = aggregate('programkey', apiKeyDecider, apiKeyEvents, null)
