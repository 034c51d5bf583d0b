import type { noticeKinds } from './notices/notice-vocabulary.ts'
import type { AppendedEvent, DomainEvent } from '#services/event-sourcing/event-definitions.ts'

export type NoticeKind = (typeof noticeKinds)[number]

/** How an event is described to people: in the audit, on open pages, in the chart of an account and by mail. */
export interface EventDescription<Event extends DomainEvent> {
  readonly title: string
  /** The title for its trader, where it is another one. */
  readonly traderTitle?: string
  /** Its trader does not see it. */
  readonly staffOnly?: true
  readonly category: EventCategory
  /** The pages that read again when it happens, where they are open. */
  readonly refreshes: Refreshes
  /** The fields that it changed. Left out where the title says it all. */
  readonly changes?: (event: AppendedEvent<Event>) => readonly FieldChange[]
  /** Why, in the words of the person who decided. Its trader may read it. */
  readonly reason?: (data: Event['data']) => string | null
  /** The label of its marker in the chart of an account. */
  readonly marker?: (data: Event['data']) => string
  /** A mail tells its user: services/worker/mail/mail-templates.ts has its text. */
  readonly mail?: true
  /** The trader's bell shows it, unless the trader did it; and its mail, if any, is sent unless the trader chose otherwise. */
  readonly notice?: NoticeKind
}

/** A description of every event of a union. */
export type EventDescriptions<Event extends DomainEvent> = {
  readonly [Type in Event['type']]: EventDescription<Extract<Event, { type: Type }>>
}

/** The categories that the audit filters events by, in the order that it offers them. Decisions are what a history shows first. */
export const eventCategories = {
  status: { label: 'Account status', staffOnly: false, isDecision: true },
  phase: { label: 'Phase', staffOnly: false, isDecision: true },
  balance: { label: 'Balance and profit/loss', staffOnly: false, isDecision: false },
  limits: { label: 'Limits', staffOnly: false, isDecision: true },
  eligibility: { label: 'Payout eligibility', staffOnly: false, isDecision: true },
  payouts: { label: 'Payouts', staffOnly: false, isDecision: true },
  bans: { label: 'Bans', staffOnly: false, isDecision: true },
  certificates: { label: 'Certificates', staffOnly: false, isDecision: true },
  platform: { label: 'Platform login', staffOnly: false, isDecision: true },
  identity: { label: 'Identity', staffOnly: false, isDecision: true },
  passwords: { label: 'Passwords', staffOnly: false, isDecision: false },
  secondFactors: { label: 'Second factors', staffOnly: false, isDecision: false },
  sessions: { label: 'Sessions', staffOnly: false, isDecision: false },
  disclosures: { label: 'Passwords shown, and downloads by staff', staffOnly: false, isDecision: true },
  notices: { label: 'Notices', staffOnly: false, isDecision: false },
  signIns: { label: 'Sign-ins of administrators', staffOnly: true, isDecision: false },
  accessKeys: { label: 'Access keys', staffOnly: true, isDecision: true },
  seals: { label: 'Seals', staffOnly: true, isDecision: false },
  emailAddresses: { label: 'Email addresses', staffOnly: true, isDecision: false },
  installation: { label: 'Installation and mail', staffOnly: true, isDecision: false },
} as const

export type EventCategory = keyof typeof eventCategories

/** The subjects that open pages may have to read again: pages of the event's trader, and pages of administrators. */
export const liveTopics = { trader: ['user', 'account', 'payouts', 'certificates'], admin: ['users', 'payouts'] } as const

export type Refreshes = { readonly [Kind in keyof typeof liveTopics]?: readonly (typeof liveTopics)[Kind][number][] }

/** One field that an event changed: 'account.status', 'payouts.<id>.status', or a whole 'payouts.<id>'. */
export interface FieldChange {
  readonly field: string
  readonly from: FieldValue
  readonly to: FieldValue
}

type Scalar = string | number | boolean | null
type FieldValue = Scalar | { readonly [field: string]: Scalar }

/** Replaces a secret that is set. */
export const HIDDEN = '••••••••'

export function change(field: string, from: FieldValue, to: FieldValue): FieldChange {
  return { field, from, to }
}

/** The fields in which two records of the same shape differ. */
export function changesBetween(prefix: string, from: Readonly<Record<string, Scalar>>, to: Readonly<Record<string, Scalar>>): FieldChange[] {
  return Object.keys(to).flatMap((field) => {
    const [before, after] = [from[field] ?? null, to[field] ?? null]
    return before === after ? [] : [change(`${prefix}.${field}`, before, after)]
  })
}

/** ISO 8601. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()
