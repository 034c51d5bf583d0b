import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { OwnAccount } from '#services/modules/accounts/account-api.ts'
import { sampleAccount } from '@/testing/samples.ts'
import { endsOf } from './account-end.ts'
import { Overview } from './overview.tsx'
import { render } from '@/testing/render.ts'

const account: OwnAccount = {
  ...sampleAccount,
  balance: '9880.00',
  profitLoss: '-120.00',
  profitTarget: '1000',
  dailyDrawdownLimit: '5%',
  overallLossLimit: '$1,000',
  phase: 'Phase 1',
  stamps: {
    ...sampleAccount.stamps,
    limits: { number: 7, at: '2026-03-01T10:00:00Z', by: 'admin', name: null, reason: null },
  },
}

const now = Date.parse('2026-03-03T14:00:00Z')
const history = {
  points: [
    { at: '2026-03-01T10:00:00Z', number: 2, balance: '10000.00', profitLoss: '0.00' },
    { at: '2026-03-03T10:00:00Z', number: 9, balance: '9880.00', profitLoss: '-120.00' },
  ],
  markers: [],
  olderMarkers: 0,
}

describe('the overview', () => {
  it('says at which balance each limit ends the account and how far that is, with their stamp', () => {
    show({})
    expect(meter('Daily Drawdown')).toBe('$120.00 of $500.00 lost')
    expect(card('Daily Drawdown').textContent).toContain('$380.00 awayBreach at $9,500.00Today, until 00:00 UTC')
    expect(meter('Maximum Loss')).toBe('$120.00 of $1,000.00 lost')
    expect(card('Maximum Loss').textContent).toContain('$880.00 awayBreach at $9,000.00')
    expect(within(card('Daily Drawdown')).getByText(/^#7 · /)).toBeTruthy()
  })

  it('says so when a limit is reached', () => {
    show({ profitLoss: '-1200.00' })
    expect(meter('Maximum Loss')).toBe('$1,200.00 of $1,000.00 lost')
    expect(within(card('Maximum Loss')).getByRole('meter').getAttribute('aria-valuenow')).toBe('100')
    expect(card('Maximum Loss').textContent).toContain('The limit is reached.')
  })

  it('says less where balance and profit contradict each other', () => {
    show({ profitLoss: '-20.00' })
    expect(card('Maximum Loss').textContent).toContain('$980.00 left')
    expect(card('Maximum Loss').textContent).not.toContain('Breach at')
  })

  it('shows no room for a breached account', () => {
    show({ status: 'breached' })
    expect(screen.queryByRole('meter')).toBeNull()
    expect(card('Maximum Loss').textContent).toContain('$1,000The limit. The account is breached, so no room is left.')
  })

  it('shows no figure while the history loads', () => {
    show({}, 'loading')
    expect(within(card('Daily Drawdown')).getByRole('status').textContent).toBe('Loading Daily Drawdown')
    expect(meter('Maximum Loss')).toBe('$120.00 of $1,000.00 lost')
  })

  it('shows the limit alone when the history could not be loaded', () => {
    show({}, null)
    expect(within(card('Daily Drawdown')).queryByRole('meter')).toBeNull()
    expect(card('Daily Drawdown').textContent).toContain('5%')
    expect(card('Daily Drawdown').textContent).toContain('The room left could not be loaded.')
  })

  it('does not wait for the history where a limit is only text, or not set', () => {
    show({ dailyDrawdownLimit: 'As agreed', overallLossLimit: null }, 'loading')
    expect(card('Daily Drawdown').textContent).toContain('As agreed')
    expect(card('Maximum Loss').textContent).toContain('Not set')
    expect(screen.queryByRole('meter')).toBeNull()
  })

  it('shows zero profit red and without a sign, to the letter', () => {
    show({ profitLoss: '0.00' })
    const profit = within(card('Profit/Loss')).getByText('$0.00')
    expect(profit.className).toContain('text-bad')
  })

  it('shows what remains to the profit target, and never less than nothing', () => {
    show({ profitLoss: '1500.00' })
    const target = card('Profit Target')
    expect(within(target).getByRole('progressbar').getAttribute('aria-valuenow')).toBe('100')
    expect(target.textContent).toContain('Remaining$0.00')
    expect(target.textContent).toContain('Current Profit+$1,500.00')
  })

  it('says that there is no profit target, and not that it is $0.00', () => {
    show({ profitTarget: null })
    expect(card('Profit Target').textContent).toContain(
      'No profit target is set for this phase.TargetNoneCurrent Profit-$120.00',
    )
    expect(card('Profit Target').textContent).not.toMatch(/\$0\.00|Remaining/)
  })

  it('shows a target that is only text as it is', () => {
    show({ profitTarget: 'As agreed' })
    expect(card('Profit Target').textContent).toContain('TargetAs agreed')
    expect(card('Profit Target').textContent).toContain('RemainingN/A')
  })
})

function show(given: Partial<OwnAccount>, known: typeof history | 'loading' | null = history) {
  const shown = { ...account, ...given }
  render(
    <Overview
      account={shown}
      ends={known === 'loading' ? undefined : known && endsOf(shown, known, [], now)}
      now={now}
      chart={null}
    />,
  )
}

function card(name: string): HTMLElement {
  const section = screen.getByRole('heading', { name }).closest('section')
  if (!section) throw new Error(`${name} is no card`)
  return section
}

function meter(name: string): string | null {
  return within(card(name)).getByRole('meter').getAttribute('aria-valuetext')
}
