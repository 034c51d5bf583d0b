import { hash } from 'node:crypto'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { leafText, type SealedEvent } from './signed-texts.ts'
import { leafOf } from './merkle-tree.ts'

/**
 * The hashes of a stored event that a seal covers. Data and metadata are hashed separately, so that either can be
 * withheld later.
 */
export function sealedEventOf({ position, stream, revision, id, type, data, metadata }: StoredEvent): SealedEvent {
  return {
    position,
    stream,
    revision,
    id,
    type,
    at: timeOf(metadata),
    dataHash: hash('sha256', data),
    metadataHash: hash('sha256', metadata),
  }
}

/** The leaf of a stored event. */
export function leafOfEvent(event: StoredEvent): Buffer {
  return leafOf(leafText(sealedEventOf(event)))
}

const timePattern = /^\{"version":\d{1,9},"at":(\d{1,15}),/

/**
 * When an event was recorded, ms since 1970. The metadata of our events begins with version and time; others get -1.
 */
export function timeOf(metadata: string): number {
  return Number(timePattern.exec(metadata)?.[1] ?? -1)
}
