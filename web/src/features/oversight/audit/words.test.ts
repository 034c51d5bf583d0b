import { describe, expect, it } from 'vitest'
import {
  formatEvidence,
  NOT_SET,
  subjectOf,
  titleOf,
  describeChanges,
  describeActor,
  formatValue,
  markOf,
} from './words.ts'

describe('an event in words', () => {
  it('has a title, also when its type is not known here', () => {
    expect(titleOf('AccountStatusChanged')).toBe('Account status changed')
    expect(titleOf('LeverageLoweredForReview')).toBe('Leverage lowered for review')
  })

  it('tells from what to what', () => {
    expect(describeChanges([{ field: 'account.status', from: 'active', to: 'under-review' }])).toEqual([
      { field: 'account.status', label: 'Status', from: 'Active', to: 'Under Review' },
    ])
    expect(describeChanges([{ field: 'account.balance', from: '5000.00', to: '4400.00' }])).toMatchObject([
      { from: '$5,000.00', to: '$4,400.00' },
    ])
    expect(describeChanges([{ field: 'account.phase', from: null, to: 'Phase 1' }])).toMatchObject([
      { from: NOT_SET, to: 'Phase 1' },
    ])
    expect(describeChanges([{ field: 'payouts.ada-p1.status', from: 'pending', to: 'rejected' }])).toMatchObject([
      { from: 'Pending', to: 'Rejected' },
    ])
  })

  it('leaves out what is the same before and after', () => {
    expect(
      describeChanges([
        { field: 'enrolment.accepted', from: null, to: null },
        { field: 'account.balance', from: '5000.00', to: '5000.00' },
        { field: 'account.login', from: null, to: '' },
      ]),
    ).toEqual([])
    expect(describeChanges([{ field: 'account.masterPassword', from: '••••••••', to: '••••••••' }])).toEqual([
      { field: 'account.masterPassword', label: 'Master Password', to: '••••••••' },
    ])
  })

  it('names no closed account before one is opened, and what the rules find now alone', () => {
    const opens = { field: 'account.open', from: false, to: true }
    expect(describeChanges([opens])).toEqual([{ field: 'account.open', label: 'Account', to: 'Open' }])
    expect(describeChanges([{ ...opens, from: true, to: false }])).toMatchObject([{ from: 'Open', to: 'Closed' }])
    expect(describeChanges([{ field: 'findings.f1.now', from: null, to: 'nothing' }])).toEqual([
      { field: 'findings.f1.now', label: 'What the rules find now', to: 'nothing' },
    ])
    expect(describeChanges([{ field: 'enrolment.accepted', from: null, to: '2026-03-01T10:00:00Z' }])).toMatchObject([
      { label: 'Terms accepted', to: expect.stringContaining('1 Mar 2026') },
    ])
  })

  it('has no value before what someone did', () =>
    expect(describeChanges([{ field: 'signIn.browser', from: null, to: 'Chrome on Linux' }])).toEqual([
      { field: 'signIn.browser', label: 'Browser', to: 'Chrome on Linux' },
    ]))

  it('tells what came whole field by field, without what says nothing', () => {
    const request = {
      id: 'ada-p1',
      amount: '50.00',
      paymentMethod: 'bank',
      paymentDetails: '',
      status: 'pending',
      adminNotes: null,
      createdAt: '2026-03-01T10:00:00Z',
      decidedAt: null,
    }
    expect(describeChanges([{ field: 'payouts.ada-p1', from: null, to: request }])).toEqual([
      { field: 'payouts.ada-p1.amount', label: 'Amount', to: '$50.00' },
      { field: 'payouts.ada-p1.paymentMethod', label: 'Payment Method', to: 'Bank Transfer' },
      { field: 'payouts.ada-p1.status', label: 'Status', to: 'Pending' },
    ])
  })

  it('says which payout or certificate it is about, and which account where there are several', () => {
    const about = (field: string, namesAccount = false) =>
      subjectOf({ accountId: 'ada12345-a2', changes: [{ field, from: 'pending', to: 'approved' }] }, namesAccount)
    expect(about('payouts.ada12345-a2-p12.status')).toBe('p12')
    expect(about('certificates.ada12345-a2-c1')).toBe('c1')
    expect(about('account.status')).toBe('')
    expect(about('account.status', true)).toBe('Account 2')
    expect(about('payouts.ada12345-a2-p12.status', true)).toBe('Account 2, p12')
    expect(subjectOf({ accountId: null, changes: [] }, true)).toBe('')
  })

  it('never tells a master password, even when one is at hand', () => {
    expect(formatValue('account.masterPassword', 'mt5 secret')).toBe('••••••••')
    expect(formatValue('account.masterPassword', null)).toBe(NOT_SET)
    expect(formatValue('certificates.c1.link', null)).toBe('none')
  })

  it('shows what was erased as erased, of any kind', () => {
    for (const field of ['user.country', 'user.fullName', 'payouts.p1.paymentDetails'])
      expect(formatValue(field, 'erased')).toBe('erased')
  })

  it('tells what a breach was seen by', () => {
    const evidence = {
      rule: 'daily-drawdown',
      limit: '5% / $250',
      value: '-$612.40',
      occurredAt: '2026-03-03T14:07:00.000Z',
    } as const
    expect(formatEvidence(evidence)).toMatch(
      /^Daily Drawdown: -\$612\.40 against 5% \/ \$250, 3 Mar 2026, \d\d:\d7:00 UTC$/,
    )
  })
})

describe('who did something', () => {
  it('has a name for an auditor', () => {
    expect(describeActor({ kind: 'admin', label: 'Dana, risk desk' }, 'auditor')).toEqual({
      word: 'Administrator',
      name: 'Dana, risk desk',
    })
    expect(describeActor({ kind: 'trader', label: 'ada0123456789ab' }, 'auditor')).toEqual({
      word: 'The trader',
      name: undefined,
    })
    expect(describeActor({ kind: 'system', label: 'platform feed' }, 'auditor')).toEqual({
      word: 'Proofdesk',
      name: 'platform feed',
    })
  })

  it('is a role for a trader, and a mark that tells administrators apart', () => {
    const dana = { kind: 'admin', label: 'admin 42de0be2b187' } as const
    expect(describeActor(dana, 'trader')).toEqual({ word: 'Administrator', name: undefined })
    expect(markOf(dana)).toBe('42de0be2b187')
    expect(describeActor({ kind: 'trader', label: 'ada0123456789ab' }, 'trader')).toEqual({
      word: 'You',
      name: undefined,
    })
    expect(describeActor({ kind: 'system', label: 'system' }, 'trader')).toEqual({ word: 'Proofdesk', name: undefined })
  })
})
