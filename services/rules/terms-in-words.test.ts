import { describe, expect, it } from 'vitest'
import type { Programme } from './programme.ts'
import { maximumLoss } from '#test-support/terms.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import {
  differencesInWords,
  generalTermsInWords,
  payoutsInWords,
  programmeInWords,
  ruleInWords,
} from './terms-in-words.ts'

const size = 10_000_000
const evaluation = { funded: false }
const preset: Programme = presetTerms('two-step', 100_000)

describe('a programme in words', () => {
  it('says what the presets mean', () => {
    const [first, , funded] = programmeInWords(preset)
    expect(first).toEqual({
      name: 'Phase 1',
      terms: [
        {
          title: 'Maximum loss',
          text: '10% of the account size ($10,000.00): the floor is $90,000.00. When the equity is at or below it, the account is breached.',
        },
        {
          title: 'Daily loss',
          text: '5% of the account size ($5,000.00) below the balance at the start of the day. When the equity is at or below it, the account is breached.',
        },
        {
          title: 'Profit target',
          text: '8% of the account size ($8,000.00) on the balance, with no open position',
        },
      ],
    })
    expect(funded?.terms.slice(2)).toEqual([
      { title: "Trader's share", text: '80% of the profit' },
      {
        title: 'Payouts',
        text: 'Any amount up to what is available; the first 14 days after the stage began, then every 14 days',
      },
      { title: 'Smallest payout', text: '$50.00 for the trader' },
    ])
    expect(generalTermsInWords(preset)).toEqual([
      { title: 'Account size', text: '$100,000.00' },
      { title: 'Trading day', text: 'From 00:00 to 00:00 in the time zone UTC' },
      { title: 'Breaches', text: 'Confirmed by a member of staff' },
      { title: 'Passing a stage', text: 'Confirmed by a member of staff' },
    ])
  })

  it('says how a floor follows, stops and is checked', () => {
    const rule = maximumLoss({
      limit: { amount: '4000.00' },
      follows: { value: 'balance', at: 'day-close' },
      locksAbove: { amount: '0.00' },
      measures: 'lower',
      checked: 'day-close',
      touch: 'allowed',
      consequence: 'pause',
    })
    expect(ruleInWords(rule, size, evaluation).text).toBe(
      '$4,000.00 below the highest balance at the end of a day, at first the account size. ' +
        'When the lower of balance and equity is below it at the end of a day, trading pauses until the day ends. ' +
        'The floor stops for good at $100,000.00.',
    )
  })

  it('says what waits until the best day is no larger than it may be', () => {
    const rule = {
      kind: 'consistency',
      share: '40',
      unit: 'day',
      profit: 'net',
      since: 'stage',
      effect: 'withholds',
    } as const
    expect([false, true].map((funded) => ruleInWords(rule, size, { funded }).text)).toEqual([
      'The best day is at most 40% of the profit. Until then the stage waits.',
      'The best day is at most 40% of the profit. Until then the payout waits.',
    ])
  })

  it('says what days count', () => {
    const rule = { kind: 'minimum-days', days: 1, since: 'last-payout' } as const
    const counts = [
      { what: 'calendar' },
      { what: 'traded', day: 'opened' },
      { what: 'result', atLeast: { amount: '150.00' }, of: 'equity' },
    ] as const
    expect(counts.map((each) => ruleInWords({ ...rule, counts: each }, size, evaluation).text)).toEqual([
      '1 day by the calendar, counted from the last payout',
      '1 day on which a trade was opened, counted from the last payout',
      '1 day with a profit or a loss of at least $150.00 in equity, counted from the last payout',
    ])
  })

  it('says what else limits payouts', () => {
    const stage = preset.stages[2]
    if (!stage?.funded) throw new Error('The last stage is funded')
    const texts = payoutsInWords(
      {
        ...stage.payouts,
        takes: 'everything',
        splitAfter: [{ payouts: 3, split: '90' }],
        firstAfterDays: 0,
        everyDays: 0,
        cap: { percent: '5', of: 'account-size' },
        capFor: 2,
        buffer: { amount: '100.00' },
        mostOfProfit: '50',
        floor: 'locks',
      },
      size,
    )
    expect(texts.map(({ title, text }) => `${title}: ${text}`)).toEqual([
      "Trader's share: 80% of the profit, 90% after 3 payouts",
      'Payouts: The whole amount that is available; the first at once, then at any time',
      'Smallest payout: $50.00 for the trader',
      'Largest payout: 5% of the account size ($5,000.00), for the first 2 payouts',
      'Profit that stays: $100.00',
      'Part of the profit: At most 50% with one payout',
      'The floor after a payout: One that still follows stops for good at the account size',
    ])
  })

  it('changes with every parameter of a limit', () => {
    const others: readonly Parameters<typeof maximumLoss>[0][] = [
      { limit: { amount: '10000.00' } },
      { follows: { value: 'equity', at: 'every-change' } },
      { follows: { value: 'equity', at: 'day-close' } },
      { locksAbove: { amount: '0.00' } },
      { measures: 'balance' },
      { checked: 'day-close' },
      { touch: 'allowed' },
      { consequence: 'warning' },
    ]
    const texts = [{}, ...others].map((other) => ruleInWords(maximumLoss(other), size, evaluation).text)
    expect(new Set(texts).size).toBe(texts.length)
  })
})

describe('the difference of two versions', () => {
  it('names each term that changed, came or went', () => {
    const [first, ...rest] = preset.stages
    if (!first || first.funded) throw new Error('The first stage is an evaluation')
    const after: Programme = {
      ...preset,
      name: 'Two-Step 100K, summer',
      breaches: 'automatically',
      stages: [
        {
          ...first,
          rules: [
            ...first.rules.slice(0, 2),
            {
              kind: 'profit-target',
              target: { percent: '6', of: 'account-size' },
              measures: 'balance',
              whileOpen: false,
            },
            { kind: 'inactivity', days: 30, consequence: 'breach' },
          ],
        },
        ...rest.slice(1),
      ],
    }
    expect(differencesInWords(preset, preset)).toEqual([])
    const differences = differencesInWords(preset, after)
    expect(differences.slice(0, 4)).toEqual([
      { term: 'Name', before: 'Two-Step 100K', after: 'Two-Step 100K, summer' },
      { term: 'Breaches', before: 'Confirmed by a member of staff', after: 'Decided by the rules alone' },
      {
        term: 'Phase 1: Profit target',
        before: '8% of the account size ($8,000.00) on the balance, with no open position',
        after: '6% of the account size ($6,000.00) on the balance, with no open position',
      },
      {
        term: 'Phase 1: Inactivity',
        before: null,
        after: 'After 30 days in a row without a trade the account is breached',
      },
    ])
    expect(differences.slice(4).map(({ term, after: text }) => [term, text])).toEqual([
      ['Phase 2: Maximum loss', null],
      ['Phase 2: Daily loss', null],
      ['Phase 2: Profit target', null],
    ])
  })
})
