import { aggregate, sameId } from '#services/event-sourcing/aggregate-type.ts'
import { z } from 'zod'
import type { Decider } from '#services/event-sourcing/decider.ts'
import {
  type AppendedEvent,
  defineEvents,
  type EventOf,
  personal,
  secret,
} from '#services/event-sourcing/event-definitions.ts'
import { removalQuestions } from './removal-vocabulary.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/**
 * How a person proves their identity besides a password or an access key: passkeys, an authenticator app (TOTP), and
 * recovery codes for when both are lost. One stream per owner, a user or a member of staff. See decision 025.
 */

const text = z.string()

export const secondFactorEvents = defineEvents({
  /**
   * `passkeyId` is our name of it; the credential's own id could link its owner to other sites. Both keys are
   * base64url.
   */
  PasskeyAdded: {
    passkeyId: z.string(),
    name: personal(text),
    credentialId: secret(text),
    publicKey: secret(text),
    counter: z.int(),
  },
  PasskeyRenamed: { passkeyId: z.string(), from: personal(text), to: personal(text) },
  PasskeyRemoved: { passkeyId: z.string(), name: personal(text) },
  /** `counter` is the authenticator's, 0 where it has none. `challengeHash` makes a replay fail. */
  PasskeyUsed: { passkeyId: z.string(), counter: z.int(), challengeHash: z.string() },
  /** `key` is the TOTP key, base32; `step` the time step of the code that confirmed it. */
  AuthenticatorTurnedOn: { key: secret(text), step: z.int() },
  AuthenticatorTurnedOff: {},
  /** `step` is the code's time step: no code of it, or of an earlier one, is accepted again. */
  AuthenticatorCodeUsed: { step: z.int() },
  /** Keyed hashes of the codes. Older codes no longer work. */
  RecoveryCodesIssued: { hashes: z.array(z.string()) },
  RecoveryCodeUsed: { hash: z.string(), left: z.int() },
  /** All of them: by an administrator for a person who lost them, or when the user was deleted. */
  SecondFactorsRemoved: {},
  /**
   * Staff checked a question, and all factors end at `dueAt` (ms since 1970) unless somebody stops it. Which question is
   * recorded, not its answer.
   */
  FactorRemovalRequested: { question: z.enum(removalQuestions), dueAt: z.int() },
  FactorRemovalStopped: {},
  /** A sign-in from a browser that had not signed in to this account before. The address is approximate. */
  SignedInFromNewBrowser: { browser: personal(text), address: personal(text) },
})

export type SecondFactorEvent = EventOf<typeof secondFactorEvents>

export interface Passkey {
  readonly id: string
  readonly name: string
  readonly credentialId: string
  readonly publicKey: string
  readonly counter: number
  /** Times are ms since 1970. */
  readonly addedAt: number
  readonly lastUsedAt: number | null
}

export interface FactorRemoval {
  readonly question: (typeof removalQuestions)[number]
  readonly dueAt: number
}

/** How long somebody can stop the removal of their factors, in ms. */
export const REMOVAL_DELAY = 24 * 60 * 60_000

export interface SecondFactors {
  readonly passkeys: readonly Passkey[]
  /** Null while turned off. */
  readonly authenticator: { readonly key: string; readonly since: number; readonly lastStep: number } | null
  /** Hashes of the codes that are left. Null before the first are issued. */
  readonly recoveryCodes: { readonly hashes: readonly string[]; readonly issuedAt: number } | null
  /** Hashes of the challenges that passkeys have signed, as long as a challenge may be valid. */
  readonly usedChallenges: readonly { readonly hash: string; readonly at: number }[]
  /** Asked for by staff and not stopped; null without. Times are ms since 1970. */
  readonly removal: FactorRemoval | null
  /** When the last change ended every session, ms since 1970. */
  readonly sessionsEndedAt: number
}

/** How long a challenge for a passkey is valid, in ms. */
export const CHALLENGE_LIFETIME = 5 * 60_000

export const MAX_PASSKEYS = 20

const initial: SecondFactors = {
  passkeys: [],
  authenticator: null,
  recoveryCodes: null,
  usedChallenges: [],
  removal: null,
  sessionsEndedAt: 0,
}

/** Changes of credentials: each ends every session but the one that made it, which gets a new id. */
const endSessions: ReadonlySet<SecondFactorEvent['type']> = new Set([
  'PasskeyAdded',
  'PasskeyRemoved',
  'AuthenticatorTurnedOn',
  'AuthenticatorTurnedOff',
  'RecoveryCodesIssued',
  'SecondFactorsRemoved',
])

function evolve(factors: SecondFactors, event: AppendedEvent<SecondFactorEvent>): SecondFactors {
  const changed = withEvent(factors, event)
  return endSessions.has(event.type) ? { ...changed, sessionsEndedAt: event.at } : changed
}

function withEvent(factors: SecondFactors, { type, data, at }: AppendedEvent<SecondFactorEvent>): SecondFactors {
  switch (type) {
    case 'PasskeyAdded': {
      const { passkeyId: id, name, credentialId, publicKey, counter } = data
      return {
        ...factors,
        passkeys: [...factors.passkeys, { id, name, credentialId, publicKey, counter, addedAt: at, lastUsedAt: null }],
      }
    }
    case 'PasskeyRenamed':
      return withPasskey(factors, data.passkeyId, (passkey) => ({ ...passkey, name: data.to }))
    case 'PasskeyRemoved':
      return withoutIdleCodes({ ...factors, passkeys: factors.passkeys.filter(({ id }) => id !== data.passkeyId) })
    case 'PasskeyUsed': {
      // Kept twice as long as a challenge is valid, since the clocks of two processes may differ.
      const recent = factors.usedChallenges.filter((used) => at - used.at < 2 * CHALLENGE_LIFETIME)
      const used = { ...factors, usedChallenges: [...recent, { hash: data.challengeHash, at }] }
      return withPasskey(used, data.passkeyId, (passkey) => ({ ...passkey, counter: data.counter, lastUsedAt: at }))
    }
    case 'AuthenticatorTurnedOn':
      return { ...factors, authenticator: { key: data.key, since: at, lastStep: data.step } }
    case 'AuthenticatorTurnedOff':
      return withoutIdleCodes({ ...factors, authenticator: null })
    case 'AuthenticatorCodeUsed':
      return { ...factors, authenticator: factors.authenticator && { ...factors.authenticator, lastStep: data.step } }
    case 'RecoveryCodesIssued':
      return { ...factors, recoveryCodes: { hashes: data.hashes, issuedAt: at } }
    case 'RecoveryCodeUsed': {
      const { recoveryCodes } = factors
      return {
        ...factors,
        recoveryCodes: recoveryCodes && {
          ...recoveryCodes,
          hashes: recoveryCodes.hashes.filter((hash) => hash !== data.hash),
        },
      }
    }
    case 'SecondFactorsRemoved':
      return initial
    case 'FactorRemovalRequested':
      return { ...factors, removal: data }
    case 'FactorRemovalStopped':
      return { ...factors, removal: null }
    case 'SignedInFromNewBrowser':
      return factors
  }
}

export const secondFactorDecider: Decider<SecondFactors, SecondFactorEvent> = { initial, evolve }

/** Whether a sign-in needs a second factor. Recovery codes alone are none. */
export function hasSecondFactor({ passkeys, authenticator }: SecondFactors): boolean {
  return passkeys.length > 0 || authenticator !== null
}

export type NewPasskey = Extract<SecondFactorEvent, { type: 'PasskeyAdded' }>['data']

/** @throws {Refused} conflict, for a passkey that is added already, or one too many. */
export function addPasskey(factors: SecondFactors, passkey: NewPasskey): SecondFactorEvent[] {
  if (factors.passkeys.some(({ credentialId }) => credentialId === passkey.credentialId))
    throw new Refused('conflict', 'This passkey is already added')
  if (factors.passkeys.length >= MAX_PASSKEYS)
    throw new Refused('conflict', `You can add up to ${MAX_PASSKEYS} passkeys. Remove one first.`)
  return [{ type: 'PasskeyAdded', data: passkey }]
}

/** @throws {Refused} not-found */
export function renamePasskey(factors: SecondFactors, passkeyId: string, to: string): SecondFactorEvent[] {
  const { name: from } = passkeyOf(factors, passkeyId)
  return from === to ? [] : [{ type: 'PasskeyRenamed', data: { passkeyId, from, to } }]
}

/**
 * @param isRequired The firm requires a second factor of this person.
 * @throws {Refused} not-found; conflict, for the last one of a person who must have one.
 */
export function removePasskey(factors: SecondFactors, passkeyId: string, isRequired: boolean): SecondFactorEvent[] {
  const { name } = passkeyOf(factors, passkeyId)
  if (isRequired && factors.passkeys.length === 1 && !factors.authenticator) throw lastFactor()
  return [{ type: 'PasskeyRemoved', data: { passkeyId, name } }]
}

/**
 * Accepts a signature that was verified with the public key of a passkey: once for each challenge, and only with a
 * counter that rises (WebAuthn level 3, 6.1.1: a counter that does not may mean a cloned authenticator).
 *
 * @throws {Refused} not-found; invalid
 */
export function usePasskey(
  factors: SecondFactors,
  use: Extract<SecondFactorEvent, { type: 'PasskeyUsed' }>['data'],
): SecondFactorEvent[] {
  const passkey = passkeyOf(factors, use.passkeyId)
  const isReplayed = factors.usedChallenges.some(({ hash }) => hash === use.challengeHash)
  const isBehind = (use.counter > 0 || passkey.counter > 0) && use.counter <= passkey.counter
  if (isReplayed || isBehind)
    throw new Refused('invalid', 'This passkey could not be verified. Please try again.', 'passkey')
  return [{ type: 'PasskeyUsed', data: use }]
}

/** `step` is the time step of the code that proves that the app has the key. @throws {Refused} conflict */
export function turnOnAuthenticator({ authenticator }: SecondFactors, key: string, step: number): SecondFactorEvent[] {
  if (authenticator) throw new Refused('conflict', 'An authenticator app is already turned on. Turn it off first.')
  return [{ type: 'AuthenticatorTurnedOn', data: { key, step } }]
}

/** @throws {Refused} conflict, for the last factor of a person who must have one. */
export function turnOffAuthenticator(
  { authenticator, passkeys }: SecondFactors,
  isRequired: boolean,
): SecondFactorEvent[] {
  if (!authenticator) return []
  if (isRequired && passkeys.length === 0) throw lastFactor()
  return [{ type: 'AuthenticatorTurnedOff', data: {} }]
}

/** Accepts a code that was verified with this key, once (RFC 6238, 5.2). @throws {Refused} invalid */
export function useAuthenticatorCode(
  { authenticator }: SecondFactors,
  checkedKey: string,
  step: number,
): SecondFactorEvent[] {
  if (authenticator?.key !== checkedKey || step <= authenticator.lastStep) throw wrongCode()
  return [{ type: 'AuthenticatorCodeUsed', data: { step } }]
}

/** Replaces all recovery codes. @throws {Refused} conflict, while there is no factor that they could stand in for. */
export function issueRecoveryCodes(factors: SecondFactors, hashes: readonly string[]): SecondFactorEvent[] {
  if (!hasSecondFactor(factors)) throw new Refused('conflict', 'Add a passkey or an authenticator app first')
  return [{ type: 'RecoveryCodesIssued', data: { hashes: [...hashes] } }]
}

/** Accepts a recovery code, once. @throws {Refused} invalid */
export function useRecoveryCode({ recoveryCodes }: SecondFactors, hash: string): SecondFactorEvent[] {
  if (!recoveryCodes?.hashes.includes(hash)) throw wrongCode()
  return [{ type: 'RecoveryCodeUsed', data: { hash, left: recoveryCodes.hashes.length - 1 } }]
}

export function removeSecondFactors(factors: SecondFactors): SecondFactorEvent[] {
  return hasSecondFactor(factors) || factors.recoveryCodes ? [{ type: 'SecondFactorsRemoved', data: {} }] : []
}

/** @throws {Refused} conflict, where there is nothing to remove, or a removal waits already. */
export function requestRemoval(
  factors: SecondFactors,
  question: FactorRemoval['question'],
  now: number,
): SecondFactorEvent[] {
  if (!hasSecondFactor(factors)) throw new Refused('conflict', 'This user has no second factors')
  if (factors.removal) throw new Refused('conflict', 'The removal of these second factors was already asked for')
  return [{ type: 'FactorRemovalRequested', data: { question, dueAt: now + REMOVAL_DELAY } }]
}

/** @throws {Refused} conflict, once there is nothing to stop. */
export function stopRemoval({ removal }: SecondFactors, now: number): SecondFactorEvent[] {
  if (!removal) throw new Refused('conflict', 'No removal of second factors waits')
  if (removal.dueAt <= now) throw new Refused('conflict', 'The second factors are removed already')
  return [{ type: 'FactorRemovalStopped', data: {} }]
}

/** Whether the factors count no more: the date decides, whether or not a process has recorded it yet. */
export function isRemovalDue({ removal }: SecondFactors, now: number): boolean {
  return removal !== null && removal.dueAt <= now
}

/** Records a removal whose time has come. */
export function settleRemoval(factors: SecondFactors, now: number): SecondFactorEvent[] {
  return isRemovalDue(factors, now) ? [{ type: 'SecondFactorsRemoved', data: {} }] : []
}

/**
 * Removes the factors added since a moment (ms since 1970): an email change that its owner takes back was a thief's,
 * and so were they. Recovery codes issued since are replaced by none.
 */
export function removeFactorsAddedSince(
  { passkeys, authenticator, recoveryCodes }: SecondFactors,
  since: number,
): SecondFactorEvent[] {
  const removed = passkeys.filter(({ addedAt }) => addedAt >= since)
  return [
    ...removed.map(({ id, name }): SecondFactorEvent => ({ type: 'PasskeyRemoved', data: { passkeyId: id, name } })),
    ...(authenticator && authenticator.since >= since ? [{ type: 'AuthenticatorTurnedOff' as const, data: {} }] : []),
    ...(recoveryCodes && recoveryCodes.issuedAt >= since
      ? [{ type: 'RecoveryCodesIssued' as const, data: { hashes: [] } }]
      : []),
  ]
}

export function recordNewBrowser(
  client: Extract<SecondFactorEvent, { type: 'SignedInFromNewBrowser' }>['data'],
): SecondFactorEvent[] {
  return [{ type: 'SignedInFromNewBrowser', data: client }]
}

/** The one refusal of every wrong code. */
export function wrongCode(): Refused {
  return new Refused('invalid', 'This code is not valid. Codes work once.', 'code')
}

function lastFactor(): Refused {
  return new Refused('conflict', 'Your firm requires a second factor. Add another one before you remove this one.')
}

function passkeyOf({ passkeys }: SecondFactors, passkeyId: string): Passkey {
  const passkey = passkeys.find(({ id }) => id === passkeyId)
  if (!passkey) throw new Refused('not-found', 'There is no such passkey')
  return passkey
}

function withPasskey(factors: SecondFactors, passkeyId: string, change: (passkey: Passkey) => Passkey): SecondFactors {
  return {
    ...factors,
    passkeys: factors.passkeys.map((passkey) => (passkey.id === passkeyId ? change(passkey) : passkey)),
  }
}

/** Recovery codes end with the last factor. */
function withoutIdleCodes(factors: SecondFactors): SecondFactors {
  return hasSecondFactor(factors) ? factors : { ...factors, recoveryCodes: null }
}

/** How a user proves their identity besides the password; the id is the user's. */
export const userFactors = aggregate('factors', secondFactorDecider, secondFactorEvents, { kind: 'user', idOf: sameId })

/** The same of a member of staff; the id is the member's. */
export const staffFactors = aggregate('stafffactors', secondFactorDecider, secondFactorEvents, {
  kind: 'member',
  idOf: sameId,
  begins: true,
})
