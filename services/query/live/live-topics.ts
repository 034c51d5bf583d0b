import type { StoredEvent } from '#infra/event-store/event-store.ts'
import type { Topic } from '#services/api/live-schemas.ts'
import type { liveTopics, Refreshes } from '#services/modules/event-description.ts'
import { describeEvent } from '#services/domain/all-event-descriptions.ts'
import { type AnyEvent, definitions, userIdOf } from '#services/domain/streams.ts'

/** The session that an open page belongs to. */
export interface Subject {
  readonly kind: keyof typeof liveTopics
  /** User id or access key id. */
  readonly id: string
}

/** What an event changed for open pages. */
export interface Change {
  /** The user it is about, if any. */
  readonly userId: string | undefined
  readonly topics: Refreshes
}

/** What an event changes for open pages, by its type and stream; undefined when nothing. */
export function changeOf({ type, stream }: Pick<StoredEvent, 'type' | 'stream'>): Change | undefined {
  if (!isKnown(type)) return undefined
  const { refreshes } = describeEvent(type)
  return Object.keys(refreshes).length === 0 ? undefined : { userId: userIdOf(stream), topics: refreshes }
}

/** The topics that a page reads again after a change: a trader those of their own events, an administrator those of all. */
export function topicsFor({ kind, id }: Subject, { userId, topics }: Change): readonly Topic[] {
  return (kind === 'admin' || id === userId ? topics[kind] : undefined) ?? []
}

function isKnown(type: string): type is AnyEvent['type'] {
  return Object.hasOwn(definitions, type)
}
