import { describe, expect, it } from 'vitest'
import { roundMarks, timeMarks } from './axes.ts'

describe('figures on an axis', () => {
  it.each([
    { lowest: 9_700, highest: 10_300, marks: [9_600, 9_800, 10_000, 10_200, 10_400] },
    { lowest: 0, highest: 1, marks: [0, 0.5, 1] },
    { lowest: -130, highest: 270, marks: [-200, -100, 0, 100, 200, 300] },
    { lowest: 99_000_000, highest: 99_000_400, marks: [99_000_000, 99_000_100, 99_000_200, 99_000_300, 99_000_400] },
  ])('are round ones around $lowest to $highest', ({ lowest, highest, marks }) => {
    expect(roundMarks(lowest, highest, 4)).toEqual(marks)
  })

  it('are there for a balance that never changed', () => {
    expect(roundMarks(500, 500, 4).length).toBeGreaterThan(0)
  })
})

describe('moments on an axis', () => {
  const local = (...parts: readonly [number, number, number, number?]) => new Date(...parts).getTime()
  const shown = (from: number, until: number, most = 6) => timeMarks(from, until, most).map((at) => new Date(at))

  it('are whole hours of a day', () => {
    const marks = shown(local(2026, 2, 3, 7), local(2026, 2, 4, 6))
    expect(marks.map((at) => at.getHours())).toEqual([12, 18, 0, 6])
  })

  it('are midnights of a week or two', () => {
    const marks = shown(local(2026, 2, 25, 9), local(2026, 3, 5, 9))
    expect(marks.map((at) => [at.getHours(), at.getDate()])).toEqual([[0, 27], [0, 29], [0, 31], [0, 2], [0, 4]])
  })

  it('are firsts of months of half a year, and of years of many', () => {
    expect(shown(local(2026, 0, 15), local(2026, 5, 20)).map((at) => [at.getDate(), at.getMonth()])).toEqual([[1, 1], [1, 2], [1, 3], [1, 4], [1, 5]])
    expect(shown(local(2020, 6, 1), local(2026, 5, 1)).map((at) => [at.getMonth(), at.getFullYear()])).toEqual([[0, 2021], [0, 2022], [0, 2023], [0, 2024], [0, 2025], [0, 2026]])
  })

  it('are never more than there is room for, nor outside', () => {
    for (const length of [1, 60_000, 3_600_000, 86_400_000, 40 * 86_400_000, 4_000 * 86_400_000]) {
      const from = local(2026, 1, 27, 13)
      const marks = timeMarks(from, from + length, 5)
      expect(marks.length).toBeLessThanOrEqual(5)
      expect(marks.every((at) => at >= from && at <= from + length)).toBe(true)
    }
  })
})
