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

/** What is wrong with a log, and the first place where it is. */
export interface Finding {
  readonly kind: 'altered' | 'missing' | 'added' | 'reordered' | 'seal'
  /** The place in the log, where one can be named. */
  readonly number: string | null
  /** For whoever reads it: which fact, and how that is known. */
  readonly says: string
}

export interface LogVerification {
  readonly facts: number
  readonly seals: number
  /** Facts that no seal is over yet: of these only the chains of their streams could be checked. */
  readonly unsealed: number
  /** The place of the last fact that a seal is over. */
  readonly sealedUpTo: string | null
  readonly finding: Finding | null
}

export interface VerifyDependencies {
  readonly eventStore: Pick<EventStore, 'subscribe' | 'readStream' | 'end'>
  readonly publishedSeals: Pick<PublishedSeals, 'seal' | 'leaves'>
  /** The keys that seals may be signed with, oldest first: from the key store, not from the log. */
  readonly keys: readonly PublicKey[]
  /** Called now and then with how many facts were checked. */
  readonly onProgress?: (facts: number) => void
}

/** Carries the first finding to where the reading ends. */
class FindingError extends Error {
  constructor(readonly finding: Finding) {
    super(finding.says)
  }
}

/**
 * Checks the whole log, reading it once: every fact against the chain of its stream, every stretch against its seal, and
 * seals inside against seals outside. It stops at the first thing that is wrong.
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
    const { inside, introduced, currentAt, missingFrom } = await sealsOf(eventStore, publishedSeals)
    seals = inside
    await checkSeals(seals, keys, currentAt)
    await checkKeys(introduced, keys)
    await checkFacts({ eventStore, publishedSeals: publishedSeals, seals, count, onProgress })
    // Said only when every fact is there: a fact that is gone tells more than a seal that is.
    if (missingFrom !== null)
      throw new FindingError({ kind: 'missing', number: null, says: `Seal ${missingFrom} is outside the log, but its own fact is missing from the log` })
    return result(null)
  } catch (error) {
    if (error instanceof FindingError) return result(error.finding)
    throw error
  }
}

/** All seals, from inside and outside; where both have one it must be the same. */
async function sealsOf(eventStore: VerifyDependencies['eventStore'], outside: VerifyDependencies['publishedSeals']) {
  const inside: Seal[] = []
  const introduced: IntroducedKey[] = []
  /** The key that was the newest when each seal was recorded. */
  const currentAt: (string | undefined)[] = []
  for await (const page of eventStore.readStream(streamName(sealStreams, SEALS_ID)))
    for (const event of page) {
      if (event.type === 'SealingKeyIntroduced') introduced.push(introducedKeyIn(event))
      if (event.type !== 'FactsSealed') continue
      inside.push(sealIn(event))
      currentAt.push(introduced.at(-1)?.id)
    }
  for (const [index, seal] of inside.entries()) {
    const kept = await readPublishedSeal(outside, index + 1)
    if (kept && signedTextAndSignature(kept) !== signedTextAndSignature(seal))
      throw new FindingError({
        kind: 'seal',
        number: seal.first,
        says: `Seal ${index + 1} in the log is not seal ${index + 1} outside: ${differing(seal, kept)}`,
      })
  }
  // The log may have been cut off: what it was is still outside.
  let missingFrom: number | null = null
  for (let number = inside.length + 1; ; number++) {
    const kept = await readPublishedSeal(outside, number)
    if (!kept) return { inside, introduced, currentAt, missingFrom }
    missingFrom ??= number
    inside.push(kept)
  }
}

function sealIn({ data, position }: StoredEvent): Seal {
  try {
    return sealSchema.parse(JSON.parse(data))
  } catch {
    throw new FindingError({ kind: 'altered', number: position, says: `Fact ${position} holds a seal that can't be read` })
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
    throw new FindingError({ kind: 'altered', number: position, says: `Fact ${position} introduces a key and can't be read` })
  }
}

/** Each key follows the one before with its word, and all are this installation's. */
async function checkKeys(introduced: readonly IntroducedKey[], keys: readonly PublicKey[]): Promise<void> {
  for (const [index, { position, id, endorsement }] of introduced.entries()) {
    const [before, key] = [keys[index - 1], keys[index]]
    const wrong = (says: string) => new FindingError({ kind: 'seal', number: position, says: `Fact ${position} introduces key ${id}, ${says}` })
    if (key?.id !== id) throw wrong("which is none of this installation's in its turn")
    if (before && !(await isSigned(endorsementText(before.id, key), endorsement ?? '', before)))
      throw wrong(`but key ${before.id} before it has not signed that`)
  }
}

async function readPublishedSeal(outside: VerifyDependencies['publishedSeals'], number: number): Promise<Seal | undefined> {
  try {
    return await outside.seal(number)
  } catch (error) {
    if (error instanceof Error && /^(ZodError|\$ZodError|SyntaxError)$/.test(error.name))
      throw new FindingError({ kind: 'seal', number: null, says: `Seal ${number} outside the log can't be read` })
    throw error
  }
}

const signedTextAndSignature = (seal: Seal) => JSON.stringify([signedText(seal), seal.signature])

function differing(one: Seal, other: Seal): string {
  const fields = ['number', 'first', 'last', 'count', 'root', 'previous', 'sealedAt', 'keyId', 'history', 'signature'] as const
  return `they differ in ${fields.filter((field) => one[field] !== other[field]).join(', ')}`
}

/** Seals for themselves: numbered, chained, over one stretch after the other, in one history, and signed with the key of their time. */
async function checkSeals(seals: readonly Seal[], keys: readonly PublicKey[], currentAt: readonly (string | undefined)[]): Promise<void> {
  const history = new GrowingMerkleTree()
  let before: Seal | undefined
  for (const [index, seal] of seals.entries()) {
    const wrong = (says: string) => new FindingError({ kind: 'seal', number: seal.first, says: `Seal ${index + 1} ${says}` })
    if (seal.number !== index + 1) throw wrong(`is missing or was replaced: seal ${seal.number} stands in its place`)
    const key = keys.find(({ id }) => id === seal.keyId)
    if (!key) throw wrong(`is signed with a key that is none of this installation's: ${seal.keyId}`)
    // Of a seal that is only outside it is not known which key was the newest, but no older one can follow a newer.
    const current =
      currentAt[index] ?? (keys.findIndex(({ id }) => id === seal.keyId) < keys.findIndex(({ id }) => id === before?.keyId) ? before?.keyId : seal.keyId)
    if (seal.keyId !== current) throw wrong(`is signed with key ${seal.keyId}, which was not the current one then: that was ${current}`)
    if (seal.previous !== (before ? hash('sha256', signedText(before)) : null)) throw wrong('does not name the seal before it')
    if (before && Number(seal.first) <= Number(before.last)) throw wrong('is over facts that the seal before it is over')
    history.append(leafOf(sealText(seal)))
    if (history.root().toString('hex') !== seal.history) throw wrong('does not go on with the history of the seals before it')
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

/** A stretch of the log while it is being read against its seal. */
interface SealedRange {
  readonly seal: Seal
  readonly tree: GrowingMerkleTree
  readonly published: readonly PublishedLeaf[] | undefined
  /** What was read, for telling what happened; only where there is something to compare it with. */
  readonly ids: string[]
}

async function checkFacts({ eventStore, publishedSeals, seals, count, onProgress }: EventCheck): Promise<void> {
  const end = Number(await eventStore.end())
  let chains = new Chains(eventStore)
  let next = 0
  let stretch: SealedRange | undefined
  /** Where a stretch first differs from what is kept outside of it. It is told once all of it was read, when it can be said how. */
  let differs: Difference | undefined

  const open = async (): Promise<void> => {
    chains = new Chains(eventStore)
    const seal = seals[next]
    if (!seal) return
    const kept = await publishedSeals.leaves(seal.number)
    stretch = { seal, tree: new GrowingMerkleTree(), published: kept && belongToSeal(kept, seal) ? kept : undefined, ids: [] }
  }

  const close = async ({ seal, tree, published, ids }: SealedRange): Promise<void> => {
    if (published && (differs || ids.length < published.length)) throw new FindingError(describeDifference(published, ids, differs, seal))
    if (!published && (tree.size !== seal.count || tree.root().toString('hex') !== seal.root)) throw new FindingError(findingWithoutLeaves(seal, tree.size))
    count.sealed += ids.length
    next += 1
    stretch = undefined
    await open()
  }

  const check = async (event: StoredEvent): Promise<void> => {
    if (stretch?.published) {
      const expected = stretch.published[stretch.ids.length]
      // With its leaf all that is in a fact is as it was, the chain of its stream too.
      if (!differs && !(expected && leafOfEvent(event).equals(expected.hash))) differs = { index: stretch.ids.length, event }
    } else {
      const broken = await chains.follow(event)
      if (broken) throw new FindingError(broken)
      stretch?.tree.append(leafOfEvent(event))
    }
    stretch?.ids.push(event.id)
  }

  await open()
  const stopped = new AbortController()
  for await (const { events, caughtUp, position } of eventStore.subscribe(undefined, { signal: stopped.signal })) {
    for (const event of events) {
      if (Number(event.position) > end) break
      while (stretch && Number(event.position) > Number(stretch.seal.last)) await close(stretch)
      count.facts += 1
      await check(event)
    }
    onProgress?.(count.facts)
    if (caughtUp || Number(position) >= end) stopped.abort()
  }
  while (stretch) await close(stretch)
}

interface Difference {
  readonly index: number
  readonly event: StoredEvent
}

/** Whether leaves that are kept outside are those that the seal was made over: its root says so. */
function belongToSeal(kept: readonly PublishedLeaf[], { root, count }: Seal): boolean {
  const tree = new GrowingMerkleTree()
  for (const { hash: leaf } of kept) tree.append(leaf)
  return tree.size === count && tree.root().toString('hex') === root
}

/** Says what was done to a stretch, from the ids that should be there and those that are. */
function describeDifference(kept: readonly PublishedLeaf[], ids: readonly string[], differs: Difference | undefined, seal: Seal): Finding {
  const index = differs?.index ?? ids.length
  const expected = kept[index]?.id
  const under = `under seal ${seal.number}`
  if (!differs)
    return {
      kind: 'missing',
      number: missingPosition(seal, index),
      says: `Fact ${expected} is missing, and ${kept.length - ids.length - 1} after it ${under}: the log ends before it`,
    }
  const { event } = differs
  const name = `Fact ${event.position} (${event.type}, ${event.stream}#${event.revision})`
  if (expected === event.id) return { kind: 'altered', number: event.position, says: `${name} was altered: its bytes are not those that were sealed ${under}` }
  const isThere = expected !== undefined && ids.includes(expected)
  const isKnown = kept.some(({ id }) => id === event.id)
  if (isThere && isKnown)
    return { kind: 'reordered', number: event.position, says: `${name} stands where fact ${expected} was sealed ${under}: they were reordered` }
  if (isKnown) return { kind: 'missing', number: missingPosition(seal, index), says: `Fact ${expected} is missing: ${name} comes in its place ${under}` }
  return { kind: 'added', number: event.position, says: `${name} was added: it was not there when it was sealed ${under}` }
}

/** The place that a missing fact had: known where the stretch has a place for each of its facts. */
function missingPosition({ first, last, count }: Seal, index: number): string | null {
  return Number(last) - Number(first) === count - 1 ? String(Number(first) + index) : null
}

/** Without the leaves only the stretch can be named. */
function findingWithoutLeaves({ number, first, last, count }: Seal, found: number): Finding {
  const between = `between ${first} and ${last}, under seal ${number}`
  if (found < count) return { kind: 'missing', number: first, says: `${count - found} facts are missing ${between}` }
  if (found > count) return { kind: 'added', number: first, says: `${found - count} facts were added ${between}` }
  return {
    kind: 'altered',
    number: first,
    says: `A fact was altered or reordered ${between}; which one can be told from the leaves that are kept outside the log`,
  }
}

/** The chains of streams. What came before a fact is looked up where it was not met yet, so that no more is remembered than a stretch has. */
class Chains {
  private readonly heads = new Map<string, ChainHead>()
  private readonly eventStore: VerifyDependencies['eventStore']

  constructor(eventStore: VerifyDependencies['eventStore']) {
    this.eventStore = eventStore
  }

  /** Takes up the next fact of its stream, and says what is wrong with it. */
  async follow(event: StoredEvent): Promise<Finding | undefined> {
    const { stream, revision, position, type, metadata } = event
    const head = this.heads.get(stream) ?? (revision > 0 ? await this.before(event) : undefined)
    const previous = previousIn(metadata)
    this.heads.set(stream, chainHeadOf(event))
    const name = `Fact ${position} (${type}, ${stream}#${revision})`
    const expected = (head?.revision ?? -1) + 1
    if (revision > expected) return { kind: 'missing', number: position, says: `${stream}#${expected} is missing before fact ${position}` }
    if (revision < expected) return { kind: 'reordered', number: position, says: `${name} comes after ${stream}#${head?.revision}` }
    if (previous === undefined) return { kind: 'altered', number: position, says: `${name} was altered: its metadata can't be read` }
    if (previous === (head?.hash ?? null)) return undefined
    if (!head) return { kind: 'altered', number: position, says: `${name} is the first of its stream and names one before it` }
    return {
      kind: 'altered',
      number: head.position,
      says: `Fact ${head.position} (${stream}#${head.revision}) was altered or exchanged: ${name}, the next of its stream, names another`,
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

/** The hash that an event names, null for none; undefined where it names nothing that could be one. */
function previousIn(metadata: string): string | null | undefined {
  const found = previousHashPattern.exec(metadata)
  return found ? (found[1] ?? null) : undefined
}
