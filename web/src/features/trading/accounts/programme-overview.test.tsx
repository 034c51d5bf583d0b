import { render, cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import type { Standing } from '#services/trading/accounts/standing-api.ts'
import { sampleAccount, sampleProgrammeStanding } from '@/testing/samples.ts'
import { ProgrammeOverview } from './programme-overview.tsx'

const account: OwnAccount = {
  ...sampleAccount,
  phase: 'Phase 1',
  programme: {
    ...{ id: 'p1', name: 'Two-Step 10K', version: 2, hash: 'f'.repeat(64), enrolment: 'ada12345-e1' },
    ...{ stage: 0, funded: false, size: '10000.00' },
  },
}

const noon = Date.parse('2026-03-03T12:00:00Z')
beforeEach(() => void vi.useFakeTimers({ now: noon, toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

describe('the overview of an account under a programme', () => {
  it('says of each rule where the account stands, what happens, and which events that follows from', () => {
    show()
    expect(card('Daily loss')).toContain('Nearest limit')
    expect(card('Daily loss')).toContain('$380.00 awayTrading pauses at $9,500.00')
    expect(card('Daily loss')).toContain('$120.00 lost of $500.00')
    expect(card('Daily loss')).toMatch(/Why: as observed in #40$/)
    expect(card('Profit target')).toContain('0% of the target')
    expect(card('Profit target')).toContain('Current Profit-$120.00Remaining$920.00')
    expect(card('Profit target')).toContain('Target$800.00, at a balance of $10,800.00')
    expect(card('Profit target')).not.toContain('Why')
    // What all rules have in common is said once.
    expect(screen.getAllByText(/by the terms/).map((each) => each.closest('p')?.textContent)).toEqual([
      'Why: all rules are by the terms #12',
    ])
    expect(card('Minimum days')).toContain('4 of 4 days, met')
    expect(card('Consistency')).toContain('50.00% of at most 40%')
    expect(card('Consistency')).toContain('Best result$300.00')
    expect(card('Daily loss')).toContain('Today, until')
    expect(card('Daily loss')).toContain('As of 3 Mar 11:00 UTC')
    expect(screen.getByText('Resets in 12 h').parentElement?.textContent).toContain('As of 3 Mar 11:00 UTC.')
  })

  it('says of a rule about single trades how often it hit, what is still tolerated, and where its trades are', () => {
    const [first] = sampleProgrammeStanding.rules
    if (!first?.terms) throw new Error('There is no rule')
    const { floor: _floor, room: _room, ...rule } = first
    const news = { kind: 'news', hits: 2, tolerated: 1, unknown: 3, excluded: '60.00', state: 'warned' } as const
    const terms = { ...first.terms, title: 'News', consequence: 'excludes-profit', asked: '4' } as const
    show({}, { ...sampleProgrammeStanding, rules: [{ ...rule, ...news, terms }] })
    expect(card('News')).toContain('Hit 2 times')
    expect(card('News')).toContain('Tolerated so far1Still tolerated3Profit that does not count$60.00')
    expect(card('News')).toContain('Trades that cannot be judged3')
    const link = screen.getByRole('link', { name: 'Trades that hit a rule' })
    expect(link.getAttribute('href')).toBe('/?tab=performance&only=marked')
  })

  it('says of each rule by which terms it is where they differ', () => {
    const [first, ...others] = sampleProgrammeStanding.rules
    if (!first) throw new Error('There is no rule')
    show({}, { ...sampleProgrammeStanding, rules: [{ ...first, event: 99 }, ...others] })
    expect(card('Daily loss')).toContain('Why: by the terms #99, as observed in #40')
    expect(card('Profit target')).toMatch(/Why: by the terms #12$/)
    expect(screen.queryByText(/all rules/)).toBeNull()
  })

  it('shows the last reported equity with its time and what floats', () => {
    const reported = { at: '2026-03-03T10:00:00.000Z', equity: '9480.00', floating: '-400.00' }
    show({}, { ...sampleProgrammeStanding, reported })
    expect(card('Equity')).toBe('Equity$9,480.00Floating result -$400.00. As of 3 Mar 10:00 UTC')
    cleanup()
    show()
    expect(card('Equity')).toBe('EquityNot reportedOnly closed trades are known.')
  })

  it('runs no clock beside figures that are older than a day, and marks them', () => {
    show({}, { ...sampleProgrammeStanding, asOf: '2026-03-02T11:59:59.000Z' })
    expect(screen.queryByText(/Resets in/)).toBeNull()
    expect(card('Daily loss')).toContain('Each day, until')
    expect(card('Daily loss')).toContain('As of 2 Mar 11:59 UTC, older than a day')
    expect(card('Profit/Loss')).not.toContain('Today')
    cleanup()
    show({}, { ...sampleProgrammeStanding, asOf: null })
    expect(screen.queryByText(/Resets in/)).toBeNull()
    expect(screen.getByText('Nothing was reported of this account yet.')).toBeTruthy()
  })

  it('calls nothing old that no longer changes', () => {
    show({}, { ...sampleProgrammeStanding, status: 'passed', asOf: '2026-01-02T11:00:00.000Z' })
    expect(screen.queryByText(/older than a day/)).toBeNull()
  })

  it('gives a day without a result no colour', () => {
    const quiet = { ...sampleProgrammeStanding, result: { today: '0.00', phase: '-120.00', total: '-120.00' } }
    show({}, quiet)
    const today = screen.getByText('$0.00', { selector: 'p > span' })
    expect(today.parentElement?.textContent).toContain('Today: $0.00')
    expect(today.className).toBe('')
  })

  it('says when payouts begin, and of a funded stage what is available and missing', () => {
    show()
    expect(card('Next payout')).toContain('Payouts begin with the funded stage of Two-Step 10K.')
    const terms = { name: 'Two-Step 10K', takes: 'request', firstAfterDays: 14, everyDays: 14 } as const
    const payout: OwnAccount['payout'] = {
      ...{ profit: '600.00', available: '0.00', split: '80', traderReceives: '0.00', from: '2026-03-15' },
      ...{ missing: ['first-after-days', 'consistency'], waiting: '0.00' },
      needs: [
        { kind: 'first-after-days', have: '4', asked: '14', left: '10', share: null, mostShare: null },
        { kind: 'consistency', have: '600.00', asked: '750.00', left: '150.00', share: '50.00', mostShare: '40' },
      ],
      terms: { ...terms, minimum: '50.00', minimumOf: 'share', cap: null, buffer: '0.00', mostOfProfit: '100' },
      events: { terms: 12, balance: 40, payout: null },
    }
    show({ payout, payoutEnabled: true })
    const [, funded] = screen.getAllByRole('heading', { name: 'Next payout' })
    expect(funded?.closest('section')?.textContent).toContain(
      'Next possible day15 Mar 2026Nothing is available for a payout now.Days before the first payout: 4 of 14, 10 left.Consistency: the best result is 50.00% of the profit, of at most 40%. $150.00 more profit is needed, $750.00 in all.',
    )
  })

  it('says of a breached account only what its rules are, and that nothing follows', () => {
    show({ status: 'breached' })
    expect(card('Profit target')).toContain('8% on the balance.The account is breached, so it can no longer be met.')
    expect(card('Profit target')).not.toContain('Remaining')
    expect(card('Consistency')).not.toContain('$600.00')
    expect(card('Next payout')).toContain('This account was breached in Phase 1: no payout follows from it.')
    expect(screen.queryByText(/^Resets in/)).toBeNull()
  })

  it('shows what a passed stage met, and no room: it would be that of the moment of the pass', () => {
    const passed = { ...sampleProgrammeStanding, status: 'passed' } as const
    show({}, passed)
    expect(card('Daily loss')).toBe('Daily loss5% a day.The stage is passed, so this no longer applies.')
    expect(card('Minimum days')).toContain('4 of 4 days, met')
    expect(
      screen.getByText(/^The rules find this stage passed\. The next stage begins once it is confirmed\.$/),
    ).toBeTruthy()
    cleanup()
    show({ open: false }, passed)
    expect(screen.getByText('This stage is passed, and its account is closed.')).toBeTruthy()
    expect(card('Next payout')).toContain('This account was in Phase 1 and is closed: no payout follows from it.')
    expect(screen.queryByText(/^Resets in/)).toBeNull()
  })

  it('says of which moment the figures are while a breach waits for its verdict', () => {
    const cause = {
      kind: 'daily-loss',
      floor: '9500.00',
      measured: '9400.00',
      at: '2026-03-03T10:00:00Z',
      observation: 3,
    }
    const [daily, ...others] = sampleProgrammeStanding.rules
    if (!daily) throw new Error('There is no rule')
    const reached = { ...daily, state: 'breached', room: '0.00', lost: '500.00', percent: 100 } as const
    show({}, { ...sampleProgrammeStanding, status: 'breached', cause, rules: [reached, ...others] })
    expect(screen.getByText(/^The rules found a breach at 3 Mar 2026, 10:00:00 UTC\. Until it is decided/)).toBeTruthy()
    expect(card('Profit target')).toContain('Current Profit-$120.00Remaining at that moment$920.00')
    // The loss may be larger than the limit.
    expect(card('Daily loss')).toContain('The limit is reached. Limit: 5% a day.')
    expect(card('Daily loss')).not.toContain('$500.00 lost')
  })

  it('shows no room of a breached account, and offers to read again what could not be read', () => {
    show({ status: 'breached' })
    expect(card('Daily loss')).toContain('The account is breached, so no room is left.')
    expect(card('Daily loss')).not.toContain('Nearest')
    show({}, null)
    expect(screen.getByRole('alert').textContent).toContain('The room left could not be loaded.')
  })
})

function show(changes: Partial<OwnAccount> = {}, standing: Standing | null = sampleProgrammeStanding) {
  const changed = { ...account, ...changes }
  const view = { account: changed, standing, onRetry: vi.fn<() => void>(), chart: null }
  render(<ProgrammeOverview {...view} />)
}

function card(name: string): string {
  const [heading] = screen.getAllByRole('heading', { name })
  return heading?.closest('section')?.textContent ?? ''
}
