import { describe, expect, it } from 'vitest'
import { linearScale, rowsOf, roundValues, spread, timeTicks } from './chart-scale.ts'

describe('the axes of a chart', () => {
  it('map a range of values to pixels, also upside down', () => {
    const y = linearScale([100, 200], [224, 12])
    expect([100, 150, 200].map(y)).toEqual([224, 118, 12])
  })

  it.each([
    { lowest: 980, highest: 1_830, values: [800, 1_000, 1_200, 1_400, 1_600, 1_800, 2_000] },
    { lowest: -12, highest: 88, values: [-20, 0, 20, 40, 60, 80, 100] },
    { lowest: 0, highest: 4_000, values: [0, 1_000, 2_000, 3_000, 4_000] },
  ])('enclose $lowest to $highest in round values', ({ lowest, highest, values }) => {
    expect(roundValues(lowest, highest, 4)).toEqual(values)
  })

  it.each([
    { from: new Date(2026, 0, 10, 5, 30), until: new Date(2026, 0, 10, 23), most: 6, ticks: ['6:00', '9:00', '12:00', '15:00', '18:00', '21:00'] },
    {
      from: new Date(2026, 0, 30, 18),
      until: new Date(2026, 1, 2, 18),
      most: 6,
      ticks: ['31.1. 0:00', '31.1. 12:00', '1.2. 0:00', '1.2. 12:00', '2.2. 0:00', '2.2. 12:00'],
    },
    { from: new Date(2026, 4, 20), until: new Date(2026, 10, 22), most: 6, ticks: ['1.6.', '1.7.', '1.8.', '1.9.', '1.10.', '1.11.'] },
  ])('name equal steps of time: $ticks', ({ from, until, most, ticks }) => {
    const found = timeTicks(from.getTime(), until.getTime(), most)
    expect(found.length).toBe(ticks.length)
    expect(found.map((tick) => nameLike(tick, ticks[0] ?? ''))).toEqual(ticks)
  })
})

function nameLike(tick: Date, sample: string): string {
  const day = `${tick.getDate()}.${tick.getMonth() + 1}.`
  const time = `${tick.getHours()}:00`
  return [sample.includes('.') && day, sample.includes(':') && time].filter(Boolean).join(' ')
}

it('gives a label the first line with space, and none where all are full', () => {
  const labels = [
    [0, 40],
    [10, 50],
    [20, 60],
    [45, 80],
  ] as const
  expect(rowsOf(labels, 2)).toEqual([0, 1, undefined, 0])
})

it('keeps labels apart, and the lowest on the chart', () => {
  expect(spread([100, 104, 20], 14, 220)).toEqual([90, 104, 20])
  expect(spread([230, 229], 14, 220)).toEqual([220, 206])
})
