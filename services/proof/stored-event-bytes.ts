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
    ...beginningOf(metadata),
    dataHash: hash('sha256', data),
    metadataHash: hash('sha256', metadata),
  }
}

/** The leaf of a stored event. */
export function leafOfEvent(event: StoredEvent): Buffer {
  return leafOf(leafText(sealedEventOf(event)))
}

const beginning = /^\{"version":(\d{1,9}),"at":(\d{1,15}),/

/**
 * The version of an event's data, and when it was recorded, ms since 1970. The metadata of our events begins with both;
 * others get -1.
 */
export function beginningOf(metadata: string): { readonly version: number; readonly at: number } {
  const [, version = -1, at = -1] = beginning.exec(metadata) ?? []
  return { version: Number(version), at: Number(at) }
}
