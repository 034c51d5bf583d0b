import { z } from 'zod'
import type { EventStore, StoredEvent } from '#infra/event-store/event-store.ts'
import { type Finding, findingAt, FindingError, findingOf, readOr } from './log-finding.ts'
import type { PublishedTree } from './published-tree.ts'
import { SEALS_STREAM, type TreeCheckpointData, sealEvents } from './seal.ts'
import { endorsementText, isSigned, type PublicKey } from './signed-texts.ts'
import { isCheckpointSigned, parseCheckpoint } from './tree-checkpoint.ts'

/** A checkpoint seals the part of the log after the checkpoint before it. */
export interface SealedRange {
  /** In messages: 'checkpoint 3'. */
  readonly name: string
  /** The position before its first event. */
  readonly before: number
  /** The position of its last event; null when only the published checkpoint is known. */
  readonly last: string | null
  /** The range is from one leaf of the tree up to, not including, another. */
  readonly low: number
  readonly high: number
  /** The root of the tree of `high` leaves, hex. */
  readonly root: string
  /** The revision of its last event, which commits to the ends of streams; null when that is not known. */
  readonly heads: number | null
}

/** How far the stream of seals was followed: up to the checkpoint whose range was compared last. */
export const sealsFollowed = z.object({
  /** The revision of the next event of the stream. */
  revision: z.int().nonnegative(),
  /** The keys introduced so far. */
  keys: z.int().nonnegative(),
  /** The newest of them. */
  keyId: z.string().nullable(),
  /** The newest checkpoint. */
  checkpoint: z.object({ number: z.int(), size: z.int(), last: z.string(), note: z.string() }).nullable(),
})
export type SealsFollowed = Readonly<z.infer<typeof sealsFollowed>>

export const noSealsFollowed: SealsFollowed = { revision: 0, keys: 0, keyId: null, checkpoint: null }

/** A range, and how far the stream of seals is followed once it is compared. */
export interface NextRange {
  readonly range: SealedRange
  readonly after: SealsFollowed
  /** The finding if its events are as they were sealed. */
  readonly missing: Finding | null
}

export interface SealedRangesDependencies {
  readonly eventStore: Pick<EventStore, 'readStream'>
  readonly publishedTree: Pick<PublishedTree, 'checkpoint' | 'checkpointOf'>
  /** The keys that seals may be signed with, oldest first: from the key store, not from the log. */
  readonly keys: readonly PublicKey[]
}

/** Checkpoints whose published copies are read at once. */
const READ_AHEAD = 32

const introduction = z.object({ keyId: z.string(), endorsement: z.string().nullable() })

/**
 * The ranges of the log that were sealed, one after another. Each checkpoint must be numbered, be over more events, be
 * published as recorded, and be signed with the key of its time, which its predecessor has signed.
 */
export class SealedRanges {
  private followed: SealsFollowed
  private readonly ahead: { readonly event: StoredEvent; readonly published: Promise<string | undefined> }[] = []

  constructor(
    private readonly dependencies: SealedRangesDependencies,
    from: SealsFollowed,
  ) {
    this.followed = from
  }

  /**
   * The next range; undefined when no more are sealed. After the last checkpoint of the log it is the range of a
   * published one that the log does not have.
   *
   * @throws {FindingError}
   */
  async next(): Promise<NextRange | undefined> {
    const { publishedTree } = this.dependencies
    const { checkpoint: before } = this.followed
    for (;;) {
      const recorded = await this.nextRecorded()
      if (recorded) return recorded
      // A checkpoint is recorded before it is published: what is published by now, the log has by now.
      const published = await publishedTree.checkpoint()
      if (published === undefined || published === before?.note) return undefined
      const isRecorded = await this.isRecorded(published)
      const { size } = readNote(published, {}, "The published checkpoint can't be read")
      if (before && size <= before.size) {
        if (!isRecorded) throw wrongSeal({}, `The published checkpoint of ${size} events is not in the log`)
        // The newest is published last of all: an older one there was put in its place, unless another came meanwhile.
        if ((await publishedTree.checkpointOf(before.size)) === undefined) return undefined
        if ((await publishedTree.checkpoint()) !== published) continue
        throw wrongSeal(
          {},
          `The published checkpoint of ${size} events is not the newest: one of ${before.size} was published`,
        )
      }
      if (!isRecorded) return this.lost(published)
    }
  }

  /** The range of the next checkpoint in the log. */
  private async nextRecorded(): Promise<NextRange | undefined> {
    for (;;) {
      if (this.ahead.length === 0) await this.readAhead()
      const next = this.ahead.shift()
      if (!next) return undefined
      const { event, published } = next
      const after = { ...this.followed, revision: event.revision + 1 }
      if (event.type === 'SealingKeyIntroduced') this.followed = { ...after, ...(await this.keyIntroducedBy(event)) }
      else if (event.type !== 'TreeCheckpointSigned') this.followed = after
      else {
        const { data, range } = await this.rangeOf(event, await published)
        const { number, size, last, note } = data
        this.followed = { ...after, checkpoint: { number, size, last, note } }
        return { range, after: this.followed, missing: null }
      }
    }
  }

  private async readAhead(): Promise<void> {
    const { eventStore, publishedTree } = this.dependencies
    for await (const page of eventStore.readStream(SEALS_STREAM, this.followed.revision, READ_AHEAD)) {
      for (const event of page) {
        const size = event.type === 'TreeCheckpointSigned' ? sizeIn(event) : undefined
        const published = size === undefined ? Promise.resolve(undefined) : publishedTree.checkpointOf(size)
        // It fails where it is awaited.
        published.catch(() => {})
        this.ahead.push({ event, published })
      }
      return
    }
  }

  /** Each key is this installation's and signed by its predecessor. */
  private async keyIntroducedBy(event: StoredEvent): Promise<Pick<SealsFollowed, 'keys' | 'keyId'>> {
    const { keyId, endorsement } = readSealEvent(introduction, event, 'introduces a key and')
    const { keys } = this.dependencies
    const [before, key] = [keys[this.followed.keys - 1], keys[this.followed.keys]]
    const wrong = (says: string) =>
      wrongSeal(placeOf(event), `Event ${event.position} introduces key ${keyId}, ${says}`)
    if (key?.id !== keyId) throw wrong("which is not this installation's next key")
    if (before && !(await isSigned(endorsementText(before.id, key), endorsement ?? '', before)))
      throw wrong(`but key ${before.id} before it has not signed that`)
    return { keys: this.followed.keys + 1, keyId }
  }

  private async rangeOf(
    event: StoredEvent,
    published: string | undefined,
  ): Promise<{ readonly data: TreeCheckpointData; readonly range: SealedRange }> {
    const data = readSealEvent(sealEvents.TreeCheckpointSigned.schema, event, 'holds a seal that')
    const { number, size, last, keyId, note } = data
    const { checkpoint: before } = this.followed
    const place = { ...placeOf(event), number: last }
    const wrong = (says: string) => wrongSeal(place, says)
    const expected = (before?.number ?? 0) + 1
    if (number !== expected)
      throw wrong(`Checkpoint ${expected} is missing or was replaced: checkpoint ${number} is in its place`)
    const name = `Checkpoint ${number}`
    if (published !== undefined && published !== note)
      throw wrong(`${name} in the log is not the published checkpoint of ${size} events`)
    const checkpoint = readNote(note, place, `${name} can't be read`)
    if (checkpoint.size !== size) throw wrong(`${name} is over ${checkpoint.size} events, but recorded for ${size}`)
    const key = this.dependencies.keys.find(({ id }) => id === keyId)
    if (!key) throw wrong(`${name} is signed with a key that is not this installation's: ${keyId}`)
    if (keyId !== this.followed.keyId)
      throw wrong(
        `${name} is signed with key ${keyId}, which was not the current one then: that was ${this.followed.keyId}`,
      )
    if (!(await isCheckpointSigned(checkpoint, key.publicKey)))
      throw wrong(`${name} has a signature that is not of key ${keyId}`)
    if (before && !(size > before.size && Number(last) > Number(before.last)))
      throw wrong(`${name} does not continue the one before it`)
    return {
      data,
      range: rangeAfter(before, { name: `checkpoint ${number}`, size, last, root: checkpoint.root, heads: data.heads }),
    }
  }

  /** Whether a note is in the log, from what was followed on or before it. */
  private async isRecorded(note: string): Promise<boolean> {
    for (const from of [this.followed.revision, 0])
      for await (const page of this.dependencies.eventStore.readStream(SEALS_STREAM, from))
        if (page.some((event) => event.type === 'TreeCheckpointSigned' && noteIn(event) === note)) return true
    return false
  }

  /** The log may have been truncated: its last checkpoint is still published. */
  private async lost(published: string): Promise<NextRange> {
    const { checkpoint: before, revision } = this.followed
    const checkpoint = readNote(published, {}, "The published checkpoint can't be read")
    const { size, root } = checkpoint
    const place = { stream: SEALS_STREAM, revision }
    const isOurs = await Promise.all(
      this.dependencies.keys.map(({ publicKey }) => isCheckpointSigned(checkpoint, publicKey)),
    )
    if (!isOurs.includes(true))
      throw wrongSeal(place, `The published checkpoint of ${size} events is not signed with a key of this installation`)
    const name = `he checkpoint of ${size} events`
    this.followed = {
      ...this.followed,
      checkpoint: { number: before?.number ?? 0, size, last: before?.last ?? '0', note: published },
    }
    return {
      range: rangeAfter(before, { name: `t${name}`, size, last: null, root, heads: null }),
      after: this.followed,
      missing: findingAt('missing', place, `T${name} is published, but its event is missing in the log`),
    }
  }
}

function rangeAfter(
  before: SealsFollowed['checkpoint'],
  {
    root,
    size,
    ...named
  }: Pick<SealedRange, 'name' | 'last' | 'heads'> & { readonly size: number; readonly root: Uint8Array },
): SealedRange {
  return {
    ...named,
    before: Number(before?.last ?? 0),
    low: before?.size ?? 0,
    high: size,
    root: Buffer.from(root).toString('hex'),
  }
}

const placeOf = ({ position, stream, revision }: StoredEvent) => ({ number: position, stream, revision })

function wrongSeal(place: Parameters<typeof findingAt>[1], says: string): FindingError {
  return new FindingError(findingAt('seal', place, says))
}

function readNote(note: string, place: Parameters<typeof findingAt>[1], says: string) {
  return readOr(findingAt('seal', place, says), () => parseCheckpoint(note))
}

function readSealEvent<Data>(schema: z.ZodType<Data>, event: StoredEvent, what: string): Data {
  return readOr(findingOf('altered', event, `Event ${event.position} ${what} can't be read`), () =>
    schema.parse(JSON.parse(event.data)),
  )
}

/** Reads a part of an event before the event is checked; undefined where that can't be read. */
function partOf<Part>(schema: z.ZodType<Part>, { data }: StoredEvent): Part | undefined {
  try {
    return schema.safeParse(JSON.parse(data)).data
  } catch {
    return undefined
  }
}

const sizeIn = (event: StoredEvent) => partOf(z.object({ size: z.int().nonnegative() }), event)?.size
const noteIn = (event: StoredEvent) => partOf(z.object({ note: z.string() }), event)?.note
