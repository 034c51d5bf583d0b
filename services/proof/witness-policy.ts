import { isUtf8 } from 'node:buffer'
import { messageOf } from '#infra/failures.ts'
import type { TreeCheckpoint } from './tree-checkpoint.ts'
import { parseVerifierKey, type VerifierKey } from './verifier-key.ts'
import { cosignedAt, isSignedByLog } from './witness-cosignature.ts'

/**
 * Witness policies: which logs and witnesses a reader knows, and how many witnesses are enough. The file format is C2SP
 * tlog-policy (c2sp.org/tlog-policy).
 */

export interface WitnessPolicy {
  /** A checkpoint must be signed by one of them. Empty when the log is known by other means. */
  readonly logs: readonly VerifierKey[]
  readonly witnesses: readonly PolicyWitness[]
  /** Undefined for `quorum none`. */
  readonly quorum: Quorum | undefined
}

export interface PolicyWitness {
  /** Its name in the policy. */
  readonly name: string
  readonly key: VerifierKey
  /** Where it takes requests: its submission prefix. */
  readonly url: URL | undefined
}

/** A witness, or a group of which at least `threshold` members must have cosigned. */
export type Quorum =
  | PolicyWitness
  | { readonly name: string; readonly threshold: number; readonly members: readonly Quorum[] }

/** A policy is invalid: one sentence with the line. */
export class InvalidPolicy extends Error {
  override readonly name = 'InvalidPolicy'
}

/** The result of a policy for a checkpoint. */
export interface Witnessed {
  /** How many of the policy's witnesses cosigned it. */
  readonly seen: number
  readonly of: number
  /** When the last of them had seen it, ms since 1970; null when none did. */
  readonly before: number | null
  /** Whether they are enough. */
  readonly isQuorum: boolean
  /** Whether one of the policy's logs signed it, or the policy names none. */
  readonly isOfLog: boolean
}

/** The octets that a policy may have. */
const CHARACTERS = /^[\t\n\x20-\x7e\u0080-\u{10ffff}]*$/u

/** Reads a policy strictly. Names may be any UTF-8. @throws {InvalidPolicy} for anything that is not one. */
export function parseWitnessPolicy(bytes: Uint8Array): WitnessPolicy {
  if (!isUtf8(bytes)) throw new InvalidPolicy('It is not UTF-8')
  const text = Buffer.from(bytes).toString()
  if (!CHARACTERS.test(text)) throw new InvalidPolicy('It has a control character')
  if (!text.endsWith('\n')) throw new InvalidPolicy('Its last line does not end with a line break')
  const logs: VerifierKey[] = []
  const witnesses: PolicyWitness[] = []
  const defined = new Map<string, Quorum>()
  const members = new Set<string>()
  let quorum: { readonly value: Quorum | undefined } | undefined

  const define = (quorumOf: Quorum) => {
    const { name } = quorumOf
    if (name === 'none' || defined.has(name)) throw new Error(`the name ${name} is taken`)
    defined.set(name, quorumOf)
  }
  const find = (name: string): Quorum => {
    const found = defined.get(name)
    if (!found) throw new Error(`no line before it defines ${name}`)
    return found
  }
  const addLog = ([key, url, ...more]: readonly string[]) => {
    if (key === undefined || more.length > 0) throw new Error('it is not "log <vkey> [<url>]"')
    const log = parseVerifierKey(key, 'log')
    if (url !== undefined) urlOf(url)
    if (logs.some(({ publicKey }) => publicKey === log.publicKey)) throw new Error('another line has the same key')
    logs.push(log)
  }
  const addWitness = ([name, text, url, ...more]: readonly string[]) => {
    if (name === undefined || text === undefined || more.length > 0)
      throw new Error('it is not "witness <name> <vkey> [<url>]"')
    const key = parseVerifierKey(text, 'witness')
    if (witnesses.some((other) => other.key.publicKey === key.publicKey))
      throw new Error('another line has the same key')
    const witness = { name, key, url: url === undefined ? undefined : urlOf(url) }
    define(witness)
    witnesses.push(witness)
  }
  const addGroup = ([name, count, ...names]: readonly string[]) => {
    if (name === undefined || count === undefined || names.length === 0)
      throw new Error('it is not "group <name> all|any|<k> <name>..."')
    const threshold =
      count === 'all' ? names.length : count === 'any' ? 1 : /^[1-9]\d{0,3}$/.test(count) ? Number(count) : 0
    if (threshold < 1 || threshold > names.length) throw new Error(`${count} of ${names.length} is not possible`)
    for (const member of names) {
      if (members.has(member)) throw new Error(`${member} is in a group already`)
      find(member)
      members.add(member)
    }
    define({ name, threshold, members: names.map(find) })
  }
  const setQuorum = ([name, ...more]: readonly string[]) => {
    if (name === undefined || more.length > 0) throw new Error('it is not "quorum <name>"')
    if (quorum) throw new Error('there is a quorum already')
    quorum = { value: name === 'none' ? undefined : find(name) }
  }

  const definitions: Readonly<Record<string, (items: readonly string[]) => void>> = {
    log: addLog,
    witness: addWitness,
    group: addGroup,
    quorum: setQuorum,
  }
  for (const [n, line] of text.split('\n').entries()) {
    const [keyword, ...items] = line.split(/[ \t]+/).filter((item) => item !== '')
    if (keyword === undefined || keyword.startsWith('#')) continue
    try {
      if (!Object.hasOwn(definitions, keyword)) throw new Error(`it begins with ${keyword}`)
      definitions[keyword]?.(items)
    } catch (error) {
      throw new InvalidPolicy(`Line ${n + 1} is invalid: ${messageOf(error)}`)
    }
  }
  if (!quorum) throw new InvalidPolicy('It has no quorum line')
  return { logs, witnesses, quorum: quorum.value }
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new Error('its URL is not a plain http or https address')
  return url
}

/**
 * Applies a policy to a checkpoint.
 *
 * @throws {WrongSignature} when a line names one of the policy's keys, but this key did not sign it.
 */
export function witnessedBy({ logs, witnesses, quorum }: WitnessPolicy, checkpoint: TreeCheckpoint): Witnessed {
  const times = new Map<Quorum, number>()
  for (const witness of witnesses) {
    const at = cosignedAt(checkpoint, witness.key)
    if (at !== undefined) times.set(witness, at)
  }
  // All of them are checked: a wrong signature by any of the logs counts.
  const signed = logs.filter((log) => isSignedByLog(checkpoint, log))
  const isEnough = (part: Quorum): boolean =>
    'members' in part ? part.members.filter(isEnough).length >= part.threshold : times.has(part)
  return {
    seen: times.size,
    of: witnesses.length,
    before: times.size === 0 ? null : Math.max(...times.values()) * 1_000,
    isQuorum: quorum === undefined || isEnough(quorum),
    isOfLog: logs.length === 0 || signed.length > 0,
  }
}
