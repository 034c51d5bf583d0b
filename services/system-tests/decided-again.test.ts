import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toPosition } from '#infra/event-store/event-store.ts'
import { decodeEvent, type RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { definitionOf } from '#services/event-sourcing/event-registry.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { isEventOf } from '#services/event-sourcing/aggregate-type.ts'
import {
  type AccountState,
  accountStateDecider,
  accountStreamEvents,
  accountStreams,
  type AccountStreamEvent,
} from '#services/trading/stream/account-aggregate.ts'
import { decideAgain } from '#services/trading/stream/decide-again.ts'
import type { Running } from '#services/cli/server.ts'
import { sampled } from '#test-support/random-seed.ts'
import { readSample, sampleFile } from '#test-support/recorded-event-samples.ts'
import { sampleKey } from '#test-support/sample-events.ts'
import { releasedData, releases, startReleased } from '#test-support/released-data.ts'
import { decodeEvents, storedEvents } from '#test-support/stores.ts'

/**
 * Each event of the accounts of a released log is decided again: all are what their decisions give. Whatever is changed
 * in one of them is told, but for what its command says freely.
 */

type Recorded = RecordedEvent<AccountStreamEvent>

/** The index and the state at which each decision began: of an event that follows in it, those of its first. */
function beginnings(events: readonly Recorded[]) {
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
  // What a trader asks for.
  /^PayoutRequested\.(amount|method|destination|idempotency)/,
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

/** The recorded sample of a type of event. */
function sampleOf(type: string): Recorded {
  const { id, data, metadata } = readSample(sampleFile(type, definitionOf(eventRegistry, type).version))
  const place = { stream: 'account-ada00000-a1', revision: 0, position: toPosition('1') }
  const event = decodeEvent(eventRegistry, { id, type, data, metadata, ...place }, sampleKey)
  if (!isEventOf(accountStreams, event)) throw new Error(`${type} is no event of an account`)
  return event
}

describe('an event of an account that the firm records with all its keys where no decision gives it', () => {
  it.each(Object.keys(accountStreamEvents))('is told: %s', (type) => {
    const event = sampleOf(type)
    // Nothing happens to an account before it is opened. It is opened once, and has no claim of a login that lapses.
    const { initial, evolve } = accountStateDecider
    const opened = evolve(initial, sampleOf('AccountOpened'))
    const state =
      event.type === 'LoginClaimLapsed'
        ? { ...opened, account: { ...opened.account, loginClaim: event.data.loginClaim } }
        : event.type === 'AccountOpened'
          ? opened
          : initial
    expect(decideAgain(state, [event], 0).events).toBe(0)
  })
})

describe.each([...releases()])('the decisions on accounts in the log %s', (release) => {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-decided-'))
  let running: Running
  let streams: readonly (readonly Recorded[])[]

  beforeAll(async () => {
    releasedData(release).copyTo(folder)
    running = await startReleased(folder)
    const events = await decodeEvents(running.parts, await storedEvents(running.parts))
    const own = events.filter((event) => isEventOf(accountStreams, event))
    const names = new Set(own.map(({ stream }) => stream))
    streams = Array.from(names, (name) => own.filter(({ stream }) => stream === name))
  })
  afterAll(async () => {
    await running.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('give all that was recorded', () => {
    expect(streams.length).toBeGreaterThan(10)
    expect(streams.flatMap((events) => beginnings(events).fault ?? [])).toEqual([])
  })

  it('do not give anything that is changed in an event, but for what its command says freely', () => {
    const tries = streams.flatMap((events) => {
      const { found } = beginnings(events)
      return events.flatMap((event, index) =>
        [...leavesOf(event.data)].map((path) => ({ events, event, index, path, beginning: found[index] })),
      )
    })
    const untold = new Set<string>()
    let told = 0
    for (const { events, event, index, path, beginning } of sampled(tries, 4_000)) {
      const forged = withData(event, withChange(event.data, path))
      if (!forged || !beginning) continue
      if (!isReadAndTold(events.with(index, forged), index, beginning)) untold.add(nameOf(event, path))
      else told += 1
    }
    expect(told).toBeGreaterThan(200)
    expect([...untold].filter((name) => !free.some((each) => each.test(name)))).toEqual([])
  })
})
