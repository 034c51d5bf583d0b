import { describe, expect, it } from 'vitest'
import { accountIdOf, adminKeyId, caseIdOf, payoutId, userId } from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import { accountClosed, FIRST_EVENT_AT, givenEvents, statusChanged } from '#test-support/given-when-then.ts'
import { accountStateDecider, type AccountState, type AccountStreamEvent } from './account-aggregate.ts'
import { addCaseFile, type CaseEvent, missDeadlines, openCase, rejectionOf, withdrawCase, writeInCase } from './case.ts'
import { decideCase, type CaseDecider, type CaseVerdict } from './case-decision.ts'
import { MOST_CASE_FILES } from './case-vocabulary.ts'

const given = givenEvents(accountStateDecider)

const HOUR = 3_600_000
const clocks = { answer: 72 * HOUR, appeal: 14 * 24 * HOUR }
const owner = accountIdOf(userId.parse('trader01'), 1)
const payout = payoutId.parse(`${owner}-p1`)
const id = caseIdOf(owner, 1)
const amount = toCents(250_00)
const TEXT = 'This payout follows from the terms.'

const opened: AccountStreamEvent = { type: 'AccountOpened', data: { accountId: owner } }
const requested: AccountStreamEvent = {
  type: 'PayoutRequested',
  data: { payoutId: payout, amount, method: 'paypal', details: 'a@b.example', destination: null, idempotency: null },
}
const rejected: AccountStreamEvent = {
  type: 'PayoutRejected',
  data: { payoutId: payout, from: 'pending', amount, notes: 'Not now' },
}
const held: AccountStreamEvent = { type: 'PayoutHoldChanged', data: { payoutId: payout, from: null, to: 'Identity' } }
const before = [opened, requested, rejected]
/** The events come in intervals of a second. */
const at = (number: number) => FIRST_EVENT_AT + number * 1_000
const REJECTED = at(2)

const objection = (revision: number) => ({
  about: { payout },
  decision: { revision, number: 100 + revision },
  text: TEXT,
})
const caseOpened = (answerBy = at(3) + clocks.answer, ofId = id): CaseEvent => ({
  type: 'CaseOpened',
  data: {
    ...{ case: ofId, ...objection(2), answerBy },
    subject: { kind: 'rejection', at: REJECTED, payout, finding: null, status: null },
  },
})
const open =
  (now: number, revision = 2) =>
  (state: AccountState) =>
    openCase(state, objection(revision), now, clocks)
const write =
  (from: 'trader' | 'staff', now: number) =>
  (state: AccountState): CaseEvent[] =>
    writeInCase(state, id, { from, text: 'Please look again' }, now, clocks)
const message = (from: 'trader' | 'staff', answerBy: number | null): CaseEvent => ({
  type: 'CaseMessageWritten',
  data: { case: id, from, text: 'Please look again', answerBy },
})
const withdrawn: CaseEvent = { type: 'CaseWithdrawn', data: { case: id } }
const overdue = (due: number): CaseEvent => ({ type: 'CaseOverdue', data: { case: id, due } })
const stateOf = (...events: readonly AccountStreamEvent[]) => given(...before, ...events).state.cases.list.get(id)

const decider: CaseDecider = {
  approver: { member: adminKeyId.parse('other'), secondApprovalAbove: null, lapsed: null },
  confirmer: { member: adminKeyId.parse('other'), needsTwo: false, lapsed: null },
  ...{ breach: null, isBanned: false },
}
const decide =
  (verdict: Partial<CaseVerdict>, now = at(5), by = decider) =>
  (state: AccountState) =>
    decideCase(state, id, { outcome: 'upheld', text: 'It stays', change: null, ...verdict }, by, now)

describe('opening a case', () => {
  it('records the decision with its subject, and until when staff have to answer', () => {
    given(...before)
      .when(open(at(3)))
      .then([caseOpened()])
    expect(rejectionOf(given(...before).state, payout)).toBe(2)
  })

  it('"Until `APPEAL_DAYS` (14) × 24 h after the decision"', () => {
    given(...before)
      .when(open(REJECTED + clocks.appeal))
      .then([caseOpened(REJECTED + clocks.appeal + clocks.answer)])
    given(...before)
      .when(open(REJECTED + clocks.appeal + 1))
      .thenRefused('conflict', 'The time to object to this decision is over')
  })

  it('"409 for what is no such decision"', () => {
    given(...before)
      .when(open(at(3), 1))
      .thenRefused('conflict', 'This is no decision that can be objected to')
    given(opened, requested)
      .when((state) => [...[rejectionOf(state, payout)].map(() => withdrawn)])
      .thenRefused('conflict', 'This is no decision that can be objected to')
  })

  it('"or a second case about it (with its `id`), unless that was withdrawn"', () => {
    given(...before, caseOpened())
      .when(open(at(4)))
      .thenRefused('conflict', `There is a case about this decision already: ${id}`)
    given(...before, caseOpened(), withdrawn)
      .when(open(at(5)))
      .then([caseOpened(at(5) + clocks.answer, caseIdOf(owner, 2))])
  })

  it('is refused for a decision that was taken back', () => {
    const approved: AccountStreamEvent = {
      type: 'PayoutApproved',
      data: { payoutId: payout, from: 'rejected', amount, notes: '', traderReceives: amount, firmKeeps: toCents(0) },
    }
    given(...before, approved)
      .when(open(at(4)))
      .thenRefused('conflict', 'This decision was taken back already')
  })

  it('knows a breach that was set by hand, a hold by a member that lasts, and a closing by staff', () => {
    const subjects = (...events: readonly AccountStreamEvent[]) =>
      [...given(...events).state.cases.decisions.values()].map(({ subject, undoneBy }) => [subject, undoneBy])
    expect(subjects(opened, statusChanged('active', 'breached'))).toEqual([['breach', null]])
    expect(subjects(opened, statusChanged('active', 'breached'), statusChanged('breached', 'active'))).toEqual([
      ['breach', 2],
    ])
    expect(subjects(opened, requested, held)).toEqual([['hold', null]])
    const byBan: AccountStreamEvent = {
      type: 'PayoutHoldChanged',
      data: { payoutId: payout, from: 'Identity', to: 'The trader was banned.' },
    }
    expect(subjects(opened, requested, held, byBan)).toEqual([['hold', 3]])
    const closed: AccountStreamEvent = {
      type: 'AccountClosed',
      data: { status: 'active', reason: 'Inactive', wasOpen: true, cause: 'staff', loginClaim: null },
    }
    expect(subjects(opened, closed)).toEqual([['closing', null]])
    expect(subjects(opened, accountClosed('active'))).toEqual([])
  })
})

describe('the clock of a case', () => {
  it('"`answerBy` is `CASE_HOURS` (72) after the opening and after each message of the trader, null unless open"', () => {
    given(...before, caseOpened())
      .when(write('trader', at(4)))
      .then([message('trader', at(4) + clocks.answer)])
    given(...before, caseOpened())
      .when(write('staff', at(4)))
      .then([message('staff', null)])
    expect(stateOf(caseOpened())).toMatchObject({ state: 'open', answerBy: at(3) + clocks.answer })
    expect(stateOf(caseOpened(), message('staff', null))).toMatchObject({ state: 'answered', answerBy: null })
    expect(stateOf(caseOpened(), message('staff', null), message('trader', 9))).toMatchObject({
      ...{ state: 'open', answerBy: 9 },
    })
  })

  it('is missed once for each deadline, and a late answer records it in its own append', () => {
    const due = at(3) + clocks.answer
    given(...before, caseOpened())
      .when((state) => missDeadlines(state, due))
      .thenNothing()
    given(...before, caseOpened())
      .when((state) => missDeadlines(state, due + 1))
      .then([overdue(due)])
    given(...before, caseOpened(), overdue(due))
      .when((state) => missDeadlines(state, due + 99))
      .thenNothing()
    given(...before, caseOpened())
      .when(write('staff', due + 1))
      .then([overdue(due), message('staff', null)])
    expect(stateOf(caseOpened(), overdue(due))).toMatchObject({ overdue: true, state: 'open' })
    expect(stateOf(caseOpened(), overdue(due), message('staff', null))).toMatchObject({ overdue: false })
  })
})

describe('a decision', () => {
  it('"`upheld` (a change is 400), `changed` (with the change of the table, else 400)"', () => {
    const invalid = (message: string) => ['invalid', message, 'change'] as const
    given(...before, caseOpened())
      .when(decide({ change: { payout: 'approved' } }))
      .thenRefused(...invalid('What is upheld is not changed'))
    given(...before, caseOpened())
      .when(decide({ outcome: 'changed' }))
      .thenRefused(...invalid('Please say what is changed'))
    given(...before, caseOpened())
      .when(decide({ outcome: 'changed', change: { hold: 'released' } }))
      .thenRefused(...invalid('This is no change of what the case is about'))
  })

  it('changes what was decided in the same append, and names the events', () => {
    const [approval, record] = decide({ outcome: 'changed', change: { payout: 'approved' } })(
      given(...before, caseOpened()).state,
    )
    expect(approval).toMatchObject({ type: 'PayoutApproved', data: { payoutId: payout, from: 'rejected' } })
    expect(record).toEqual({
      type: 'CaseDecided',
      data: {
        ...{ case: id, outcome: 'changed', change: { payout: 'approved' }, text: 'It stays', made: 1, before: null },
      },
    })
    expect(approval && record && stateOf(caseOpened(), approval, record)).toMatchObject({
      ...{ state: 'decided', answerBy: null, decided: { outcome: 'changed', revisions: [4] } },
    })
  })

  it('"What was already done since the opening is named and not done again"', () => {
    const approved: AccountStreamEvent = {
      type: 'PayoutApproved',
      data: { payoutId: payout, from: 'rejected', amount, notes: '', traderReceives: amount, firmKeeps: toCents(0) },
    }
    given(...before, caseOpened(), approved)
      .when(decide({ outcome: 'changed', change: { payout: 'approved' } }))
      .then([
        {
          type: 'CaseDecided',
          data: {
            ...{ case: id, outcome: 'changed', change: { payout: 'approved' }, text: 'It stays' },
            ...{ made: 0, before: 4 },
          },
        },
      ])
  })

  it('"so where four eyes are on, two members approve first"', () => {
    const two = { ...decider, approver: { ...decider.approver, secondApprovalAbove: toCents(100_00) } }
    given(...before, caseOpened())
      .when(decide({ outcome: 'changed', change: { payout: 'approved' } }, at(5), two))
      .thenRefused('conflict', 'Two members of staff have to approve this payout first, at Payouts.', 'change')
  })

  it('is final, as a withdrawal is: "every change is 409"', () => {
    const decided = decide({})(given(...before, caseOpened()).state)
    for (const [last, word] of [
      [decided, 'decided'],
      [[withdrawn], 'withdrawn'],
    ] as const)
      for (const attempt of [
        write('trader', at(9)),
        write('staff', at(9)),
        decide({}),
        (state: AccountState) => withdrawCase(state, id, at(9)),
      ])
        given(...before, caseOpened(), ...last)
          .when(attempt)
          .thenRefused('conflict', `This case was ${word} already`)
  })
})

describe('files', () => {
  it('"five in all, then 409"', () => {
    const file = { name: 'a.pdf', type: 'application/pdf', size: 9, sha256: 'ab', file: 'x' } as const
    const added = Array.from({ length: MOST_CASE_FILES }, (_, n): CaseEvent => ({
      type: 'CaseFileAdded',
      data: { case: id, number: n + 1, ...file },
    }))
    given(...before, caseOpened(), ...added.slice(1))
      .when((state) => addCaseFile(state, id, file))
      .then([{ type: 'CaseFileAdded', data: { case: id, number: 5, ...file } }])
    given(...before, caseOpened(), ...added)
      .when((state) => addCaseFile(state, id, file))
      .thenRefused('conflict', 'A case has at most 5 files')
  })
})
