import { Map as ImmutableMap } from 'immutable'
import { z } from 'zod'
import { type AppendedEvent, defineEvents, type EventOf, personal } from '#services/event-sourcing/event-definitions.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import { NumberedList } from '#services/event-sourcing/numbered-list.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import {
  type CaseId,
  caseId,
  caseIdOf,
  type FindingId,
  findingId,
  type PayoutId,
  payoutId,
} from '#services/framework/ids.ts'
import { type Account, accountNotFound, type AccountStatus } from './account.ts'
import { accountStatuses } from './account-vocabulary.ts'
import {
  caseFileTypes,
  type CaseOutcome,
  caseOutcomes,
  type CaseStateName,
  type CaseSubject,
  caseSubjects,
  type CaseWriter,
  caseWriters,
  isFinal,
  MOST_CASE_FILES,
  MOST_CASE_MESSAGES,
} from './case-vocabulary.ts'

/** A case is a trader's objection to one decision about the account (cases.md). Its events lie in the account's stream. */

/** What the trader named: the payout, or the number of the entry. */
const about = z.union([z.object({ payout: payoutId }), z.object({ event: z.int() })])

/** A change that a decision makes, as it was sent. */
const change = z.record(z.string(), z.string())

export const caseEvents = defineEvents({
  CaseOpened: {
    case: caseId,
    about,
    /** The decision's entry: its revision in the stream of the account, and the number by which people call it. */
    decision: z.object({ revision: z.int(), number: z.int() }),
    /** What was decided there, as it was recorded. */
    subject: z.object({
      kind: z.enum(caseSubjects),
      at: z.int(),
      payout: payoutId.nullable(),
      finding: findingId.nullable(),
      /** The status before a breach that was set by hand. */
      status: z.enum(accountStatuses).nullable(),
    }),
    text: personal(z.string()),
    /** Until when staff have to answer, ms since 1970. */
    answerBy: z.int(),
  },
  CaseMessageWritten: {
    case: caseId,
    from: z.enum(caseWriters),
    text: personal(z.string()),
    /** Null for a message of staff. */
    answerBy: z.int().nullable(),
  },
  CaseFileAdded: {
    case: caseId,
    /** Counted from 1. */
    number: z.int(),
    name: personal(z.string()),
    type: z.enum(caseFileTypes),
    /** In bytes. */
    size: z.int(),
    /** Of its content, hex. */
    sha256: personal(z.string()),
    /** Key in the file store, where it is encrypted. */
    file: z.string(),
  },
  CaseDecided: {
    case: caseId,
    outcome: z.enum(caseOutcomes),
    /** What was changed with it; null for nothing. */
    change: change.nullable(),
    text: personal(z.string()),
    /** How many events right before it, in its append, made the change. */
    made: z.int(),
    /** The revision of the event that had made the change before; null where there was none. */
    before: z.int().nullable(),
  },
  CaseWithdrawn: { case: caseId },
  /** The deadline passed without an answer. */
  CaseOverdue: { case: caseId, due: z.int() },
})

export type CaseEvent = EventOf<typeof caseEvents>
type Data<Type extends CaseEvent['type']> = Extract<CaseEvent, { readonly type: Type }>['data']

export interface CaseMessage {
  readonly from: CaseWriter
  readonly text: string
  /** Ms since 1970. */
  readonly at: number
}

export type CaseFile = Readonly<Omit<Data<'CaseFileAdded'>, 'case'>>

export interface CaseDecision extends Readonly<Pick<Data<'CaseDecided'>, 'outcome' | 'change' | 'text'>> {
  readonly at: number
  /** The revisions of the events that made the change. */
  readonly revisions: readonly number[]
}

export interface Case {
  readonly id: CaseId
  readonly about: Data<'CaseOpened'>['about']
  readonly decision: Data<'CaseOpened'>['decision']
  readonly subject: Data<'CaseOpened'>['subject']
  readonly state: CaseStateName
  readonly text: string
  readonly openedAt: number
  /** Null unless it is open. */
  readonly answerBy: number | null
  /** A deadline passed, and staff have not answered since. */
  readonly overdue: boolean
  /** The last deadline that was recorded as missed. */
  readonly missed: number | null
  readonly messages: readonly CaseMessage[]
  readonly files: readonly CaseFile[]
  readonly decided: CaseDecision | null
}

/** A decision that a trader can object to. */
export interface Objectable {
  readonly subject: CaseSubject
  readonly at: number
  readonly payout: PayoutId | null
  readonly finding: FindingId | null
  /** The status before a breach that was set by hand. */
  readonly status: AccountStatus | null
  /** The revision of the event that took it back; null while it stands. */
  readonly undoneBy: number | null
}

export interface Cases {
  readonly list: NumberedList<CaseId, Case>
  /** The decisions that can be objected to, by the revisions of their events. */
  readonly decisions: ImmutableMap<number, Objectable>
}

export const noCases: Cases = { list: new NumberedList(), decisions: ImmutableMap() }

/** The cases after one of their own events. */
export function casesAfter(cases: Cases, event: AppendedEvent<CaseEvent>): Cases {
  const { at, revision } = event
  if (event.type === 'CaseOpened') {
    const { case: id, answerBy, text, ...rest } = event.data
    const begun = { overdue: false, missed: null, messages: [], files: [], decided: null }
    return { ...cases, list: cases.list.with({ id, ...rest, text, answerBy, state: 'open', openedAt: at, ...begun }) }
  }
  const before = cases.list.get(event.data.case)
  return before ? { ...cases, list: cases.list.with({ ...before, ...changesBy(before, event, at, revision) }) } : cases
}

function changesBy(
  before: Case,
  event: Exclude<CaseEvent, { readonly type: 'CaseOpened' }>,
  at: number,
  revision: number,
): Partial<Case> {
  switch (event.type) {
    case 'CaseMessageWritten': {
      const { from, text, answerBy } = event.data
      const messages = [...before.messages, { from, text, at }]
      return from === 'staff'
        ? { messages, state: 'answered', answerBy: null, overdue: false }
        : { messages, state: 'open', answerBy }
    }
    case 'CaseFileAdded': {
      const { case: _case, ...file } = event.data
      return { files: [...before.files, file] }
    }
    case 'CaseDecided': {
      const { outcome, change: made, text, made: count, before: earlier } = event.data
      const inAppend = Array.from({ length: count }, (_, n) => revision - count + n)
      const revisions = earlier === null ? inAppend : [earlier]
      const decided = { outcome, change: made, text, at, revisions }
      return { decided, state: 'decided', answerBy: null, overdue: false }
    }
    case 'CaseWithdrawn':
      return { state: 'withdrawn', answerBy: null, overdue: false }
    case 'CaseOverdue':
      return { overdue: true, missed: event.data.due }
  }
}

/** A new decision that can be objected to. */
export function withDecision(cases: Cases, revision: number, decision: Omit<Objectable, 'undoneBy'>): Cases {
  return { ...cases, decisions: cases.decisions.set(revision, { ...decision, undoneBy: null }) }
}

/** The decisions that an event takes back. */
export function withoutDecisions(
  cases: Cases,
  undoneBy: number,
  isUndone: (decision: Objectable, revision: number) => boolean,
): Cases {
  const decisions = cases.decisions.map((decision, revision) =>
    decision.undoneBy === null && isUndone(decision, revision) ? { ...decision, undoneBy } : decision,
  )
  return { ...cases, decisions }
}

/** The cases of a deleted user. */
export function withoutTexts({ list, ...cases }: Cases): Cases {
  const erased = (one: Case): Case => ({
    ...one,
    text: ERASED,
    messages: one.messages.map((message) => ({ ...message, text: ERASED })),
    files: one.files.map((file) => ({ ...file, name: ERASED, sha256: ERASED })),
    decided: one.decided && { ...one.decided, text: ERASED },
  })
  return { ...cases, list: [...list.values()].reduce((all, one) => all.with(erased(one)), list) }
}

/** The parts of an account's state that decisions on its cases need. */
export interface CaseState {
  readonly account: Pick<Account, 'id' | 'erased'>
  readonly cases: Cases
}

/** How long an answer may take, and how long a decision may be objected to, in ms. */
export interface CaseClocks {
  readonly answer: number
  readonly appeal: number
}

interface Objection extends Readonly<Pick<Data<'CaseOpened'>, 'about' | 'decision' | 'text'>> {}

/**
 * Opens a case about a decision.
 *
 * @param now Ms since 1970.
 * @throws {Refused} not-found; conflict, for what is no such decision, too late, or a second case
 */
export function openCase(
  { account, cases }: CaseState,
  { about: named, decision, text }: Objection,
  now: number,
  { answer, appeal }: CaseClocks,
): CaseEvent[] {
  if (!account.id || account.erased) throw accountNotFound()
  const objectable = cases.decisions.get(decision.revision)
  if (!objectable) throw new Refused('conflict', NO_DECISION)
  const another = [...cases.list.values()].find(
    (one) => one.decision.revision === decision.revision && one.state !== 'withdrawn',
  )
  if (another) throw new SecondCase(another.id)
  if (objectable.undoneBy !== null) throw new Refused('conflict', 'This decision was taken back already')
  if (now > objectable.at + appeal) throw new Refused('conflict', 'The time to object to this decision is over')
  const id = caseIdOf(account.id, cases.list.highest + 1)
  const { subject: kind, at, payout, finding, status } = objectable
  const subject = { kind, at, payout, finding, status }
  return [{ type: 'CaseOpened', data: { case: id, about: named, decision, subject, text, answerBy: now + answer } }]
}

const NO_DECISION = 'This is no decision that can be objected to'

/** A decision has a case already. */
export class SecondCase extends Refused {
  constructor(readonly id: CaseId) {
    super('conflict', `There is a case about this decision already: ${id}`)
  }
}

/** The newest decision that rejected a payout: its revision. @throws {Refused} conflict, without one */
export function rejectionOf({ cases }: Pick<CaseState, 'cases'>, payout: PayoutId): number {
  const found = cases.decisions.findLastKey(({ subject, payout: of }) => subject === 'rejection' && of === payout)
  if (found === undefined) throw new Refused('conflict', NO_DECISION)
  return found
}

/**
 * Writes in a case. What is late is recorded with it: the deadline was missed.
 *
 * @throws {Refused} not-found; conflict, once it is decided or withdrawn
 */
export function writeInCase(
  state: CaseState,
  id: CaseId,
  { from, text }: Pick<CaseMessage, 'from' | 'text'>,
  now: number,
  { answer }: Pick<CaseClocks, 'answer'>,
): CaseEvent[] {
  const found = changeable(state, id)
  if (found.messages.length >= MOST_CASE_MESSAGES)
    throw new Refused('conflict', `A case has at most ${MOST_CASE_MESSAGES} messages`)
  const answerBy = from === 'trader' ? now + answer : null
  return [...missedBy(found, now), { type: 'CaseMessageWritten', data: { case: id, from, text, answerBy } }]
}

/** Adds a file that is kept already. @throws {Refused} as {@link writeInCase} */
export function addCaseFile(state: CaseState, id: CaseId, file: Omit<CaseFile, 'number'>): CaseEvent[] {
  const { files } = changeable(state, id)
  if (files.length >= MOST_CASE_FILES) throw new Refused('conflict', `A case has at most ${MOST_CASE_FILES} files`)
  return [{ type: 'CaseFileAdded', data: { case: id, number: files.length + 1, ...file } }]
}

/** @throws {Refused} as {@link writeInCase} */
export function withdrawCase(state: CaseState, id: CaseId, now: number): CaseEvent[] {
  return [...missedBy(changeable(state, id), now), { type: 'CaseWithdrawn', data: { case: id } }]
}

/** The open cases of a deleted user. */
export function withdrawAllCases({ list }: Cases): CaseEvent[] {
  return [...list.values()].flatMap((one): CaseEvent[] =>
    isFinal(one) ? [] : [{ type: 'CaseWithdrawn', data: { case: one.id } }],
  )
}

/** Records the deadlines that have passed. Once more it records nothing. */
export function missDeadlines({ account, cases }: CaseState, now: number): CaseEvent[] {
  return account.erased ? [] : [...cases.list.values()].flatMap((one) => missedBy(one, now))
}

function missedBy({ id, state, answerBy, missed }: Case, now: number): CaseEvent[] {
  if (state !== 'open' || answerBy === null || answerBy >= now || missed === answerBy) return []
  return [{ type: 'CaseOverdue', data: { case: id, due: answerBy } }]
}

/**
 * Records the decision of a case whose change was made right before.
 *
 * @param made How many events of the same append made it.
 * @throws {Refused} not-found; conflict; invalid, for an outcome that does not fit the change
 */
export function recordDecision(
  state: CaseState,
  id: CaseId,
  {
    outcome,
    text,
    change: given,
  }: { readonly outcome: CaseOutcome; readonly text: string; readonly change: Data<'CaseDecided'>['change'] },
  made: number,
  now: number,
): CaseEvent[] {
  const found = changeable(state, id)
  if (outcome === 'upheld' && given) throw new Refused('invalid', 'What is upheld is not changed', 'change')
  if (outcome === 'changed' && !given) throw new Refused('invalid', 'Please say what is changed', 'change')
  const objectable = state.cases.decisions.get(found.decision.revision)
  const undoneBy = objectable?.undoneBy ?? null
  if (given && undoneBy === null) throw new Refused('conflict', 'The decision stands: its change was not made')
  const before = given && made === 0 ? undoneBy : null
  return [
    ...missedBy(found, now),
    { type: 'CaseDecided', data: { case: id, outcome, change: given, text, made, before } },
  ]
}

/** The case that somebody may still write in. */
export function changeable({ account, cases }: CaseState, id: CaseId): Case {
  const found = account.erased ? undefined : cases.list.get(id)
  if (!found) throw caseNotFound()
  if (isFinal(found)) throw new Refused('conflict', `This case was ${found.state} already`)
  return found
}

export function caseNotFound(): Refused {
  return new Refused('not-found', 'Case not found')
}
