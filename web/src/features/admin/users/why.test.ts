import { describe, expect, it } from 'vitest'
import {
  type AccountBefore,
  unsavedAccount,
  whyRequirementsFor,
  hasWhyRequirements,
  toLocalInput,
  toIsoMoment,
  needsReason,
  noWhy,
  whyChangeOf,
} from './why.ts'

const limits = { dailyDrawdownLimit: '5% / $500', overallLossLimit: '10%', profitTarget: '1000' }
const active: AccountBefore = { status: 'active', breach: undefined, limits }
const breached: AccountBefore = { status: 'breached', breach: 1042, limits }
const nothing = { reason: false, evidence: false, ending: undefined }

describe('what our dialogs ask about a change', () => {
  it.each([
    ['a breach', active, { status: 'breached' }, { reason: true, evidence: true, ending: undefined }],
    ['a review', active, { status: 'under-review' }, { reason: true, evidence: false, ending: undefined }],
    ['new limits', active, { ...limits, profitTarget: '' }, { reason: true, evidence: false, ending: undefined }],
    ['the end of a breach', breached, { status: 'active' }, { reason: false, evidence: false, ending: 1042 }],
    ['a breach that becomes a review', breached, { status: 'under-review' }, { reason: true, evidence: false, ending: 1042 }],
    ['activation', { ...active, status: 'pending' }, { status: 'active' }, nothing],
    ['the same status and limits', breached, { status: 'breached', ...limits }, nothing],
    ['the first limits of a new user', unsavedAccount, { status: 'active', ...limits }, nothing],
    ['a new user who begins breached', unsavedAccount, { status: 'breached', ...limits }, { reason: true, evidence: true, ending: undefined }],
    ['nothing', active, {}, nothing],
  ] as const)('is right for %s', (_, before, after, asked) => {
    expect(whyRequirementsFor(before, after)).toEqual(asked)
    expect(hasWhyRequirements(whyRequirementsFor(before, after))).toBe(asked !== nothing)
  })

  it('needs a reason for a mistake, and none for a breach that was right', () => {
    const asked = whyRequirementsFor(breached, { status: 'active' })
    expect([needsReason(asked, { mistake: 'yes' }), needsReason(asked, { mistake: 'no' })]).toEqual([true, false])
  })
})

describe('what is sent of it', () => {
  const evidence = {
    'evidence.rule': 'daily-drawdown',
    'evidence.limit': ' 5% / $500 ',
    'evidence.value': '-$512.40',
    'evidence.occurredAt': '2026-03-03T14:07',
  }

  it('is reason and evidence of a breach, with the moment in the time of the whole world', () => {
    expect(whyChangeOf(whyRequirementsFor(active, { status: 'breached' }), { reason: ' Too much ', mistake: '', ...evidence })).toEqual({
      reason: 'Too much',
      evidence: { rule: 'daily-drawdown', limit: '5% / $500', value: '-$512.40', occurredAt: new Date(2026, 2, 3, 14, 7).toISOString() },
    })
  })

  it('names the breach only where it was a mistake', () => {
    const asked = whyRequirementsFor(breached, { status: 'active' })
    expect(whyChangeOf(asked, { ...noWhy, mistake: 'yes', reason: 'A wrong price' })).toEqual({ reason: 'A wrong price', corrects: 1042 })
    expect(whyChangeOf(asked, { ...noWhy, mistake: 'no' })).toEqual({})
  })

  it('is nothing of what was typed before the question went away', () => {
    expect(whyChangeOf(whyRequirementsFor(active, {}), { reason: 'Typed', mistake: 'yes', ...evidence })).toEqual({})
    expect(whyChangeOf(whyRequirementsFor(active, { status: 'under-review' }), { reason: 'Typed', mistake: 'yes', ...evidence })).toEqual({ reason: 'Typed' })
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
