import { describe, expect, it } from 'vitest'
import { fold } from '#services/event-sourcing/decider.ts'
import {
  type AccountState,
  accountStateDecider,
  type AccountStreamEvent,
  changeByStaff,
} from '#services/trading/stream/account-aggregate.ts'
import { confirmFinding, dismissFinding, reviewFindings } from '#services/trading/stream/finding.ts'
import { approvePayout, rejectPayout, requestPayout } from '#services/trading/stream/payout.ts'
import type { RejectionReasons } from '#services/trading/stream/rejection.ts'
import {
  accountIdOf,
  adminKeyId,
  enrolmentId,
  findingIdOf,
  observationIdOf,
  payoutId,
  programmeId,
  userId,
} from '#services/framework/ids.ts'
import { correctObservation, recordObservations } from '#services/trading/stream/observation.ts'
import { DECISION_VERSION } from '#services/rules/decision-version.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { toCents } from '#services/rules/money.ts'
import { observation } from '#services/rules/observation.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import { begunStage } from '#test-support/begun-stage.ts'
import { appendedEvents } from '#test-support/given-when-then.ts'
import { verdictsOn } from './verdicts.ts'

const account = accountIdOf(userId.parse('trader01'), 1)
const [first, second] = [findingIdOf(account, 1), findingIdOf(account, 2)]
const NOW = Date.parse('2026-03-03T00:00:00Z')
const BEGUN = Date.parse('2026-03-01T00:00:00Z')
/** All corrections were reviewed long ago. */
const MUCH_LATER = Date.parse('2026-03-10T00:00:00Z')

/** Phase 1 of $100,000.00: at most $5,000.00 a day and $10,000.00 in all, target $8,000.00. */
const preset: ProgrammeTerms = presetTerms('two-step', 100_000)

/** What was appended, and whether a member of staff caused it: the first, unless it names another. */
type Entry = readonly [event: AccountStreamEvent, isByStaff: boolean | string]
type Step = (state: AccountState, now: number) => readonly Entry[]

const bySystem = (events: readonly AccountStreamEvent[]): Entry[] => events.map((event) => [event, false])
const byStaff = (events: readonly AccountStreamEvent[]): Entry[] => events.map((event) => [event, true])

const begun = (terms: ProgrammeTerms, stage: number): Entry[] =>
  byStaff([
    ...begunStage(account, terms, stage),
    {
      type: 'AccountStatusChanged',
      data: { from: 'pending', to: 'active', reason: null, evidence: null, corrects: null, finding: null },
    },
  ])

/** The verdicts after these steps, each decided on the state that the steps before it left. */
function judged(
  steps: readonly Step[],
  {
    terms = preset,
    stage = 0,
    from = NOW,
    endsAt = MUCH_LATER,
    decisions = DECISION_VERSION,
    untimely = new Map<number, string>(),
  } = {},
) {
  const entries = begun(terms, stage)
  const beginning = entries.length
  const events = () =>
    appendedEvents(entries.map(([event]) => event)).map((event, n) => ({
      ...event,
      // The stage began before all that was observed of it.
      at: n < beginning ? BEGUN : from + (moments[n] ?? n) * 1000,
      decisions,
    }))
  // The events of a step are of one append.
  const moments: number[] = [...entries.keys()]
  for (const step of steps) {
    const at = entries.length
    entries.push(...step(fold(accountStateDecider, events()), from + at * 1000))
    while (moments.length < entries.length) moments.push(at)
  }
  const read = events().map((event, n) => ({
    event,
    number: 100 + n,
    staff: staffOf(entries[n]),
  }))
  return verdictsOn(account, read, endsAt, untimely)
}

const staffOf = ([, by]: Partial<Entry> = []) => (typeof by === 'string' ? by : by ? 'Staff member 1' : null)

const outcomes = (steps: readonly Step[], options = {}) => judged(steps, options).map(({ outcome }) => outcome)

const read = (written: object) => observation.parse(written)
const stateAt = (at: string, balance: string, equity = balance) =>
  read({ at, kind: 'state', balance, equity, open: balance !== equity })
const record =
  (...rows: Parameters<typeof recordObservations>[1]): Step =>
  (state) =>
    bySystem(recordObservations(state, rows, 'feed').events)
const review: Step = (state, now) => bySystem(reviewFindings(state, now))
const confirm =
  (id = first): Step =>
  (state) =>
    byStaff(confirmFinding(state, id, { member: adminKeyId.parse('dana'), needsTwo: false, lapsed: null }))
const dismiss =
  (id = first): Step =>
  (state) =>
    byStaff(dismissFinding(state, id, 'A wrong price'))
const correct =
  (number: number, to: ReturnType<typeof read> | null): Step =>
  (state) =>
    byStaff(correctObservation(state, number, to, 'The server had a wrong price'))
const set =
  (status: 'breached' | 'active'): Step =>
  (state, now) =>
    byStaff(changeByStaff(state, { status }, { reason: 'Copied trades' }, null, now))

/** What an operator with all keys records: a step with some of its events replaced. */
const forged =
  (step: Step, replace: (event: AccountStreamEvent) => AccountStreamEvent): Step =>
  (state, now) =>
    step(state, now).map(([event, isByStaff]) => [replace(event), isByStaff])
type Raised = Extract<AccountStreamEvent, { type: 'RuleFindingRaised' }>['data']
const withRaised = (change: Partial<Raised>) =>
  forged(review, (event) =>
    event.type === 'RuleFindingRaised' ? { ...event, data: { ...event.data, ...change } } : event,
  )
/** A finding from nowhere. */
const invented =
  (change: Partial<Raised> = {}): Step =>
  () =>
    bySystem([
      {
        type: 'RuleFindingRaised',
        data: {
          ...{ finding: first, kind: 'breach', rule: { index: 1, kind: 'daily-loss' } },
          ...{ floor: toCents(95_500_00), measured: toCents(95_400_00) },
          hit: { observation: 2, payoutId: null, at: Date.parse('2026-03-02T10:00:00Z') },
          evidence: [1, 2],
          programme: { id: programmeId.parse('two-step-100000'), version: 1, hash: 'f'.repeat(64), stage: 0 },
          ...{ proposed: true, status: 'active' },
          ...change,
        },
      },
    ])

const kept = record(stateAt('2026-03-02T09:00:00Z', '100000.00'), stateAt('2026-03-02T10:00:00Z', '95400.00'))
const breached = record(
  stateAt('2026-03-02T09:00:00Z', '100000.00'),
  stateAt('2026-03-02T10:00:00Z', '100000.00', '94000.00'),
)

describe('a verdict', () => {
  it('follows from the rules, with what proves it', () => {
    expect(judged([breached, review, confirm()])).toEqual([
      {
        ...{ account, finding: first, number: 107, outcome: 'follows' },
        what: `Breach of account trader01-a1: Daily loss: $94,000.00 is $1,000.00 below the floor of $95,000.00 (finding ${first}), at observation 2 (entry #104)`,
        why: 'Staff member 1 confirmed it in entry #107. The rules find it there.',
      },
    ])
  })

  it('follows where the programme lets the rules alone decide', () => {
    const terms = { ...preset, breaches: 'automatically' as const }
    expect(judged([breached, review], { terms })).toMatchObject([
      { outcome: 'follows', why: expect.stringMatching(/^The rules confirmed it in entry #\d+/) },
    ])
  })

  it('is not decided yet while it waits, and where nobody has recorded it', () => {
    expect(outcomes([breached, review])).toEqual(['undecided'])
    const [unsaid] = judged([breached], { endsAt: NOW })
    expect(unsaid).toMatchObject({
      ...{ finding: null, number: null, outcome: 'undecided', why: 'The rules find it there, and no entry says so.' },
    })
  })

  it('says that it follows only from rows which are older than the stage, and the rules alone do not decide it', () => {
    const terms = { ...preset, breaches: 'automatically' as const }
    const old = record(stateAt('2026-02-20T09:00:00Z', '100000.00'), stateAt('2026-02-20T10:00:00Z', '94000.00'))
    expect(judged([old, review], { terms })).toMatchObject([
      {
        outcome: 'undecided',
        why: expect.stringContaining('The rules find it there. They do so only by rows that are older than the stage.'),
      },
    ])
    // At 0.2.0 the rules alone decided it.
    expect(outcomes([old, (state, now) => bySystem(reviewFindings(state, now, 1))], { terms, decisions: 1 })).toEqual([
      'follows',
    ])
  })

  it('does not follow where nobody has recorded for a minute what the rules find', () => {
    expect(outcomes([breached])).toEqual(['does-not-follow'])
    expect(outcomes([breached, review])).toEqual(['undecided'])
  })

  it('is that of a person against the rules: dismissed, or confirmed after a correction took its ground away', () => {
    expect(judged([breached, review, dismiss()])).toMatchObject([
      {
        outcome: 'against-the-rules',
        why: expect.stringContaining('Staff member 1 dismissed it in entry #107: “A wrong price”.'),
      },
    ])
    const without = [breached, review, confirm(), correct(2, null), review]
    expect(outcomes(without)).toEqual(['undecided'])
    expect(outcomes([...without, confirm()])).toEqual(['against-the-rules'])
    expect(outcomes([...without, dismiss()])).toEqual(['follows'])
  })

  it('is that of a person where the status was set by hand', () => {
    expect(judged([kept, set('breached')])).toMatchObject([
      {
        outcome: 'against-the-rules',
        what: 'Status of account trader01-a1 from Active to Breached in entry #106',
        why: 'Staff member 1 set it: “Copied trades”. The rules find no breach.',
      },
    ])
    expect(outcomes([kept, set('breached'), set('active')])).toEqual(['against-the-rules', 'follows'])
    expect(outcomes([breached, review, confirm(), set('active')])).toEqual(['follows', 'against-the-rules'])
  })

  it('follows in an honest history, whatever was corrected and decided again', () => {
    const later = record(stateAt('2026-03-02T12:00:00Z', '89000.00'))
    const steps = [
      breached,
      review,
      dismiss(),
      later,
      review,
      correct(2, stateAt('2026-03-02T10:00:00Z', '93000.00')),
      review,
    ]
    expect(judged(steps).map(({ finding, outcome }) => [finding, outcome])).toEqual([
      [second, 'undecided'],
      [first, 'undecided'],
    ])
    expect(outcomes([...steps, confirm()])).not.toContain('does-not-follow')
  })
})

describe('a verdict names who made what it rests on', () => {
  const as =
    (name: string, step: Step): Step =>
    (state, now) =>
      step(state, now).map(([event]) => [event, name])
  const from =
    (source: 'staff' | 'import', ...rows: Parameters<typeof recordObservations>[1]): Step =>
    (state) =>
      byStaff(recordObservations(state, rows, source).events)
  const start = stateAt('2026-03-02T09:00:00Z', '100000.00')
  const lost = stateAt('2026-03-02T10:00:00Z', '100000.00', '94000.00')
  const won = stateAt('2026-03-02T10:00:00Z', '100000.00', '101000.00')
  const first2: Step = (state) =>
    byStaff(confirmFinding(state, first, { member: adminKeyId.parse('robin'), needsTwo: true, lapsed: null })).map(
      ([event]) => [event, 'Staff member 2'],
    )
  const second1: Step = (state) =>
    byStaff(confirmFinding(state, first, { member: adminKeyId.parse('dana'), needsTwo: true, lapsed: null }))
  const alone = 'One person alone made and decided it.'

  it.each<[what: string, steps: readonly Step[], ...words: string[]]>([
    [
      'one person who corrected it',
      [record(start, won), correct(2, lost), review, confirm()],
      'What it rests on was corrected in entry #105 by the same person.',
      alone,
    ],
    [
      'one person who typed it',
      [record(start), from('staff', lost), review, confirm()],
      'What it rests on was typed by the same person in entry #105.',
      alone,
    ],
    [
      'one person who confirmed its import',
      [from('import', start, lost), review, confirm()],
      'What it rests on was imported by the same person in entry #104.',
      alone,
    ],
    [
      'one person who corrected what was observed before it',
      [
        record(start, stateAt('2026-03-02T09:30:00Z', '100500.00')),
        record(lost),
        correct(2, stateAt('2026-03-02T09:30:00Z', '100600.00')),
        review,
        confirm(),
      ],
      'by the same person.',
      alone,
    ],
    [
      'one person who dismissed what they typed',
      [record(start), from('staff', lost), review, dismiss()],
      'typed by the same person in entry #105',
      alone,
    ],
    [
      'others',
      [as('Staff member 2', from('staff', start, lost)), review, confirm()],
      'What it rests on was typed by Staff member 2 in entry #104.',
    ],
    [
      'two who confirmed it',
      [from('staff', start, lost), review, first2, second1],
      'Staff member 2 confirmed it first, in entry #107.',
      'typed by the same person in entry #104',
    ],
    ['nobody yet', [from('staff', start, lost), review], 'What it rests on was typed by Staff member 1 in entry #104.'],
  ])('%s', (_, steps, ...words) => {
    const why = judged(steps).find(({ finding }) => finding === first)?.why
    for (const each of words) expect(why).toContain(each)
    if (!words.includes(alone)) expect(why).not.toContain(alone)
  })

  it('and nobody where a program sent it', () => {
    expect(judged([record(start, lost), review, confirm()])[0]?.why).not.toContain('What it rests on')
  })
})

describe('a verdict by an operator who has all keys does not follow', () => {
  const inNowhere =
    'The rules find nothing at observation 2 (entry #104): there the floor is $95,000.00, the balance $95,400.00 and the equity $95,400.00.'
  it.each<[what: string, steps: readonly Step[], why: string]>([
    ['a breach that nothing shows', [kept, invented(), confirm()], inNowhere],
    ['a breach that nothing shows, before it is confirmed', [kept, invented()], inNowhere],
    ['a breach that nothing shows, dismissed', [kept, invented(), dismiss()], inNowhere],
    [
      'another floor',
      [breached, withRaised({ floor: toCents(96_000_00) }), confirm()],
      'The rules give: Daily loss: $94,000.00 is $1,000.00 below the floor of $95,000.00, at observation 2 (entry #104).',
    ],
    [
      'another value',
      [breached, withRaised({ measured: toCents(80_000_00) }), confirm()],
      'The rules give: Daily loss: $94,000.00 is $1,000.00 below the floor of $95,000.00, at observation 2 (entry #104).',
    ],
    [
      'another rule',
      [breached, withRaised({ rule: { index: 0, kind: 'maximum-loss' } }), confirm()],
      'The rules give: Daily loss: $94,000.00 is $1,000.00 below the floor of $95,000.00, at observation 2 (entry #104).',
    ],
    [
      'another observation',
      [breached, withRaised({ hit: { observation: 1, payoutId: null, at: Date.parse('2026-03-02T09:00:00Z') } })],
      'The rules give: Daily loss: $94,000.00 is $1,000.00 below the floor of $95,000.00, at observation 2 (entry #104).',
    ],
    [
      'an observation that was not recorded',
      [kept, invented({ hit: { observation: 9, payoutId: null, at: NOW } }), confirm()],
      'The rules find nothing at observation 9 (which was not recorded).',
    ],
    [
      'other evidence',
      [breached, withRaised({ evidence: [1] }), confirm()],
      'It names observation 1 as its proof. By the rules observation 1 and 2 prove it.',
    ],
    [
      'another version of the programme',
      [
        breached,
        withRaised({ programme: { id: programmeId.parse('other'), version: 2, hash: 'a'.repeat(64), stage: 0 } }),
      ],
      'It names another programme, another status of the account or another way to decide than the account had.',
    ],
    [
      'the rules alone, in a programme that leaves it to people',
      [breached, withRaised({ proposed: false }), confirm()],
      'It names another programme, another status of the account or another way to decide than the account had.',
    ],
    [
      'nobody',
      [breached, review, (state, now) => confirm()(state, now).map(([event]) => [event, false])],
      'It was decided by no person, and its programme leaves it to people.',
    ],
    [
      'a hit elsewhere, so that something else is passed over',
      [
        breached,
        review,
        forged(dismiss(), (event) =>
          event.type === 'FindingDismissed'
            ? { ...event, data: { ...event.data, hit: { ...event.data.hit, observation: 1 } } }
            : event,
        ),
      ],
      'It was decided as something else than it was.',
    ],
    [
      'evidence of the status that is not that of the finding',
      [
        breached,
        review,
        forged(confirm(), (event) =>
          event.type === 'AccountStatusChanged' && event.data.evidence
            ? { ...event, data: { ...event.data, evidence: { ...event.data.evidence, value: '80000.00' } } }
            : event,
        ),
      ],
      'The status of the account names other evidence than the finding.',
    ],
    [
      'a breach that was confirmed, and whose ground was taken away since',
      [breached, review, confirm(), correct(2, null)],
      'What it rests on was changed since, and the rules give something else.',
    ],
    [
      'a reopening with figures from nowhere',
      [
        breached,
        review,
        () =>
          bySystem([
            {
              type: 'FindingReopened',
              data: {
                ...{ finding: first, from: 'proposed' },
                found: { rule: { index: 0, kind: 'maximum-loss' }, floor: toCents(1), measured: toCents(0) },
              },
            },
          ]),
      ],
      'It was reopened with other figures than the rules give.',
    ],
  ])('%s', (_, steps, why) => {
    expect(judged(steps).filter(({ finding }) => finding !== null)).toMatchObject([
      { finding: first, outcome: 'does-not-follow', why: expect.stringContaining(why) },
    ])
  })

  it('by a moment that had not come yet', () => {
    const terms = {
      ...preset,
      stages: preset.stages.map((stage) => ({
        ...stage,
        rules: [...stage.rules, { kind: 'inactivity' as const, days: 2, consequence: 'breach' as const }],
      })),
    }
    const steps = [record(stateAt('2026-03-02T09:00:00Z', '100000.00')), review]
    const at = Date.parse('2026-03-04T00:00:00Z')
    const early = invented({
      ...{ rule: { index: preset.stages[0]?.rules.length ?? 0, kind: 'inactivity' }, floor: null, measured: null },
      ...{ hit: { observation: null, payoutId: null, at }, evidence: [1] },
    })
    expect(outcomes([...steps, early], { terms })).toEqual(['does-not-follow'])
    // Once it has come, the rules find it without the entry, and nobody has recorded it.
    expect(outcomes(steps, { terms, endsAt: at - 1 })).toEqual([])
    const [found, ...more] = judged(steps, { terms, endsAt: at })
    expect(more).toEqual([])
    expect(outcomes(steps, { terms, endsAt: at + 60_000 })).toEqual(['does-not-follow'])
    expect(found).toMatchObject({ outcome: 'undecided', what: expect.stringMatching(/, at 4 Mar 2026, 00:00:00 UTC$/) })
  })

  it.each<[what: string, event: AccountStreamEvent]>([
    [
      'a status that names neither a finding nor a person',
      {
        type: 'AccountStatusChanged',
        data: { from: 'active', to: 'breached', reason: null, evidence: null, corrects: null, finding: null },
      },
    ],
    [
      'a stage that was passed without a finding',
      { type: 'StagePassed', data: { enrolmentId: enrolmentId.parse('trader01-e1'), stage: 0, name: 'Phase 1' } },
    ],
    ['the rules replaced', { type: 'TermsSet', data: { from: null, terms: null } }],
  ])('%s', (_, event) => {
    expect(judged([kept, () => bySystem([event])])).toMatchObject([{ finding: null, outcome: 'does-not-follow' }])
  })

  it('unless the history ends right after a correction, before the review of its findings', () => {
    const steps = [breached, review, confirm(), correct(2, null)]
    expect(outcomes(steps, { endsAt: NOW })).toEqual(['undecided'])
  })
})

describe('what no decision gives is told, also where an operator has all keys', () => {
  const trade = (id: string, profit: string, minute = '30') =>
    read({
      ...{ at: `2026-03-02T09:${minute}:00Z`, kind: 'trade', id, openedAt: '2026-03-02T09:00:00Z', profit },
      volume: '1.00',
    })
  const opened = record(stateAt('2026-03-02T09:00:00Z', '100000.00'))
  const recorded =
    (...observations: Parameters<typeof recordObservations>[1]): Step =>
    ({ stage }) =>
      bySystem([
        {
          type: 'ObservationsRecorded',
          data: {
            first: (stage?.known.list.size ?? 0) + 1,
            source: 'feed',
            importId: null,
            observations: [...observations],
          },
        },
      ])
  const entry =
    (to: number, kind: 'trade-result' | 'correction'): Step =>
    ({ account: { balance: from } }) =>
      bySystem([{ type: 'BalanceChanged', data: { from, to: toCents(from + to), kind } }])
  /** A funded stage whose profit of $4,000.00 was requested. */
  const funded = { stage: preset.stages.findIndex((stage) => stage.funded) }
  const won = record(
    ...[2, 3, 4, 5, 6].map((day) =>
      read({
        ...{ at: `2026-03-0${day}T20:00:00Z`, kind: 'trade', id: `W${day}`, openedAt: `2026-03-0${day}T10:00:00Z` },
        ...{ profit: '800.00', volume: '1.00' },
      }),
    ),
  )
  const enabled: Step = (state, now) => byStaff(changeByStaff(state, { payoutEnabled: true }, {}, null, now))
  const LATER = Date.parse('2026-04-20T00:00:00Z')
  const requested: Step = (state) =>
    bySystem(
      requestPayout(
        state,
        {
          amount: toCents(1_000_00),
          method: 'paypal',
          details: 'ada@example.com',
          destination: null,
          idempotency: null,
        },
        LATER,
      ),
    )
  const approved: Step = (state) => byStaff(approvePayout(state, payoutId.parse(`${account}-p1`), { now: LATER }))
  /** The entry that recorded what was won. */
  const WON = 104
  const named = (number: number, entry = WON) => ({
    observation: observationIdOf(account, number),
    event: { revision: entry - 100, number: entry },
  })
  const rejected =
    (reasons: RejectionReasons = {}): Step =>
    (state) =>
      byStaff(
        rejectPayout(state, payoutId.parse(`${account}-p1`), 'Copied trades', {
          ...{ code: 'prohibited-trading', money: 'forfeited', evidence: [named(1)] },
          ...reasons,
        }),
      )
  const withRejection = (change: object) =>
    forged(rejected(), (event) =>
      event.type === 'PayoutRejected' ? { ...event, data: { ...event.data, ...change } } : event,
    )
  const withForfeit = (change: object) =>
    forged(rejected(), (event) =>
      event.type === 'PayoutForfeited' ? { ...event, data: { ...event.data, ...change } } : event,
    )
  const forfeit =
    (by: number): Step =>
    ({ account: { balance: from } }) =>
      byStaff([
        {
          type: 'PayoutForfeited',
          data: { payoutId: payoutId.parse(`${account}-p1`), from, to: toCents(from + by) },
        },
      ])
  const withApproval = (change: object) =>
    forged(approved, (event) =>
      event.type === 'PayoutApproved' ? { ...event, data: { ...event.data, ...change } } : event,
    )
  const paid = { ...funded, from: LATER, endsAt: LATER + 600_000 }

  const tradeIn = (symbol: string) =>
    read({ at: '2026-03-02T10:00:00Z', kind: 'trade', id: 'T1', profit: '-3000.00', volume: '1.00', symbol })
  const withSource = (step: Step, source: 'feed' | 'import') =>
    forged(step, (event) =>
      event.type === 'ObservationCorrected' ? { ...event, data: { ...event.data, source } } : event,
    )

  it.each<[what: string, steps: readonly Step[], why: RegExp | string, options?: object]>([
    ['a dismissal of what was never raised', [kept, dismissed(first, 2)], 'It was decided without being raised.'],
    [
      'a trade a second time',
      [opened, record(trade('T1', '-3000.00')), recorded(trade('T1', '-3000.00'))],
      /decides something else/,
    ],
    [
      'a trade with other content',
      [opened, record(trade('T1', '-3000.00')), recorded(trade('T1', '-9000.00'))],
      /decides something else/,
    ],
    [
      'a payout that was observed',
      [opened, recorded(read({ at: '2026-03-02T09:30:00Z', kind: 'payout', amount: '9000.00' }))],
      /decides something else/,
    ],
    [
      'a clock that was observed',
      [opened, recorded(read({ at: '2026-03-02T09:30:00Z', kind: 'clock' }))],
      /decides something else/,
    ],
    [
      'rows of a moment to come',
      [opened, record(stateAt('2027-12-31T00:00:00Z', '94000.00'))],
      /It is about 31 Dec 2027, 00:00:00 UTC, 667 days after it was recorded/,
    ],
    [
      'a correction by nobody',
      [
        opened,
        (state) => bySystem(correctObservation(state, 1, stateAt('2026-03-02T09:00:00Z', '94000.00'), 'rounding')),
      ],
      'It was corrected by no person.',
    ],
    [
      'a correction that names another content before',
      [
        opened,
        forged(correct(1, stateAt('2026-03-02T09:00:00Z', '94000.00')), (event) =>
          event.type === 'ObservationCorrected'
            ? { ...event, data: { ...event.data, from: stateAt('2026-03-02T09:00:00Z', '94000.01') } }
            : event,
        ),
      ],
      /decides something else/,
    ],
    // Who corrects has a hand in what rests on it; a program that adds facts has none.
    [
      'a correction by staff that says a program sent it',
      [opened, record(trade('T1', '-3000.00')), withSource(correct(2, trade('T1', '-1.00')), 'feed')],
      /decides something else/,
    ],
    [
      'a correction that says a program sent other facts of a trade',
      [opened, record(tradeIn('EURUSD')), withSource(correct(2, tradeIn('XAUUSD')), 'feed')],
      /decides something else/,
    ],
    [
      'a correction that says a statement brought it, which takes a trade away',
      [opened, record(trade('T1', '-3000.00')), withSource(correct(2, null), 'import')],
      /decides something else/,
    ],
    [
      'a balance that staff typed, by nobody',
      [opened, (state, now) => bySystem(changeByStaff(state, { balance: toCents(94_000_00) }, {}, null, now))],
      'It was typed by no person.',
    ],
    ['a result of trading that nothing shows', [opened, entry(-9_000_00, 'trade-result')], /decides something else/],
    [
      'a correction of the balance that nobody booked',
      [opened, entry(-9_000_00, 'correction')],
      /decides something else/,
    ],
    [
      'other shares than the terms give',
      [won, enabled, requested, withApproval({ traderReceives: toCents(1), firmKeeps: toCents(999_99) })],
      /decides something else/,
      paid,
    ],
    [
      'an approval of another amount',
      [won, enabled, requested, withApproval({ amount: toCents(2_000_00) })],
      /decides something else/,
      paid,
    ],
    [
      'an approval that takes nothing off the balance',
      [won, enabled, requested, (state, now) => approved(state, now).slice(0, 1)],
      /decides something else/,
      paid,
    ],
    [
      'an approval of what is lost since',
      [won, enabled, requested, record(stateAt('2026-04-19T09:00:00Z', '100000.00')), review, forgedApproval()],
      /refuses this: The amount is above the \$0\.00 that is available now/,
      paid,
    ],
    ['a forfeit without its rejection', [opened, forfeit(-1_000_00)], /decides something else/],
    [
      'a forfeit of another amount',
      [won, enabled, requested, withForfeit({ to: toCents(1) })],
      /decides something else/,
      paid,
    ],
    [
      'a rejection without the forfeit that it says',
      [won, enabled, requested, (state, now) => rejected()(state, now).slice(0, 1)],
      /decides something else/,
      paid,
    ],
    [
      'a rejection for a reason that shows nothing',
      [won, enabled, requested, withRejection({ code: 'rule', money: undefined, evidence: [] })],
      /refuses this: “A rule of the programme” needs/,
      paid,
    ],
    [
      'evidence that was never observed',
      [won, enabled, requested, withRejection({ evidence: [named(9, 106)] })],
      /It names entry #106 as its evidence/,
      paid,
    ],
    [
      'evidence that names another entry',
      [won, enabled, requested, withRejection({ evidence: [named(1, 105)] })],
      /It names entry #105 as its evidence/,
      paid,
    ],
    [
      'a request above what is available',
      [
        won,
        enabled,
        () =>
          bySystem([
            {
              type: 'PayoutRequested',
              data: {
                payoutId: payoutId.parse(`${account}-p1`),
                amount: toCents(50_000_00),
                method: 'paypal',
                details: '',
                destination: null,
                idempotency: null,
              },
            },
          ]),
      ],
      /refuses this: The amount is above the \$4,000\.00/,
      paid,
    ],
    [
      'an account that is closed while its pass waits',
      [
        record(
          stateAt('2026-03-02T09:00:00Z', '100000.00'),
          ...[2, 3, 4, 5, 6].map((day) => stateAt(`2026-03-0${day}T20:00:00Z`, '109000.00')),
        ),
        review,
        closed(),
      ],
      /refuses this: A passed stage of this account waits for its confirmation/,
      { from: LATER, endsAt: LATER + 600_000 },
    ],
  ])('%s', (_, steps, why, options = {}) => {
    expect(judged(steps, options)).toContainEqual(
      expect.objectContaining({
        outcome: 'does-not-follow',
        why: typeof why === 'string' ? expect.stringContaining(why) : expect.stringMatching(why),
      }),
    )
  })

  const linesAbout = (steps: readonly Step[], options: object = paid) =>
    judged(steps, options)
      .filter(({ what }) => what.includes(' of payout '))
      .map(({ what, outcome, stands }) => [what.split(' ')[0], outcome, stands ?? true])

  it('each request, approval and rejection has its line, with its figures', () => {
    const [request, approval] = judged([won, enabled, requested, approved], paid)
    expect(request).toMatchObject({
      outcome: 'follows',
      what: `Request of payout ${account}-p1 of $1,000.00`,
      why: expect.stringMatching(
        /^Available \$4,000\.00, asked \$1,000\.00\. Met: .*49 days since the stage opened, at least 14/,
      ),
    })
    expect(approval).toMatchObject({
      outcome: 'follows',
      what: `Approval of payout ${account}-p1 of $1,000.00`,
      why: expect.stringContaining('Of $1,000.00 the trader receives $800.00, the firm keeps $200.00.'),
    })
  })

  it.each<[what: string, steps: readonly Step[], line: readonly [outcome: string, stands: boolean]]>([
    ['for a rule, of what is available', [rejected({ code: 'rule', money: 'stays' })], ['does-not-follow', true]],
    [
      'for a rule, of what is not available',
      [record(stateAt('2026-04-19T09:00:00Z', '100000.00')), rejected({ code: 'rule', money: 'stays' })],
      ['follows', true],
    ],
    ['for another reason', [rejected({ code: 'identity', money: 'stays', evidence: [] })], ['by-person', true]],
    ['for a rule, overturned since', [rejected({ code: 'rule' }), approved], ['does-not-follow', false]],
  ])('a rejection %s', (_, steps, [outcome, stands]) => {
    expect(linesAbout([won, enabled, requested, ...steps])).toContainEqual(['Rejection', outcome, stands])
  })

  it('a rejection for a rule follows where a finding that it names was confirmed', () => {
    const lost = record(stateAt('2026-04-19T09:00:00Z', '89000.00'))
    const named = { finding: first, event: { revision: 10, number: 110 } }
    const byFinding: Step = (state) =>
      byStaff(rejectPayout(state, payoutId.parse(`${account}-p1`), 'Breached', { code: 'rule', evidence: [named] }))
    const [, , rejection] = judged([won, enabled, requested, lost, review, confirm(), byFinding], paid).filter(
      ({ what }) => what.includes('ayout') || what.includes('reach'),
    )
    expect(rejection).toMatchObject({ outcome: 'follows', why: expect.stringContaining('which was confirmed') })
  })

  it.each<[what: string, steps: readonly Step[], options?: object]>([
    [
      'trades, corrections and typed balances',
      [
        opened,
        record(trade('T1', '-3000.00')),
        correct(2, trade('T1', '-2000.00')),
        (state, now) => byStaff(changeByStaff(state, { balance: toCents(99_000_00) }, {}, null, now)),
      ],
    ],
    ['a payout', [won, enabled, requested, approved], paid],
    ['a forfeit that is taken back', [won, enabled, requested, rejected(), approved], paid],
    [
      'an account of 0.2.0 that was closed while its pass waited',
      [
        record(
          stateAt('2026-03-02T09:00:00Z', '100000.00'),
          ...[2, 3, 4, 5, 6].map((day) => stateAt(`2026-03-0${day}T20:00:00Z`, '109000.00')),
        ),
        review,
        closed(),
      ],
      { from: LATER, endsAt: LATER + 600_000, decisions: 1 },
    ],
  ])('and not %s', (_, steps, options = {}) => {
    expect(judged(steps, options).filter(({ outcome }) => outcome === 'does-not-follow')).toEqual([])
  })

  it('a verdict that rests on a time which cannot be', () => {
    const untimely = new Map([[104, 'entry #104 is dated 40 days later than its checkpoint.']])
    const [verdict] = judged([breached, review, confirm()], { untimely })
    expect(verdict).toMatchObject({
      outcome: 'does-not-follow',
      why: expect.stringContaining('It rests on a time that cannot be: entry #104 is dated 40 days later'),
    })
  })
})

/** A dismissal from nowhere, of a hit at an observation. */
function dismissed(finding: typeof first, at: number): Step {
  return () =>
    byStaff([
      {
        type: 'FindingDismissed',
        data: { finding, from: 'proposed', hit: { observation: at, payoutId: null, at: NOW }, reason: 'x' },
      },
    ])
}

/** An approval of $1,000.00 as it was possible before. */
function forgedApproval(): Step {
  return ({ account: { balance } }) => {
    const approval = { from: 'pending', amount: toCents(1_000_00), notes: '' } as const
    const id = payoutId.parse(`${account}-p1`)
    return byStaff([
      {
        type: 'PayoutApproved',
        data: { payoutId: id, ...approval, traderReceives: toCents(800_00), firmKeeps: toCents(200_00) },
      },
      { type: 'PayoutDeducted', data: { payoutId: id, from: balance, to: toCents(balance - 1_000_00) } },
    ])
  }
}

function closed(): Step {
  return ({ account: { status, loginClaim } }) =>
    byStaff([{ type: 'AccountClosed', data: { status, reason: 'x', wasOpen: true, cause: 'staff', loginClaim } }])
}
