import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fold } from '#services/event-sourcing/decider.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type AccountState, accountStateDecider, type AccountStreamEvent, withHolds } from './account-aggregate.ts'
import { changeAccount } from './account.ts'
import { setTerms, stageAt } from './stage.ts'
import { accountIdOf, adminKeyId, payoutId, userId } from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import { sampleTerms } from '#test-support/terms.ts'
import type { PaymentMove } from './payment.ts'
import {
  approvePayout,
  changeDestination,
  holdPayout,
  movePayoutPayment,
  rejectPayout,
  requestPayout,
  withdrawPayout,
} from './payout.ts'

/** Any order of requests, verdicts, balances and terms, each decided on the state that the ones before it led to. */

const owner = accountIdOf(userId.parse('trader01'), 1)
const idOf = (number: number) => payoutId.parse(`${owner}-p${number}`)
const [dana, robin] = [adminKeyId.parse('dana'), adminKeyId.parse('robin')]
const request = { method: 'paypal', details: 'ada@example.com', destination: null, idempotency: null } as const

type Decide = (state: AccountState, now: number) => AccountStreamEvent[]

const dollars = (most: number) => fc.integer({ min: 1, max: most }).map((amount) => toCents(amount * 100))
const number = fc.integer({ min: 1, max: 3 })

const moves: readonly PaymentMove[] = [
  { kind: 'enter-batch', batch: 'b1' },
  { kind: 'leave-batch' },
  { kind: 'send' },
  { kind: 'send' },
  { kind: 'confirm' },
  { kind: 'fail', reason: 'AC01' },
  { kind: 'return', reason: 'AC04' },
  { kind: 'pay-by-hand', reference: 'wire 7' },
]

const anyDeed: fc.Arbitrary<Decide> = fc.oneof(
  {
    weight: 4,
    arbitrary: dollars(3_500).map(
      (amount): Decide =>
        (state, now) =>
          requestPayout(state, { ...request, amount }, now),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record({ number, deduct: fc.boolean(), member: fc.constantFrom(dana, robin) }).map(
      ({ number, deduct, member }): Decide =>
        (state, now) =>
          approvePayout(state, idOf(number), {
            deduct,
            now,
            approver: { member, secondApprovalAbove: toCents(3_000_00), lapsed: null },
          }),
    ),
  },
  {
    weight: 2,
    arbitrary: number.map(
      (n): Decide =>
        (state) =>
          rejectPayout(state, idOf(n), 'No'),
    ),
  },
  {
    weight: 1,
    arbitrary: number.map(
      (n): Decide =>
        (state) =>
          withdrawPayout(state, idOf(n)),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.integer({ min: 99_000, max: 112_000 }).map(
      (balance): Decide =>
        ({ account }) =>
          changeAccount(account, { balance: toCents(balance * 100) }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ everyDays: fc.constantFrom(0, 2), takes: fc.constantFrom('request', 'everything', 'firm-share-first') })
      .map(
        (terms): Decide =>
          (state) =>
            setTerms(state, sampleTerms(terms)),
      ),
  },
  { weight: 1, arbitrary: fc.constant<Decide>((state) => setTerms(state, null)) },
  {
    weight: 10,
    arbitrary: fc.record({ number, move: fc.constantFrom<PaymentMove>(...moves) }).map(
      ({ number, move }): Decide =>
        (state) =>
          movePayoutPayment(state, idOf(number), move),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({ number, email: fc.constantFrom('ada@example.com', 'ada@example.org') }).map(
      ({ number, email }): Decide =>
        (state, now) =>
          changeDestination(state, idOf(number), { details: '', destination: { email } }, 'trader', now),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({ number, reason: fc.constantFrom('Asks the bank', null, null) }).map(
      ({ number, reason }): Decide =>
        (state) =>
          holdPayout(state, idOf(number), reason),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('breached', 'active').map(
      (status): Decide =>
        (state) =>
          withHolds(state, changeAccount(state.account, { status })),
    ),
  },
)

/** One payout from its approval to the bank's answer: chance alone seldom takes one payout through all of these. */
const wholeWay: fc.Arbitrary<Decide[]> = fc
  .record({ number, answer: fc.constantFrom<PaymentMove>(...moves.slice(-4)) })
  .map(({ number, answer }) => [
    (state, now) =>
      approvePayout(state, idOf(number), {
        deduct: true,
        now,
        approver: { member: dana, secondApprovalAbove: toCents(3_500_00), lapsed: null },
      }),
    ...[{ kind: 'enter-batch', batch: 'b1' } as const, { kind: 'send' } as const, answer].map(
      (move: PaymentMove): Decide =>
        (state) =>
          movePayoutPayment(state, idOf(number), move),
    ),
  ])

const deeds = fc
  .array(
    fc.oneof(
      { weight: 20, arbitrary: fc.tuple(anyDeed, fc.nat(30)).map((deed) => [deed]) },
      { weight: 1, arbitrary: wholeWay.map((way) => way.map((deed): [Decide, number] => [deed, 0])) },
    ),
    { minLength: 10, maxLength: 60 },
  )
  .map((groups) => groups.flat())

it('pays and sends no payout twice, moves no cent without an entry, and takes no more than the terms make available', () => {
  let [deductions, reversals, sentTwice] = [0, 0, 0]
  const opened: AccountStreamEvent[] = [
    { type: 'AccountOpened', data: { accountId: owner } },
    { type: 'PayoutsEnabled', data: {} },
  ]
  fc.assert(
    fc.property(deeds, (deeds) => {
      let revision = 0
      let now = Date.UTC(2026, 0, 1)
      const appended = (events: readonly AccountStreamEvent[]) =>
        events.map((event) => ({ ...event, at: now, revision: revision++ }))
      const stream = appended(opened)
      let state = fold(accountStateDecider, stream)
      /** The references of the money that is under way or arrived, by payout. */
      const outstanding = new Map<string, string>()
      const references = new Set<string>()
      for (const [deed, hours] of deeds) {
        now += hours * 3_600_000
        const before = state
        let decided: AccountStreamEvent[] = []
        try {
          decided = deed(state, now)
        } catch (error) {
          if (!(error instanceof Refused)) throw error
        }
        const events = appended(decided)
        stream.push(...events)
        state = fold(accountStateDecider, events, state)
        for (const { type, data } of decided) {
          if (type === 'PayoutDeducted') {
            deductions += 1
            expect(before.payouts.list.get(data.payoutId)?.deducted).toBe(false)
            const payout = state.payouts.list.get(data.payoutId)
            expect(payout).toMatchObject({ status: 'approved', deducted: true, amount: data.from - data.to })
            if (before.stage)
              expect(payout?.amount).toBeLessThanOrEqual(stageAt(before.stage, now).line.payout?.available ?? 0)
          }
          if (type === 'PayoutBookedBack') {
            reversals += 1
            expect(before.payouts.list.get(data.payoutId)?.deducted).toBe(true)
          }
          if (type === 'PaymentSent' || (type === 'PaymentPaid' && data.from === 'open')) {
            expect(outstanding.has(data.payoutId)).toBe(false)
            outstanding.set(data.payoutId, data.reference)
            expect(before.payouts.list.get(data.payoutId)?.hold).toBeNull()
            expect(data.amount).toBe(before.payouts.list.get(data.payoutId)?.shares?.trader)
          }
          if (type === 'PaymentFailed' || type === 'PaymentReturned') {
            expect(outstanding.get(data.payoutId)).toBe(data.reference)
            outstanding.delete(data.payoutId)
            sentTwice += 1
          }
          if (type === 'PaymentBatched') {
            expect(references.has(data.reference)).toBe(false)
            references.add(data.reference)
          }
          if (type === 'PayoutRejected') expect(outstanding.has(data.payoutId)).toBe(false)
          if (type === 'PayoutApproved') {
            expect(data.traderReceives + data.firmKeeps).toBe(data.amount)
            expect(data.traderReceives).toBeGreaterThan(0)
          }
        }
        expect(state.ledger).toMatchObject({ sum: state.account.balance, faultAt: null })
        if (state.stage) expect(state.stage.timeline.engine.account?.balance).toBe(state.account.balance)
      }
      // A restart folds the stream from its beginning.
      expect(fold(accountStateDecider, stream)).toEqual(state)
    }),
    { numRuns: 1_500 },
  )
  expect([deductions > 0, reversals > 0, sentTwice > 0]).toEqual([true, true, true])
})
