import { HIDDEN } from './api/text.ts'
import type { noticeKinds } from './notice-vocabulary.ts'
import type { Scalar } from './shown-state.ts'
import type { AppendedEvent, DomainEvent } from '#services/event-sourcing/event-definitions.ts'

export type NoticeKind = (typeof noticeKinds)[number]

/** How an event is described to people: in the audit, on open pages, in the chart of an account and by mail. */
export interface EventDescription<Event extends DomainEvent> {
  readonly title: string
  /** The title for its trader, where it is another one. */
  readonly traderTitle?: string
  /** Its trader does not see it. */
  readonly staffOnly?: true
  /** Open pages of all traders read again, although it is about none of them. */
  readonly forEverybody?: true
  /** Open pages do not read again: it renews or ends sessions, and a page could still send the cookie before. */
  readonly silent?: true
  /** The name of its category: its own subject declares it, or another. */
  readonly category: string
  /** The fields that it changed. Left out where the title says it all. */
  readonly changes?: (event: AppendedEvent<Event>) => readonly FieldChange[]
  /** The rows that it holds, where there can be many. Its details show them. */
  readonly content?: (data: Event['data']) => EventContent
  /** Why, in the words of the person who decided. Its trader may read it. */
  readonly reason?: (data: Event['data']) => string | null
  /** The number of the mistaken event that it corrects. */
  readonly corrects?: (data: Event['data']) => number | null
  /** A history shows those of a day as one line, with this title. */
  readonly ofDay?: string
  /** The label of its marker in the chart of an account. */
  readonly marker?: (data: Event['data']) => string
  /** A mail tells its user: the server half of its subject has the text. */
  readonly mail?: true
  /** Somebody waits for that mail, such as a link to sign in with: it leaves before others. */
  readonly urgent?: true
  /**
   * The trader's bell shows it, unless the trader did it; and its mail, if any, is sent unless the trader chose
   * otherwise.
   */
  readonly notice?: NoticeKind
}

/** The first rows of an event, each in a line, and how many more there are. */
export interface EventContent {
  readonly rows: readonly string[]
  readonly more: number
}

/** A description of every event of a union. */
export type EventDescriptions<Event extends DomainEvent> = {
  readonly [Type in Event['type']]: EventDescription<Extract<Event, { type: Type }>>
}

/** The types of the events that have a part in a table of descriptions. */
export type TypeWith<Part, Descriptions> = Descriptions extends unknown
  ? { [Type in keyof Descriptions]: Descriptions[Type] extends Part ? Type & string : never }[keyof Descriptions]
  : never

/** The types of the events that a mail is sent about. */
export type MailedTypeOf<Descriptions> = TypeWith<{ readonly mail: true }, Descriptions>

/** The headings of the audit's filter, in their order. */
export const eventGroups = {
  people: 'People and sign-in',
  account: 'Accounts',
  trading: 'Trading and rules',
  payments: 'Payments',
  firm: 'Firm and staff',
} as const
type EventGroup = keyof typeof eventGroups

/** A category that the audit filters events by. Decisions are what a history shows first. */
export interface EventCategory {
  readonly label: string
  /** The heading under which the filter of the audit offers it. */
  readonly group: EventGroup
  readonly staffOnly: boolean
  readonly isDecision: boolean
}

/** One field that an event changed: 'account.status', 'payouts.<id>.status', or a whole 'payouts.<id>'. */
export interface FieldChange {
  readonly field: string
  readonly from: FieldValue
  readonly to: FieldValue
}

type FieldValue = Scalar | { readonly [field: string]: Scalar }

export function change(field: string, from: FieldValue, to: FieldValue): FieldChange {
  return { field, from, to }
}

/**
 * Whether a change has two values. What is equal before and after says nothing, but of a secret: whether it is another
 * one is not shown.
 */
export function saysSomething({ from, to }: FieldChange): boolean {
  return from !== to || to === HIDDEN
}

/** The fields in which two records of the same shape differ. */
export function changesBetween(
  prefix: string,
  from: Readonly<Record<string, Scalar>>,
  to: Readonly<Record<string, Scalar>>,
): FieldChange[] {
  return Object.keys(to).flatMap((field) => {
    const [before, after] = [from[field] ?? null, to[field] ?? null]
    return before === after ? [] : [change(`${prefix}.${field}`, before, after)]
  })
}

/** ISO 8601. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()
