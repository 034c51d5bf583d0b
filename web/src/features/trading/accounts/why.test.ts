import { describe, expect, it } from 'vitest'
import { sampleAccount } from '@/testing/samples.ts'
import { noWhy, toIsoMoment, toLocalInput, whyChangeOf, whyRequirementsFor } from './why.ts'

const limits = { dailyDrawdownLimit: '5% / $500', overallLossLimit: '10%', profitTarget: '1000' }
const stamp = {
  number: 1042,
  at: '2026-03-03T14:07:00Z',
  by: 'admin',
  name: 'Dana',
  reason: null,
  evidence: null,
  corrects: null,
} as const
const account = { ...sampleAccount, ...limits, id: 'ada12345', userId: 'ada12345', createdAt: '2026-01-01T10:00:00Z' }
const active = { ...account, stamps: { ...sampleAccount.stamps, status: stamp } } as const
const breached = { ...active, status: 'breached' } as const

describe('what our dialogs ask about a change', () => {
  it.each([
    ['a breach', active, { status: 'breached' }, { reason: true, evidence: true, ending: undefined }],
    ['a review', active, { status: 'under-review' }, { reason: true, evidence: false, ending: undefined }],
    ['new limits', active, { ...limits, profitTarget: '' }, { reason: true, evidence: false, ending: undefined }],
    ['the end of a breach', breached, { status: 'active' }, { reason: false, evidence: false, ending: 1042 }],
    [
      'a breach that becomes a review',
      breached,
      { status: 'under-review' },
      { reason: true, evidence: false, ending: 1042 },
    ],
    ['activation', { ...active, status: 'pending' }, { status: 'active' }, undefined],
    ['the same status and limits', breached, { status: 'breached', ...limits }, undefined],
    ['the first limits of a new user', null, { status: 'active', ...limits }, undefined],
    [
      'a new user who begins breached',
      null,
      { status: 'breached', ...limits },
      { reason: true, evidence: true, ending: undefined },
    ],
    ['nothing', active, {}, undefined],
  ] as const)('is right for %s', (_, before, after, request) => {
    expect(whyRequirementsFor(before, after)).toEqual(request)
  })

  it('needs a reason for a mistake, and none for a breach that was right', () => {
    expect(['yes', 'no'].map((mistake) => whyRequirementsFor(breached, { status: 'active', mistake })?.reason)).toEqual(
      [true, false],
    )
  })
})

describe('what is sent of it', () => {
  const evidence = {
    rule: 'daily-drawdown',
    limit: ' 5% / $500 ',
    value: '-$512.40',
    occurredAt: '2026-03-03T14:07',
    record: '',
  }

  it('is reason and evidence of a breach, with the moment in the time of the whole world', () => {
    expect(whyChangeOf(active, { status: 'breached', reason: ' Too much ', mistake: '', evidence })).toEqual({
      reason: 'Too much',
      evidence: {
        rule: 'daily-drawdown',
        limit: '5% / $500',
        value: '-$512.40',
        occurredAt: new Date(2026, 2, 3, 14, 7).toISOString(),
        offRecord: false,
      },
    })
  })

  it('answers whether the record shows a loss only where there is a record to compare', () => {
    const sent = (before: Parameters<typeof whyChangeOf>[0], given: Partial<typeof evidence>) =>
      whyChangeOf(before, { ...noWhy, status: 'breached', evidence: { ...evidence, ...given } }).evidence?.offRecord
    expect(sent(active, { record: 'lacks' })).toBe(true)
    expect(sent(active, { rule: 'other' })).toBeUndefined()
    expect(sent(null, {})).toBeUndefined()
  })

  it('names the breach only where it was a mistake', () => {
    const ends = { ...noWhy, status: 'active' }
    expect(whyChangeOf(breached, { ...ends, mistake: 'yes', reason: 'A wrong price' })).toEqual({
      reason: 'A wrong price',
      corrects: 1042,
    })
    expect(whyChangeOf(breached, { ...ends, mistake: 'no' })).toEqual({})
  })

  it('is nothing of what was typed before the question went away', () => {
    const typed = { reason: 'Typed', mistake: 'yes', evidence }
    expect(whyChangeOf(active, typed)).toEqual({})
    expect(whyChangeOf(active, { ...typed, status: 'under-review' })).toEqual({ reason: 'Typed' })
  })
})

describe('a field for date and time', () => {
  it('holds a moment to the minute, and nothing where it is empty or wrong', () => {
    const moment = new Date(2026, 0, 9, 4, 5)
    expect(toLocalInput(moment)).toBe('2026-01-09T04:05')
    expect(toIsoMoment(toLocalInput(moment))).toBe(moment.toISOString())
    expect([toIsoMoment(''), toIsoMoment('soon')]).toEqual(['', ''])
  })
})
