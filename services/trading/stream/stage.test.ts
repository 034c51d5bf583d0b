import { describe, expect, it } from 'vitest'
import { accountStateDecider, type AccountStreamEvent } from './account-aggregate.ts'
import { accountIdOf, payoutId, userId } from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import { dateOf } from '#services/rules/day-terms.ts'
import type { AccountTerms } from '#services/rules/programme.ts'
import { FIRST_EVENT_AT, givenEvents } from '#test-support/given-when-then.ts'
import { maximumLoss, sampleTerms } from '#test-support/terms.ts'
import { setTerms, stageAt } from './stage.ts'

const given = givenEvents(accountStateDecider)

const owner = accountIdOf(userId.parse('trader01'), 1)
const opened: AccountStreamEvent = { type: 'AccountOpened', data: { accountId: owner } }
const balance = (from: number, to: number): AccountStreamEvent => ({
  type: 'BalanceChanged',
  data: { from: toCents(from * 100), to: toCents(to * 100), kind: 'trade-result' },
})
const termsSet = (terms: AccountTerms | null, from: string | null = null): AccountStreamEvent => ({
  type: 'TermsSet',
  data: { from, terms },
})
const id = payoutId.parse(`${owner}-p1`)
const deducted = (from: number, to: number): AccountStreamEvent => ({
  type: 'PayoutDeducted',
  data: { payoutId: id, from: toCents(from * 100), to: toCents(to * 100) },
})
const bookedBack = (from: number, to: number): AccountStreamEvent => ({
  type: 'PayoutBookedBack',
  data: { payoutId: id, from: toCents(from * 100), to: toCents(to * 100) },
})
const now = FIRST_EVENT_AT + 3_600_000
/** The line of the stage after these events. */
const lineAfter = (...events: readonly AccountStreamEvent[]) => {
  const { stage } = given(opened, ...events).state
  return stage && stageAt(stage, now).line
}

describe('terms of an account', () => {
  const terms = sampleTerms()

  it('are set, replaced and taken away', () => {
    given(opened)
      .when((state) => setTerms(state, terms))
      .then([termsSet(terms)])
    given(opened, termsSet(terms))
      .when((state) => setTerms(state, terms))
      .then([termsSet(terms, 'Funded 100K')])
    given(opened, termsSet(terms))
      .when((state) => setTerms(state, null))
      .then([termsSet(null, 'Funded 100K')])
    given(opened)
      .when((state) => setTerms(state, null))
      .thenNothing()
    given()
      .when((state) => setTerms(state, terms))
      .thenRefused('not-found', 'Account not found')
  })

  it('begin with the balance of that moment, as a reported state', () => {
    expect(lineAfter(balance(0, 104_000), termsSet(terms))).toMatchObject({
      balance: 104_000_00,
      equity: 104_000_00,
      payout: { profit: 4_000_00, available: 4_000_00, traderReceives: 3_200_00 },
    })
    expect(lineAfter(balance(0, 104_000))).toBeNull()
    expect(lineAfter(termsSet(terms), termsSet(null, 'Funded 100K'))).toBeNull()
  })

  it('see each later balance, and a payout as one', () => {
    expect(lineAfter(balance(0, 100_000), termsSet(terms), balance(100_000, 102_500))?.payout?.available).toBe(2_500_00)
    const line = lineAfter(balance(0, 104_000), termsSet(terms), deducted(104_000, 101_000))
    expect(line).toMatchObject({ balance: 101_000_00, payout: { profit: 1_000_00, available: 1_000_00 } })
  })

  it('begin anew when they are set again: the remedy for a mistyped balance', () => {
    const mistyped = [balance(0, 104_000), termsSet(terms), balance(104_000, 10_400), balance(10_400, 104_000)]
    expect(lineAfter(...mistyped)).toMatchObject({
      status: 'breached',
      payout: { available: 0, missing: ['breached'] },
    })
    expect(lineAfter(...mistyped, termsSet(terms, 'Funded 100K'))).toMatchObject({
      status: 'in-progress',
      payout: { available: 4_000_00 },
    })
  })

  it('take what was booked back as if it had never been paid, also what was traded since', () => {
    const weekly = sampleTerms({ everyDays: 14 })
    const paid = [balance(0, 104_000), termsSet(weekly), deducted(104_000, 101_000)]
    expect(lineAfter(...paid)?.payout).toMatchObject({
      available: 0,
      missing: ['every-days'],
      from: Date.UTC(2026, 0, 15) / 86_400_000,
    })
    expect(lineAfter(...paid, balance(101_000, 101_500), bookedBack(101_500, 104_500))).toMatchObject({
      balance: 104_500_00,
      payout: { profit: 4_500_00, available: 4_500_00, missing: [], from: null },
    })
    expect(lineAfter(balance(0, 103_000), termsSet(weekly), bookedBack(103_000, 104_000))?.balance).toBe(104_000_00)
  })

  it('name the first possible day', () => {
    const line = lineAfter(balance(0, 104_000), termsSet(sampleTerms({ firstAfterDays: 14 })))
    expect(line?.payout?.missing).toEqual(['first-after-days'])
    expect(dateOf(line?.payout?.from ?? 0)).toBe('2026-01-15')
  })

  it('take a payout for no loss of its day, nor of the next', () => {
    const daily: ReturnType<typeof maximumLoss> = {
      kind: 'daily-loss',
      limit: { amount: '2000.00' },
      from: 'day-start-balance',
      measures: 'equity',
      checked: 'every-change',
      touch: 'breach',
      consequence: 'breach',
    }
    const limited = [balance(0, 103_000), termsSet(sampleTerms({}, [maximumLoss(), daily]))]
    // On the first day the day begins with the account size; the payout moves that by its amount.
    const traded = [...limited, deducted(103_000, 100_000), balance(100_000, 99_500)]
    expect(lineAfter(...traded)).toMatchObject({ status: 'in-progress' })
    const { stage } = given(opened, ...traded).state
    const next = stage && stageAt(stage, now + 24 * 3_600_000).line
    expect(next?.rules[1]).toMatchObject({ kind: 'daily-loss', state: 'kept' })
    expect(next?.rules[1]?.figures.floor?.exact.cents).toBe(97_500_00)
    expect(lineAfter(...limited, balance(103_000, 97_999))).toMatchObject({ status: 'breached' })
  })

  it('move a floor as they say', () => {
    const trailing = maximumLoss({
      limit: { amount: '3000.00' },
      follows: { value: 'balance', at: 'every-change' },
    })
    const floorAfter = (floor: 'stays' | 'falls' | 'locks' | 'restarts') =>
      lineAfter(balance(0, 104_000), termsSet(sampleTerms({ floor }, [trailing])), deducted(104_000, 103_000))?.rules[0]
        ?.figures.floor?.exact.cents
    expect(floorAfter('stays')).toBe(101_000_00)
    expect(floorAfter('falls')).toBe(100_000_00)
    expect(floorAfter('locks')).toBe(100_000_00)
    expect(floorAfter('restarts')).toBe(100_000_00)
  })
})
