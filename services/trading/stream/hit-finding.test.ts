import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '#services/event-sourcing/decider.ts'
import { accountIdOf, adminKeyId, findingIdOf, userId } from '#services/framework/ids.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { DECISION_VERSION } from '#services/rules/decision-version.ts'
import { observation } from '#services/rules/observation.ts'
import type { ProgrammeTerms, RuleTerms } from '#services/rules/programme.ts'
import { begunStage } from '#test-support/begun-stage.ts'
import { appendedEvents } from '#test-support/given-when-then.ts'
import { type AccountState, accountStateDecider, type AccountStreamEvent } from './account-aggregate.ts'
import { decideAgain } from './decide-again.ts'
import { confirmFinding, dismissFinding, isUndecided, reviewFindings } from './finding.ts'
import { arithmeticOf } from './finding-arithmetic.ts'
import { endingOf } from './found.ts'
import { correctObservation, recordObservations } from './observation.ts'

const account = accountIdOf(userId.parse('trader01'), 1)
const [first, second] = [findingIdOf(account, 1), findingIdOf(account, 2)]
const NOW = Date.parse('2026-03-01T00:00:00Z')
const member = { member: adminKeyId.parse('ada'), needsTwo: false, lapsed: null }

/** Held for at least a minute: the first one that is shorter is tolerated. */
const shortTrades: RuleTerms = { kind: 'holding-time', atLeast: 60, of: 'all', tolerated: 1, consequence: 'breach' }
const termsWith = (...rules: readonly RuleTerms[]): ProgrammeTerms => ({
  ...presetTerms('two-step', 100_000),
  stages: [{ name: 'Phase 1', funded: false, rules: [...rules] }],
})

/** A trade of 2 March that was held for so many seconds. */
const trade = (id: string, minute: string, seconds: number, facts: object = {}) =>
  observation.parse({
    ...{ kind: 'trade', id, openedAt: `2026-03-02T09:${minute}:00Z` },
    at: new Date(Date.parse(`2026-03-02T09:${minute}:00Z`) + seconds * 1000).toISOString(),
    ...{ profit: '10.00', volume: '1.00', symbol: 'EURUSD', side: 'buy', ...facts },
  })

const after = (
  stream: readonly AccountStreamEvent[],
  ...decisions: ((state: AccountState) => readonly AccountStreamEvent[])[]
) =>
  decisions.reduce((events, decide) => [...events, ...decide(fold(accountStateDecider, appended(events)))], [...stream])
const appended = (events: readonly AccountStreamEvent[]) =>
  appendedEvents(events).map((event) => ({ ...event, decisions: DECISION_VERSION }))
const begun = (terms: ProgrammeTerms): AccountStreamEvent[] => [
  ...begunStage(account, terms),
  {
    type: 'AccountStatusChanged',
    data: { from: 'pending', to: 'active', reason: null, evidence: null, corrects: null },
  },
]
const record =
  (...rows: Parameters<typeof recordObservations>[1]) =>
  (state: AccountState) =>
    recordObservations(state, rows, 'feed').events
const correct = (number: number, to: ReturnType<typeof trade> | null) => (state: AccountState) =>
  correctObservation(state, number, to, 'The server had a wrong price')
const review = (state: AccountState) => reviewFindings(state, NOW)
const stateOf = (stream: readonly AccountStreamEvent[]) => fold(accountStateDecider, appended(stream))
const listed = (stream: readonly AccountStreamEvent[]) =>
  stateOf(stream).findings.list.map(({ state, follows, hit, evidence }) => ({
    ...{ state, follows, at: hit.source, evidence },
  }))
const lastOf = (stream: readonly AccountStreamEvent[], type: AccountStreamEvent['type']) =>
  stream.findLast((event) => event.type === type)?.data

/** Everything that was recorded is decided again as it is. */
function expectDecidedAgain(stream: readonly AccountStreamEvent[], from: number): void {
  const events = appended(stream)
  let state = fold(accountStateDecider, events.slice(0, from))
  for (let n = from; n < events.length; n += 1) {
    const { events: decided } = decideAgain(state, events, n)
    expect([n, events[n]?.type, decided]).toEqual([n, events[n]?.type, expect.any(Number)])
    expect(decided).toBeGreaterThan(0)
    for (const event of events.slice(n, n + decided)) state = accountStateDecider.evolve(state, event)
    n += decided - 1
  }
}

const start = begun(termsWith(shortTrades))
const raised = after(start, record(trade('880', '00', 30), trade('OK', '05', 600), trade('881', '20', 41)), review)

describe('a finding of a rule that judges single trades', () => {
  it('has all hit trades as evidence, also those that were tolerated, and that of the cause last', () => {
    expect(listed(raised)).toEqual([{ state: 'proposed', follows: true, at: 3, evidence: [1, 3] }])
    expect(lastOf(raised, 'AccountStatusChanged')).toMatchObject({
      to: 'under-review',
      reason: 'Holding time: Trade 881 of EURUSD was held for 41 s; at least 60 s (finding trader01-a1-f1)',
    })
    expect(review(stateOf(raised))).toEqual([])
  })

  it('says in sentences what each hit trade did', () => {
    const { stage } = stateOf(raised)
    const found = stage && endingOf(stage)
    expect(stage && found && arithmeticOf(stage, found)).toMatchObject([
      { role: 'trade', what: 'Tolerated: Trade 880 of EURUSD was held for 30 s; at least 60 s', observation: 1 },
      { role: 'trade', what: 'Trade 881 of EURUSD was held for 41 s; at least 60 s', observation: 3, amount: null },
    ])
  })

  it('names the trade in the evidence of the confirmed breach', () => {
    const confirmed = after(raised, (state) => confirmFinding(state, first, member))
    expect(lastOf(confirmed, 'AccountStatusChanged')).toMatchObject({
      to: 'breached',
      evidence: {
        ...{ rule: 'other', limit: 'Holding time' },
        value: 'Trade 881 of EURUSD was held for 41 s; at least 60 s',
      },
    })
    expectDecidedAgain(confirmed, start.length)
  })

  it('once dismissed makes room for the next hit, with the dismissed one among the evidence', () => {
    const dismissed = after(
      raised,
      (state) => dismissFinding(state, first, 'A stop was hit'),
      review,
      record(trade('882', '30', 5)),
      review,
    )
    expect(listed(dismissed)).toEqual([
      { state: 'dismissed', follows: true, at: 3, evidence: [1, 3] },
      { state: 'proposed', follows: true, at: 4, evidence: [1, 3, 4] },
    ])
    expectDecidedAgain(dismissed, start.length)
  })

  it('is reopened by a correction of one of its trades', () => {
    const unfounded = after(raised, correct(1, trade('880', '00', 90)), review)
    expect(listed(unfounded)).toEqual([{ state: 'reopened', follows: false, at: 3, evidence: [1, 3] }])
    const other = after(raised, correct(2, trade('OK', '05', 6)), review)
    expect(listed(other)).toEqual([{ state: 'reopened', follows: true, at: 2, evidence: [1, 2] }])
  })

  it('sees a symbol that a correction adds', () => {
    const forbidden: RuleTerms = {
      ...{ kind: 'symbols', allowed: null, forbidden: ['BTC*'], tolerated: 0, consequence: 'breach' },
    }
    const unnamed = trade('880', '00', 90, { symbol: undefined })
    const unknown = after(begun(termsWith(forbidden)), record(unnamed), review)
    expect(listed(unknown)).toEqual([])
    const named = after(unknown, correct(1, trade('880', '00', 90, { symbol: 'BTCUSD' })), review)
    expect(listed(named)).toEqual([{ state: 'proposed', follows: true, at: 1, evidence: [1] }])
  })
})

describe('a hit that needs no decision', () => {
  const paused: RuleTerms = { ...shortTrades, consequence: 'pause', tolerated: 0 }
  const noted = (stream: readonly AccountStreamEvent[]) =>
    stream.flatMap((event) =>
      event.type === 'HitsNoted'
        ? [[event.data.found, event.data.gone].map((all) => all.map(({ trade: id }) => id))]
        : [],
    )

  it('"makes no finding, but an entry in the history", once', () => {
    const hit = after(begun(termsWith(paused)), record(trade('880', '00', 30), trade('881', '20', 41)), review, review)
    expect(noted(hit)).toEqual([[['880', '881'], []]])
    expect(listed(hit)).toEqual([])
    expect(lastOf(hit, 'HitsNoted')).toMatchObject({ consequence: 'pause', rule: { index: 0, kind: 'holding-time' } })
    const more = after(hit, record(trade('882', '10', 5)), review)
    expect(noted(more).at(-1)).toEqual([['882'], []])
    expectDecidedAgain(more, begun(termsWith(paused)).length)
  })

  it('is noted beside a finding of the same observation', () => {
    const both = after(
      begun(termsWith(shortTrades, paused)),
      record(trade('880', '00', 30), trade('881', '20', 41)),
      review,
    )
    expect(noted(both)).toEqual([[['880', '881'], []]])
    expect(listed(both)).toMatchObject([{ evidence: [1, 2] }])
    expectDecidedAgain(both, begun(termsWith(shortTrades, paused)).length)
  })

  it('is taken back where a correction takes it away', () => {
    const corrected = after(
      begun(termsWith(paused)),
      record(trade('880', '00', 30), trade('881', '20', 41)),
      review,
      correct(1, trade('880', '00', 90)),
      review,
    )
    expect(noted(corrected).at(-1)).toEqual([[], ['880']])
    expectDecidedAgain(corrected, begun(termsWith(paused)).length)
  })
})

describe('"at most one open finding for a rule"', () => {
  const open = (stream: readonly AccountStreamEvent[]) =>
    stateOf(stream).findings.list.filter(({ state }) => isUndecided(state)).length

  it('so a finding moves to the trade to which a correction moves the hit', () => {
    const moved = after(raised, record(trade('882', '30', 5)), review, correct(3, trade('881', '20', 90)), review)
    expect(listed(moved)).toEqual([{ state: 'reopened', follows: true, at: 4, evidence: [1, 4] }])
    expectDecidedAgain(moved, start.length)
    const dismissed = after(moved, (state) => dismissFinding(state, first, 'A stop was hit'), review)
    expect(listed(dismissed)).toMatchObject([{ state: 'dismissed', follows: true }])
  })

  it('so one that staff confirmed moves, too', () => {
    const moved = after(
      raised,
      (state) => confirmFinding(state, first, member),
      record(trade('882', '30', 5)),
      correct(1, trade('880', '00', 90)),
      review,
    )
    expect(listed(moved)).toEqual([{ state: 'reopened', follows: true, at: 4, evidence: [3, 4] }])
    expectDecidedAgain(moved, start.length)
  })

  it('so a dismissed one whose hit is gone waits until the other is decided', () => {
    const both = after(
      raised,
      (state) => dismissFinding(state, first, 'A stop was hit'),
      record(trade('882', '30', 5), trade('883', '40', 5)),
      review,
      correct(1, trade('880', '00', 90)),
      review,
    )
    expect(open(both)).toBe(1)
    expect(listed(both)[0]).toMatchObject({ state: 'dismissed', at: 3 })
    const decided = after(both, (state) => dismissFinding(state, second, 'A stop was hit'), review)
    expect(open(decided)).toBe(1)
    expectDecidedAgain(decided, start.length)
  })

  it('whatever the order and the calls in which trades came, and staff decided', () => {
    const rules: readonly RuleTerms[] = [
      { kind: 'holding-time', atLeast: 60, of: 'profitable', tolerated: 2, consequence: 'breach' },
      { kind: 'hedging', tolerated: 1, consequence: 'breach' },
      { kind: 'symbols', allowed: null, forbidden: ['US*'], tolerated: 3, consequence: 'breach' },
    ]
    const anyTrade = fc
      .record({
        ...{ minute: fc.nat(50), seconds: fc.nat(600), profit: fc.constantFrom('10.00', '-10.00') },
        facts: fc.record({ symbol: fc.constantFrom('EURUSD', 'US30'), side: fc.constantFrom('buy', 'sell') }),
      })
      .map(({ minute, seconds, profit, facts }) =>
        trade(`T${minute}`, String(minute).padStart(2, '0'), seconds, { ...facts, profit }),
      )
    const trades = fc.uniqueArray(anyTrade, { maxLength: 25, selector: (each) => ('id' in each ? each.id : undefined) })
    const anyDecision = fc.constantFrom('confirm', 'dismiss', 'none')
    fc.assert(
      fc.property(
        fc.constantFrom(...rules),
        trades,
        fc.infiniteStream(anyDecision),
        fc.infiniteStream(anyTrade),
        (rule, observed, decisions, others) => {
          let stream = begun(termsWith(rule))
          for (const each of observed) {
            stream = after(stream, record(each), review)
            const waiting = stateOf(stream).findings.list.find(({ state }) => isUndecided(state))
            const decision = decisions.next().value
            if (waiting && decision === 'confirm')
              stream = after(stream, (state) => confirmFinding(state, waiting.id, member))
            if (waiting && decision === 'dismiss')
              stream = after(stream, (state) => dismissFinding(state, waiting.id, 'A stop was hit'), review)
            const { size } = stateOf(stream).stage?.known.list ?? { size: 0 }
            const other = others.next().value
            // A trade that was known becomes another one.
            if (other?.kind === 'trade' && size > 3 && decision !== 'none')
              stream = after(stream, correct(size - 2, { ...other, id: `C${stream.length}` }), review)
            const open = stateOf(stream).findings.list.filter(({ state }) => isUndecided(state))
            expect(new Set(open.map(({ rule }) => rule.index)).size).toBe(open.length)
            expect(review(stateOf(stream))).toEqual([])
          }
          expectDecidedAgain(stream, begun(termsWith(rule)).length)
        },
      ),
      { numRuns: 60 },
    )
  })
})
