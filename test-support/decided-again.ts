import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { definitionOf } from '#services/event-sourcing/event-registry.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { isEventOf } from '#services/event-sourcing/aggregate-type.ts'
import {
  type AccountState,
  accountStateDecider,
  accountStreams,
  type AccountStreamEvent,
} from '#services/trading/stream/account-aggregate.ts'
import { decideAgain } from '#services/trading/stream/decide-again.ts'

/** Decides the logs of accounts again, and changes what was recorded in them. */

export type Recorded = RecordedEvent<AccountStreamEvent>

/** The index and the state at which each decision began: of an event that follows in it, those of its first. */
export function beginnings(events: readonly Recorded[]) {
  const found: { readonly from: number; readonly state: AccountState }[] = []
  let state = accountStateDecider.initial
  for (let from = 0; from < events.length;) {
    const again = decideAgain(state, events, from)
    if (again.events === 0) return { found, fault: { event: events[from], refusal: again.refusal } }
    const before = state
    for (const event of events.slice(from, from + again.events)) {
      found.push({ from, state: before })
      state = accountStateDecider.evolve(state, event)
    }
    from += again.events
  }
  return { found, fault: null }
}

/** Whether the events up to an index are told as what no decision gives, from the beginning of its decision. */
function isTold(events: readonly Recorded[], index: number, { from, state }: { from: number; state: AccountState }) {
  let now = state
  for (let at = from; at <= index;) {
    const again = decideAgain(now, events, at)
    if (again.events === 0) return true
    for (const event of events.slice(at, at + again.events)) now = accountStateDecider.evolve(now, event)
    at += again.events
  }
  return false
}

/** A file that names a stage which no programme has is not read: that is told too. */
function isReadAndTold(...parameters: Parameters<typeof isTold>): boolean {
  try {
    return isTold(...parameters)
  } catch (error) {
    if (error instanceof RangeError) return true
    throw error
  }
}

/** What a command says freely: another value is another decision, which is possible too. */
const free: readonly RegExp[] = [
  // Texts of people, and files.
  /\.(reason|notes|details)$/,
  /^CertificateIssued\.(name|issuedAt|file|size|sha256)$/,
  /^CertificateShared\.(code|codeHash|showsName)$/,
  /^PayoutHoldChanged\.to$/,
  // The number of the event, which the verdicts compare with the log.
  /^AccountStatusChanged\.corrects\.number$/,
  // What staff set where no programme does, and the login with its claim.
  /^(BalanceChanged|ProfitLossChanged|PhaseChanged|PlatformChanged|AccountStatusChanged)\.to$/,
  /^RiskLimitsChanged\.to\./,
  /^AccountStatusChanged\.evidence\./,
  /^PlatformLoginAssigned\.(to|claims\.to|masterPassword)/,
  /^TermsSet\.terms\./,
  // An entry that is booked: its sum and its reference.
  /^EntryBooked\.(to|kind|reference)$/,
  // What a platform showed, as far as the account's balance does not follow from it.
  /^ObservationsRecorded\.(source|importId)$/,
  /^ObservationsRecorded\.observations\.\*\./,
  /^ObservationCorrected\.to\./,
  /^LedgerRowsMatched\.(importId$|rows\.\*\.observation\.)/,
  // What a trader asks for.
  /^PayoutRequested\.(amount|method|destination|idempotency)/,
  /^PayoutDestination(Changed|Proposed)\.to\./,
  // Which batch, by hand or by file, and the reference of a transfer by hand.
  /^PaymentBatched\.batch$/,
  /^PaymentSent\.byHand$/,
  /^PaymentPaid\.reference$/,
  // The enrolment names the terms by their hash, and the stages follow each other: other checks see to that.
  /^StageBegun\./,
  // The members of staff.
  /\.member$/,
]

type Path = readonly (string | number)[]

function* leavesOf(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null) yield path
  else
    for (const [key, each] of Object.entries(value))
      yield* leavesOf(each, [...path, Array.isArray(value) ? Number(key) : key])
}

function changed(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (typeof value === 'string') return `${value}x`
  return 'x'
}

function withChange(value: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined) return changed(value)
  if (Array.isArray(value)) return value.map((each, index) => (index === key ? withChange(each, rest) : each))
  return { ...Object(value), [key]: withChange(Object(value)[key], rest) }
}

/** The event with other data, if such data can be recorded. */
function withData(event: Recorded, data: unknown): Recorded | undefined {
  const { schema } = definitionOf(eventRegistry, event.type)
  const encoded = schema.safeEncode(Object(data))
  // An instant is recorded as its text.
  if (JSON.stringify(encoded.data) === JSON.stringify(schema.encode(Object(event.data)))) return undefined
  const parsed = encoded.success ? schema.safeParse(encoded.data) : undefined
  const forged: RecordedEvent = { ...event, data: parsed?.data }
  return parsed?.success && isEventOf(accountStreams, forged) ? forged : undefined
}

const nameOf = (event: Recorded, path: Path) =>
  `${event.type}.${path.map((each) => (typeof each === 'number' ? '*' : each)).join('.')}`

/** How many changes are told, and the fields whose changes are not. */
export interface ForgeryTrial {
  told: number
  readonly untold: Set<string>
}

/** Each field of each event of an account, to be changed. */
export function forgeriesOf(events: readonly Recorded[]) {
  const { found } = beginnings(events)
  return events.flatMap((event, index) =>
    [...leavesOf(event.data)].map((path) => ({ events, event, index, path, beginning: found[index] })),
  )
}

type Forgery = ReturnType<typeof forgeriesOf>[number]

/** Changes the field, and notes whether that is told. What a command says freely needs not be. */
export function tryForgery(trial: ForgeryTrial, { events, event, index, path, beginning }: Forgery): void {
  const forged = withData(event, withChange(event.data, path))
  if (!forged || !beginning) return
  const name = nameOf(event, path)
  if (isReadAndTold(events.with(index, forged), index, beginning)) trial.told += 1
  else if (!free.some((each) => each.test(name))) trial.untold.add(name)
}
