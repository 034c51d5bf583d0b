import { render, screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { AuditAccount, AuditState } from '#services/oversight/audit/audit-api.ts'
import { sampleAccount } from '@/testing/samples.ts'
import { compared } from './state-sections.ts'
import { Comparison, StateView } from './state-view.tsx'

const request: AuditAccount['payouts'][number] = {
  id: 'ada12345-a1-p1',
  amount: '50.00',
  paymentMethod: 'bank',
  paymentDetails: 'IBAN 1',
  status: 'pending',
  traderReceives: null,
  firmKeeps: null,
  deducted: false,
  hold: null,
  payment: null,
  reference: null,
  payee: null,
  code: null,
  money: null,
  adminNotes: null,
  createdAt: '2026-03-01T10:00:00Z',
  decidedAt: null,
}
const { stamps: _stamps, payout: _payout, id, ...sample } = sampleAccount
const account: AuditAccount = {
  id,
  account: {
    ...sample,
    programme: null,
    balance: '5000.00',
    profitTarget: '500',
    dailyDrawdownLimit: '5% / $250',
    phase: 'Phase 1',
    login: '900100',
    payoutEnabled: true,
    masterPassword: 'first secret',
  },
  findings: [],
  cases: [],
  ledger: {
    entries: 1,
    deposits: '5000.00',
    tradeResults: '0.00',
    corrections: '0.00',
    payouts: '0.00',
    fees: '0.00',
    credits: '0.00',
    payoutsReversed: '0.00',
    forfeits: '0.00',
    sum: '5000.00',
  },
  stage: { terms: null, accountSize: null, split: null, observations: null },
  payouts: [request],
  certificates: [],
}
const earlier: AuditState = {
  at: '2026-03-01T10:00:00Z',
  number: 12,
  user: {
    id: 'ada',
    fullName: 'Ada Lovelace',
    email: 'ada@example.com',
    country: 'uk',
    city: 'London',
    street: 'St James Square',
    houseNumber: '12',
    emailConfirmed: true,
    privacyPolicyAgreed: true,
    banned: false,
    banReason: null,
    createdAt: '2026-02-01T10:00:00Z',
    deleted: false,
  },
  accounts: [account],
}
const accountLater: AuditAccount = {
  ...account,
  account: { ...account.account, balance: '4400.00', status: 'breached', masterPassword: 'second secret' },
  payouts: [
    { ...request, status: 'rejected', adminNotes: 'Proof of address is missing', decidedAt: '2026-03-02T10:00:00Z' },
    { ...request, id: 'ada12345-a1-p2' },
  ],
  certificates: [
    {
      id: 'ada12345-a1-c1',
      name: 'Phase 1 passed',
      issuedAt: '2026-03-02',
      uploadedAt: '2026-03-02T11:00:00Z',
      revokedAt: null,
      link: null,
    },
  ],
}
const later: AuditState = { ...earlier, number: 1042, accounts: [accountLater] }
const funded: AuditAccount = {
  ...account,
  id: 'ada12345-a2',
  account: { ...account.account, phase: 'Funded', login: null },
  payouts: [],
}
const closed: AuditAccount = { ...funded, account: { ...funded.account, open: false } }
const differing = (one: AuditState, other: AuditState) =>
  compared(one, other).flatMap(({ sections }) =>
    sections.flatMap(({ rows }) => rows.flatMap(({ field, differs }) => (differs ? [field] : []))),
  )

describe('two moments of an account', () => {
  it('differ in what changed, came or went, also in a secret that is never shown', () => {
    const expected = [
      'account.status',
      'account.balance',
      'account.masterPassword',
      'payouts.ada12345-a1-p1',
      'payouts.ada12345-a1-p2',
      'certificates.ada12345-a1-c1',
    ]
    expect(differing(earlier, later)).toEqual(expected)
    expect(differing(later, earlier).toSorted()).toEqual(expected.toSorted())
    expect(differing(later, later)).toEqual([])
  })

  it('stand beside each other, what differs with a word and not by colour alone', () => {
    render(
      <Comparison earlier={earlier} later={later} earlierTitle="After #12" laterTitle="After #1042" isBusy={false} />,
    )
    const cells = (row: string) =>
      within(screen.getByRole('row', { name: new RegExp(`^${row} `) }))
        .getAllByRole('cell')
        .map(({ textContent }) => textContent)
    expect(cells('Balance Changed')).toEqual(['$5,000.00', '$4,400.00'])
    expect(cells('Payout p2 Changed')[0]).toBe('not there')
    expect(cells('Phase')).toEqual(['Phase 1', 'Phase 1'])
    expect(screen.getByRole('status').textContent).toBe('6 lines differ between these two moments.')
    expect(document.body.textContent).not.toMatch(/secret/)
  })

  it('keep two accounts apart, also one that was opened in between', () => {
    const both: AuditState = { ...later, accounts: [accountLater, funded] }
    const ended: AuditState = { ...both, accounts: [accountLater, closed] }
    expect(differing(both, ended)).toEqual(['account.open'])
    render(<Comparison earlier={earlier} later={both} earlierTitle="" laterTitle="" isBusy={false} />)
    const titles = screen.getAllByRole('rowheader').map(({ textContent }) => textContent)
    expect(titles.filter((title) => /^Account \d/.test(title))).toEqual([
      'Account 2 · Funded',
      'Account 1 · Phase 1 · 900100',
    ])
    const [opened] = screen.getAllByRole('row', { name: /^Balance Changed/ })
    if (!opened) throw new Error('The opened account has no balance')
    expect(
      within(opened)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    ).toEqual(['not there', '$5,000.00'])
  })

  it('are said to be the same when they are', () => {
    render(<Comparison earlier={later} later={later} earlierTitle="" laterTitle="" isBusy={false} />)
    expect(screen.getByRole('status').textContent).toBe('Nothing differs between these two moments.')
    expect(screen.queryByText('Changed')).toBeNull()
  })
})

describe('an account at a moment', () => {
  it('is shown whole, but for the master password', () => {
    render(<StateView state={later} isBusy={false} />)
    for (const text of [
      'Breached',
      '$4,400.00',
      '5% / $250',
      '$500.00',
      'Phase 1 passed',
      'Ada Lovelace',
      'United Kingdom',
      'Notes: Proof of address is missing',
      '••••••••',
    ])
      expect(screen.getByText(text), text).toBeTruthy()
    expect(document.body.textContent).not.toMatch(/secret/)
  })

  it('has a section for each account, the newest first, with what belongs to it', () => {
    render(<StateView state={{ ...later, accounts: [accountLater, closed] }} isBusy={false} />)
    expect(screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([
      'Account 2 · Funded',
      'Account 1 · Phase 1 · 900100',
      'Person',
    ])
    const newest = within(screen.getByRole('region', { name: 'Account 2 · Funded' }))
    expect(newest.getByText('Closed')).toBeTruthy()
    expect(newest.getByText('No certificates yet.')).toBeTruthy()
    const first = within(screen.getByRole('region', { name: 'Account 1 · Phase 1 · 900100' }))
    expect(first.getByText('Phase 1 passed')).toBeTruthy()
    expect(first.getByText('Open')).toBeTruthy()
  })

  it('before anybody had signed up says so', () => {
    render(<StateView state={{ ...earlier, user: null, accounts: [{ ...account, payouts: [] }] }} isBusy={false} />)
    expect(screen.getByText('The user did not exist yet.')).toBeTruthy()
    expect(screen.getByText('No payouts yet.')).toBeTruthy()
    expect(screen.getByText('No certificates yet.')).toBeTruthy()
  })

  it('before the first account was opened says so', () => {
    render(<StateView state={{ ...earlier, accounts: [] }} isBusy={false} />)
    expect(screen.getByText('No account was opened yet.')).toBeTruthy()
  })
})
