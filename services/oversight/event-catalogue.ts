import { traderSubject } from '#services/trading/traders/trader-subject.ts'
import { parseStreamName, type StreamPerson, streamName } from '#services/event-sourcing/aggregate-type.ts'
import type { EventDefinition, EventDefinitions, EventOf } from '#services/event-sourcing/event-definitions.ts'
import type { EventRegistry } from '#services/event-sourcing/event-registry.ts'
import type { Route } from '#services/framework/api/route.ts'
import { accountParts } from '#services/oversight/audit/account-parts.ts'
import { accountSubject } from '#services/trading/accounts/account-subject.ts'
import { auditSubject } from '#services/oversight/audit/audit-subject.ts'
import { savedDestinationSubject } from '#services/payments/destinations/saved-destination-subject.ts'
import { replyTemplateSubject } from '#services/payments/reply-templates/reply-template-subject.ts'
import { calendarSubject } from '#services/trading/calendar/calendar-subject.ts'
import { caseSubject } from '#services/trading/cases/case-subject.ts'
import { batchSubject } from '#services/payments/batches/batch-subject.ts'
import { certificateSubject } from '#services/trading/certificates/certificate-subject.ts'
import { enrolmentSubject } from '#services/trading/enrolments/enrolment-subject.ts'
import {
  type EventCategory,
  type EventDescription,
  type EventDescriptions,
  eventGroups,
  type MailedTypeOf,
} from '#services/framework/event-description.ts'
import { importSubject } from '#services/trading/imports/import-subject.ts'
import { installationSubject } from '#services/operations/installation/installation-subject.ts'
import { setupSubject } from '#services/operations/setup/setup-subject.ts'
import { noticeSubject } from '#services/oversight/notices/notice-subject.ts'
import { firmSubject } from '#services/identity/firm/firm-subject.ts'
import { findingSubject } from '#services/trading/findings/finding-subject.ts'
import { observationSubject } from '#services/trading/observations/observation-subject.ts'
import { payoutSubject } from '#services/payments/payouts/payout-subject.ts'
import { apiKeySubject } from '#services/identity/api-keys/api-key-subject.ts'
import { programmeSubject } from '#services/programmes/programmes/programme-subject.ts'
import { savedViewSubject } from '#services/identity/saved-views/saved-view-subject.ts'
import { secondFactorSubject } from '#services/identity/second-factors/second-factor-subject.ts'
import { signInSubject } from '#services/identity/sign-in/sign-in-subject.ts'
import { staffSubject } from '#services/identity/staff/staff-subject.ts'
import type { KeyScope } from '#services/identity/api-keys/api-key-vocabulary.ts'
import type { KnownAccess } from '#services/identity/staff/permissions.ts'
import { statisticsSubject } from '#services/oversight/statistics/statistics-subject.ts'
import { partsOfPath, type ShownField, type ShownObject } from '#services/framework/shown-state.ts'
import { merged, type Subject } from '#services/framework/subject.ts'
import { userNoteSubject } from '#services/identity/user-notes/user-note-subject.ts'
import { userSubject } from '#services/identity/users/user-subject.ts'

/**
 * The list of subjects, and the catalogue of events that is derived from it: their streams, their registry, and what
 * they mean. It runs anywhere; services/portal/modules.ts is the list of the server halves.
 */

/** A subject whose calls ask for permissions that there are. */
type KnownSubject = Subject<
  EventDefinitions,
  unknown,
  Readonly<Record<string, Route & { readonly access: KnownAccess; readonly scope?: KeyScope }>>
>

export const subjects = {
  'sign-in': signInSubject,
  users: userSubject,
  traders: traderSubject,
  'second-factors': secondFactorSubject,
  accounts: accountSubject,
  observations: observationSubject,
  imports: importSubject,
  findings: findingSubject,
  cases: caseSubject,
  payouts: payoutSubject,
  batches: batchSubject,
  destinations: savedDestinationSubject,
  'reply-templates': replyTemplateSubject,
  certificates: certificateSubject,
  notices: noticeSubject,
  programmes: programmeSubject,
  calendar: calendarSubject,
  enrolments: enrolmentSubject,
  staff: staffSubject,
  firm: firmSubject,
  'api-keys': apiKeySubject,
  'saved-views': savedViewSubject,
  'user-notes': userNoteSubject,
  statistics: statisticsSubject,
  installation: installationSubject,
  setup: setupSubject,
  audit: auditSubject,
} as const satisfies Readonly<Record<string, KnownSubject>>

type Subjects = typeof subjects
export type SubjectName = keyof Subjects

const all: readonly Subject[] = Object.values(subjects)

/** The names of all subjects, which open pages hear about when something changes. */
export const subjectNames = Object.keys(subjects).filter(isSubjectName)

function isSubjectName(name: string): name is SubjectName {
  return Object.hasOwn(subjects, name)
}

// Events and streams.

/** Every event of the firm, of any stream. */
export type AnyEvent = { [Name in SubjectName]: EventOf<Subjects[Name]['events']> }[SubjectName]

type Definitions = { readonly [Type in AnyEvent['type']]: EventDefinition }

export const definitions = complete<Definitions>(
  merged(
    'event',
    all.map(({ events }) => events),
  ),
)

const aggregates = all.flatMap((each) => each.aggregates)
const byCategory = new Map(
  Object.entries(
    merged(
      'category of streams',
      aggregates.map((each) => ({ [each.category]: each })),
    ),
  ),
)

/** How the names of all our streams begin: they select our events in a log that other programs write to as well. */
export const streamPrefixes = aggregates.map((type) => streamName(type, ''))

function personOf(stream: string, kind?: StreamPerson['kind']): string | undefined {
  const { category, id } = parseStreamName(stream)
  const person = stream.includes('-') ? byCategory.get(category)?.person : undefined
  return person && (kind === undefined || person.kind === kind) ? person.idOf(id) : undefined
}

/**
 * The person whose key encrypts the personal fields of a stream, a user or a member of staff; undefined for a stream
 * about no person.
 */
export function personIdOf(stream: string): string | undefined {
  return personOf(stream)
}

/** The user whom a stream is about; undefined for any other stream. */
export function userIdOf(stream: string): string | undefined {
  return personOf(stream, 'user')
}

/** The generic event sourcing knows the firm's events by this registry. */
export const eventRegistry: EventRegistry<AnyEvent> = {
  definitions,
  personIdOf,
  beginsPerson: (stream) => byCategory.get(parseStreamName(stream).category)?.person?.begins ?? false,
}

/** The subject of an event; undefined for a type that is none of ours. */
export function subjectOf(type: string): SubjectName | undefined {
  return subjectsByType.get(type)
}

const subjectsByType = new Map(
  subjectNames.flatMap((name) => Object.keys(subjects[name].events).map((type) => [type, name] as const)),
)

/** The subjects whose events are in streams about users: a history is read again after them. */
export const subjectsOfUsers: readonly SubjectName[] = [
  ...new Set(
    aggregates
      .filter(({ person }) => person?.kind === 'user')
      .flatMap((type) => Object.keys(type.definitions).flatMap((event) => subjectOf(event) ?? [])),
  ),
]

// The meaning of events.

type Descriptions = { readonly [Name in SubjectName]: Subjects[Name]['descriptions'] }[SubjectName]

export const eventDescriptions = complete<EventDescriptions<AnyEvent>>(
  merged<unknown>(
    'description',
    Object.values(subjects).map(({ descriptions }) => descriptions),
  ),
)

/** Whether a type is one of our events'. */
export function isEventType(type: string): type is AnyEvent['type'] {
  return Object.hasOwn(definitions, type)
}

/** Returns the meaning of an event, by its type. */
export function describeEvent<Type extends AnyEvent['type']>(
  type: Type,
): EventDescription<Extract<AnyEvent, { type: Type }>> {
  return eventDescriptions[type]
}

const described = Object.entries<EventDescription<never>>(eventDescriptions)

/** The categories that the audit filters events by, in the order that it offers them. */
export const eventCategories: Readonly<Record<string, EventCategory>> = merged(
  'category',
  all.map(({ categories }) => categories),
)
for (const [type, { category }] of described)
  if (!Object.hasOwn(eventCategories, category))
    throw new Error(`${type} is in the category ${category}, which no subject declares`)

/** The titles of event types. */
export const eventTitles: ReadonlyMap<string, string> = new Map(described.map(([type, { title }]) => [type, title]))

/** The titles that traders see, where they are other ones. */
export const traderTitles: ReadonlyMap<string, string> = new Map(
  described.flatMap(([type, { traderTitle }]) => (traderTitle === undefined ? [] : [[type, traderTitle]])),
)

/** The titles of the lines in which a history takes events together by the day. */
export const dayTitles: ReadonlyMap<string, string> = new Map(
  described.flatMap(([type, { ofDay }]) => (ofDay === undefined ? [] : [[type, ofDay]])),
)

/** The objects that changes name, by the first part of their paths. */
export const shownObjects: Readonly<Record<string, ShownObject>> = merged('object of changes', [
  ...all.map(({ shown }) => shown),
  accountParts,
])

/** How a field that a path of a change names is shown; undefined for one that no subject declares. */
export function shownField(path: string): ShownField | undefined {
  const { object, name } = partsOfPath(path)
  const shown = shownObjects[object]
  return shown?.fields[name] ?? shown?.onlyInChanges?.[name]
}

/** Whether open pages do not read again after an event. */
export function isSilent(type: string): boolean {
  return silentTypes.has(type)
}

const silentTypes: ReadonlySet<string> = new Set(described.flatMap(([type, { silent }]) => (silent ? [type] : [])))

/** Whether the trader whom an event is about does not see it. */
export function isStaffOnly(type: string): boolean {
  return staffOnlyTypes.has(type)
}

const staffOnlyTypes: ReadonlySet<string> = new Set(
  described.flatMap(([type, { staffOnly }]) => (staffOnly ? [type] : [])),
)

/** Whether pages of all traders show what an event changed. */
export function isForEverybody(type: string): boolean {
  return typesForEverybody.has(type)
}

const typesForEverybody: ReadonlySet<string> = new Set(
  described.flatMap(([type, { forEverybody }]) => (forEverybody ? [type] : [])),
)

/** The types of the events that a mail is sent about. */
export type MailedEventType = MailedTypeOf<Descriptions>
export type MailedEvent = Extract<AnyEvent, { type: MailedEventType }>

/** Those whose mail somebody waits for: links to sign in with, and what its owner must learn at once. */
export const urgentMails: readonly string[] = described.flatMap(([type, { urgent }]) => (urgent ? [type] : []))

export interface EventFilterOption {
  /** The types of a category, comma-separated, as the audit's calls take them. */
  readonly value: string
  readonly label: string
  /** The heading that it stands under. */
  readonly group: string
  /** Traders never see such events. */
  readonly staffOnly: boolean
}

export const eventFilterOptions: readonly EventFilterOption[] = Object.entries(eventCategories).map(
  ([category, { label, group, staffOnly }]) => ({
    value: described.flatMap(([type, description]) => (description.category === category ? [type] : [])).join(','),
    label,
    group: eventGroups[group],
    staffOnly,
  }),
)

/**
 * The types of the events that decide something: neither balances nor sign-ins nor technical records. Comma-separated.
 */
export const decisionTypes: string = described
  .flatMap(([type, { category }]) => (eventCategories[category]?.isDecision ? [type] : []))
  .join(',')

/** The tables above hold every subject's entries, which the type system cannot follow. */
function complete<Table extends object>(table: Readonly<Record<string, unknown>>): Table {
  return table as Table
}
