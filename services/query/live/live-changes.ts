import type { StoredEvent } from '#infra/event-store/event-store.ts'
import {
  isForEverybody,
  isSilent,
  isStaffOnly,
  subjectOf,
  type SubjectName,
  userIdOf,
} from '#services/oversight/event-catalogue.ts'

/** The session that an open page belongs to. */
export interface Reader {
  readonly kind: 'trader' | 'admin'
  /** User id or access key id. */
  readonly id: string
}

/** A change that an event made for open pages. */
export interface Change {
  /** The user it is about, if any. */
  readonly userId: string | undefined
  readonly subject: SubjectName
  /** Traders do not see it. */
  readonly staffOnly: boolean
  /** Pages of all traders show it. */
  readonly forEverybody: boolean
}

/** Returns the change that an event makes for open pages, by its type and stream; undefined for none. */
export function changeOf({ type, stream }: Pick<StoredEvent, 'type' | 'stream'>): Change | undefined {
  const subject = isSilent(type) ? undefined : subjectOf(type)
  return (
    subject && { userId: userIdOf(stream), subject, staffOnly: isStaffOnly(type), forEverybody: isForEverybody(type) }
  )
}

/** Whether a page reads again after a change: a trader's after their own events and what is for all, one of staff after all. */
export function concerns({ kind, id }: Reader, { userId, staffOnly, forEverybody }: Change): boolean {
  return kind === 'admin' || forEverybody || (id === userId && !staffOnly)
}
