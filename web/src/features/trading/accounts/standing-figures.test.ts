import { expect, it } from 'vitest'
import type { Standing } from '#services/trading/accounts/standing-api.ts'
import { sampleProgrammeStanding, sampleStanding } from '@/testing/samples.ts'
import { standingItems } from './standing-figures.tsx'

const now = Date.parse('2026-03-03T12:00:00Z')
const active = { status: 'active', open: true } as const

it.each([
  ['a programme', sampleProgrammeStanding, ['Until daily loss']],
  ['no programme', sampleStanding, ['Until daily loss', 'Until maximum loss']],
])('names the rules alike for an account of %s', (_, standing, names) => {
  const shown = standingItems(standing, 'ada', active, now).map(({ name }) => name)
  expect(shown.filter((name) => name.startsWith('Until'))).toEqual(names)
  // The profit of an account without a programme is what payouts left of it.
  expect(shown.filter((name) => name.startsWith('Traded'))).toEqual(['Traded today', 'Traded in this phase'])
})

const limits = (standing: Standing, account: Parameters<typeof standingItems>[2]) =>
  standingItems(standing, 'ada', account, now).flatMap(({ name }) => (name.startsWith('Until') ? [name] : []))

it('shows no room of an account that has ended', () => {
  expect(limits(sampleStanding, { ...active, open: false })).toEqual([])
  expect(limits(sampleStanding, { ...active, status: 'breached' })).toEqual([])
  expect(limits({ ...sampleProgrammeStanding, status: 'passed' }, active)).toEqual([])
})

it('shows of a breach the limit that was reached', () => {
  const rules = sampleStanding.rules.map((rule) =>
    rule.kind === 'daily-loss' ? { ...rule, state: 'breached' as const, room: '0.00' } : rule,
  )
  expect(limits({ ...sampleStanding, status: 'breached', rules }, active)).toEqual(['Until daily loss'])
})

it('tells no result of today from figures of an earlier day', () => {
  const names = standingItems(sampleStanding, 'ada', active, now + 86_400_000).map(({ name }) => name)
  expect(names).toContain('Figures')
  expect(names).not.toContain('Traded today')
})
