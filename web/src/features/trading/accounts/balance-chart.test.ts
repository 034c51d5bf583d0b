import { expect, it } from 'vitest'
import { rowsOf, spread } from './balance-chart.tsx'

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
