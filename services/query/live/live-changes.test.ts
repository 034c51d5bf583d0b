import { describe, expect, it } from 'vitest'
import {
  definitions,
  isForEverybody,
  isSilent,
  isStaffOnly,
  subjectNames,
} from '#services/oversight/event-catalogue.ts'
import { changeOf, concerns, type Reader } from './live-changes.ts'

const anna: Reader = { kind: 'trader', id: 'anna0001' }
const ben: Reader = { kind: 'trader', id: 'ben00001' }
const key: Reader = { kind: 'admin', id: 'k1' }

/** The subject that an event announces to a reader. */
const announced = (who: Reader, type: string, stream: string) => {
  const change = changeOf({ type, stream })
  return change && concerns(who, change) ? change.subject : undefined
}

describe('an event', () => {
  it('announces its subject to its own trader alone', () => {
    expect(announced(anna, 'PayoutApproved', 'account-anna0001-a1')).toBe('payouts')
    expect(announced(anna, 'BalanceChanged', 'account-anna0001-a1')).toBe('accounts')
    expect(announced(anna, 'CertificateIssued', 'account-anna0001-a1')).toBe('certificates')
    expect(announced(anna, 'UserBanned', 'user-anna0001')).toBe('users')
    expect(announced(ben, 'PayoutApproved', 'account-anna0001-a1')).toBeUndefined()
    expect(announced(anna, 'TreeCheckpointSigned', 'seals-log')).toBeUndefined()
  })

  it('announces its subject to staff, about any user', () => {
    expect(announced(key, 'PayoutRequested', 'account-anna0001-a1')).toBe('payouts')
    expect(announced(key, 'UserRegistered', 'user-anna0001')).toBe('users')
    expect(announced(key, 'AdminKeyRevoked', 'admin-k2')).toBe('staff')
  })

  it('announces to everybody what the firm offers, and what every page shows', () => {
    for (const reader of [anna, ben, key]) {
      expect(announced(reader, 'FirmChanged', 'firm-this')).toBe('firm')
      expect(announced(reader, 'OfferChanged', 'offers-this')).toBe('programmes')
      expect(announced(reader, 'ProgrammeRetired', 'programme-one-step-5000')).toBe('programmes')
    }
    expect(announced(anna, 'ProgrammeDrafted', 'programme-one-step-5000')).toBeUndefined()
  })

  it('announces nothing to its trader that only staff may see', () => {
    const types = Object.keys(definitions).filter((type) => !isSilent(type))
    expect(types.filter(isStaffOnly).length).toBeGreaterThan(0)
    for (const type of types) {
      expect(subjectNames).toContain(announced(key, type, 'account-anna0001-a1'))
      expect(announced(anna, type, 'account-anna0001-a1') === undefined, type).toBe(
        isStaffOnly(type) && !isForEverybody(type),
      )
    }
  })

  it('that renews or ends sessions announces nothing: an open page could still send the cookie before', () => {
    for (const type of ['PasswordChanged', 'PasswordReset', 'SessionsEnded'])
      expect(changeOf({ type, stream: 'user-anna0001' })).toBeUndefined()
  })

  it('of another program announces nothing', () => {
    expect(changeOf({ type: 'Unknown', stream: 'account-anna0001-a1' })).toBeUndefined()
  })
})
