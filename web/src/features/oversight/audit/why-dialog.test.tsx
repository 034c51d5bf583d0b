import { render, screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import type { AuditAccount } from '#services/oversight/audit/audit-api.ts'
import type { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import { sampleAccount } from '@/testing/samples.ts'
import { WhyView } from './why-dialog.tsx'
import { isExplained } from '@/features/trading/accounts/why-link.tsx'

const evidence = {
  rule: 'daily-drawdown',
  limit: '5% / $500',
  value: '-$1512.40',
  occurredAt: '2026-03-03T14:07:00Z',
} as const
const stamp = {
  number: 1042,
  at: '2026-03-03T14:42:00Z',
  by: 'admin',
  name: null,
  reason: 'The daily drawdown was exceeded',
} as const
const { stamps: none, ...sample } = sampleAccount
const account = {
  ...sample,
  balance: '9487.60',
  profitLoss: '-480.00',
  profitTarget: '1000',
  dailyDrawdownLimit: '5% / $500',
  status: 'breached',
  phase: 'Phase 1',
} as const
const moment: AuditAccount['account'] = { ...account, programme: null, masterPassword: sample.masterPassword }
const breach: AuditEvent = {
  number: 1042,
  at: stamp.at,
  type: 'AccountStatusChanged',
  userId: 'ada12345',
  accountId: 'ada12345-a1',
  actor: { kind: 'admin', label: 'admin 0123456789ab' },
  changes: [{ field: 'account.status', from: 'active', to: 'breached' }],
  reason: stamp.reason,
  evidence,
  requestId: 'r1',
}
const nothingMore = { evidence: null, corrects: undefined, corrected: undefined, moment, failure: undefined }

describe('why', () => {
  it('shows reason, rule, limit, value and time with the stamp', () => {
    const { container } = render(<WhyView {...nothingMore} stamp={stamp} evidence={evidence} />)
    for (const text of ['The daily drawdown was exceeded', 'Daily Drawdown', '-$1,512.40'])
      expect(screen.getByText(text)).toBeTruthy()
    expect(screen.getByText(/^#1042 · /)).toBeTruthy()
    expect(container.querySelector('time[datetime="2026-03-03T14:07:00Z"]')).toBeTruthy()
  })

  it('calls the limit of what the rules of a programme found its floor', () => {
    const found = { ...evidence, rule: 'overall-loss', limit: '9000.00', value: '8992.25' } as const
    render(<WhyView {...nothingMore} stamp={stamp} evidence={found} isFinding />)
    expect(screen.getByText('Floor').nextElementSibling?.textContent).toBe('$9,000.00')
    expect(screen.queryByText('Limit')).toBeNull()
  })

  it('shows the amounts behind what the rules found, unless they find something else by now', () => {
    const found = { ...evidence, limit: '9500.00', value: '9487.60' } as const
    const line = { at: null, event: null }
    const arithmetic = [
      { ...line, role: 'start', what: 'Balance at the start of 3 Mar 2026', amount: '10000.00' },
      { ...line, role: 'part', what: 'Trade T1', amount: '-512.40', event: 1040 },
      { ...line, role: 'sum', what: 'Balance', amount: '9487.60' },
    ] as const
    const shown = { ...nothingMore, stamp, arithmetic, isFinding: true }
    const { rerender } = render(<WhyView {...shown} evidence={found} />)
    const region = within(screen.getByRole('region', { name: 'How it was computed' }))
    for (const text of ['$10,000.00', '-$512.40', '$9,487.60']) expect(region.getByText(text)).toBeTruthy()
    rerender(<WhyView {...shown} evidence={{ ...found, value: '9400.00' }} />)
    expect(screen.queryByRole('region', { name: 'How it was computed' })).toBeNull()
    rerender(<WhyView {...shown} evidence={found} isFinding={false} />)
    expect(screen.queryByRole('region', { name: 'How it was computed' })).toBeNull()
  })

  it('shows the account as it stood at that moment', () => {
    render(<WhyView {...nothingMore} stamp={stamp} />)
    const region = within(screen.getByRole('region', { name: 'Your account when this was decided' }))
    for (const text of ['Breached', '$9,487.60', '-$480.00', '5% / $500', 'Disabled'])
      expect(region.getByText(text)).toBeTruthy()
    expect(region.getByText('Not set')).toBeTruthy()
  })

  it('says that it waits for that, or that it could not be loaded', () => {
    const { rerender } = render(<WhyView {...nothingMore} stamp={stamp} moment={undefined} />)
    expect(screen.getByRole('status').textContent).toBe('Loading the account at that moment')
    rerender(<WhyView {...nothingMore} stamp={stamp} moment={undefined} failure={<p>Not now</p>} />)
    expect(screen.getByText('Not now')).toBeTruthy()
  })

  it('says when no reason was recorded', () => {
    render(<WhyView {...nothingMore} stamp={{ ...stamp, reason: null }} />)
    expect(screen.getByText('No reason was recorded. Please ask support.')).toBeTruthy()
  })

  it('shows the mistaken breach and its reason', () => {
    const correction = { ...stamp, number: 1050, reason: 'The price came from a broken feed' }
    const { rerender } = render(<WhyView {...nothingMore} stamp={correction} corrects={1042} corrected={breach} />)
    const old = within(screen.getByRole('region', { name: 'This corrects #1042' }))
    for (const text of [/^#1042 · /, 'The daily drawdown was exceeded', '-$1,512.40'])
      expect(old.getByText(text)).toBeTruthy()
    expect(screen.getByText('The price came from a broken feed')).toBeTruthy()
    rerender(<WhyView {...nothingMore} stamp={correction} corrects={1042} corrected={undefined} />)
    expect(screen.getByText('Entry #1042 of your history.')).toBeTruthy()
  })
})

describe('the way to it', () => {
  const status = { ...stamp, evidence: null, corrects: null }
  const own = (given: Partial<OwnAccount>): OwnAccount => ({ ...account, status: 'active', stamps: none, ...given })

  it('is there for every breach and review, and for any recorded reason', () => {
    const unexplained = { ...none, status: { ...status, reason: null } }
    expect(isExplained(own({ status: 'breached', stamps: unexplained }), 'status')).toBe(true)
    expect(isExplained(own({ status: 'under-review', stamps: unexplained }), 'status')).toBe(true)
    expect(isExplained(own({ status: 'active', stamps: unexplained }), 'status')).toBe(false)
    expect(isExplained(own({ stamps: { ...none, status } }), 'status')).toBe(true)
    expect(isExplained(own({ stamps: { ...none, limits: stamp } }), 'limits')).toBe(true)
    expect(isExplained(own({ stamps: { ...none, limits: { ...stamp, reason: null } } }), 'limits')).toBe(false)
    expect(isExplained(own({}), 'limits')).toBe(false)
  })
})
