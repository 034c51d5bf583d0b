import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AccountHistory } from '#services/trading/accounts/account-api.ts'
import { emptyHistory, sampleAccount, sampleStanding } from '@/testing/samples.ts'
import type { UserForm } from '@/features/frame/user-link.tsx'
import { UserForms } from './user-forms.tsx'
import { toLocalInput } from '@/features/trading/accounts/why.ts'

const stamp = {
  number: 1042,
  at: '2026-03-03T14:07:00Z',
  by: 'admin',
  name: 'Dana',
  reason: null,
  evidence: null,
  corrects: null,
} as const

function userWho(status: 'active' | 'breached'): UserDetails {
  const tradingAccount = {
    ...sampleAccount,
    userId: 'ada12345',
    balance: '9487.60',
    profitLoss: '-512.40',
    profitTarget: '1000',
    dailyDrawdownLimit: '5% / $500',
    overallLossLimit: '10%',
    status,
    phase: 'Phase 1',
    createdAt: '2026-01-01T10:00:00Z',
    stamps: { ...sampleAccount.stamps, status: stamp },
  }
  return {
    id: 'ada12345',
    fullName: 'Ada Lovelace',
    email: 'ada@example.com',
    emailConfirmed: true,
    country: 'uk',
    city: 'London',
    street: 'Square',
    houseNumber: '12',
    privacyPolicyAgreed: true,
    banned: false,
    banReason: null,
    banStamp: null,
    createdAt: '2026-01-01T10:00:00Z',
    tradingAccount,
    tradingAccounts: [tradingAccount],
    unpaid: { owed: { count: 0, total: '0.00' }, requested: { count: 0, total: '0.00' } },
    enrolments: [],
  }
}

/** The account lost $387.60 on 2 March, and $512.40 the day after. */
const history: AccountHistory = {
  ...emptyHistory,
  points: [{ at: '2026-03-03T09:00:00.000Z', number: 3, balance: '9487.60', profitLoss: '-900.00', traded: '-900.00' }],
  days: [
    { date: '2026-03-01', closing: '10387.60', result: '0.00' },
    { date: '2026-03-02', closing: '10000.00', result: '-387.60' },
    { date: '2026-03-03', closing: '9487.60', result: '-512.40' },
  ],
}

/** The answers to reads: the account's records, and who is signed in. */
const answers = {
  '/account/history': history,
  '/standing': {
    ...sampleStanding,
    rules: [{ kind: 'maximum-loss', state: 'kept', amount: '1000.00', lost: '900.00', event: 3 }],
  },
  '': { isAdmin: false },
}

/** What reached the network, in order. */
let sent: unknown[] = []
beforeEach(() => {
  sent = []
  vi.stubGlobal('fetch', async (address: string, { body }: { body?: string }) => {
    if (body === undefined) {
      const [, answer] = Object.entries(answers).find(([part]) => address.includes(part)) ?? []
      return new Response(JSON.stringify(answer), { headers: { 'Content-Type': 'application/json' } })
    }
    sent.push(JSON.parse(body))
    return new Response('{}', { headers: { 'Content-Type': 'application/json' } })
  })
})
afterEach(() => vi.unstubAllGlobals())

/** Shows a form, and resolves when it was closed. */
function open(form: UserForm, status: 'active' | 'breached') {
  const closed = vi.fn()
  render(
    <QueryClientProvider client={new QueryClient()}>
      <UserForms form={form} user={userWho(status)} onClose={closed} />
    </QueryClientProvider>,
  )
  return { isClosed: () => waitFor(() => expect(closed).toHaveBeenCalledOnce(), PATIENCE) }
}

/** Enough for a busy machine. */
const PATIENCE = { timeout: 20_000 }
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
const fill = (label: string, value: string) => {
  const field = screen.getByLabelText(label)
  // The event of text fields is that of each key.
  fireEvent[field instanceof HTMLSelectElement ? 'change' : 'input'](field, { target: { value } })
}
const shows = (text: string) => screen.findByText(text, {}, PATIENCE)

describe('the form that sets an account to breached', { timeout: 60_000 }, () => {
  it('needs rule, limit, value, time and reason, each said at its field', async () => {
    open('breached', 'active')
    press('Set Breached')
    for (const message of [
      'Please select the rule',
      'Please enter the limit',
      'Please enter the value that broke it',
      'Please enter when it happened',
      'Please provide a reason',
    ])
      await shows(message)
    expect(screen.getByLabelText('Reason').getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByText(/The trader reads all of this/)).toBeTruthy()
    expect(sent).toEqual([])
  })

  it('takes the limit of the account for the chosen rule, unless another was typed', () => {
    open('breached', 'active')
    const limit = screen.getByLabelText<HTMLInputElement>('Limit')
    for (const [rule, text] of [
      ['daily-drawdown', '5% / $500'],
      ['overall-loss', '10%'],
      ['other', ''],
    ] as const) {
      fill('Rule', rule)
      expect(limit.value).toBe(text)
    }
    fill('Limit', 'No trades over the news')
    fill('Rule', 'overall-loss')
    expect(limit.value).toBe('No trades over the news')
  })

  it('suggests the recorded loss, overall or of the day, unless another was typed', async () => {
    open('breached', 'active')
    const value = screen.getByLabelText<HTMLInputElement>('Value that broke it')
    fill('When it happened', '2026-03-03T14:07')
    fill('Rule', 'overall-loss')
    await shows('On record: -$900.00 in total')
    fill('Rule', 'daily-drawdown')
    await shows('On record: -$512.40 on the day (UTC)')
    fill('Rule', 'overall-loss')
    // Not the recorded profit and loss, which says -$512.40.
    expect(value.value).toBe('-$900.00 in total')
    fill('Rule', 'daily-drawdown')
    expect(value.value).toBe('-$512.40 on the day (UTC)')
    fill('When it happened', '2026-03-02T14:07')
    expect(value.value).toBe('-$387.60 on the day (UTC)')
    fill('When it happened', '2026-03-01T14:07')
    expect(value.value).toBe('')
    fill('Value that broke it', '-$600.00 before the swap')
    fill('When it happened', '2026-03-03T14:07')
    expect(value.value).toBe('-$600.00 before the swap')
  })

  it('suggests the moment: now, or when the balance last changed', async () => {
    open('breached', 'active')
    const moment = screen.getByLabelText<HTMLInputElement>('When it happened')
    fill('Rule', 'daily-drawdown')
    await shows('Last change of the balance')
    press('Last change of the balance')
    expect(moment.value).toBe(toLocalInput(new Date('2026-03-03T09:00:00.000Z')))
    expect(screen.getByLabelText<HTMLInputElement>('Value that broke it').value).toBe('-$512.40 on the day (UTC)')
    const before = toLocalInput(new Date())
    press('Now')
    expect(moment.value >= before && moment.value <= toLocalInput(new Date())).toBe(true)
  })

  it('sends status, reason and evidence in one change', async () => {
    const { isClosed } = open('breached', 'active')
    fill('Rule', 'daily-drawdown')
    fill('Value that broke it', '-$512.40')
    fill('When it happened', '2026-03-03T14:07')
    fill('Reason', 'The daily drawdown was exceeded')
    press('Set Breached')
    await isClosed()
    const occurredAt = new Date(2026, 2, 3, 14, 7).toISOString()
    expect(sent).toEqual([
      {
        status: 'breached',
        reason: 'The daily drawdown was exceeded',
        evidence: { rule: 'daily-drawdown', limit: '5% / $500', value: '-$512.40', occurredAt, offRecord: false },
      },
    ])
  })

  it('refuses what is still to come', async () => {
    open('breached', 'active')
    fill('When it happened', toLocalInput(new Date(Date.now() + 3_600_000)))
    press('Set Breached')
    await shows('This moment is still to come')
    expect(sent).toEqual([])
  })

  it('has nothing to do for an account that is breached already', () => {
    open('breached', 'breached')
    expect(screen.getByText('The account has this status already.')).toBeTruthy()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Set Breached' }).disabled).toBe(true)
  })
})

describe('the form that puts an account under review', { timeout: 60_000 }, () => {
  it('needs a reason and nothing else', async () => {
    const { isClosed } = open('under-review', 'active')
    expect(screen.queryByLabelText('Rule')).toBeNull()
    press('Set Under Review')
    await shows('Please provide a reason')
    fill('Reason', 'Trades of two accounts are alike')
    press('Set Under Review')
    await isClosed()
    expect(sent).toEqual([{ status: 'under-review', reason: 'Trades of two accounts are alike' }])
  })
})

describe('the form that ends a breach', { timeout: 60_000 }, () => {
  it('asks whether it was a mistake, and then for the reason', async () => {
    const { isClosed } = open('active', 'breached')
    press('Set Active')
    await shows('Please say whether the breach was a mistake')
    fill('Was the breach a mistake?', 'yes')
    press('Set Active')
    await shows('Please provide a reason')
    expect(sent).toEqual([])
    fill('Reason', 'The price came from a broken feed')
    press('Set Active')
    await isClosed()
    expect(sent).toEqual([{ status: 'active', reason: 'The price came from a broken feed', corrects: 1042 }])
  })

  it('corrects nothing where the breach was right', async () => {
    const { isClosed } = open('active', 'breached')
    fill('Was the breach a mistake?', 'no')
    press('Set Active')
    await isClosed()
    expect(sent).toEqual([{ status: 'active' }])
  })
})

describe('the form of the limits', { timeout: 60_000 }, () => {
  it('needs a reason once a limit is another one', async () => {
    const { isClosed } = open('risk', 'active')
    expect(screen.queryByLabelText('Reason')).toBeNull()
    fill('Profit Target', '1200')
    press('Save Changes')
    await shows('Please provide a reason')
    fill('Reason', 'As agreed by mail')
    press('Save Changes')
    await isClosed()
    expect(sent).toEqual([
      { dailyDrawdownLimit: '5% / $500', overallLossLimit: '10%', profitTarget: '1200', reason: 'As agreed by mail' },
    ])
  })
})

describe('the form about the whole user', { timeout: 60_000 }, () => {
  it('asks why as soon as something is chosen that needs it, and no longer', async () => {
    const { isClosed } = open('edit', 'active')
    expect(screen.queryByRole('group', { name: 'Why' })).toBeNull()
    fill('Account Status', 'breached')
    expect(screen.getByLabelText('Rule')).toBeTruthy()
    fill('Reason', 'Typed and then thought better of')
    fill('Account Status', 'under-review')
    expect(screen.queryByLabelText('Rule')).toBeNull()
    fill('Account Status', 'active')
    expect(screen.queryByRole('group', { name: 'Why' })).toBeNull()
    fill('Phase', 'Phase 2')
    press('Save Changes')
    await isClosed()
    expect(sent).toEqual([{ fullName: 'Ada Lovelace', email: 'ada@example.com' }, { phase: 'Phase 2' }])
  })

  it('says at its own fields what is missing, beside what else is wrong', async () => {
    open('edit', 'breached')
    fill('Account Status', 'pending')
    fill('Balance', 'a lot')
    press('Save Changes')
    await shows('Balance must be a valid number')
    await shows('Please say whether the breach was a mistake')
    expect(sent).toEqual([])
  })
})
