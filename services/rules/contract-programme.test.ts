import { describe, expect, it } from 'vitest'
import {
  clock,
  consistency,
  dailyLoss,
  figures,
  fixed,
  floors,
  followsEquity,
  lastOf,
  linesOf,
  maximumLoss,
  minimumDays,
  on,
  payouts,
  percent,
  profitTarget,
  state,
  states,
  trade,
  wholeDay,
} from '#test-support/rules.ts'

// Each test quotes the sentence of rules.md that it is about.

describe('principles', () => {
  it('"Products are exact and rounded once: what limits or has to be reached up to the cent"', () => {
    const stage = {
      size: '99999.99',
      rules: [maximumLoss({ limit: percent('3.333') }), profitTarget({ target: percent('3.333') })],
    }
    // 99,999.99 × 3.333 % is 3,332.9996667: the floor is 96,666.9903333.
    expect(figures(lastOf(stage, clock(on(2))))).toMatchObject({ floor: '96667.00', room: '3332.99' })
    expect(figures(lastOf(stage, clock(on(2))), 1)).toMatchObject({ target: '103332.99' })
  })

  it('"what is paid out down"', () => {
    const stage = { rules: [], payouts: payouts({ split: '33.33', mostOfProfit: '33.33' }) }
    // A third of 100.01 is 33.333333, and a third of 33.33 is 11.108889.
    expect(lastOf(stage, state(on(2), '100100.01')).payout).toMatchObject({
      available: '33.33',
      traderReceives: '11.10',
    })
  })

  it('"a shown `share` half up"', () => {
    const shareOf = (...days: string[]) =>
      figures(
        lastOf(
          { rules: [consistency(), profitTarget()] },
          ...days.map((profit, index) => trade(on(2 + index), profit)),
        ),
      )?.share
    expect(shareOf('1.00', '1.00', '1.00')).toBe('33.33')
    expect(shareOf('2.00', '1.00')).toBe('66.67')
    // 1 of 16 is 6.25 %, 1 of 800 is 0.125 %.
    expect(shareOf('0.01', ...Array.from({ length: 799 }, () => '0.01'))).toBe('0.13')
  })

  it('"States are decided on exact values, not on rounded ones."', () => {
    // The floor is 96,666.9903333: 96,666.99 is below it, 96,667.00 is above.
    const stage = { size: '99999.99', rules: [maximumLoss({ limit: percent('3.333'), touch: 'allowed' as const })] }
    expect(states(linesOf(stage, state(on(2), '96667.00'), state(on(3), '96666.99')))).toEqual(['kept', 'breached'])
    const touching = { ...stage, rules: [maximumLoss({ limit: percent('3.333') })] }
    expect(states(linesOf(touching, state(on(2), '96667.00')))).toEqual(['kept'])
  })

  it('"Only `reported` values breach, raise a floor, start a day or reach a goal. `computed` and `estimated` ones are shown and checked (`suspected`, for staff) and leave no trace."', () => {
    const stage = { rules: [maximumLoss(followsEquity), dailyLoss(), profitTarget()] }
    for (const quality of ['computed', 'estimated']) {
      const lines = linesOf(
        stage,
        state(on(2, '09:00'), '100000.00'),
        state(on(2, '10:00'), '120000.00', '120000.00', { quality }),
        state(on(2, '11:00'), '80000.00', '80000.00', { quality }),
        clock(on(3)),
      )
      expect(lines.map(({ balance }) => balance)).toEqual(['100000.00', '120000.00', '80000.00', '100000.00'])
      expect(states(lines)).toEqual(['kept', 'kept', 'suspected', 'kept'])
      expect(floors(lines)).toEqual(['90000.00', '90000.00', '90000.00', '90000.00'])
      expect(states(lines, 2)).toEqual(['open', 'open', 'open', 'open'])
      expect(lines.at(-1)).toMatchObject({ status: 'in-progress', rules: [{}, { floor: '95000.00' }, {}] })
    }
  })

  it('"If a day row has only its lowest and highest equity and their order decides, the state is `undetermined`, never a guess."', () => {
    const line = lastOf(
      { rules: [maximumLoss({ limit: fixed('3000.00'), ...followsEquity })] },
      wholeDay(on(2), '98000.00', '102000.00', '101000.00'),
    )
    expect(line).toMatchObject({ status: 'in-progress', rules: [{ floor: '99000.00', state: 'undetermined' }] })
  })
})

describe('trading days', () => {
  const daysOf = (zone: string, startsAt: string, ...instants: string[]) =>
    linesOf({ zone, startsAt, rules: [] }, ...instants.map(clock)).map(({ day }) => day)

  it('"runs from `startsAt` to the next `startsAt` in the zone and is named after the local date on which it starts"', () => {
    expect(daysOf('Europe/Prague', '00:00', '2026-11-01T22:59:59.999Z', '2026-11-01T23:00:00Z')).toEqual([
      '2026-11-01',
      '2026-11-02',
    ])
    expect(daysOf('America/New_York', '17:00', '2026-11-02T21:59:59Z', '2026-11-02T22:00:00Z')).toEqual([
      '2026-11-01',
      '2026-11-02',
    ])
  })

  it('"Where the clock skips that moment, the day starts at the first instant after it"', () => {
    // On 2026-03-29 Prague goes from 02:00 to 03:00, at 01:00 UTC.
    expect(daysOf('Europe/Prague', '02:30', '2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z')).toEqual([
      '2026-03-28',
      '2026-03-29',
    ])
  })

  it('"where it comes twice, at the first"', () => {
    // On 2026-10-25 Prague comes to 02:30 at 00:30 and again at 01:30 UTC.
    expect(
      daysOf('Europe/Prague', '02:30', '2026-10-25T00:29:59Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'),
    ).toEqual(['2026-10-24', '2026-10-25', '2026-10-25'])
  })

  it('"Days without an observation begin and end too."', () => {
    const stage = { rules: [dailyLoss({ consequence: 'warning', checked: 'day-close' })] }
    expect(states(linesOf(stage, state(on(2), '95000.00'), clock(on(3)), clock(on(4))))).toEqual([
      'kept',
      'warned',
      'kept',
    ])
    expect(states(linesOf(stage, state(on(2), '95000.00'), clock(on(4))))).toEqual(['kept', 'kept'])
  })

  it('"The stage opens on the day of its first observation."', () => {
    expect(figures(lastOf({ rules: [minimumDays()] }, clock(on(2)), clock(on(4))))).toEqual({
      kind: 'minimum-days',
      days: 3,
      state: 'met',
    })
  })
})
