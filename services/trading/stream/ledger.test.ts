import fc from 'fast-check'
import { Map as ImmutableMap } from 'immutable'
import { describe, expect, it } from 'vitest'
import { fold } from '#services/event-sourcing/decider.ts'
import { accountStateDecider, type AccountState, type AccountStreamEvent } from './account-aggregate.ts'
import { type AccountChanges, changeAccount } from './account.ts'
import { accountIdOf, enrolmentIdOf, payoutId, programmeId, userId } from '#services/framework/ids.ts'
import { approvePayout, rejectPayout } from './payout.ts'
import { presets } from '#services/programmes/programmes/presets.ts'
import { toCents } from '#services/rules/money.ts'
import { anyAccountEvents, appendedEvents, givenEvents } from '#test-support/given-when-then.ts'
import { explanations } from './ledger-difference.ts'

const given = givenEvents(accountStateDecider)

const owner = accountIdOf(userId.parse('trader01'), 1)
const id = payoutId.parse(`${owner}-p1`)
const opened: AccountStreamEvent = { type: 'AccountOpened', data: { accountId: owner } }
const requested: AccountStreamEvent = {
  type: 'PayoutRequested',
  data: {
    payoutId: id,
    amount: toCents(250_00),
    method: 'paypal',
    details: 'ada@example.com',
    destination: null,
    idempotency: null,
  },
}
const balance = (from: number, to: number, kind: 'deposit' | 'trade-result'): AccountStreamEvent => ({
  type: 'BalanceChanged',
  data: { from: toCents(from), to: toCents(to), kind },
})
const funded = [opened, balance(0, 10_000_00, 'deposit'), balance(10_000_00, 10_600_00, 'trade-result')]
const approved: AccountStreamEvent = {
  type: 'PayoutApproved',
  data: {
    payoutId: id,
    from: 'pending',
    amount: toCents(250_00),
    notes: '',
    traderReceives: toCents(250_00),
    firmKeeps: toCents(0),
  },
}
const deducted: AccountStreamEvent = {
  type: 'PayoutDeducted',
  data: { payoutId: id, from: toCents(10_600_00), to: toCents(10_350_00) },
}

describe('the ledger of an account', () => {
  const set =
    (changes: AccountChanges) =>
    ({ account }: AccountState) =>
      changeAccount(account, changes)

  it('has an entry for each change of the balance: the first money, trading, and what begins a phase', () => {
    given(opened)
      .when(set({ balance: toCents(10_000_00) }))
      .then([balance(0, 10_000_00, 'deposit')])
    given(...funded.slice(0, 2))
      .when(set({ balance: toCents(10_600_00) }))
      .then([balance(10_000_00, 10_600_00, 'trade-result')])
    const reset = { from: toCents(10_600_00), to: toCents(10_000_00), kind: 'correction' } as const
    given(...funded)
      .when(set({ balance: toCents(10_000_00), phase: 'Phase 2' }))
      .then([
        { type: 'BalanceChanged', data: reset },
        { type: 'PhaseChanged', data: { from: null, to: 'Phase 2' } },
      ])
  })

  it('adds up to the balance', () => {
    const { ledger, account } = given(...funded, requested, approved, deducted).state
    expect(ledger).toEqual({
      entries: 3,
      sum: 10_350_00,
      sums: { deposit: 10_000_00, 'trade-result': 600_00, payout: -250_00 },
      faultAt: null,
      booked: ImmutableMap(),
    })
    expect(account.balance).toBe(10_350_00)
  })

  it('adds up to the balance after any events whose entries follow each other', () => {
    fc.assert(
      fc.property(anyAccountEvents(40), (events) => {
        const { account, ledger } = fold(accountStateDecider, appendedEvents(events))
        expect(ledger.faultAt).toBeNull()
        expect(ledger.sum).toBe(account.balance)
        expect(Object.values(ledger.sums).reduce((sum, one) => sum + one, 0)).toBe(ledger.sum)
      }),
    )
  })

  it('names the first entry that does not begin where the one before it ended', () => {
    expect(given(...funded, balance(10_500_00, 10_700_00, 'trade-result')).state.ledger.faultAt).toBe(3)
  })
})

describe('a deduction', () => {
  const approve = (deduct: boolean) => (state: AccountState) => approvePayout(state, id, { deduct, now: 0 })
  const reject = (state: AccountState) => rejectPayout(state, id, 'Returned')
  const rejected: AccountStreamEvent = {
    type: 'PayoutRejected',
    data: {
      payoutId: id,
      from: 'approved',
      amount: toCents(250_00),
      notes: 'Returned',
      traderReceives: toCents(250_00),
    },
  }
  const bookedBack = (from: number): AccountStreamEvent => ({
    type: 'PayoutBookedBack',
    data: { payoutId: id, from: toCents(from), to: toCents(from + 250_00) },
  })

  it('leaves the balance with the approval, if it is asked for', () => {
    given(...funded, requested)
      .when(approve(true))
      .then([approved, deducted])
    given(...funded, requested)
      .when(approve(false))
      .then([approved])
  })

  it('always leaves the balance in an account of a programme, also in a stage without terms of payouts', () => {
    const [preset] = presets
    if (!preset) throw new Error('There is no preset')
    const begun: AccountStreamEvent = {
      type: 'StageBegun',
      data: {
        enrolmentId: enrolmentIdOf(userId.parse('trader01'), 1),
        programme: programmeId.parse('a-programme'),
        version: 1,
        hash: 'f'.repeat(64),
        stage: 0,
        terms: preset.terms,
      },
    }
    given(...funded, begun, requested)
      .when(approve(false))
      .then([approved, deducted])
    given(opened, balance(0, 249_99, 'deposit'), begun, requested)
      .when(approve(false))
      .thenRefused('conflict', 'The balance of $249.99 does not cover this payout', 'deduct')
  })

  it('is refused where the balance does not cover it', () => {
    given(opened, balance(0, 249_99, 'deposit'), requested)
      .when(approve(true))
      .thenRefused('conflict', 'The balance of $249.99 does not cover this payout', 'deduct')
    given(opened, balance(0, 250_00, 'deposit'), requested)
      .when(approve(true))
      .thenState()
  })

  it('is booked back once by a rejection, whatever the balance is by then', () => {
    const traded = balance(10_350_00, 10_400_00, 'trade-result')
    given(...funded, requested, approved, deducted, traded)
      .when(reject)
      .then([rejected, bookedBack(10_400_00)])
    given(...funded, requested, approved)
      .when(reject)
      .then([rejected])
    const back = given(...funded, requested, approved, deducted, rejected, bookedBack(10_350_00))
    expect(back.state.payouts.list.get(id)).toMatchObject({ deducted: false, shares: null, status: 'rejected' })
    const again = back.when(approve(false)).thenState()
    expect(again.account.balance).toBe(10_600_00)
  })
})

describe('the explanation of a balance that was typed', () => {
  const entry = (kind: 'trade-result' | 'payout' | 'payout-reversed' | 'deposit', amount: number) => ({
    kind,
    amount,
    booking: null,
  })

  it.each([
    ['a payout that the platform has not booked yet', 250, { explained: 250, unexplained: 0 }],
    ['that, and a trading result', 300, { explained: 250, unexplained: 50 }],
    ['less than that', 100, { explained: 0, unexplained: 100 }],
    ['a loss', -250, { explained: 0, unexplained: -250 }],
  ])('of a rise after a deduction is %s', (_, amount, expected) => {
    expect(explanations([entry('payout', -250), entry('trade-result', amount)])).toEqual([null, expected])
  })

  it('looks at what was deducted since the balance before, without what was booked back', () => {
    const entries = [
      entry('payout', -250),
      entry('trade-result', 10),
      entry('trade-result', 250),
      entry('payout', -70),
      entry('payout-reversed', 70),
      entry('trade-result', 70),
    ]
    expect(explanations(entries).map((one) => one?.explained)).toEqual([undefined, 0, 0, undefined, undefined, 0])
  })
})
