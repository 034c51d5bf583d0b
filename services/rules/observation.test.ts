import { describe, expect, it } from 'vitest'
import { clock, parsed, trade } from '#test-support/rules.ts'
import { observation, writtenObservation } from './observation.ts'

const [first, last] = ['1970-01-01T00:00:00Z', '2199-12-31T23:59:59.999999999Z']

describe('instants', () => {
  it('lie from 1970 to 2199', () => {
    expect(parsed([clock(last), clock(first)]).map(({ at }) => at.text)).toEqual([first, last])
  })

  it.each([
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:30:00+01:00',
    '2199-12-31T23:30:00-01:00',
    '2200-01-01T00:00:00Z',
  ])('name the years that are expected: %s', (at) => {
    const expected = 'expected an instant from 1970-01-01 to 2199-12-31 (UTC)'
    expect(faultsOf(clock(at))).toEqual([{ path: 'at', message: expected }])
    expect(faultsOf(trade(first, '1.00', { openedAt: at }))).toEqual([{ path: 'openedAt', message: expected }])
  })

  it.each(['0000-02-30T00:00:00Z', '2026-11-02T09:30:00.1234567890Z'])(
    'that cannot be read name an example: %s',
    (at) => {
      expect(faultsOf(clock(at))).toEqual([{ path: 'at', message: 'expected an instant like "2026-11-02T09:30:00Z"' }])
    },
  )
})

describe('the facts of a trade', () => {
  const told = (facts: object) => ({ at: last, kind: 'trade', id: 'T1', profit: '1.00', volume: '1.00', ...facts })

  it.each([
    {},
    { symbol: 'US 30.cash' },
    { symbol: 'x'.repeat(32) },
    { symbol: '\u{1F600}'.repeat(32) },
    { side: 'sell' },
    { openPrice: '0.0000000001', closePrice: '17000' },
    { openedAt: first },
  ])('may be stated, or not: %j', (facts) => {
    const read = observation.parse(told(facts))
    expect(writtenObservation(read)).toEqual(told(facts))
  })

  it.each([
    ...['', ' EURUSD', 'EURUSD ', 'EUR\u00a0USD', 'EUR\tUSD', 'EUR\u200bUSD', 'x'.repeat(33), null, 5].map(
      (symbol) => ({ symbol }),
    ),
    ...['Buy', '', null].map((side) => ({ side })),
    ...['0', '0.00', '-1', '1.00000000001', '1e5', '1,5', '.5', '', null, 1.5].map((openPrice) => ({ openPrice })),
    { closePrice: '0' },
    { openedAt: null },
  ])('are refused otherwise: %j', (facts) => {
    expect(faultsOf(told(facts)).map(({ path }) => path)).toEqual(Object.keys(facts))
  })
})

function faultsOf(written: unknown) {
  const { error } = observation.safeParse(written)
  return (error?.issues ?? []).map(({ path, message }) => ({ path: path.join('.'), message }))
}
