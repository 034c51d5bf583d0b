import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import type { Standing } from '#services/trading/accounts/standing-api.ts'
import { sampleAccount, sampleStanding } from '@/testing/samples.ts'
import { Overview } from './overview.tsx'

const stamp = { at: '2026-03-01T10:00:00Z', by: 'admin', name: null, reason: null } as const
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
    dailyDrawdownLimit: { ...stamp, number: 7 },
    overallLossLimit: { ...stamp, number: 9 },
    profitTarget: { ...stamp, number: 8 },
  },
}

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-03-03T12:00:00Z'), toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

describe('the overview', () => {
  it('says at which balance each limit ends the account and how far that is', () => {
    show({}, sampleStanding)
    expect(meter('Daily Drawdown')).toBe('$120.00 of $500.00 lost')
    expect(card('Daily Drawdown').textContent).toContain('$380.00 awayBreach at $9,500.00Today, until 00:00 UTC')
    expect(meter('Maximum Loss')).toBe('$120.00 of $1,000.00 lost')
    expect(card('Maximum Loss').textContent).toContain('$880.00 awayBreach at $9,000.00')
    expect(card('Account Balance').textContent).toContain('Started with $10,000.00. As of 3 Mar 11:00 UTC')
  })

  it('calls no payout a loss', () => {
    show({}, withRule('maximum-loss', { room: '600.00', floor: '9500.00', lost: '0.00', taken: '400.00', percent: 0 }))
    expect(meter('Maximum Loss')).toBe('$0.00 of $1,000.00 lost')
    expect(card('Maximum Loss').textContent).toContain(
      '$0.00 lost of $1,000.00. Payouts and bookings took $400.00 of it, which is no loss. Limit: $1,000',
    )
  })

  it('gives each limit the stamp and the reason of the decision that set this one', () => {
    show({}, sampleStanding, (about) => <a href={`/?why=${about}`}>Why</a>)
    for (const [name, number, about] of [
      ['Daily Drawdown', 7, 'dailyDrawdownLimit'],
      ['Maximum Loss', 9, 'overallLossLimit'],
      ['Profit Target', 8, 'profitTarget'],
    ] as const) {
      expect(within(card(name)).getByText(new RegExp(`^#${number} · `))).toBeTruthy()
      expect(within(card(name)).getByRole('link', { name: 'Why' }).getAttribute('href')).toBe(`/?why=${about}`)
    }
  })

  it('says so when a limit is reached', () => {
    show({}, withRule('maximum-loss', { room: '0.00', lost: '1200.00', percent: 100, state: 'warned' }))
    expect(meter('Maximum Loss')).toBe('$1,200.00 of $1,000.00 lost')
    expect(within(card('Maximum Loss')).getByRole('meter').getAttribute('aria-valuenow')).toBe('100')
    expect(card('Maximum Loss').textContent).toContain('$0.00 away')
    expect(card('Maximum Loss').textContent).toContain('The limit is reached.')
  })

  it('shows no room for a breached account', () => {
    show({ status: 'breached' }, sampleStanding)
    expect(screen.queryByRole('meter')).toBeNull()
    expect(card('Maximum Loss').textContent).toContain('$1,000The limit. The account is breached, so no room is left.')
  })

  it('shows no figure while the standing loads, and none of its own', () => {
    show({}, undefined)
    for (const name of ['Daily Drawdown', 'Maximum Loss', 'Profit Target'])
      expect(within(card(name)).getByRole('status').textContent).toBe(`Loading ${name}`)
    expect(card('Maximum Loss').textContent).not.toContain('$')
    expect(screen.queryByRole('meter')).toBeNull()
    expect(screen.queryByRole('progressbar')).toBeNull()
  })

  it('shows the limits alone when the standing could not be loaded, and offers to try again', async () => {
    const onRetry = vi.fn<() => void>()
    show({}, null, undefined, onRetry)
    expect(screen.queryByRole('meter')).toBeNull()
    for (const [name, text] of [
      ['Daily Drawdown', '5%The limit. The room left could not be loaded.'],
      ['Maximum Loss', '$1,000The limit. The room left could not be loaded.'],
      ['Profit Target', 'The progress could not be loaded.'],
    ] as const) {
      expect(card(name).textContent).toContain(text)
      await userEvent.click(within(card(name)).getByRole('button', { name: 'Try again' }))
    }
    expect(onRetry).toHaveBeenCalledTimes(3)
  })

  it('shows a limit that is only text, or not set, without a meter', () => {
    show({ dailyDrawdownLimit: 'As agreed', overallLossLimit: null }, { ...sampleStanding, rules: [] })
    expect(card('Daily Drawdown').textContent).toContain('As agreedThe agreed limit.')
    expect(card('Maximum Loss').textContent).toContain('Not set')
    expect(screen.queryByRole('meter')).toBeNull()
  })

  it('does not wait for what a limit that is not set would need', () => {
    show({ overallLossLimit: null, profitTarget: null }, undefined)
    expect(card('Maximum Loss').textContent).toContain('Not set')
    expect(card('Profit Target').textContent).toContain('No profit target is set for this phase.')
  })

  it('shows zero profit red and without a sign, to the letter', () => {
    show({ profitLoss: '0.00' }, sampleStanding)
    const profit = within(card('Profit/Loss')).getByText('$0.00')
    expect(profit.className).toContain('text-bad')
  })

  it('shows what remains to the profit target', () => {
    const progress = { target: '1000.00', percent: 99.9, remaining: '0.50' }
    show({ profitLoss: '999.50' }, { ...sampleStanding, progress })
    const target = card('Profit Target')
    expect(within(target).getByRole('progressbar').getAttribute('aria-valuenow')).toBe('99.9')
    expect(target.textContent).toContain('99.9% of the targetTarget$1,000.00Current Profit+$999.50Remaining$0.50')
  })

  it('says that there is no profit target, and not that it is $0.00', () => {
    show({ profitTarget: null }, { ...sampleStanding, progress: { target: '0.00', percent: 0, remaining: '0.00' } })
    expect(card('Profit Target').textContent).toContain(
      'No profit target is set for this phase.TargetNoneCurrent Profit-$120.00',
    )
    expect(card('Profit Target').textContent).not.toMatch(/\$0\.00|Remaining/)
    expect(within(card('Profit Target')).getByRole('progressbar').getAttribute('aria-valuenow')).toBe('0')
  })

  it('shows a target that is only text as it is', () => {
    show({ profitTarget: 'As agreed' }, { ...sampleStanding, progress: null })
    expect(card('Profit Target').textContent).toContain('TargetAs agreed')
    expect(card('Profit Target').textContent).toContain('RemainingN/A')
  })
})

function withRule(kind: string, changes: Partial<Standing['rules'][number]>): Standing {
  const rules = sampleStanding.rules.map((rule) => (rule.kind === kind ? { ...rule, ...changes } : rule))
  return { ...sampleStanding, rules }
}

function show(
  given: Partial<OwnAccount>,
  standing: Standing | undefined | null,
  why?: Parameters<typeof Overview>[0]['why'],
  onRetry: () => void = () => {},
) {
  render(
    <Overview
      account={{ ...account, ...given }}
      standing={standing}
      onRetry={onRetry}
      chart={null}
      {...(why && { why })}
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
