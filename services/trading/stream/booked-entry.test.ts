import { describe, expect, it } from 'vitest'
import { accountStateDecider, type AccountState, type AccountStreamEvent } from './account-aggregate.ts'
import { stageAt } from './stage.ts'
import { accountIdOf, payoutId, userId } from '#services/framework/ids.ts'
import { subjectOf } from '#services/oversight/event-catalogue.ts'
import { toCents } from '#services/rules/money.ts'
import { accountClosed, FIRST_EVENT_AT, givenEvents } from '#test-support/given-when-then.ts'
import { sampleTerms } from '#test-support/terms.ts'
import { bookEntry, type Booking } from './booked-entry.ts'
import { explanations } from './ledger-difference.ts'

const given = givenEvents(accountStateDecider)

const owner = accountIdOf(userId.parse('trader01'), 1)
const opened: AccountStreamEvent = { type: 'AccountOpened', data: { accountId: owner } }
const balance = (from: number, to: number): AccountStreamEvent => ({
  type: 'BalanceChanged',
  data: { from: toCents(from), to: toCents(to), kind: from === 0 ? 'deposit' : 'trade-result' },
})
const funded = [opened, balance(0, 104_000_00)]
const fee: Booking = { kind: 'fee', amount: toCents(-50_00), reference: 'D-7', reason: 'Platform fee of November' }
const booked = (from: number, change: Partial<Booking> = {}): AccountStreamEvent => {
  const { amount, ...entry } = { ...fee, ...change }
  return { type: 'EntryBooked', data: { from: toCents(from), to: toCents(from + amount), ...entry } }
}
const book =
  (change: Partial<Booking> = {}) =>
  (state: AccountState) =>
    bookEntry(state, { ...fee, ...change })

describe('an entry that staff book', () => {
  it('moves the balance, with its kind, reference and reason', () => {
    given(...funded)
      .when(book())
      .then([booked(104_000_00)])
    const { account, ledger } = given(...funded, booked(104_000_00)).state
    expect(account).toMatchObject({ balance: 103_950_00, profitLoss: 0 })
    expect(ledger).toMatchObject({ sum: 103_950_00, sums: { deposit: 104_000_00, fee: -50_00 }, faultAt: null })
  })

  it('is booked once under its reference, and no other entry has it', () => {
    const known = given(...funded, booked(104_000_00), balance(103_950_00, 104_100_00))
    known.when(book()).thenNothing()
    const other = 'Another entry of this account has this reference'
    known.when(book({ amount: toCents(-50_01) })).thenRefused('conflict', other, 'reference')
    known.when(book({ kind: 'correction' })).thenRefused('conflict', other, 'reference')
    known.when(book({ reference: 'D-8' })).then([booked(104_100_00, { reference: 'D-8' })])
  })

  it.each([
    ['fee', 1, 'A fee takes money: please enter an amount below 0'],
    ['deposit', -1, 'A deposit brings money: please enter an amount above 0'],
    ['credit', 0, 'Please enter an amount other than 0'],
  ] as const)('%s of %i cents is refused', (kind, amount, message) => {
    given(...funded)
      .when(book({ kind, amount: toCents(amount) }))
      .thenRefused('invalid', message, 'amount')
  })

  it.each(['credit', 'correction'] as const)('%s may bring or take', (kind) => {
    for (const amount of [toCents(1), toCents(-1)])
      given(...funded)
        .when(book({ kind, amount }))
        .then([booked(104_000_00, { kind, amount })])
  })

  it('is refused without an account and once it is closed', () => {
    given().when(book()).thenRefused('not-found', 'Account not found')
    given(...funded, accountClosed('active'))
      .when(book())
      .thenRefused('not-found', 'Account not found')
    const byStaff: AccountStreamEvent = {
      type: 'AccountClosed',
      data: { status: 'active', reason: 'Over', wasOpen: true, cause: 'staff', loginClaim: null },
    }
    given(...funded, byStaff)
      .when(book())
      .thenRefused('conflict', 'This account is closed')
  })

  it('is no profit by the terms, and stays where it is when a payout is booked back', () => {
    const terms: AccountStreamEvent = { type: 'TermsSet', data: { from: null, terms: sampleTerms() } }
    const id = payoutId.parse(`${owner}-p1`)
    const paid = [
      booked(104_000_00, { kind: 'credit', amount: toCents(500_00) }),
      {
        type: 'PayoutDeducted',
        data: { payoutId: id, from: toCents(104_500_00), to: toCents(102_000_00) },
      } satisfies AccountStreamEvent,
      booked(102_000_00, { reference: 'D-8' }),
    ]
    const profitAfter = (...events: readonly AccountStreamEvent[]) => {
      const { stage } = given(...funded, terms, ...events).state
      return stage && stageAt(stage, FIRST_EVENT_AT + 3_600_000).line.payout?.profit
    }
    expect([profitAfter(), profitAfter(...paid.slice(0, 1)), profitAfter(...paid)]).toEqual([
      4_000_00, 4_000_00, 1_500_00,
    ])
    const back: AccountStreamEvent = {
      type: 'PayoutBookedBack',
      data: { payoutId: id, from: toCents(101_950_00), to: toCents(104_450_00) },
    }
    expect(profitAfter(...paid, back)).toBe(4_000_00)
    expect(given(...funded, terms, ...paid, back).state.stage?.timeline.engine.account?.balance).toBe(104_450_00)
  })

  it('is news of its account: open pages of it read again', () => {
    expect(subjectOf('EntryBooked')).toBe('accounts')
  })

  it('explains nothing of a reported balance', () => {
    const entry = (kind: 'payout' | 'correction' | 'trade-result', amount: number, booking: object | null = null) => ({
      kind,
      amount,
      booking,
    })
    const entries = [entry('payout', -250), entry('correction', 250, {}), entry('trade-result', 250)]
    expect(explanations(entries)).toEqual([null, null, { explained: 250, unexplained: 0 }])
  })
})
