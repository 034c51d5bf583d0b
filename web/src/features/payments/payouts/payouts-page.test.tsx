import { cleanup, render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { NextPayout } from '@/features/trading/accounts/programme-overview.tsx'
import { sampleAccount } from '@/testing/samples.ts'
import { ChecklistCard, requirements } from './checklist.tsx'
import { AvailableByTerms, RequestCard } from './payouts-page.tsx'

const payout: NonNullable<OwnAccount['payout']> = {
  profit: '4000.00',
  available: '3000.00',
  split: '80',
  traderReceives: '2400.00',
  from: null,
  missing: [],
  waiting: '1000.00',
  needs: [],
  terms: {
    name: 'Funded 100K',
    takes: 'request',
    firstAfterDays: 0,
    everyDays: 0,
    minimum: '0.00',
    minimumOf: 'share',
    cap: null,
    buffer: '0.00',
    mostOfProfit: '100',
  },
  events: { terms: 12, balance: 15, payout: null },
}

it('shows what is available, the share of it, and the events behind it', () => {
  render(<AvailableByTerms payout={payout} />)
  for (const text of ['$3,000.00', '$2,400.00 (80%)', '$4,000.00', '$1,000.00', 'Now'])
    expect(screen.getByText(text)).toBeTruthy()
  expect(screen.getByText('By the terms “Funded 100K” (#12), and your balance of #15.')).toBeTruthy()
  expect(screen.queryByRole('status')).toBeNull()
})

const days = { kind: 'minimum-days', have: '3', asked: '5', left: '2', share: null, mostShare: null }
const best = {
  ...{ kind: 'consistency', have: '1300.00', asked: '1500.00', left: '200.00', share: '46.15', mostShare: '40' },
}
const none = { available: '0.00', traderReceives: '0.00' }
const withNeeds = {
  ...{ ...payout, ...none, waiting: '0.00', from: '2026-03-17' },
  ...{ missing: ['minimum-days', 'consistency'], needs: [days, best] },
}

it('says what is missing in numbers, and when the next payout is possible', () => {
  const later = { ...withNeeds, events: { ...payout.events, payout: 14 } }
  render(<AvailableByTerms payout={later} />)
  expect(screen.getByRole('status').textContent).toBe(
    'Nothing is available for a payout now.Minimum days: 3 of 5, 2 left.Consistency: the best result is 46.15% of the profit, of at most 40%. $200.00 more profit is needed, $1,500.00 in all.',
  )
  expect(screen.getByText('17 Mar 2026')).toBeTruthy()
  expect(screen.getByText(/after the payout of #14\.$/)).toBeTruthy()
})

it('promises no payout now while a goal of the stage is missing', () => {
  render(<AvailableByTerms payout={{ ...withNeeds, from: null }} />)
  expect(screen.queryByText('Now')).toBeNull()
  expect(screen.getByText('Once nothing is missing')).toBeTruthy()
})

const programme = {
  ...{ id: 'p1', name: 'Funded 100K', version: 2, hash: 'f'.repeat(64), enrolment: 'ada12345-e1' },
  ...{ stage: 2, funded: true, size: '100000.00' },
}
const funded: OwnAccount = { ...sampleAccount, phase: 'Funded', payoutEnabled: true, payout, programme }
const waits = { ...withNeeds, waiting: '1000.00', terms: { ...payout.terms, everyDays: 14 } }
const NOT_ENABLED = 'Payouts are not enabled for this account. A member of staff enables them.'
const NOTHING = 'Nothing is available for a payout now.'

/** The words of both pages for each state. `opens`: the form is there. */
const states: readonly {
  readonly name: string
  readonly account: Partial<OwnAccount>
  readonly says: readonly string[]
  readonly opens?: true
}[] = [
  { name: 'possible', account: {}, says: ['Available now$3,000.00', 'Next possible dayNow'], opens: true },
  { name: 'not enabled', account: { payoutEnabled: false }, says: [NOT_ENABLED] },
  {
    name: 'enabled with nothing available',
    account: { payout: withNeeds },
    says: ['Available now$0.00', 'Next possible day17 Mar 2026', NOTHING, 'Minimum days: 3 of 5, 2 left.'],
  },
  {
    name: 'a request that waits, on hold or not',
    account: { payout: waits },
    says: ['Next possible dayAfter the decision', 'A request waits already.'],
  },
  {
    name: 'breached, found by the rules',
    account: {
      status: 'breached',
      payout: { ...withNeeds, missing: ['breached'], needs: [{ ...days, kind: 'breached', left: null }] },
    },
    says: ['Available now$0.00', NOTHING, 'The account is breached.'],
  },
  {
    name: 'breached and not enabled',
    account: { status: 'breached', payoutEnabled: false },
    says: ['This account was breached in Funded: no payout follows from it.'],
  },
  {
    name: 'closed',
    account: { open: false },
    says: ['This account was in Funded and is closed: no payout follows from it.'],
  },
  {
    name: 'an evaluation',
    account: { phase: 'Phase 1', payoutEnabled: false, payout: null, programme: { ...programme, funded: false } },
    says: ['Payouts begin with the funded stage of Funded 100K. This account is in Phase 1: pass it first.'],
  },
]

it.each(states)('says on the dashboard and on the payouts page the same of $name', ({ account, says, opens }) => {
  const given = { ...funded, ...account }
  const pages = {
    payouts: <RequestCard account={given} profit={null} form={<p>The form</p>} />,
    dashboard: <NextPayout account={given} />,
  }
  for (const page of Object.values(pages)) {
    const { container } = render(page)
    for (const text of says) expect(container.textContent).toContain(text)
    expect(container.textContent?.includes(NOT_ENABLED)).toBe(says.includes(NOT_ENABLED))
    expect(container.textContent?.includes(NOTHING)).toBe(says.includes(NOTHING))
    cleanup()
  }
  render(pages.payouts)
  expect(screen.queryByText('The form') !== null).toBe(opens === true)
})

it('keeps the focus in the card when the form goes with the last request that was possible', () => {
  const card = (account: OwnAccount) => (
    <RequestCard account={account} profit={null} form={<input aria-label="Amount" />} />
  )
  const { rerender } = render(card(funded))
  screen.getByLabelText('Amount').focus()
  rerender(card({ ...funded, payout: waits }))
  expect(screen.queryByLabelText('Amount')).toBeNull()
  expect(document.activeElement?.textContent).toContain('A request waits already.')
})

it('says in a sentence that all is fulfilled, and where the terms still ask for something', () => {
  const show = (account: OwnAccount) =>
    render(
      <ChecklistCard
        requirements={requirements(account, false)}
        byTerms
        hasNeeds={(account.payout?.needs.length ?? 0) > 0}
      />,
    )
  show(funded)
  expect(screen.queryByText('Fulfilled')).toBeNull()
  expect(screen.getByText(/^All requirements are fulfilled/)).toBeTruthy()
  cleanup()
  show({ ...funded, payout: withNeeds })
  expect(screen.queryByText(/^All requirements/)).toBeNull()
  expect(screen.getByText(/What your terms still ask for stands under “Request a payout”\.$/)).toBeTruthy()
  cleanup()
  show({ ...funded, status: 'under-review' })
  expect(screen.getAllByText('Fulfilled')).toHaveLength(3)
  expect(screen.getByText('Missing')).toBeTruthy()
})
