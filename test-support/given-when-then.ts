import fc from 'fast-check'
import { isImmutable } from 'immutable'
import { expect } from 'vitest'
import { z } from 'zod'
import { DECISION_VERSION } from '#services/rules/decision-version.ts'
import { type AccountStreamEvent, accountStreamEvents } from '#services/trading/stream/account-aggregate.ts'
import type { AccountEvent, AccountStatus } from '#services/trading/stream/account.ts'
import type { RiskLimits } from '#services/trading/stream/risk-limits.ts'
import { type Decider, fold } from '#services/event-sourcing/decider.ts'
import type {
  DomainEvent,
  EventDefinitions,
  EventOf,
  AppendedEvent,
} from '#services/event-sourcing/event-definitions.ts'
import { accountId, certificateId, payoutId } from '#services/framework/ids.ts'
import { cents, noMoney, toCents } from '#services/rules/money.ts'
import { presets } from '#services/programmes/programmes/presets.ts'
import { programmeTerms, stageIndex } from '#services/rules/programme.ts'
import { sampleTerms } from './terms.ts'
import { accountTerms } from '#services/rules/programme.ts'
import { mapping } from '#services/trading/imports/mapping-api.ts'
import { recordedMoment } from '#services/trading/calendar/calendar.ts'
import { observationNumber } from '#services/trading/stream/observation-events.ts'
import { recordedObservation } from '#services/rules/observation.ts'
import { Refused, type RefusalKind } from '#services/event-sourcing/refusal.ts'

/** The time of the first given event; the others follow at intervals of a second. */
export const FIRST_EVENT_AT = Date.UTC(2026, 0, 1)

/** Tests of one decider: `given(...events).when(decide).then(events)`. All states and events are frozen. */
export function givenEvents<State, Event extends DomainEvent>(decider: Decider<State, Event>) {
  return (...events: readonly Event[]) => {
    const recorded = (more: readonly Event[] = []) => fold(frozen(decider), appendedEvents([...events, ...more]))
    const state = recorded()
    return {
      state,
      when: (decide: (state: State) => readonly Event[]) => ({
        /** Exactly these events, in this order. */
        // oxlint-disable-next-line unicorn/no-thenable -- the tests' own word, never awaited
        then: (expected: readonly Event[]) => expect(decide(state)).toEqual(expected),
        /** No events and no refusal. */
        thenNothing: () => expect(decide(state)).toEqual([]),
        /** Exactly this refusal. */
        thenRefused: (kind: RefusalKind, message: string, field?: string) =>
          expect(refusalOf(() => decide(state))).toEqual({ kind, message, field }),
        /** The state after the decided events, at intervals of a second. */
        thenState: () => recorded(decide(state)),
      }),
    }
  }
}

function refusalOf(decide: () => unknown) {
  try {
    return { decided: decide() }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { kind, message, field } = error
    return { kind, message, field }
  }
}

/** These events as appended at intervals of a second, after `before` earlier ones in the stream. */
export function appendedEvents<Event extends DomainEvent>(
  events: readonly Event[],
  before = 0,
): AppendedEvent<Event>[] {
  return events.map((event, index) => ({
    ...event,
    at: FIRST_EVENT_AT + (before + index) * 1000,
    revision: before + index,
    decisions: DECISION_VERSION,
  }))
}

/** The same decider on frozen states and events: changing one in place throws. */
export function frozen<State, Event extends DomainEvent>(decider: Decider<State, Event>): Decider<State, Event> {
  return {
    initial: freeze(decider.initial),
    evolve: (state, event) => freeze(decider.evolve(freeze(state), freeze(event))),
  }
}

/** Freezes a value deeply. Collections of immutable.js are immutable already. */
export function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !isImmutable(value) && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) freeze(part)
  }
  return value
}

type Status = Extract<AccountStreamEvent, { type: 'AccountStatusChanged' }>

/** A new status, without a reason unless one is given. */
export function statusChanged(from: AccountStatus, to: AccountStatus, why: Partial<Status['data']> = {}): Status {
  return { type: 'AccountStatusChanged', data: { from, to, reason: null, evidence: null, corrects: null, ...why } }
}

/** New limits. */
export function limitsChanged(from: RiskLimits, to: RiskLimits, reason: string | null = null): AccountStreamEvent {
  return { type: 'RiskLimitsChanged', data: { from, to, reason } }
}

/** The account of a deleted user was closed. */
export function accountClosed(status: AccountStatus): AccountEvent {
  return {
    type: 'AccountClosed',
    data: { status, reason: null, wasOpen: true, cause: 'deletion', loginClaim: null },
  }
}

/** Any event that these definitions describe, with any data. */
export function anyEventOf<Definitions extends EventDefinitions>(
  definitions: Definitions,
): fc.Arbitrary<EventOf<Definitions>> {
  const isEvent = (event: DomainEvent): event is EventOf<Definitions> => Object.hasOwn(definitions, event.type)
  return fc
    .oneof(...Object.keys(definitions).map((type) => anyDataOf(definitions, type).map((data) => ({ type, data }))))
    .filter(isEvent)
}

/**
 * Any events of an account with realistic ids and balances: payouts and certificates are numbered, verdicts are about
 * requested payouts, and the entries of the ledger follow each other.
 */
export function anyAccountEvents(most: number): fc.Arbitrary<AccountStreamEvent[]> {
  return fc
    .tuple(anyAccountId, fc.array(fc.tuple(anyEventOf(accountStreamEvents), fc.nat()), { maxLength: most }))
    .map(([account, drawn]) => {
      let payouts = 0
      let certificates = 0
      let balance = noMoney
      let observed = 0
      const request = (any: number) => payoutId.parse(`${account}-p${1 + (any % payouts)}`)
      /** Each entry of the ledger begins where the one before it ended. */
      const moved = (any: number) => ({ from: balance, to: (balance = toCents(any % 1_000_000_000)) })
      /** At an observation, or at a moment at which time alone decided. */
      const hitIn = (any: number) => ({
        observation: observed === 0 || any % 2 === 0 ? null : 1 + (any % observed),
        payoutId: null,
        at: FIRST_EVENT_AT + (any % 288) * 3_600_000,
      })
      return drawn.flatMap(([event, any]): AccountStreamEvent[] => {
        switch (event.type) {
          case 'AccountOpened':
            return [{ ...event, data: { accountId: account } }]
          case 'PayoutRequested':
            return [{ ...event, data: { ...event.data, payoutId: payoutId.parse(`${account}-p${++payouts}`) } }]
          case 'PayoutApproved':
            return payouts === 0 ? [] : [{ ...event, data: { ...event.data, payoutId: request(any) } }]
          case 'PayoutRejected':
            return payouts === 0 ? [] : [{ ...event, data: { ...event.data, payoutId: request(any) } }]
          case 'BalanceChanged':
            return [{ ...event, data: { ...event.data, ...moved(any) } }]
          case 'EntryBooked':
            return [{ ...event, data: { ...event.data, ...moved(any) } }]
          case 'PayoutDeducted':
            return payouts === 0 ? [] : [{ ...event, data: { payoutId: request(any), ...moved(any) } }]
          case 'PayoutBookedBack':
            return payouts === 0 ? [] : [{ ...event, data: { payoutId: request(any), ...moved(any) } }]
          case 'PayoutOverdue':
            return payouts === 0 ? [] : [{ ...event, data: { ...event.data, payoutId: request(any) } }]
          case 'PayoutForfeited':
            return payouts === 0 ? [] : [{ ...event, data: { payoutId: request(any), ...moved(any) } }]
          case 'PayoutForfeitReversed':
            return payouts === 0 ? [] : [{ ...event, data: { payoutId: request(any), ...moved(any) } }]
          case 'TermsSet':
          case 'StageBegun':
            observed = 0
            return [event]
          case 'ObservationsRecorded': {
            const first = observed + 1
            observed += event.data.observations.length
            return [{ ...event, data: { ...event.data, first } }]
          }
          case 'ObservationCorrected':
            return observed === 0 ? [] : [{ ...event, data: { ...event.data, observation: 1 + (any % observed) } }]
          case 'RuleFindingRaised':
            return [{ ...event, data: { ...event.data, hit: hitIn(any) } }]
          case 'FindingDismissed':
            return [{ ...event, data: { ...event.data, hit: hitIn(any) } }]
          case 'BreachConfirmed':
            return [{ ...event, data: { ...event.data, hit: hitIn(any) } }]
          case 'PassConfirmed':
            return [{ ...event, data: { ...event.data, hit: hitIn(any) } }]
          case 'CertificateIssued':
            return [
              {
                ...event,
                data: { ...event.data, certificateId: certificateId.parse(`${account}-c${++certificates}`) },
              },
            ]
          default:
            return [event]
        }
      })
    })
}

/** An observation as it is written: some of them repeat others, or contradict them. */
export const anyWrittenObservation = fc
  .record({
    kind: fc.constantFrom('state', 'trade', 'day', 'transfer'),
    hour: fc.nat(24 * 12),
    amount: fc.integer({ min: -3_000, max: 3_000 }),
    open: fc.boolean(),
    facts: fc.record(
      {
        ...{ symbol: fc.constantFrom('EURUSD', 'US 30'), side: fc.constantFrom('buy', 'sell') },
        ...{ openPrice: fc.constantFrom('1.1', '1.10'), closePrice: fc.constant('1.2') },
      },
      { requiredKeys: [] },
    ),
    isOpeningKnown: fc.boolean(),
  })
  .map(({ kind, hour, amount, open, facts, isOpeningKnown }) => {
    const at = new Date(FIRST_EVENT_AT + hour * 3_600_000).toISOString()
    const [balance, equity] = [`${100_000 + amount}.00`, `${100_000 + (open ? 2 * amount : amount)}.00`]
    const [lowestEquity, highestEquity] = [`${90_500 + Math.abs(amount)}.00`, `${104_000 + Math.abs(amount)}.00`]
    switch (kind) {
      case 'trade':
        return {
          ...{ at, kind, id: `T${hour % 40}`, profit: `${amount}.00`, volume: '1.00', ...facts },
          ...(isOpeningKnown && { openedAt: at }),
        }
      case 'day':
        return {
          ...{ at, kind, date: at.slice(0, 10), balance, equity, lowestEquity, highestEquity },
          trades: 2,
          quality: 'reported',
        }
      case 'transfer':
        return { at, kind, amount: `${amount}.00`, why: 'fee' }
      default:
        return { at, kind: 'state', balance, equity, open, quality: 'reported' }
    }
  })

const anyAccountId = fc.stringMatching(/^[a-z0-9]{8,40}-a[1-9]$/).map((id) => accountId.parse(id))

/** Any data of one type of event. */
export function anyDataOf(definitions: EventDefinitions, type: string): fc.Arbitrary<Record<string, unknown>> {
  const definition = definitions[type]
  if (!definition) throw new Error(`No event is called ${type}`)
  return anyInput(definition.schema).map((input) => definition.schema.parse(input))
}

/** Any value that this schema parses. */
function anyInput(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  if (schema === cents) return anyDecimal
  if (schema === programmeTerms) return fc.constantFrom(...presets.map(({ terms }) => terms))
  if (schema === stageIndex) return fc.constant(0)
  if (schema === observationNumber) return fc.integer({ min: 1, max: 1_000_000 })
  if (schema === mapping)
    return fc.constant({
      delimiter: ';',
      decimal: null,
      zone: null,
      dates: 'YYYY-MM-DD',
      server: null,
      columns: { date: 'Day', profit: ['Profit', 'Swap'] },
    })
  if (schema === recordedObservation) return anyWrittenObservation
  if (schema === recordedMoment) return fc.constantFrom('2026-11-04T19:00:00Z', '2026-11-04T19:00:00.123456789+01:00')
  if (schema === accountTerms) return fc.constant(sampleTerms())
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.core.$ZodType>(schema.shape)
    const optional = fields.filter(([, field]) => isOptional(field)).map(([name]) => name)
    const values = Object.fromEntries(fields.map(([name, field]) => [name, anyInput(field)]))
    return fc.record(values, {
      requiredKeys: Object.keys(values).filter((name) => !optional.includes(name)),
      noNullPrototype: true,
    })
  }
  if (isOptional(schema)) return anyInput(schema.unwrap())
  if (schema instanceof z.ZodNullable) return fc.option(anyInput(schema.unwrap()))
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.options.map(anyInput))
  if (schema instanceof z.ZodRecord)
    return fc.dictionary(fc.stringMatching(/^[A-Z]{3,5}_[A-Z]{3,5}$/), anyInput(schema.valueType), { maxKeys: 6 })
  if (schema instanceof z.ZodArray) return fc.array(anyInput(schema.element), { maxLength: 6 })
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options)
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values)
  if (schema instanceof z.ZodBoolean) return fc.boolean()
  if (schema instanceof z.ZodNumberFormat) return fc.maxSafeInteger()
  if (schema instanceof z.ZodString) {
    const pattern = patternOf(schema)
    return pattern ? fc.stringMatching(pattern) : fc.string({ unit: 'grapheme', maxLength: 40 })
  }
  throw new Error(`There is no arbitrary for a ${schema._zod.def.type}`)
}

function isOptional(schema: z.core.$ZodType): schema is z.ZodOptional | z.ZodExactOptional {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional
}

function patternOf(schema: z.ZodString): RegExp | undefined {
  for (const { _zod } of schema.def.checks ?? [])
    if ('pattern' in _zod.def && _zod.def.pattern instanceof RegExp) return _zod.def.pattern
  return undefined
}

/** Any amount of money that can be kept, as a decimal string. */
export const anyDecimal: fc.Arbitrary<string> = fc.maxSafeInteger().map((amount) => {
  const digits = String(Math.abs(amount)).padStart(3, '0')
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
})
