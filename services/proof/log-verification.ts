import { hash } from 'node:crypto'
import { z } from 'zod'
import type { EventStore, StoredEvent } from '../../infra/event-store/event-store.ts'
import { eventHash } from '../event-sourcing/codec/hash-chain.ts'
import { seals as sealStreams, streamName } from '../domain/streams.ts'
import { endorsementText, isSigned, type PublicKey, type Seal, sealText, signedText } from './export-verification.ts'
import { leafOfEvent } from './stored-event-bytes.ts'
import { GrowingMerkleTree, leafOf } from './merkle-tree.ts'
import { type PublishedLeaf, sealSchema, type PublishedSeals } from './published-seals.ts'
import { SEALS_ID } from './sealer.ts'

/** The first thing wrong with a log. */
export interface Finding {
  readonly kind: 'altered' | 'missing' | 'added' | 'reordered' | 'seal'
  /** The position in the log, if it can be named. */
  readonly number: string | null
  /** A message for people: which event, and how that is known. */
  readonly says: string
}

export interface LogVerification {
  readonly facts: number
  readonly seals: number
  /** Events not sealed yet, for which only the hash chains of their streams could be checked. */
  readonly unsealed: number
  /** The position of the last sealed event. */
  readonly sealedUpTo: string | null
  readonly finding: Finding | null
}

export interface VerifyDependencies {
  readonly eventStore: Pick<EventStore, 'subscribe' | 'readStream' | 'end'>
  readonly publishedSeals: Pick<PublishedSeals, 'seal' | 'leaves'>
  /** The keys that seals may be signed with, oldest first: from the key store, not from the log. */
  readonly keys: readonly PublicKey[]
  /** Called from time to time with the number of events checked. */
  readonly onProgress?: (events: number) => void
}

/** Stops the verification with the first finding. */
class FindingError extends Error {
  constructor(readonly finding: Finding) {
    super(finding.says)
  }
}

/**
 * Checks the whole log in one pass: every event against the hash chain of its stream, every sealed range against its seal,
 * and the seals in the log against the published ones. It stops at the first finding.
 */
export async function verifyLog({ eventStore, publishedSeals, keys, onProgress }: VerifyDependencies): Promise<LogVerification> {
  const count = { facts: 0, sealed: 0 }
  let seals: readonly Seal[] = []
  const result = (finding: Finding | null): LogVerification => ({
    facts: count.facts,
    seals: seals.length,
    unsealed: count.facts - count.sealed,
    sealedUpTo: seals.at(-1)?.last ?? null,
    finding,
  })
  try {
    const { all, introduced, currentAt, missingFrom } = await sealsOf(eventStore, publishedSeals)
    seals = all
    await checkSeals(seals, keys, currentAt)
    await checkKeys(introduced, keys)
    await checkEvents({ eventStore, publishedSeals, seals, count, onProgress })
    // Reported last: a missing event is more specific than a missing seal.
    if (missingFrom !== null)
      throw new FindingError({ kind: 'missing', number: null, says: `Seal ${missingFrom} is published, but its event is missing in the log` })
    return result(null)
  } catch (error) {
    if (error instanceof FindingError) return result(error.finding)
    throw error
  }
}

/** All seals, from the log and published; a seal that is in both must be the same. */
async function sealsOf(eventStore: VerifyDependencies['eventStore'], publishedSeals: VerifyDependencies['publishedSeals']) {
  const seals: Seal[] = []
  const introduced: IntroducedKey[] = []
  /** The key that was the newest when each seal was recorded. */
  const currentAt: (string | undefined)[] = []
  for await (const page of eventStore.readStream(streamName(sealStreams, SEALS_ID)))
    for (const event of page) {
      if (event.type === 'SealingKeyIntroduced') introduced.push(introducedKeyIn(event))
      if (event.type !== 'FactsSealed') continue
      seals.push(sealIn(event))
      currentAt.push(introduced.at(-1)?.id)
    }
  for (const [index, seal] of seals.entries()) {
    const published = await readPublishedSeal(publishedSeals, index + 1)
    if (published && signedTextAndSignature(published) !== signedTextAndSignature(seal))
      throw new FindingError({
        kind: 'seal',
        number: seal.first,
        says: `Seal ${index + 1} in the log is not the published seal ${index + 1}: ${differing(seal, published)}`,
      })
  }
  // The log may have been truncated: its last seals are still published.
  let missingFrom: number | null = null
  for (let number = seals.length + 1; ; number++) {
    const published = await readPublishedSeal(publishedSeals, number)
    if (!published) return { all: seals, introduced, currentAt, missingFrom }
    missingFrom ??= number
    seals.push(published)
  }
}

function sealIn({ data, position }: StoredEvent): Seal {
  try {
    return sealSchema.parse(JSON.parse(data))
  } catch {
    throw new FindingError({ kind: 'altered', number: position, says: `Event ${position} holds a seal that can't be read` })
  }
}

interface IntroducedKey {
  readonly position: string
  readonly id: string
  readonly endorsement: string | null
}

const introduction = z.object({ keyId: z.string(), endorsement: z.string().nullable() })

function introducedKeyIn({ data, position }: StoredEvent): IntroducedKey {
  try {
    const { keyId: id, endorsement } = introduction.parse(JSON.parse(data))
    return { position, id, endorsement }
  } catch {
    throw new FindingError({ kind: 'altered', number: position, says: `Event ${position} introduces a key and can't be read` })
  }
}

/** Each key is this installation's and signed by its predecessor. */
async function checkKeys(introduced: readonly IntroducedKey[], keys: readonly PublicKey[]): Promise<void> {
  for (const [index, { position, id, endorsement }] of introduced.entries()) {
    const [before, key] = [keys[index - 1], keys[index]]
    const wrong = (says: string) => new FindingError({ kind: 'seal', number: position, says: `Event ${position} introduces key ${id}, ${says}` })
    if (key?.id !== id) throw wrong("which is not this installation's next key")
    if (before && !(await isSigned(endorsementText(before.id, key), endorsement ?? '', before)))
      throw wrong(`but key ${before.id} before it has not signed that`)
  }
}

async function readPublishedSeal(publishedSeals: VerifyDependencies['publishedSeals'], number: number): Promise<Seal | undefined> {
  try {
    return await publishedSeals.seal(number)
  } catch (error) {
    if (error instanceof Error && /^(ZodError|\$ZodError|SyntaxError)$/.test(error.name))
      throw new FindingError({ kind: 'seal', number: null, says: `The published seal ${number} can't be read` })
    throw error
  }
}

const signedTextAndSignature = (seal: Seal) => JSON.stringify([signedText(seal), seal.signature])

function differing(a: Seal, b: Seal): string {
  const fields = ['number', 'first', 'last', 'count', 'root', 'previous', 'sealedAt', 'keyId', 'history', 'signature'] as const
  return `they differ in ${fields.filter((field) => a[field] !== b[field]).join(', ')}`
}

/** Seals must be numbered, chained, over consecutive ranges, in one history, and signed with the key of their time. */
async function checkSeals(seals: readonly Seal[], keys: readonly PublicKey[], currentAt: readonly (string | undefined)[]): Promise<void> {
  const history = new GrowingMerkleTree()
  let before: Seal | undefined
  for (const [index, seal] of seals.entries()) {
    const wrong = (says: string) => new FindingError({ kind: 'seal', number: seal.first, says: `Seal ${index + 1} ${says}` })
    if (seal.number !== index + 1) throw wrong(`is missing or was replaced: seal ${seal.number} is in its place`)
    const key = keys.find(({ id }) => id === seal.keyId)
    if (!key) throw wrong(`is signed with a key that is not this installation's: ${seal.keyId}`)
    // For a seal missing in the log the current key is unknown, but no older key may follow a newer one.
    const current =
      currentAt[index] ?? (keys.findIndex(({ id }) => id === seal.keyId) < keys.findIndex(({ id }) => id === before?.keyId) ? before?.keyId : seal.keyId)
    if (seal.keyId !== current) throw wrong(`is signed with key ${seal.keyId}, which was not the current one then: that was ${current}`)
    if (seal.previous !== (before ? hash('sha256', signedText(before)) : null)) throw wrong('does not name the seal before it')
    if (before && Number(seal.first) <= Number(before.last)) throw wrong('overlaps the seal before it')
    history.append(leafOf(sealText(seal)))
    if (history.root().toString('hex') !== seal.history) throw wrong('does not continue the history of the seals before it')
    if (!(await isSigned(signedText(seal), seal.signature, key))) throw wrong(`has a signature that is not of key ${seal.keyId}`)
    before = seal
  }
}

interface EventCheck {
  readonly eventStore: VerifyDependencies['eventStore']
  readonly publishedSeals: VerifyDependencies['publishedSeals']
  readonly seals: readonly Seal[]
  readonly count: { facts: number; sealed: number }
  readonly onProgress: VerifyDependencies['onProgress']
}

/** A range of the log while it is compared with its seal. */
interface SealedRange {
  readonly seal: Seal
  readonly tree: GrowingMerkleTree
  readonly published: readonly PublishedLeaf[] | undefined
  /** The ids of the events read, to explain a difference. */
  readonly ids: string[]
}

async function checkEvents({ eventStore, publishedSeals, seals, count, onProgress }: EventCheck): Promise<void> {
  const end = Number(await eventStore.end())
  let chains = new Chains(eventStore)
  let next = 0
  let range: SealedRange | undefined
  /** Where a range first differs from its published leaves. Reported after the whole range, when the kind of change is known. */
  let differs: Difference | undefined

  const open = async (): Promise<void> => {
    chains = new Chains(eventStore)
    const seal = seals[next]
    if (!seal) return
    const leaves = await publishedSeals.leaves(seal.number)
    range = { seal, tree: new GrowingMerkleTree(), published: leaves && belongToSeal(leaves, seal) ? leaves : undefined, ids: [] }
  }

  const close = async ({ seal, tree, published, ids }: SealedRange): Promise<void> => {
    if (published && (differs || ids.length < published.length)) throw new FindingError(describeDifference(published, ids, differs, seal))
    if (!published && (tree.size !== seal.count || tree.root().toString('hex') !== seal.root)) throw new FindingError(findingWithoutLeaves(seal, tree.size))
    count.sealed += ids.length
    next += 1
    range = undefined
    await open()
  }

  const check = async (event: StoredEvent): Promise<void> => {
    if (range?.published) {
      const expected = range.published[range.ids.length]
      // A matching leaf covers the whole event, including its link in the chain of its stream.
      if (!differs && !(expected && leafOfEvent(event).equals(expected.hash))) differs = { index: range.ids.length, event }
    } else {
      const broken = await chains.follow(event)
      if (broken) throw new FindingError(broken)
      range?.tree.append(leafOfEvent(event))
    }
    range?.ids.push(event.id)
  }

  await open()
  const stopped = new AbortController()
  for await (const { events, caughtUp, position } of eventStore.subscribe(undefined, { signal: stopped.signal })) {
    for (const event of events) {
      if (Number(event.position) > end) break
      while (range && Number(event.position) > Number(range.seal.last)) await close(range)
      count.facts += 1
      await check(event)
    }
    onProgress?.(count.facts)
    if (caughtUp || Number(position) >= end) stopped.abort()
  }
  while (range) await close(range)
}

interface Difference {
  readonly index: number
  readonly event: StoredEvent
}

/** Whether published leaves match the root of their seal. */
function belongToSeal(leaves: readonly PublishedLeaf[], { root, count }: Seal): boolean {
  const tree = new GrowingMerkleTree()
  for (const { hash: leaf } of leaves) tree.append(leaf)
  return tree.size === count && tree.root().toString('hex') === root
}

/** Explains a difference by comparing the published ids with those in the log. */
function describeDifference(leaves: readonly PublishedLeaf[], ids: readonly string[], differs: Difference | undefined, seal: Seal): Finding {
  const index = differs?.index ?? ids.length
  const expected = leaves[index]?.id
  const under = `under seal ${seal.number}`
  if (!differs)
    return {
      kind: 'missing',
      number: missingPosition(seal, index),
      says: `Event ${expected} is missing, and ${leaves.length - ids.length - 1} after it ${under}: the log ends before it`,
    }
  const { event } = differs
  const name = `Event ${event.position} (${event.type}, ${event.stream}#${event.revision})`
  if (expected === event.id) return { kind: 'altered', number: event.position, says: `${name} was altered: its bytes are not those sealed ${under}` }
  const isPresent = expected !== undefined && ids.includes(expected)
  const isKnown = leaves.some(({ id }) => id === event.id)
  if (isPresent && isKnown)
    return { kind: 'reordered', number: event.position, says: `${name} is where event ${expected} was sealed ${under}: they were reordered` }
  if (isKnown) return { kind: 'missing', number: missingPosition(seal, index), says: `Event ${expected} is missing: ${name} is in its place ${under}` }
  return { kind: 'added', number: event.position, says: `${name} was added: it is not among the events sealed ${under}` }
}

/** The position of a missing event: known where the positions of a range have no gaps. */
function missingPosition({ first, last, count }: Seal, index: number): string | null {
  return Number(last) - Number(first) === count - 1 ? String(Number(first) + index) : null
}

/** Without published leaves, only the range can be named. */
function findingWithoutLeaves({ number, first, last, count }: Seal, found: number): Finding {
  const between = `between ${first} and ${last}, under seal ${number}`
  if (found < count) return { kind: 'missing', number: first, says: `${count - found} events are missing ${between}` }
  if (found > count) return { kind: 'added', number: first, says: `${found - count} events were added ${between}` }
  return {
    kind: 'altered',
    number: first,
    says: `An event was altered or reordered ${between}; only the published leaves can show which one`,
  }
}

/** The hash chains of streams. Heads of unseen streams are read from the store, so memory is bounded by one range. */
class Chains {
  private readonly heads = new Map<string, ChainHead>()
  private readonly eventStore: VerifyDependencies['eventStore']

  constructor(eventStore: VerifyDependencies['eventStore']) {
    this.eventStore = eventStore
  }

  /** Checks the next event of a stream, and returns what is wrong with it. */
  async follow(event: StoredEvent): Promise<Finding | undefined> {
    const { stream, revision, position, type, metadata } = event
    const head = this.heads.get(stream) ?? (revision > 0 ? await this.before(event) : undefined)
    const previous = previousIn(metadata)
    this.heads.set(stream, chainHeadOf(event))
    const name = `Event ${position} (${type}, ${stream}#${revision})`
    const expected = (head?.revision ?? -1) + 1
    if (revision > expected) return { kind: 'missing', number: position, says: `${stream}#${expected} is missing before event ${position}` }
    if (revision < expected) return { kind: 'reordered', number: position, says: `${name} comes after ${stream}#${head?.revision}` }
    if (previous === undefined) return { kind: 'altered', number: position, says: `${name} was altered: its metadata can't be read` }
    if (previous === (head?.hash ?? null)) return undefined
    if (!head) return { kind: 'altered', number: position, says: `${name} is the first of its stream but names a previous one` }
    return {
      kind: 'altered',
      number: head.position,
      says: `Event ${head.position} (${stream}#${head.revision}) was altered or replaced: ${name}, the next of its stream, names a different one`,
    }
  }

  private async before({ stream, revision }: StoredEvent): Promise<ChainHead | undefined> {
    for await (const [event] of this.eventStore.readStream(stream, revision - 1, 1))
      return event && event.revision === revision - 1 ? chainHeadOf(event) : undefined
    return undefined
  }
}

interface ChainHead {
  readonly revision: number
  readonly hash: string
  readonly position: string
}

function chainHeadOf(event: StoredEvent): ChainHead {
  return { revision: event.revision, hash: eventHash(event.stream, event.revision, event), position: event.position }
}

const previousHashPattern = /"previous":(?:null|"([0-9a-f]{64})")\}$/

/** The previous hash that an event names, null for none; undefined if it can't be read. */
function previousIn(metadata: string): string | null | undefined {
  const found = previousHashPattern.exec(metadata)
  return found ? (found[1] ?? null) : undefined
}
