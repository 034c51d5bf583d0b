import { toPosition } from '#infra/event-store/event-store.ts'
import type { AuditState } from './audit-api.ts'
import type { AuditActor, AuditEvent } from './audit-event-api.ts'
import { applyEvent, auditStateOf, emptyTimelineState, type TimelineState } from './account-state.ts'
import { accountIdOfStream, formatActorInFull, toAuditEntry } from './audit-entry.ts'
import { actor } from '#services/framework/api/actor.ts'
import { type AccountId, accountId, ownerOf, userId } from '#services/framework/ids.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import type { ProgrammeStage } from '#services/trading/stream/programme-stage.ts'
import { type AnyEvent, eventRegistry, personIdOf } from '#services/oversight/event-catalogue.ts'
import { calendarDecider, calendarStreams } from '#services/trading/calendar/calendar.ts'
import { fold } from '#services/event-sourcing/decider.ts'
import { userStreams } from '#services/identity/users/user.ts'
import { isEventOf, streamName } from '#services/event-sourcing/aggregate-type.ts'
import { actorHashIn, decisionsIn, decodeClearData } from '#services/event-sourcing/codec/event-decoding.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { metadata as metadataSchema, type Metadata } from '#services/event-sourcing/codec/metadata.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import { definitionOf } from '#services/event-sourcing/event-registry.ts'
import type { AccountExport, ExportedEvent } from '#services/proof/export-format.ts'
import { caseLines } from './case-lines.ts'
import { stageVerdicts } from './stage-verdicts.ts'
import { inOneLine, type JudgedEvent, type Verdict, verdictsOn } from './verdicts.ts'

/**
 * Derives the history in an export from its recorded events, with the code that the portal itself decides and audits
 * with. Runs in browsers.
 */

/** In place of a personal field that the file does not disclose. */
export const NOT_IN_FILE = 'not in this file'

/** An event in the words of the audit. */
export interface DerivedEntry extends Omit<AuditEvent, 'actor' | 'requestId'> {
  /** Null where the file withholds who it was. */
  readonly actor: AuditActor | null
  /**
   * The member of staff who decided, numbered from 1 as they appear in the file; null for others, and where it was not
   * recorded.
   */
  readonly staffMember: number | null
  readonly requestId: string | null
}

/** The history of an account, oldest entry first. */
export interface DerivedHistory {
  readonly entries: readonly DerivedEntry[]
  /** The account after the first `count` entries. @throws {RangeError} without entries. */
  stateAfter(count: number): AuditState
  /** The ledgers of the accounts, added up. */
  readonly ledgers: readonly LedgerSum[]
  /** The programmes that the accounts are under, with the terms that their stages began with. */
  readonly programmes: readonly AccountProgramme[]
  /** The verdicts on the accounts, with whether they follow from the rules. */
  readonly verdicts: readonly Verdict[]
  /** What became of each case, a line each. */
  readonly cases: readonly string[]
  /** The entries whose time cannot be, a sentence each. */
  readonly untimely: readonly string[]
}

/** The version of a programme that an account is under. */
export interface AccountProgramme extends Pick<ProgrammeStage, 'id' | 'name' | 'version' | 'hash' | 'stage'> {
  readonly account: AccountId
}

/** The ledger of an account, added up. */
export interface LedgerSum {
  readonly account: AccountId
  readonly entries: number
  /** Cents. */
  readonly sum: number
  /** The number of the first entry that does not begin with the sum of those before it; null where all do. */
  readonly faultAt: number | null
}

/** Personal fields of an event that disclosures prove, as they are stored. */
export type DisclosedFields = Readonly<Record<string, unknown>>

/**
 * Decodes and folds the events of a file.
 *
 * @param disclosed For each event, by its place in the file.
 * @param untimely The entries whose time cannot be, by their numbers, with why.
 * @throws {Error} when this program cannot read one of them.
 */
export function deriveHistory(
  { account, events, heads }: Pick<AccountExport, 'account' | 'events' | 'heads'>,
  disclosed: readonly DisclosedFields[],
  untimely: ReadonlyMap<number, string> = new Map(),
): DerivedHistory {
  const one = accountId.safeParse(account).data
  const owner = one ? ownerOf(one) : userId.parse(account)
  const absent = events.some(({ type, stream }) => type === 'UserDeleted' && personIdOf(stream) === owner)
    ? ERASED
    : NOT_IN_FILE
  const staff = staffMembersOf(events)
  const read = events.map((event, n) =>
    event.data === null ? undefined : decode(event, event.data, disclosed[n] ?? {}, absent),
  )
  const { calendar } = fold(
    calendarDecider,
    read.flatMap((event) => (event && isEventOf(calendarStreams, event) ? [event] : [])),
  )
  const decoded = read.map((event) => event && { ...event, calendar })
  const foldNext = (state: TimelineState, event: RecordedEvent<AnyEvent> | undefined) =>
    event?.personId === owner ? applyEvent(state, event) : state
  const judgedOf = (id: AccountId) => judgedEvents(streamName(accountStreams, id), decoded, entries)
  const states = [...decoded.reduce(foldNext, emptyTimelineState).accounts]
  const entries = events.map((event, n) => entryOf(event, decoded[n], absent, staff.get(event) ?? null))
  const endsAt = Math.max(events.at(-1)?.at ?? 0, heads?.event.at ?? 0)
  return {
    entries,
    ledgers: states.map(([id, { ledger }]) => ({
      account: id,
      entries: ledger.entries,
      sum: ledger.sum,
      faultAt: ledger.faultAt === null ? null : numberOf(events, streamName(accountStreams, id), ledger.faultAt),
    })),
    programmes: states.flatMap(
      ([
        id,
        {
          account: { programme },
        },
      ]) => {
        if (!programme) return []
        const { id: programmeId, name, version, hash, stage } = programme
        return [{ account: id, id: programmeId, name, version, hash, stage }]
      },
    ),
    cases: states.flatMap(([id, state]) => caseLines(state, judgedOf(id), endsAt)),
    verdicts: [
      ...states.flatMap(([id]) => verdictsOn(id, judgedOf(id), endsAt, untimely)),
      ...stageVerdicts(decoded, endsAt),
    ],
    untimely: [...untimely.values()].map(
      (fault) => `Look at a time: ${fault} A clock that was set wrong does this, too.`,
    ),
    stateAfter(count) {
      const last = events[count - 1]
      if (!last) throw new RangeError(`There is no entry ${count}`)
      return auditStateOf(decoded.slice(0, count).reduce(foldNext, emptyTimelineState), owner, {
        number: Number(last.position),
        at: last.at,
      })
    },
  }
}

/** The events of an account, with who of the staff caused them. */
function judgedEvents(
  stream: string,
  decoded: readonly (RecordedEvent<AnyEvent> | undefined)[],
  entries: readonly DerivedEntry[],
): JudgedEvent[] {
  return entries.flatMap(({ number, actor, staffMember }, n) => {
    const event = decoded[n]
    if (event?.stream !== stream || !isEventOf(accountStreams, event)) return []
    const named = actor?.kind === 'admin' ? inOneLine(actor.label) : null
    return [{ event, number, staff: named ?? (staffMember === null ? null : `Staff member ${staffMember}`) }]
  })
}

function numberOf(events: readonly ExportedEvent[], stream: string, revision: number): number | null {
  const found = events.find((event) => event.stream === stream && event.revision === revision)
  return found ? Number(found.position) : null
}

function decode(
  event: ExportedEvent,
  data: string,
  disclosed: DisclosedFields,
  absent: string,
): RecordedEvent<AnyEvent> {
  const { type, id, stream, revision, at, version } = event
  const definition = definitionOf(eventRegistry, type)
  const metadata = metadataOf(event) ?? { ...unknownMetadata, at, version }
  const { raw, data: fields } = decodeClearData(type, definition, data, version)
  if (definition.personal.size > 0) {
    const hidden = [...definition.personal].map(([field, erased]) => [field, erased === ERASED ? absent : erased])
    Object.assign(fields, definition.personalSchema.parse({ ...Object.fromEntries(hidden), ...disclosed }))
  }
  const personId = eventRegistry.personIdOf(stream)
  const position = toPosition(event.position)
  const recorded = {
    type,
    data: fields,
    at,
    revision,
    decisions: decisionsIn(raw),
    id,
    stream,
    position,
    personId,
    metadata,
    ciphertext: null,
    personalFields: null,
  }
  if (!isKnown(recorded)) throw new Error(`unknown event type ${type}`)
  // Its type says whose rules apply, so it must be in a stream of theirs.
  const category = isEventOf(userStreams, recorded)
    ? userStreams
    : isEventOf(accountStreams, recorded)
      ? accountStreams
      : undefined
  if (personId !== undefined && (!category || !stream.startsWith(`${category.category}-`)))
    throw new Error(`${type} does not belong in ${stream}`)
  return recorded
}

/** The data was just parsed by the schema of its type, so it is an event of the registry. */
function isKnown(event: RecordedEvent): event is RecordedEvent<AnyEvent> {
  return Object.hasOwn(eventRegistry.definitions, event.type)
}

/** Undefined where it is withheld. */
function metadataOf({ metadata }: ExportedEvent): Metadata | undefined {
  return metadata === null ? undefined : metadataSchema.parse(JSON.parse(metadata))
}

const unknownMetadata: Omit<Metadata, 'version' | 'at'> = {
  actor: { kind: 'system', label: '' },
  requestId: '',
  causationId: '',
  correlationId: '',
  previous: null,
}

/** The members of staff whom the recorded hashes name, numbered as they appear. */
function staffMembersOf(events: readonly ExportedEvent[]): Map<ExportedEvent, number> {
  const numbers = new Map<string, number>()
  const members = new Map<ExportedEvent, number>()
  for (const event of events) {
    const hash = event.data === null ? undefined : actorHashIn(event.data)
    if (hash === undefined) continue
    const number = numbers.get(hash) ?? numbers.size + 1
    numbers.set(hash, number)
    members.set(event, number)
  }
  return members
}

function entryOf(
  event: ExportedEvent,
  decoded: RecordedEvent<AnyEvent> | undefined,
  absent: string,
  staffMember: number | null,
): DerivedEntry {
  const metadata = metadataOf(event)
  const who = {
    actor: metadata ? formatActorInFull(actor.parse(metadata.actor)) : null,
    requestId: metadata?.requestId ?? null,
    staffMember,
  }
  if (!decoded) {
    const { type, position, at, stream } = event
    return {
      number: Number(position),
      at: new Date(at).toISOString(),
      type,
      userId: personIdOf(stream) ?? null,
      accountId: accountIdOfStream(stream),
      changes: [],
      reason: null,
      ...who,
    }
  }
  const entry = toAuditEntry(decoded, formatActorInFull)
  // A change names a personal field that the event does not hold as erased.
  const shown = <Value>(value: Value) => (value === ERASED ? absent : value)
  return {
    ...entry,
    changes: entry.changes.map(({ field, from, to }) => ({ field, from: shown(from), to: shown(to) })),
    ...who,
  }
}
