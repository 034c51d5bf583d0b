import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toDecimal, grouped } from '#services/rules/money.ts'
import { parseLimit, parseTarget, ruleAmountOf } from './limit-text.ts'

const both = { amount: 50_000, percent: '5' }

describe('a limit', () => {
  it.each([
    ['5% / $500', both],
    ['$500 / 5%', both],
    ['5 % ($500.00)', both],
    ['5%|$500', both],
    ['05% - $500', both],
    ['$500', { amount: 50_000, percent: null }],
    [' $ 500 ', { amount: 50_000, percent: null }],
    ['$1,500.5', { amount: 150_050, percent: null }],
    ['$9,999,999,999.99', { amount: 999_999_999_999, percent: null }],
    ['5%', { amount: null, percent: '5' }],
    ['4.5 %', { amount: null, percent: '4.5' }],
  ])('%j is understood', (text, limit) => expect(parseLimit(text)).toEqual(limit))

  it.each([
    ...['500', '5', 'Ask your manager', '5% of equity', '10%, trailing', '$500 or $600', '5% / 6%', '$1,50', '€500'],
    ...['$1.234', '$', '%', '', '  ', '$0', '0%', '0% / $0.00', '$10000000000', '1000%', '5.123456789%', '$5$5'],
    null,
  ])('%j is no limit that can be reckoned with', (text) => expect(parseLimit(text)).toBeNull())

  it('means its amount where it has both parts, and else a part of the account size', () => {
    const meant = (text: string) => {
      const limit = parseLimit(text)
      return limit && ruleAmountOf(limit)
    }
    expect(meant('5% / $500')).toEqual({ amount: '500.00' })
    expect(meant('$1,000')).toEqual({ amount: '1000.00' })
    expect(meant('2.5%')).toEqual({ percent: '2.5', of: 'account-size' })
  })
})

describe('a target', () => {
  it.each([
    ['1000', { amount: 100_000, percent: null }],
    ['8000.00', { amount: 800_000, percent: null }],
    ['8%', { amount: null, percent: '8' }],
    ['10% / $1,000', { amount: 100_000, percent: '10' }],
  ])('%j is understood', (text, target) => expect(parseTarget(text)).toEqual(target))

  it.each([null, '', '  ', '0', '0.00', '$0', '0%'])('%j says that there is none', (text) =>
    expect(parseTarget(text)).toEqual({ amount: 0, percent: null }),
  )

  it.each(['As agreed', '-1000', '1,000', '1e3', '10000000000', '1000 dollars'])('%j is only a text', (text) =>
    expect(parseTarget(text)).toBeNull(),
  )
})

describe('the grammar', () => {
  const cents = fc.integer({ min: 1, max: 999_999_999_999 })
  const percent = fc.integer({ min: 1, max: 99_999 }).map((hundredths) => String(hundredths / 100))
  const separator = fc.array(fc.constantFrom(...' /|()·-'), { minLength: 1, maxLength: 5 }).map((each) => each.join(''))
  const dollarsOf = (amount: number) => `$${toDecimal(amount)}`
  const separatedOf = (amount: number) => `$${toDecimal(amount).replace(/^\d+/, grouped)}`

  it('reads every amount and percentage, in any order and between any separators', () => {
    const texts = fc.record({
      amount: cents,
      percent,
      write: fc.constantFrom(dollarsOf, separatedOf),
      between: separator,
      around: fc.constantFrom('', ' ', '- ', '('),
      isAmountFirst: fc.boolean(),
    })
    fc.assert(
      fc.property(texts, ({ amount, percent: part, write, between, around, isAmountFirst }) => {
        const parts = [write(amount), `${part}%`]
        const text = around + (isAmountFirst ? parts : parts.toReversed()).join(between)
        expect(parseLimit(text)).toEqual({ amount, percent: part })
        expect(parseTarget(text)).toEqual({ amount, percent: part })
        expect(parseLimit(write(amount))).toEqual({ amount, percent: null })
      }),
    )
  })

  it('makes up nothing: a text with any other letter is only a text', () => {
    const other = fc.string({ minLength: 1 }).filter((text) => /[^\s\d$%.,/|()·-]/.test(text))
    fc.assert(
      fc.property(other, percent, (text, part) => {
        expect(parseLimit(text)).toBeNull()
        expect(parseTarget(text)).toBeNull()
        expect(parseLimit(`${part}% ${text}`)).toBeNull()
      }),
    )
  })

  it('gives only what a rule can hold', () => {
    const text = fc.array(fc.constantFrom(...'0123456789$%.,/ -'), { maxLength: 40 }).map((each) => each.join(''))
    fc.assert(
      fc.property(text, (typed) => {
        const limit = parseLimit(typed)
        if (!limit) return
        const amount = ruleAmountOf(limit)
        if ('amount' in amount) expect(amount.amount).toMatch(/^(0|[1-9]\d{0,9})\.\d{2}$/)
        else expect(amount.percent).toMatch(/^(0|[1-9]\d{0,3})(\.\d{1,8})?$/)
        expect(limit.amount ?? Number(limit.percent)).toBeGreaterThan(0)
      }),
    )
  })
})
