import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import type { CalendarDay } from '#services/trading/accounts/standing-api.ts'
import { TradingCalendar } from './trading-calendar.tsx'

const day = (date: string, changes: Partial<CalendarDay> = {}): CalendarDay => ({
  ...{
    date,
    closing: '10120.00',
    result: '120.00',
    startsAt: `${date}T22:00:00.000Z`,
    endsAt: `${date}T22:00:00.000Z`,
  },
  ...{ counts: true, trades: 2, limits: [], event: 40 },
  ...changes,
})

const calendar = {
  ...{ zone: 'America/New_York', startsAt: '17:00' },
  days: [
    day('2026-02-27'),
    day('2026-03-02'),
    day('2026-03-03', {
      ...{ result: '-300.00', counts: false, trades: 1, event: 44 },
      limits: [{ kind: 'daily-loss', title: 'Daily loss', state: 'paused', event: 43 }],
    }),
  ],
}

it('says of each day of a month what was traded, whether it counts and which limit was reached', async () => {
  render(<TradingCalendar calendar={calendar} />)
  expect(screen.getByText(/from 17:00 to 17:00 in America\/New_York/)).toBeTruthy()
  const days = () => screen.getByRole('list').textContent
  expect(screen.getAllByRole('listitem')).toHaveLength(31)
  expect(days()).toContain('2 Mar#40+$120.00Balance $10,120.002 trades, counts')
  expect(days()).toContain('3 Mar#44-$300.00Balance $10,120.001 trade, does not countDaily loss paused trading #43')
  await userEvent.click(screen.getByRole('button', { name: 'Earlier' }))
  expect(screen.getByRole('list', { name: 'Feb 2026' })).toBeTruthy()
  expect(days()).toContain('27 Feb#40')
  expect(screen.getByRole('button', { name: 'Earlier' }).hasAttribute('disabled')).toBe(true)
})

it('says that nothing was observed yet', () => {
  render(<TradingCalendar calendar={{ ...calendar, days: [] }} />)
  expect(screen.getByText('Nothing was observed on this account yet.')).toBeTruthy()
})
