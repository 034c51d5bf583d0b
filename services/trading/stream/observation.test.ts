import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accountStateDecider, type AccountStreamEvent } from './account-aggregate.ts'
import { type Stage, stageAt } from './stage.ts'
import { accountIdOf, importId, payoutId, userId } from '#services/framework/ids.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { toCents } from '#services/rules/money.ts'
import { evaluate, rulesOf, startOf } from '#services/rules/engine.ts'
import { observation, orderedUnique } from '#services/rules/observation.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import { fold } from '#services/event-sourcing/decider.ts'
import { begunStage } from '#test-support/begun-stage.ts'
import { anyWrittenObservation, appendedEvents, givenEvents } from '#test-support/given-when-then.ts'
import { observationDescriptions } from './observation-descriptions.ts'
import { correctObservation, recordObservations, recordTypedBalance } from './observation.ts'

const given = givenEvents(accountStateDecider)
const account = accountIdOf(userId.parse('trader01'), 1)
const statement = importId.parse('statement1')

/** Phase 1 of $100,000.00: at most $5,000.00 a day and $10,000.00 in all, target $8,000.00. */
const terms: ProgrammeTerms = presetTerms('two-step', 100_000)

const begun = (stage = 0): AccountStreamEvent[] => begunStage(account, terms, stage)

const read = (written: object) => observation.parse(written)
const trade = (id: string, at: string, profit: string) =>
  read({ at, kind: 'trade', id, openedAt: at, profit, volume: '1.00' })
const stateAt = (at: string, balance: string, equity = balance) =>
  read({ at, kind: 'state', balance, equity, open: balance !== equity })
const day = (date: string, balance: string) =>
  read({
    ...{ at: `${date}T23:59:59Z`, kind: 'day', date, balance, equity: balance },
    ...{ lowestEquity: balance, highestEquity: balance, trades: 1 },
  })
const transfer = (at: string, amount: string, why: string) => read({ at, kind: 'transfer', amount, why })

type Rows = Parameters<typeof recordObservations>[1]
type State = Parameters<typeof recordObservations>[0]
const outcomes = (state: State, rows: Rows, ofImport: typeof statement | null = null) =>
  recordObservations(state, rows, 'feed', ofImport).results.map(({ outcome }) => outcome)
const events = (state: State, rows: Rows) => [...recordObservations(state, rows, 'feed').events]
const entriesOf = (recorded: readonly AccountStreamEvent[]) =>
  recorded.flatMap((event) =>
    event.type === 'BalanceChanged' ? [[event.data.kind, event.data.to - event.data.from]] : [],
  )
/** The account after rows that came one call after the other. */
const after = (...calls: readonly Rows[]) =>
  calls.reduce((stream, rows) => [...stream, ...events(given(...stream).state, rows)], begun())
const lineOf = (stage: Stage | null, now: string) => stage && stageAt(stage, Date.parse(now)).line

describe('rows of an account under a programme', () => {
  it('are recorded in one event, numbered in the order of their instants', () => {
    const rows = [trade('T2', '2026-03-02T10:00:00Z', '200.00'), trade('T1', '2026-03-02T09:00:00Z', '-50.00')]
    given(...begun())
      .when((state) => events(state, rows))
      .then([
        {
          type: 'ObservationsRecorded',
          data: { first: 1, source: 'feed', importId: null, observations: rows.toReversed() },
        },
        {
          type: 'BalanceChanged',
          data: { from: toCents(100_000_00), to: toCents(100_150_00), kind: 'trade-result' },
        },
      ])
  })

  it('come in events of up to 500, in one append', () => {
    const minute = (n: number) => new Date(Date.UTC(2026, 2, 2, 0, n)).toISOString()
    const rows = Array.from({ length: 1_001 }, (_, n) => trade(`T${n}`, minute(n), '1.00'))
    const recorded = events(given(...begun()).state, rows)
    expect(
      recorded.map(({ type, data }) =>
        type === 'ObservationsRecorded' ? [data.first, data.observations.length] : type,
      ),
    ).toEqual([[1, 500], [501, 500], [1_001, 1], 'BalanceChanged'])
  })

  it('are known by the id of a trade, the date of a day and the instant of a state', () => {
    const rows = [
      trade('T1', '2026-03-02T09:00:00Z', '-50.00'),
      stateAt('2026-03-02T10:00:00Z', '99950.00'),
      day('2026-03-03', '99900.00'),
      transfer('2026-03-04T09:00:00Z', '-20.00', 'fee'),
    ]
    const { state } = given(...after(rows))
    expect(outcomes(state, rows)).toEqual(['duplicate', 'duplicate', 'duplicate', 'duplicate'])
    expect(
      recordObservations(
        state,
        [
          trade('T1', '2026-03-02T09:00:00Z', '-51.00'),
          stateAt('2026-03-02T10:00:00.000Z', '99950.00', '99000.00'),
          day('2026-03-03', '99901.00'),
          transfer('2026-03-04T09:00:00Z', '-21.00', 'fee'),
          trade('T1', '2026-03-05T09:00:00Z', '-50.00'),
        ],
        'feed',
      ).results,
    ).toEqual([
      { outcome: 'conflict', reason: 'The trade T1 is known with other content' },
      { outcome: 'conflict', reason: 'A state of this instant is known with other content' },
      { outcome: 'conflict', reason: 'The day 2026-03-03 is known with other content' },
      { outcome: 'recorded', reason: null },
      { outcome: 'conflict', reason: 'The trade T1 is known with other content' },
    ])
  })

  it('repeat each other in one call as well', () => {
    const [one, other] = [trade('T1', '2026-03-02T09:00:00Z', '1.00'), trade('T1', '2026-03-02T09:00:00Z', '2.00')]
    const { state } = given(...begun())
    expect(outcomes(state, [one, one, other])).toEqual(['recorded', 'duplicate', 'conflict'])
    expect(events(state, [one, one, other])[0]).toMatchObject({ data: { observations: [one] } })
  })

  it('are recorded by an import that begins again, as by the first time', () => {
    const one = trade('T1', '2026-03-02T09:00:00Z', '1.00')
    const two = trade('T2', '2026-03-02T09:00:00Z', '1.00')
    const rows = [one, one, two]
    const { state } = given(...begun())
    const first = recordObservations(state, rows.slice(0, 2), 'import', statement)
    const { state: half } = given(...begun(), ...first.events)
    expect(outcomes(half, rows, statement)).toEqual(['recorded', 'duplicate', 'recorded'])
    expect(outcomes(half, rows)).toEqual(['duplicate', 'duplicate', 'recorded'])
    expect(recordObservations(half, rows, 'import', statement).events[0]).toMatchObject({
      data: { observations: [two] },
    })
  })

  it('are refused for no account, one without programme, and a day that its instant is not in', () => {
    const row = trade('T1', '2026-03-02T09:00:00Z', '1.00')
    const [opened] = begun()
    const result = (state: State, one: typeof row) => recordObservations(state, [one], 'feed').results[0]
    expect(result(given().state, row)).toEqual({ outcome: 'refused', reason: 'There is no such account' })
    expect(result(given(...(opened ? [opened] : [])).state, row)).toEqual({
      outcome: 'refused',
      reason: 'This account is under no programme',
    })
    const wrong = read({
      ...{ at: '2026-03-03T00:00:00Z', kind: 'day', date: '2026-03-02', trades: 0 },
      ...{ balance: '1.00', equity: '1.00', lowestEquity: '1.00', highestEquity: '1.00' },
    })
    expect(result(given(...begun()).state, wrong)).toEqual({
      outcome: 'refused',
      reason: 'at: expected an instant of the trading day 2026-03-02',
    })
  })

  it('are recorded for a closed account', () => {
    const closed: AccountStreamEvent = {
      type: 'AccountClosed',
      data: { status: 'active', reason: 'Passed', wasOpen: true, cause: 'staff', loginClaim: null },
    }
    expect(outcomes(given(...begun(), closed).state, [trade('T1', '2026-03-02T09:00:00Z', '1.00')])).toEqual([
      'recorded',
    ])
  })

  it('are refused where sums would not be exact any more', () => {
    const huge = Array.from({ length: 50 }, (_, n) => trade(`T${n}`, '2026-03-02T09:00:00Z', '9999999999.00'))
    const found = outcomes(given(...begun()).state, huge)
    expect(found.slice(0, 40).every((outcome) => outcome === 'recorded')).toBe(true)
    expect(found.slice(40)).toEqual(Array.from({ length: 10 }, () => 'refused'))
  })

  it('move the ledger: transfers by their kind, all else is trading', () => {
    const recorded = events(given(...begun()).state, [
      transfer('2026-03-02T09:00:00Z', '-20.00', 'fee'),
      transfer('2026-03-02T09:30:00Z', '-5.00', 'Weekend swap'),
      stateAt('2026-03-02T10:00:00Z', '100400.00'),
    ])
    expect(entriesOf(recorded)).toEqual([
      ['fee', -20_00],
      ['correction', -5_00],
      ['trade-result', 425_00],
    ])
    const { state } = given(...begun(), ...recorded)
    expect(state.account).toMatchObject({ balance: 100_400_00, profitLoss: 425_00 })
    expect(state.ledger).toMatchObject({ sum: 100_400_00, faultAt: null })
  })
})

describe('a trade that comes again', () => {
  const at = '2026-03-02T10:00:00Z'
  const told = (facts: object) => read({ at, kind: 'trade', id: 'T1', profit: '-50.00', volume: '1.00', ...facts })
  const whole = {
    ...{ openedAt: '2026-03-02T09:00:00Z', symbol: 'EURUSD', side: 'buy' },
    ...{ openPrice: '1.08410', closePrice: '1.08535' },
  }
  const known = (facts: object) => given(...after([told(facts)])).state

  it('has its new facts recorded as a correction by its source, which moves no money', () => {
    given(...after([told({ symbol: 'EURUSD' })]))
      .when((state) => events(state, [told(whole)]))
      .then([
        {
          type: 'ObservationCorrected',
          data: {
            ...{ observation: 1, from: told({ symbol: 'EURUSD' }), to: told(whole), source: 'feed' },
            reason: 'The source stated facts of this trade that were not known',
          },
        },
      ])
    const { results } = recordObservations(known({}), [told(whole)], 'import', statement)
    expect(results).toEqual([{ outcome: 'recorded', reason: null }])
  })

  it('is a duplicate where it lacks facts, and where numbers and instants are written in another way', () => {
    for (const facts of [
      {},
      { side: 'buy' },
      whole,
      { openPrice: '1.0841' },
      { openedAt: '2026-03-02T10:00:00+01:00' },
    ])
      expect(outcomes(known(whole), [told(facts)])).toEqual(['duplicate'])
  })

  it('conflicts where both state a different value', () => {
    const others = [
      ...[{ symbol: 'eurusd' }, { side: 'sell' }, { openPrice: '1.08411' }, { closePrice: '1.1' }],
      { openedAt: '2026-03-02T09:00:00.000000001Z' },
    ]
    for (const other of others) {
      expect(outcomes(known(whole), [told(other)])).toEqual(['conflict'])
      // What else it states is not taken from a row that contradicts.
      expect(outcomes(known({ symbol: 'EURUSD', ...other }), [told(whole)])).toEqual(['conflict'])
    }
    expect(outcomes(known({}), [told({ ...whole, profit: '-51.00' })])).toEqual(['conflict'])
  })

  it('collects facts from the rows of one call', () => {
    const { state } = given(...begun())
    const rows = [told({ symbol: 'EURUSD' }), told({ side: 'buy' }), told({}), told({ side: 'sell' })]
    expect(outcomes(state, rows)).toEqual(['recorded', 'recorded', 'duplicate', 'conflict'])
    expect(events(state, rows)).toMatchObject([
      { data: { observations: [told({ symbol: 'EURUSD', side: 'buy' })] } },
      { type: 'BalanceChanged' },
    ])
  })

  it('gets facts beside a correction by staff, and stays away once it was taken away', () => {
    const stream = after([told({})])
    const corrected = correctObservation(given(...stream).state, 1, read({ ...plain, profit: '-5.00' }), 'A digit')
    const { state } = given(...stream, ...corrected)
    expect(events(state, [told({ symbol: 'EURUSD' })])).toMatchObject([
      { type: 'ObservationCorrected', data: { to: { profit: -500, symbol: 'EURUSD' } } },
    ])
    const gone = given(...stream, ...correctObservation(given(...stream).state, 1, null, 'Of another account')).state
    expect(outcomes(gone, [told({ symbol: 'EURUSD' })])).toEqual(['duplicate'])
  })

  it('counts as recorded by an import that begins again', () => {
    const stream = after([told({})])
    const { events: first } = recordObservations(given(...stream).state, [told(whole)], 'import', statement)
    const { state } = given(...stream, ...first)
    expect(outcomes(state, [told(whole)], statement)).toEqual(['recorded'])
    expect(outcomes(state, [told(whole)])).toEqual(['duplicate'])
  })

  const plain = { at, kind: 'trade', id: 'T1', profit: '-50.00', volume: '1.00' }

  it('has the stage that a history with all facts from the beginning has', () => {
    const times = ['2026-03-02T10:00:00Z', '2026-03-02T08:00:00Z', '2026-03-03T08:00:00Z']
    const rows = (facts: object) => times.map((time, n) => read({ ...plain, id: `T${n}`, at: time, ...facts }))
    const late = given(...after(rows({}), rows({ symbol: 'EURUSD' }), rows(whole).slice(0, 1))).state.stage?.timeline
    const [first, ...others] = rows({ symbol: 'EURUSD' })
    const whole0 = read({ ...plain, id: 'T0', ...whole })
    const early = given(...after([first && whole0, ...others].flatMap((row) => row ?? []))).state.stage?.timeline
    expect(late?.rows.toArray().map(({ observation: one }) => one)).toEqual(
      early?.rows.toArray().map(({ observation: one }) => one),
    )
    expect(late?.engine).toEqual(early?.engine)
  })
})

describe('a late row', () => {
  it('has everything that follows it evaluated again', () => {
    const stream = after([stateAt('2026-03-03T10:00:00Z', '97000.00')])
    const daily = (stage: Stage | null) => lineOf(stage, '2026-03-03T11:00:00Z')?.rules[1]?.figures.floor?.exact.cents
    expect(daily(given(...stream).state.stage)).toBe(95_000_00)
    const late = [stateAt('2026-03-02T10:00:00Z', '98000.00')]
    const recorded = events(given(...stream).state, late)
    // The balance is that of the newest state.
    expect(entriesOf(recorded)).toEqual([])
    const { stage } = given(...stream, ...recorded).state
    expect(daily(stage)).toBe(93_000_00)
    expect(lineOf(stage, '2026-03-03T11:00:00Z')).toMatchObject({ balance: 97_000_00, status: 'in-progress' })
  })

  it('can breach', () => {
    const stream = after([stateAt('2026-03-03T10:00:00Z', '97000.00')], [stateAt('2026-03-02T10:00:00Z', '94000.00')])
    expect(lineOf(given(...stream).state.stage, '2026-03-03T11:00:00Z')).toMatchObject({
      status: 'breached',
      cause: { kind: 'daily-loss', floor: 95_000_00, measured: 94_000_00, at: '2026-03-02T10:00:00Z', observation: 0 },
    })
  })

  it('comes before a payout that was approved after it', () => {
    const id = payoutId.parse(`${account}-p1`)
    const paid: AccountStreamEvent = {
      type: 'PayoutDeducted',
      data: { payoutId: id, from: toCents(104_000_00), to: toCents(101_000_00) },
    }
    const first = [
      ...begun(2),
      ...events(given(...begun(2)).state, [stateAt('2025-12-01T10:00:00Z', '104000.00')]),
      paid,
    ]
    const { state: before } = given(...first)
    expect(before.stage?.timeline.engine.account?.balance).toBe(101_000_00)
    const late = events(before, [stateAt('2025-12-02T10:00:00Z', '105000.00')])
    expect(entriesOf(late)).toEqual([['trade-result', 1_000_00]])
    // What was booked back is for the engine as if never paid, and a balance in between lacked it.
    const back: AccountStreamEvent = {
      type: 'PayoutBookedBack',
      data: { payoutId: id, from: toCents(102_000_00), to: toCents(105_000_00) },
    }
    const { state } = given(...first, ...late, back)
    expect(state.stage?.timeline.engine.account).toMatchObject({ balance: 105_000_00, base: 100_000_00 })
    expect(state.account.balance).toBe(105_000_00)
  })
})

describe('any rows, in any order and any number of calls', () => {
  const rules = rulesOf(terms, 0)

  it('lead to the state of the ordered, unique ones, and to a ledger of the same balance', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyWrittenObservation, { maxLength: 60 }), { maxLength: 5 }), (calls) => {
        const known = calls.map((rows) => rows.map(read))
        const stream = after(...known)
        const state = fold(accountStateDecider, appendedEvents(stream))
        const accepted = stream.flatMap((event) =>
          event.type === 'ObservationsRecorded' ? event.data.observations : [],
        )
        const expected = orderedUnique(accepted).reduce(
          (engine, row) => evaluate(rules, engine, row).state,
          startOf(rules),
        )
        expect(state.stage?.timeline.engine).toEqual(expected)
        expect(state.account.balance).toBe(expected.account?.balance ?? 100_000_00)
        expect(state.ledger).toMatchObject({ sum: state.account.balance, faultAt: null })
        // Whatever is sent again changes nothing.
        for (const rows of known) expect(recordObservations(state, rows, 'feed').events).toEqual([])
      }),
      { numRuns: 150 },
    )
  })
})

describe('a correction', () => {
  const rows = [trade('T1', '2026-03-02T09:00:00Z', '-6000.00'), trade('T2', '2026-03-02T10:00:00Z', '100.00')]
  const right = trade('T1', '2026-03-02T09:00:00Z', '-600.00')
  const corrected = (...stream: AccountStreamEvent[]) => [
    ...stream,
    ...correctObservation(given(...stream).state, 1, right, 'A digit too much'),
  ]

  it('replaces an observation, and the ledger follows', () => {
    const stream = after(rows)
    expect(lineOf(given(...stream).state.stage, '2026-03-02T11:00:00Z')?.status).toBe('breached')
    given(...stream)
      .when((state) => correctObservation(state, 1, right, 'A digit too much'))
      .then([
        {
          type: 'ObservationCorrected',
          data: { observation: 1, from: rows[0] ?? null, to: right, reason: 'A digit too much' },
        },
        { type: 'BalanceChanged', data: { from: toCents(94_100_00), to: toCents(99_500_00), kind: 'trade-result' } },
      ])
    const { state } = given(...corrected(...stream))
    expect(lineOf(state.stage, '2026-03-02T11:00:00Z')).toMatchObject({ status: 'in-progress', balance: 99_500_00 })
    expect(state.account).toMatchObject({ balance: 99_500_00, profitLoss: -500_00 })
  })

  it('leaves known what it replaced, and what it says now', () => {
    const { state } = given(...corrected(...after(rows)))
    expect(outcomes(state, [...rows, right])).toEqual(['duplicate', 'duplicate', 'duplicate'])
    expect(outcomes(state, [trade('T1', '2026-03-02T09:00:00Z', '-601.00')])).toEqual(['conflict'])
    expect(correctObservation(state, 1, right, 'Again')).toEqual([])
  })

  it('reads differently before and after, whatever differs', () => {
    const changed = (from: object, to: object) => {
      const data = { observation: 1, from: read(from), to: read(to), reason: 'A test' }
      return appendedEvents([{ type: 'ObservationCorrected' as const, data }])
        .flatMap((event) => observationDescriptions.ObservationCorrected.changes(event))
        .flatMap(({ field, ...sides }) => (field === 'observation.content' ? [sides] : []))
    }
    const written = { at: '2026-11-02T09:30:00Z', kind: 'trade', id: 'T1', profit: '1.00', volume: '1.00' }
    const line = 'Trade T1 closed 2026-11-02T09:30:00Z, profit $1.00'
    expect(changed(written, { ...written, openedAt: '2026-11-02T09:10:00Z' })).toEqual([
      { from: line, to: `${line}, opened 2 Nov 2026, 09:10:00 UTC` },
    ])
    expect(changed(written, { ...written, volume: '2.00' })).toEqual([
      { from: `${line}, volume 1.00`, to: `${line}, volume 2.00` },
    ])
    const fee = { at: '2026-11-02T09:30:00Z', kind: 'transfer', amount: '-20.00', why: 'fee' }
    const [{ from, to } = { from: null, to: null }] = changed(fee, { ...fee, why: 'commission' })
    expect([from, to]).toEqual([expect.stringMatching(/, why fee$/), expect.stringMatching(/, why commission$/)])
  })

  it('takes an observation away, which can come back by another correction', () => {
    const stream = after(rows)
    const away = [...stream, ...correctObservation(given(...stream).state, 1, null, 'Not of this account')]
    const { state } = given(...away)
    expect(state.account.balance).toBe(100_100_00)
    expect(outcomes(state, rows)).toEqual(['duplicate', 'duplicate'])
    const back = [...away, ...correctObservation(state, 1, right, 'It was')]
    expect(given(...back).state.account.balance).toBe(99_500_00)
  })

  it('books a transfer back under its kind', () => {
    const stream = after([transfer('2026-03-02T09:00:00Z', '-20.00', 'fee')])
    const decided = correctObservation(given(...stream).state, 1, null, 'Charged twice')
    expect(entriesOf(decided)).toEqual([['fee', 20_00]])
  })

  it('is refused for none, for a day that its instant is not in, and for what another one says', () => {
    const stream = after(rows)
    given(...stream)
      .when((state) => correctObservation(state, 3, right, 'x'))
      .thenRefused('not-found', 'Observation not found')
    given(...stream)
      .when((state) => correctObservation(state, 1, trade('T2', '2026-03-02T10:00:00Z', '5.00'), 'x'))
      .thenRefused('conflict', 'The trade T2 is known with other content', 'observation')
    given()
      .when((state) => correctObservation(state, 1, null, 'x'))
      .thenRefused('not-found', 'Account not found')
  })
})

describe('a balance that staff type', () => {
  it('is a state of now, right after what is known of later moments', () => {
    const now = Date.parse('2026-03-02T10:00:00Z')
    const stream = after([stateAt('2026-03-02T10:02:00Z', '100400.00')])
    const decided = recordTypedBalance(given(...stream).state, toCents(100_300_00), now)
    expect(decided).toMatchObject([
      {
        type: 'ObservationsRecorded',
        data: {
          first: 2,
          source: 'staff',
          observations: [{ at: { text: '2026-03-02T10:02:00.000000001Z' }, balance: 100_300_00, open: false }],
        },
      },
      { type: 'BalanceChanged', data: { from: 100_400_00, to: 100_300_00, kind: 'trade-result' } },
    ])
    expect(recordTypedBalance(given(...stream).state, toCents(100_400_00), now)).toEqual([])
  })
})
