import type { StoredEvent } from '../../../infra/event-store/event-store.ts'
import type { Topic } from '../../api/index.ts'
import type { liveTopics } from '../../domain/event-description.ts'
import { describeEvent } from '../../domain/all-event-descriptions.ts'
import { type AnyEvent, definitions, parseStreamName, userIdOf } from '../../domain/streams.ts'

/** The session that an open page belongs to. */
export interface Subject {
  readonly kind: keyof typeof liveTopics
  /** User id or access key id. */
  readonly id: string
}

/** What an event changed for open pages. */
export interface Change {
  /** The subject of the event; their sessions may have ended with it. */
  readonly subject: Subject
  readonly topics: { readonly [Kind in Subject['kind']]?: readonly Topic[] }
  readonly mayEndSessions: boolean
}

/** What an event changes for open pages, by its type and stream; undefined when nothing. */
export function changeOf({ type, stream }: Pick<StoredEvent, 'type' | 'stream'>): Change | undefined {
  if (!isKnown(type)) return undefined
  const { refreshes, mayEndSessions = false } = describeEvent(type)
  if (Object.keys(refreshes).length === 0 && !mayEndSessions) return undefined
  const userId = userIdOf(stream)
  const subject: Subject = userId === undefined ? { kind: 'admin', id: parseStreamName(stream).id } : { kind: 'trader', id: userId }
  return { subject, topics: refreshes, mayEndSessions }
}

/** The topics that a page reads again after a change: a trader those of their own events, an administrator those of all. */
export function topicsFor({ kind, id }: Subject, { topics, subject }: Change): readonly Topic[] {
  return (kind === 'admin' || isSubject(subject, { kind, id }) ? topics[kind] : undefined) ?? []
}

/** Whether a session may have ended with a change. */
export function mayEndSession(session: Subject, { subject, mayEndSessions }: Change): boolean {
  return mayEndSessions && isSubject(subject, session)
}

function isSubject(one: Subject, other: Subject): boolean {
  return one.kind === other.kind && one.id === other.id
}

function isKnown(type: string): type is AnyEvent['type'] {
  return Object.hasOwn(definitions, type)
}
