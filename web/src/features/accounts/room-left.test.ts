import { describe, expect, it } from 'vitest'
import { centsOf, endOfDay, limitOf, profitProgress, roomLeft } from './room-left.ts'

const size = 1_000_000

describe('a limit', () => {
  it.each([
    ['5% / $500', 50_000],
    ['$500 / 5%', 50_000],
    ['$500', 50_000],
    ['$ 500', 50_000],
    ['$1,500.50', 150_050],
    ['10% ($1,000)', 100_000],
    ['5%', 50_000],
    ['4.5 %', 45_000],
  ])('written as %s comes to %i cents of a $10,000.00 account', (text, cents) => {
    expect(limitOf(text, size)).toBe(cents)
  })

  it.each(['500', '5', 'Ask your manager', '5% of equity', '$500 or $600', '$1,50', '$0', '0%', '€500', '$1.234', ''])(
    'that says %j stays a text, without an amount made up for it',
    (text) => {
      expect(limitOf(text, size)).toBeUndefined()
    },
  )

  it('in percent alone comes to nothing while it is not known of what', () => {
    expect(limitOf('5%', undefined)).toBeUndefined()
    expect(limitOf('5% / $500', undefined)).toBe(50_000)
  })
})

describe('room left', () => {
  it('is the limit minus the loss', () => {
    expect(roomLeft(50_000, 12_500)).toEqual({ limit: 50_000, lost: 12_500, left: 37_500, percentLost: 25 })
  })

  it('is all of the limit after a gain', () => {
    expect(roomLeft(50_000, -12_500)).toEqual({ limit: 50_000, lost: 0, left: 50_000, percentLost: 0 })
  })

  it('is nothing, and never below, when more was lost', () => {
    expect(roomLeft(50_000, 60_000)).toMatchObject({ left: 0, percentLost: 100 })
  })
})

describe('the way to the profit target', () => {
  it('is profit against target, in percent', () => {
    expect(profitProgress('250.00', '1000', size)).toEqual({ target: 100_000, percent: 25, remaining: 75_000 })
  })

  it('never leaves 0 to 100, and nothing remains once it is reached', () => {
    expect(profitProgress('1500.00', '1000', size)).toEqual({ target: 100_000, percent: 100, remaining: 0 })
    expect(profitProgress('-500.00', '1000', size)).toEqual({ target: 100_000, percent: 0, remaining: 150_000 })
  })

  it.each([null, '', '0', '0.00'])('is 0 without a target: %j', (target) => {
    expect(profitProgress('250.00', target, size)).toEqual({ target: 0, percent: 0, remaining: 0 })
  })

  it('reads targets that are written as limits are', () => {
    expect(profitProgress('250.00', '10% / $1,000', size)).toMatchObject({ target: 100_000, percent: 25 })
    expect(profitProgress('250.00', '10%', size)).toMatchObject({ target: 100_000 })
  })

  it('is unknown for a target that is only a text', () => {
    expect(profitProgress('250.00', 'As agreed', size)).toBeUndefined()
  })
})

it('lets a day end at midnight UTC', () => {
  expect(endOfDay(Date.parse('2026-03-03T14:00:00Z'))).toBe(Date.parse('2026-03-04T00:00:00Z'))
})

it('counts invalid numbers as zero', () => {
  expect([centsOf('nonsense'), centsOf(null), centsOf(undefined), centsOf('12.34'), centsOf('-0.1')]).toEqual([
    0, 0, 0, 1_234, -10,
  ])
})
