import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { emptyMap, type HeadMap, keyOf, rootOf, toBytes, withHead } from './head-map.ts'
import { type Finding, findingOf, readOr } from './log-finding.ts'
import { SEALS_STREAM, sealEvents } from './seal.ts'

/** Earlier maps that are kept: heads are committed moments after they were read, and others append meanwhile. */
const RECENT = 4_096

/** Makes the map of the streams' heads again from all events, and compares it wherever the log commits to it. */
export class CommittedHeads {
  private map: HeadMap
  private leaves: number
  /** After the last leaves, the newest last. Heads are never older than the checkpoint before them. */
  private recent: HeadMap[]
  /** The first difference. */
  difference: Finding | undefined
  /** The revision of the last event, if that commits to heads. */
  last: number | undefined

  constructor(before?: CommittedHeads) {
    this.map = before?.map ?? emptyMap
    this.leaves = before?.leaves ?? 0
    this.recent = [this.map]
    this.difference = before?.difference
    this.last = before?.last
  }

  add(event: StoredEvent, leaf: Uint8Array): void {
    const isHeads = event.type === 'StreamHeadsCommitted' && event.stream === SEALS_STREAM
    this.last = isHeads ? event.revision : undefined
    if (isHeads) this.compare(event)
    this.map = withHead(this.map, { key: keyOf(event.stream), revision: event.revision, leaf: toBytes(leaf) })
    this.leaves += 1
    this.recent.push(this.map)
    if (this.recent.length > 2 * RECENT) this.recent = this.recent.slice(-RECENT)
  }

  private compare(event: StoredEvent): void {
    const { position } = event
    const heads = readOr(
      findingOf('altered', event, `Event ${position} holds ends of streams that can't be read`),
      () => sealEvents.StreamHeadsCommitted.schema.parse(JSON.parse(event.data)),
    )
    const map = this.recent.at(heads.size - this.leaves - 1)
    const isSame =
      heads.size <= this.leaves &&
      map !== undefined &&
      heads.streams === map.streams &&
      heads.root === rootOf(map).toString('base64')
    if (isSame) return
    const says = `Event ${position} commits to other ends of streams than the first ${heads.size} events have`
    this.difference ??= findingOf('seal', event, says)
  }
}
