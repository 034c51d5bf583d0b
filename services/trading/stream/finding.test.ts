import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AccountState, accountStateDecider, type AccountStreamEvent } from './account-aggregate.ts'
import { changeByStaff } from './account-aggregate.ts'
import { stageAt } from './stage.ts'
import { fold } from '#services/event-sourcing/decider.ts'
import {
  accountIdOf,
  adminKeyId,
  findingIdOf,
  type PayoutId,
  payoutId,
  programmeId,
  userId,
} from '#services/framework/ids.ts'
import { correctObservation, recordObservations } from './observation.ts'
import { holdPayout } from './payout.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { toCents } from '#services/rules/money.ts'
import { observation } from '#services/rules/observation.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import { begunStage } from '#test-support/begun-stage.ts'
import { anyWrittenObservation, appendedEvents, givenEvents } from '#test-support/given-when-then.ts'
import { type Found, foundIn } from './found.ts'
import { type Confirmer, confirmFinding, dismissFinding, reviewFindings } from './finding.ts'

const given = givenEvents(accountStateDecider)
const account = accountIdOf(userId.parse('trader01'), 1)
const [first, second] = [findingIdOf(account, 1), findingIdOf(account, 2)]
const [ada, ben] = [adminKeyId.parse('ada'), adminKeyId.parse('ben')]
const alone: Confirmer = { member: ada, needsTwo: false, lapsed: null }
/** Long before time alone decides anything. */
const NOW = Date.parse('2026-03-01T00:00:00Z')

/** Phase 1 of $100,000.00: at most $5,000.00 a day and $10,000.00 in all, target $8,000.00. */
const terms: ProgrammeTerms = presetTerms('two-step', 100_000)

/** An account that trades. */
const begun = (of: ProgrammeTerms = terms, status: 'active' | 'pending' = 'active'): AccountStreamEvent[] => [
  ...begunStage(account, of),
  ...(status === 'active'
    ? [
        {
          type: 'AccountStatusChanged' as const,
          data: { from: 'pending' as const, to: 'active' as const, reason: null, evidence: null, corrects: null },
        },
      ]
    : []),
]

const read = (written: object) => observation.parse(written)
const stateAt = (at: string, balance: string, equity = balance) =>
  read({ at, kind: 'state', balance, equity, open: balance !== equity })
const trade = (at: string, profit: string) =>
  read({ at, kind: 'trade', id: `T${at}`, openedAt: at, profit, volume: '1.00' })

/** The stream with more decisions, each on the state before. */
const after = (
  stream: readonly AccountStreamEvent[],
  ...decisions: ((state: AccountState) => readonly AccountStreamEvent[])[]
) =>
  decisions.reduce(
    (events, decide) => [...events, ...decide(fold(accountStateDecider, appendedEvents(events)))],
    [...stream],
  )
const record =
  (...rows: Parameters<typeof recordObservations>[1]) =>
  (state: AccountState) =>
    recordObservations(state, rows, 'feed').events
const review = (state: AccountState) => reviewFindings(state, NOW)
const correct = (number: number, to: ReturnType<typeof read> | null) => (state: AccountState) =>
  correctObservation(state, number, to, 'The server had a wrong price')
const stateOf = (stream: readonly AccountStreamEvent[]) => fold(accountStateDecider, appendedEvents(stream))
const shown = (stream: readonly AccountStreamEvent[]) => {
  const state = stateOf(stream)
  return {
    status: state.account.status,
    findings: state.findings.list.map((each) => [each.kind, each.state, each.rule.kind, each.floor, each.measured]),
  }
}

const hit = stateAt('2026-03-02T10:00:00Z', '100000.00', '94000.00')
const found = after(begun(), record(stateAt('2026-03-02T09:00:00Z', '100000.00'), hit), review)

describe('a finding', () => {
  it('is raised once, with what proves it, and sets an active account under review', () => {
    given(...after(begun(), record(stateAt('2026-03-02T09:00:00Z', '100000.00'), hit)))
      .when(review)
      .then([
        {
          type: 'RuleFindingRaised',
          data: {
            finding: first,
            kind: 'breach',
            rule: { index: 1, kind: 'daily-loss' },
            floor: toCents(95_000_00),
            measured: toCents(94_000_00),
            hit: { observation: 2, payoutId: null, at: hit.at.ms },
            evidence: [1, 2],
            programme: { id: programmeId.parse('two-step-100000'), version: 1, hash: 'f'.repeat(64), stage: 0 },
            proposed: true,
            status: 'active',
          },
        },
        {
          type: 'AccountStatusChanged',
          data: {
            from: 'active',
            to: 'under-review',
            reason: 'Daily loss: $94,000.00 at the floor of $95,000.00 (finding trader01-a1-f1)',
            evidence: null,
            corrects: null,
            finding: first,
          },
        },
      ])
    given(...found)
      .when(review)
      .thenNothing()
  })

  it('leaves the status of an account alone that does not trade', () => {
    const pending = after(begun(terms, 'pending'), record(hit), review)
    expect(shown(pending)).toMatchObject({
      status: 'pending',
      findings: [['breach', 'proposed', 'daily-loss', 95_000_00, 94_000_00]],
    })
  })

  it('breaches the account once it is confirmed, with its evidence', () => {
    const decided = after(found, (state) => confirmFinding(state, first, alone))
    expect(decided.slice(-2)).toEqual([
      {
        type: 'BreachConfirmed',
        data: { finding: first, from: 'proposed', hit: { observation: 2, payoutId: null, at: hit.at.ms } },
      },
      {
        type: 'AccountStatusChanged',
        data: {
          from: 'under-review',
          to: 'breached',
          reason: 'Daily loss: $94,000.00 at the floor of $95,000.00 (finding trader01-a1-f1)',
          evidence: { rule: 'daily-drawdown', limit: '95000.00', value: '94000.00', occurredAt: hit.at.ms },
          corrects: null,
          finding: first,
        },
      },
    ])
    given(...decided)
      .when(review)
      .thenNothing()
    given(...decided)
      .when((state) => confirmFinding(state, first, alone))
      .thenRefused('conflict', 'This finding was confirmed already')
    given(...decided)
      .when((state) => dismissFinding(state, first, 'No'))
      .thenRefused('conflict', 'This finding was confirmed already')
    given(...decided)
      .when((state) => confirmFinding(state, second, alone))
      .thenRefused('not-found', 'Finding not found')
  })

  it('is confirmed by two members where a breach needs two', () => {
    const once = after(found, (state) => confirmFinding(state, first, { ...alone, needsTwo: true }))
    expect(once.slice(found.length)).toEqual([{ type: 'BreachFirstConfirmed', data: { finding: first, member: ada } }])
    expect(shown(once)).toMatchObject({
      status: 'under-review',
      findings: [['breach', 'proposed', 'daily-loss', 95_000_00, 94_000_00]],
    })
    given(...once)
      .when((state) => confirmFinding(state, first, { ...alone, needsTwo: true }))
      .thenRefused('conflict', 'You confirmed this finding first. Another member of staff has to confirm it too.')
    const twice = after(once, (state) => confirmFinding(state, first, { member: ben, needsTwo: true, lapsed: null }))
    expect(shown(twice).status).toBe('breached')
    // The first one lost the right to: it does not count.
    const lapsed = after(once, (state) => confirmFinding(state, first, { member: ben, needsTwo: true, lapsed: ada }))
    expect(shown(lapsed).status).toBe('under-review')
  })

  it('is passed over once it is dismissed: the status before comes back, and the limit is warned', () => {
    const dismissed = after(found, (state) => dismissFinding(state, first, 'A wrong price'), review)
    expect(shown(dismissed)).toMatchObject({
      status: 'active',
      findings: [['breach', 'dismissed', 'daily-loss', 95_000_00, 94_000_00]],
    })
    const { stage } = stateOf(dismissed)
    expect(stage && stageAt(stage, hit.at.ms + 1).line.status).toBe('in-progress')
    expect(stage?.timeline.engine.dismissed[0]?.rules.map(({ state }) => state)).toContain('warned')
    // What comes after it is a finding of its own.
    const again = after(dismissed, record(stateAt('2026-03-02T11:00:00Z', '94500.00')), review)
    expect(shown(again)).toEqual({
      status: 'under-review',
      findings: [
        ['breach', 'dismissed', 'daily-loss', 95_000_00, 94_000_00],
        ['breach', 'proposed', 'daily-loss', 95_000_00, 94_500_00],
      ],
    })
  })

  it('is decided by the rules alone where the programme says so', () => {
    const automatic = after(begun({ ...terms, breaches: 'automatically' }), record(hit), review)
    expect(automatic.slice(-3).map(({ type }) => type)).toEqual([
      'RuleFindingRaised',
      'BreachConfirmed',
      'AccountStatusChanged',
    ])
    expect(shown(automatic)).toMatchObject({
      status: 'breached',
      findings: [['breach', 'confirmed', 'daily-loss', 95_000_00, 94_000_00]],
    })
  })
})

describe('a correction', () => {
  it('reopens a finding that the rules find no more; the status stays until it is decided', () => {
    const confirmed = after(found, (state) => confirmFinding(state, first, alone))
    const corrected = after(confirmed, correct(2, stateAt('2026-03-02T10:00:00Z', '100000.00', '99000.00')), review)
    expect(corrected.at(-1)).toEqual({
      type: 'FindingReopened',
      data: { finding: first, from: 'confirmed', found: null },
    })
    expect(shown(corrected)).toMatchObject({
      status: 'breached',
      findings: [['breach', 'reopened', 'daily-loss', 95_000_00, 94_000_00]],
    })
    given(...corrected)
      .when(review)
      .thenNothing()
    const dismissed = after(corrected, (state) => dismissFinding(state, first, 'A wrong price'), review)
    expect(shown(dismissed).status).toBe('active')
  })

  it('reopens a finding of which other figures prove it, also one that was dismissed', () => {
    const dismissed = after(found, (state) => dismissFinding(state, first, 'A wrong price'))
    const corrected = after(dismissed, correct(2, stateAt('2026-03-02T10:00:00Z', '100000.00', '93000.00')), review)
    expect(shown(corrected)).toEqual({
      status: 'active',
      findings: [['breach', 'reopened', 'daily-loss', 95_000_00, 93_000_00]],
    })
    expect(shown(after(corrected, (state) => confirmFinding(state, first, alone), review)).status).toBe('breached')
  })

  it('by a late row raises the earlier hit, and reopens the one that followed it', () => {
    const late = after(found, record(stateAt('2026-03-02T08:00:00Z', '100000.00', '94900.00')), review)
    expect(shown(late).findings).toEqual([
      ['breach', 'reopened', 'daily-loss', 95_000_00, 94_000_00],
      ['breach', 'proposed', 'daily-loss', 95_000_00, 94_900_00],
    ])
  })
})

describe('a stage that is passed', () => {
  // Five days of trades, and the target.
  const days = [2, 3, 4, 5, 6].map((day) => trade(`2026-03-0${day}T10:00:00Z`, '1700.00'))
  const passed = after(begun(), record(...days), review)

  it('is proposed, and closes its account once it is confirmed', () => {
    expect(shown(passed)).toMatchObject({
      status: 'active',
      findings: [['pass', 'proposed', 'profit-target', 108_000_00, expect.any(Number)]],
    })
    const confirmed = after(passed, (state) => confirmFinding(state, first, { ...alone, needsTwo: true }))
    expect(confirmed.slice(-3).map(({ type }) => type)).toEqual(['PassConfirmed', 'StagePassed', 'AccountClosed'])
    expect(stateOf(confirmed).account).toMatchObject({ open: false, status: 'active' })
  })

  it('is passed by the rules alone where the programme says so', () => {
    const automatic = after(begun({ ...terms, passes: 'automatically' }), record(...days), review)
    expect(automatic.slice(-4).map(({ type }) => type)).toEqual([
      'RuleFindingRaised',
      'PassConfirmed',
      'StagePassed',
      'AccountClosed',
    ])
  })

  it('is decided again when its ground is corrected: the account stays closed', () => {
    const confirmed = after(passed, (state) => confirmFinding(state, first, alone))
    const corrected = after(confirmed, correct(1, null), review)
    expect(shown(corrected).findings).toMatchObject([
      ['pass', 'reopened', 'profit-target', 108_000_00, expect.any(Number)],
    ])
    const dismissed = after(corrected, (state) => dismissFinding(state, first, 'It did not reach the target'), review)
    expect(stateOf(dismissed).account).toMatchObject({ open: false, status: 'active' })
  })
})

describe('the holds that a breach put on payouts', () => {
  const [free, held, alike] = [1, 2, 3].map((n) => payoutId.parse(`${account}-p${n}`))
  const requested = (id: PayoutId | undefined): AccountStreamEvent[] =>
    id === undefined
      ? []
      : [
          {
            type: 'PayoutRequested',
            data: {
              ...{ payoutId: id, amount: toCents(100_00), method: 'paypal', details: 'ada@example.com' },
              ...{ destination: null, idempotency: null },
            },
          },
        ]
  const holding = (id: PayoutId | undefined, reason: string) => (state: AccountState) =>
    id === undefined ? [] : holdPayout(state, id, reason)
  const reopened = after(
    [...found, ...requested(free), ...requested(held), ...requested(alike)],
    holding(held, 'Asks the bank'),
    holding(alike, 'The account was breached.'),
    (state) => confirmFinding(state, first, alone),
    correct(2, null),
    review,
  )
  const holdsOf = (stream: readonly AccountStreamEvent[]) =>
    [...stateOf(stream).payouts.list.values()].map(({ hold }) => hold?.reason ?? null)
  const dismissing = (isBanned: boolean) => (state: AccountState) =>
    dismissFinding(state, first, 'It traded on', null, isBanned)

  it('end once it is dismissed, and what a person held stays', () => {
    expect(holdsOf(reopened)).toEqual(['The account was breached.', 'Asks the bank', 'The account was breached.'])
    expect(holdsOf(after(reopened, dismissing(false)))).toEqual([null, 'Asks the bank', 'The account was breached.'])
  })

  it('become those of a ban while the trader is banned', () => {
    expect(holdsOf(after(reopened, dismissing(true)))[0]).toBe('The trader was banned.')
  })

  it('stay while a person says that it is breached', () => {
    const byPerson = after(reopened, (state) =>
      changeByStaff(state, { status: 'active' }, { reason: 'A mistake' }, null, NOW),
    )
    const again = after(byPerson, (state) =>
      changeByStaff(state, { status: 'breached' }, { reason: 'Two accounts traded alike' }, null, NOW),
    )
    expect(holdsOf(after(again, dismissing(false)))[0]).toBe('The account was breached.')
  })

  it('end once a person corrects the breach, and become those of a ban while the trader is banned', () => {
    const correcting = (isBanned: boolean) => (state: AccountState) => {
      const corrects = { revision: state.account.breachRevision ?? 0, number: 9 }
      return changeByStaff(state, { status: 'active' }, { reason: 'A mistake', corrects }, null, NOW, isBanned)
    }
    const held = ['Asks the bank', 'The account was breached.']
    expect(holdsOf(after(reopened, correcting(false)))).toEqual([null, ...held])
    expect(holdsOf(after(reopened, correcting(true)))).toEqual(['The trader was banned.', ...held])
  })
})

describe('what time alone decides', () => {
  const withInactivity: ProgrammeTerms = {
    ...terms,
    stages: terms.stages.map((stage) => ({
      ...stage,
      rules: [...stage.rules, { kind: 'inactivity', days: 3, consequence: 'breach' }],
    })),
  }
  const traded = after(begun(withInactivity), record(trade('2026-03-02T10:00:00Z', '10.00')), review)
  const decidedAt = Date.parse('2026-03-06T00:00:00Z')

  it('has its moment in an event, which moves with each trade', () => {
    expect(traded.at(-1)).toEqual({ type: 'TimeDecisionMoved', data: { from: null, to: decidedAt } })
    const more = after(traded, record(trade('2026-03-03T10:00:00Z', '10.00')), review)
    expect(more.at(-1)).toEqual({
      type: 'TimeDecisionMoved',
      data: { from: decidedAt, to: Date.parse('2026-03-07T00:00:00Z') },
    })
    expect(after(begun(), record(trade('2026-03-02T10:00:00Z', '10.00')), review).at(-1)?.type).toBe('BalanceChanged')
  })

  it('is raised at that moment, and reopened by a late trade', () => {
    given(...traded)
      .when((state) => reviewFindings(state, decidedAt - 1))
      .thenNothing()
    const raised = after(traded, (state) => reviewFindings(state, decidedAt))
    expect(shown(raised)).toMatchObject({
      status: 'under-review',
      findings: [['breach', 'proposed', 'inactivity', null, null]],
    })
    expect(stateOf(raised).findings.timeDecidesAt).toBeNull()
    given(...raised)
      .when((state) => reviewFindings(state, decidedAt + 1))
      .thenNothing()
    const late = after(raised, record(trade('2026-03-04T10:00:00Z', '10.00')), (state) =>
      reviewFindings(state, decidedAt),
    )
    expect(shown(late).findings).toMatchObject([['breach', 'reopened', 'inactivity', null, null]])
  })
})

describe('a person', () => {
  it('may breach an account under a programme, which is marked as their decision', () => {
    given(...begun())
      .when((state) => changeByStaff(state, { status: 'breached' }, { reason: 'Two accounts traded alike' }, null, NOW))
      .then([
        {
          type: 'AccountStatusChanged',
          data: {
            from: 'active',
            to: 'breached',
            reason: 'Two accounts traded alike',
            evidence: null,
            corrects: null,
            finding: null,
          },
        },
      ])
  })
})

describe('the findings that hold', () => {
  it('follow from the observations, whatever the order and the calls in which they came', () => {
    const rows = fc.uniqueArray(anyWrittenObservation.map(read), {
      maxLength: 25,
      selector: (row) => `${row.at.ms}`,
    })
    fc.assert(
      fc.property(rows, fc.infiniteStream(fc.nat()), fc.integer({ min: 1, max: 4 }), (observed, any, size) => {
        const drawn = observed.map((row) => ({ row, rank: any.next().value ?? 0 }))
        const shuffled = drawn.toSorted((one, other) => one.rank - other.rank).map(({ row }) => row)
        const calls = Array.from({ length: Math.ceil(shuffled.length / size) }, (_, n) =>
          shuffled.slice(n * size, n * size + size),
        )
        const stream = calls.reduce<AccountStreamEvent[]>(
          (events, call) => after(events, record(...call), review),
          begun(),
        )
        const { stage, findings } = stateOf(stream)
        if (!stage) throw new TypeError('A stage was begun')
        const following = findings.list.filter(({ follows }) => follows)
        const figures = ({ kind, rule, floor, measured, hit }: Found) => ({ kind, rule, floor, measured, hit })
        expect(following.map(figures)).toEqual(foundIn(stage).map(figures))
        expect(reviewFindings(stateOf(stream), NOW)).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})
