import { describe, expect, it } from 'vitest'
import { boundsOf, lastIndexUpTo, PAGE_SIZE, pageRangeAround, indexOfAddress, indexAfterKey } from './moments.ts'

const times = ['2026-03-01T10:00:00Z', '2026-03-02T10:00:00Z', '2026-03-03T14:07:00Z'].map((time) => Date.parse(time))
const moments = { numbers: [7, 12, 1042], times }

describe('a moment in an address', () => {
  it('is an event by its number, and no other number', () => {
    expect(['7', '12', '1042'].map((at) => indexOfAddress(moments, at))).toEqual([0, 1, 2])
    for (const at of ['6', '8', '1043', '0']) expect(indexOfAddress(moments, at), at).toBeUndefined()
  })

  it('is the last event that had been recorded by a time', () => {
    expect(indexOfAddress(moments, '2026-03-03')).toBe(1)
    expect(indexOfAddress(moments, '2026-03-03T14:07:00Z')).toBe(2)
    expect(indexOfAddress(moments, '2026-12-31')).toBe(2)
    for (const at of ['2026-02-28', 'yesterday', '']) expect(indexOfAddress(moments, at), at).toBeUndefined()
  })

  it('is found among ten thousand as among three', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => index * 3)
    for (const index of [0, 1, 4_999, 9_999]) {
      expect(lastIndexUpTo(many, index * 3)).toBe(index)
      expect(lastIndexUpTo(many, index * 3 + 2)).toBe(index)
    }
    expect(lastIndexUpTo(many, -1)).toBe(-1)
  })
})

describe('a key on the scrubber', () => {
  it('steps event by event with the arrows', () => {
    for (const key of ['ArrowLeft', 'ArrowDown']) expect(indexAfterKey(key, 5, 20)).toBe(4)
    for (const key of ['ArrowRight', 'ArrowUp']) expect(indexAfterKey(key, 5, 20)).toBe(6)
  })

  it('goes further with Page Up and Down, the further the more events there are', () => {
    expect(indexAfterKey('PageUp', 5, 40)).toBe(15)
    expect(indexAfterKey('PageDown', 35, 40)).toBe(25)
    expect(indexAfterKey('PageDown', 9_999, 10_000)).toBe(9_499)
  })

  it('goes to the ends with Home and End, and never beyond them', () => {
    expect([indexAfterKey('Home', 5, 20), indexAfterKey('End', 5, 20)]).toEqual([0, 19])
    expect([
      indexAfterKey('ArrowLeft', 0, 20),
      indexAfterKey('PageDown', 3, 20),
      indexAfterKey('ArrowRight', 19, 20),
      indexAfterKey('PageUp', 15, 20),
    ]).toEqual([0, 0, 19, 19])
    expect(indexAfterKey('End', 0, 0)).toBe(0)
  })

  it('does nothing when it is another one', () => {
    for (const key of ['Tab', 'Enter', 'a', ' ']) expect(indexAfterKey(key, 5, 20), key).toBeUndefined()
  })
})

describe('pages of the timeline', () => {
  it('are counted from the oldest event, so that a full one stays as it is', () => {
    const numbers = Array.from({ length: 120 }, (_, index) => index + 1)
    expect([0, 1, 2].map((page) => boundsOf(numbers, page))).toEqual([
      { from: 1, to: 50 },
      { from: 51, to: 100 },
      { from: 101, to: 120 },
    ])
    expect(boundsOf(numbers, 3)).toBeUndefined()
  })

  it('are shown from the one before the moment to its own', () => {
    expect(pageRangeAround(0)).toEqual({ oldest: 0, newest: 0 })
    expect(pageRangeAround(PAGE_SIZE * 3 + 1)).toEqual({ oldest: 2, newest: 3 })
    expect(pageRangeAround(-1)).toEqual({ oldest: 0, newest: 0 })
  })
})
