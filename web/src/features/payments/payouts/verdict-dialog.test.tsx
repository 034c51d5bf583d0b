import { render, cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ComponentProps } from 'react'
import { describe, expect, it, vi } from 'vitest'
import type { AdminPayout, PayoutContext } from '#services/payments/payouts/payout-api.ts'
import { samplePayout, sampleProgrammeStanding, sampleStanding } from '@/testing/samples.ts'
import { VerdictDialog } from './verdict-dialog.tsx'

const payout: AdminPayout = samplePayout
const context: PayoutContext = {
  payout,
  warnings: [],
  stops: [],
  effect: null,
  standing: sampleStanding,
  others: { count: 0, recent: [], approved: { count: 0, total: '0.00' }, lastApproved: null },
}
const onDecide = vi.fn<(status: string, notes: string) => void>()

function show(given: Partial<ComponentProps<typeof VerdictDialog>> = {}) {
  onDecide.mockClear()
  render(
    <VerdictDialog
      payout={payout}
      context={context}
      onRetry={() => {}}
      intent="review"
      mayDecide
      error={null}
      deciding={undefined}
      onDecide={onDecide}
      onClose={() => {}}
      returnTo={() => null}
      {...given}
    />,
  )
}

const button = (name: string) => screen.getByRole('button', { name })
const notes = () => screen.getByLabelText('Admin Notes')

describe('the dialog about a payout', () => {
  it('says how much goes to whom, and on which way', () => {
    show()
    expect(screen.getByRole('dialog', { name: 'Payout request' }).textContent).toContain(
      '$250.00 to Ada Lovelace (ada@example.com)',
    )
    expect(screen.getByText('PayPal')).toBeTruthy()
  })

  it('says with which batch its payment left, and what that is in euro', () => {
    const exchanged = { currency: 'EUR', amount: '230.00', rate: '0.92' } as const
    const of = { at: '2026-03-04T10:00:00Z', reference: 'p1-1', batch: 'b1', reason: null, exchanged }
    show({ payout: { ...payout, status: 'approved', payment: { state: 'sent', ...of } } })
    expect(screen.getByRole('link', { name: 'Its batch' }).getAttribute('href')).toBe('/admin/payouts/batches/b1')
    expect(screen.getByText(/^230\.00 EUR, at /)).toBeTruthy()
  })

  it('says why its payment failed', () => {
    const reason = 'The account is closed'
    const payment = { state: 'failed', at: '2026-03-04T10:00:00Z', reference: 'p1-1', batch: null, reason } as const
    show({ payout: { ...payout, status: 'approved', payment } })
    expect(screen.getByText('Why It Was Not Paid').nextElementSibling?.textContent).toBe(reason)
  })

  it('offers both verdicts in a review', () => {
    show()
    expect(button('Approve')).toBeTruthy()
    expect(button('Reject')).toBeTruthy()
  })

  it('approves nothing before the reasons to look twice are known', async () => {
    show({ intent: 'approved', context: undefined })
    expect(button('Approve')).toHaveProperty('disabled', true)
    screen.getByText('Checking the account')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    expect(onDecide).not.toHaveBeenCalled()
    cleanup()
    show({ intent: 'approved', context: null })
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    expect(onDecide).toHaveBeenCalledOnce()
  })

  it('offers only the requested verdict', () => {
    show({ intent: 'approved' })
    expect(screen.queryByRole('button', { name: 'Reject' })).toBeNull()
    expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Approve payout' }))
  })

  it('approves without notes, and passes on those that were written, trimmed', async () => {
    show({ intent: 'approved' })
    await userEvent.click(button('Approve'))
    await userEvent.type(notes(), '  Paid on Friday ')
    await userEvent.click(button('Approve'))
    expect(onDecide.mock.calls).toEqual([
      ['approved', ''],
      ['approved', 'Paid on Friday'],
    ])
  })

  const effect: NonNullable<PayoutContext['effect']> = {
    deducts: 'possible',
    balance: { before: '10600.00', after: '10350.00' },
    profit: { before: '600.00', after: '350.00' },
    available: null,
    floor: { before: '9000.00', after: '9000.00' },
    traderReceives: '250.00',
    firmKeeps: '0.00',
    waiting: { count: 1, total: '40.00' },
  }
  const withEffect = (changes: Partial<typeof effect> = {}) =>
    show({ intent: 'approved', context: { ...context, effect: { ...effect, ...changes } } })

  it('deducts the amount where the balance covers it, unless the tick is taken away', async () => {
    withEffect()
    const box = screen.getByRole('checkbox', { name: 'Deduct $250.00 from the balance' })
    expect(box).toHaveProperty('checked', true)
    await userEvent.click(button('Approve'))
    await userEvent.click(box)
    await userEvent.click(button('Approve'))
    expect(onDecide.mock.calls).toEqual([
      ['approved', '', { deduct: true }],
      ['approved', ''],
    ])
  })

  it('says what an approval does, as the server reckons it', () => {
    withEffect({ deducts: 'always', available: '400.00', traderReceives: '200.00', firmKeeps: '50.00' })
    expect(screen.queryByRole('checkbox')).toBeNull()
    for (const text of ['$400.00', '$200.00', '$50.00', '$10,600.00 to $10,350.00', '$600.00 to $350.00', '1, $40.00'])
      expect(screen.getByText(text)).toBeTruthy()
    cleanup()
    withEffect({ deducts: 'not-covered' })
    expect(screen.getByText('$10,600.00, not enough to deduct it')).toBeTruthy()
  })

  it('rejects only with notes that are more than blank', async () => {
    show({ intent: 'rejected' })
    expect(button('Reject')).toHaveProperty('disabled', true)
    await userEvent.type(notes(), '   ')
    expect(button('Reject')).toHaveProperty('disabled', true)
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    expect(onDecide).not.toHaveBeenCalled()
    await userEvent.type(notes(), 'Name does not match')
    await userEvent.click(button('Reject'))
    expect(onDecide.mock.calls).toEqual([['rejected', 'Name does not match']])
  })

  it.each([
    { intent: 'approved', given: [['approved', 'A note']] },
    { intent: 'rejected', given: [['rejected', 'A note']] },
    { intent: 'review', given: [] },
  ] as const)('gives the requested verdict by Ctrl Enter: $intent', async ({ intent, given }) => {
    show({ intent })
    await userEvent.type(notes(), 'A note{Control>}{Enter}{/Control}')
    // Wherever the focus is: on a button, too, it gives no other verdict and closes nothing.
    for (const name of ['Close', 'Cancel']) {
      button(name).focus()
      await userEvent.keyboard('{Control>}{Enter}{/Control}')
    }
    expect(onDecide.mock.calls).toEqual([...given, ...given, ...given])
  })

  it('shows the account, what was paid before, and what should make one look twice', () => {
    const paid: AdminPayout = {
      ...payout,
      id: 'ada12345-a1-p0',
      status: 'approved',
      paymentDetails: 'old@example.com',
      decidedAt: '2026-02-01T10:00:00Z',
    }
    const others = { count: 6, recent: [paid], approved: { count: 5, total: '1250.00' }, lastApproved: paid }
    const warnings = ['The amount is $999,399.00 above the profit of $600.00.', 'The user is banned.']
    show({ context: { ...context, warnings, others }, intent: 'approved' })
    const list = within(screen.getByRole('list', { name: 'Warnings' }))
    expect(list.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(warnings)
    expect(screen.getByText('$10,000.00')).toBeTruthy()
    expect(screen.getByText('$380.00, breach at $9,500.00')).toBeTruthy()
    expect(screen.getByText('old@example.com')).toBeTruthy()
    expect(screen.getByText(/^5 approved, \$1,250\.00 in all\. The last one \d+ days ago\.$/)).toBeTruthy()
    expect(screen.getByText('And 5 earlier ones.')).toBeTruthy()
  })

  it('names no account size where no programme says one', () => {
    show()
    expect(screen.queryByText('Account size')).toBeNull()
    expect(screen.getByText('Phase began with').nextSibling?.textContent).toBe('$10,000.00')
    cleanup()
    show({ context: { ...context, standing: sampleProgrammeStanding } })
    expect(screen.getByText('Account size')).toBeTruthy()
  })

  it('shows the account as it is now, not as the list had it', () => {
    const account = { ...samplePayout.account, balance: '7777.00' }
    show({ context: { ...context, payout: { ...payout, account } } })
    expect(screen.getByText('$7,777.00')).toBeTruthy()
  })

  it('says when nothing could be checked, and offers to try again', async () => {
    const onRetry = vi.fn<() => void>()
    show({ context: null, onRetry })
    expect(screen.getByRole('alert').textContent).toContain('could not be checked. Try again before you decide.')
    await userEvent.click(button('Try again'))
    expect(onRetry).toHaveBeenCalledOnce()
  })

  it('says what somebody else changed when a verdict is refused, and keeps the notes', async () => {
    const view = { context, onRetry: () => {}, mayDecide: true, onDecide, onClose: () => {}, returnTo: () => null }
    const shown = { ...view, intent: 'rejected', deciding: undefined } as const
    const { rerender } = render(<VerdictDialog {...shown} payout={payout} error={null} />)
    await userEvent.type(notes(), 'Wrong account')
    const error = new Error('Dana approved this payout. Look at it again before you decide.')
    const approved: AdminPayout = { ...payout, status: 'approved', adminNotes: 'As agreed' }
    rerender(<VerdictDialog {...shown} payout={approved} before={payout} error={error} />)
    expect(notes()).toHaveProperty('value', 'Wrong account')
    const changed = within(screen.getByRole('region', { name: 'Changed meanwhile' }))
    expect(changed.getByText('Pending → Approved')).toBeTruthy()
    expect(changed.getByText('none → As agreed')).toBeTruthy()
    expect(changed.queryByText('Payment')).toBeNull()
  })

  it.each([
    { status: 'approved', standing: 'Approve', other: 'Reject' },
    { status: 'rejected', standing: 'Reject', other: 'Approve' },
  ] as const)('disables only the verdict already given: $status', async ({ status, standing, other }) => {
    show({ payout: { ...payout, status, adminNotes: 'As agreed' } })
    await userEvent.type(notes(), 'Another look')
    expect(button(standing)).toHaveProperty('disabled', true)
    expect(button(other)).toHaveProperty('disabled', false)
    expect(screen.getByText('As agreed')).toBeTruthy()
  })

  it('says before the first approval that two are needed, and after a verdict no more', () => {
    const text = 'Two members of staff have to approve this payout. None has yet.'
    show({ payout: { ...payout, needsSecondApproval: true } })
    expect(screen.getByText(text)).toBeTruthy()
    cleanup()
    show({ payout: { ...payout, needsSecondApproval: true, status: 'approved' } })
    expect(screen.queryByText(text)).toBeNull()
  })

  it('shows the verdict being sent, and ignores a second click', async () => {
    show({ deciding: 'approved' })
    expect(button('Approve').getAttribute('aria-busy')).toBe('true')
    expect(button('Reject').getAttribute('aria-busy')).toBeNull()
    await userEvent.click(button('Approve'))
    expect(onDecide).not.toHaveBeenCalled()
  })

  it('shows an auditor everything, and nothing to decide by', () => {
    show({ mayDecide: false })
    expect(screen.getByText('ada@example.com')).toBeTruthy()
    expect(screen.queryByRole('button', { name: /Approve|Reject|Cancel/ })).toBeNull()
    expect(screen.queryByLabelText('Admin Notes')).toBeNull()
  })
})
