import { describe, expect, it } from 'vitest'
import { eventFilterOptions, eventTitles, eventCategories, eventDescriptions, definitions } from './subjects.ts'

describe('the descriptions of events', () => {
  it('describe every event with a title of its own', () => {
    expect(Object.keys(eventDescriptions).toSorted()).toEqual(Object.keys(definitions).toSorted())
    expect(new Set(eventTitles.values()).size).toBe(eventTitles.size)
  })

  it('put every event into exactly one filter of the audit, and none into an empty one', () => {
    const types = eventFilterOptions.flatMap(({ value }) => value.split(','))
    expect(types.toSorted()).toEqual(Object.keys(definitions).toSorted())
    expect(eventFilterOptions).toHaveLength(Object.keys(eventCategories).length)
  })

  it('send mail about these events', () => {
    const mailed = Object.entries(eventDescriptions).flatMap(([type, description]) =>
      'mail' in description ? [type] : [],
    )
    expect(mailed).toEqual(
      expect.arrayContaining([
        'AccountStatusChanged',
        'AuthenticatorTurnedOff',
        'AuthenticatorTurnedOn',
        'CertificateIssued',
        'CertificateRevoked',
        'EmailRevertOffered',
        'PasskeyAdded',
        'PasskeyRemoved',
        'PasswordChanged',
        'PasswordReset',
        'PasswordResetRequested',
        'PayoutApproved',
        'PayoutRejected',
        'PayoutsEnabled',
        'PhaseChanged',
        'RecoveryCodeUsed',
        'RecoveryCodesIssued',
        'RiskLimitsChanged',
        'SecondFactorsRemoved',
        'SignedInFromNewBrowser',
        'UserBanned',
        'UserCreated',
        'UserUnbanned',
      ]),
    )
  })
})
