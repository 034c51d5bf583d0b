import { expect, it } from 'vitest'
import { sampleProgrammeStanding, sampleStanding } from '@/testing/samples.ts'
import { standingItems } from './standing-figures.tsx'

it.each([
  ['a programme', sampleProgrammeStanding, ['Until daily loss']],
  ['no programme', sampleStanding, ['Until daily loss', 'Until maximum loss']],
])('names the rules alike for an account of %s', (_, standing, names) => {
  const shown = standingItems(standing, 'ada').map(({ name }) => name)
  expect(shown.filter((name) => name.startsWith('Until'))).toEqual(names)
  // The profit of an account without a programme is what payouts left of it.
  expect(shown.filter((name) => name.startsWith('Traded'))).toEqual(['Traded today', 'Traded in this phase'])
})
