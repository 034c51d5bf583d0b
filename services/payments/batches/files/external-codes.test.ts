import { describe, expect, it } from 'vitest'
import { externalCodes, whyNoSchemas } from '#test-support/iso20022/iso20022-schemas.ts'
import { externalCodeSets, groupStatuses, paymentStatuses } from './external-codes.ts'
import { externalReasons } from './external-reasons.ts'

const reasonSets = [
  'ExternalStatusReason1Code',
  'ExternalReturnReason1Code',
  'ExternalVerificationReason1Code',
] as const

describe("the codes of ISO 20022's external sets", () => {
  const { edition, sizes } = externalCodeSets

  it('are as many as the sets have', () => {
    expect(groupStatuses.size).toBe(sizes.ExternalPaymentGroupStatus1Code)
    expect(paymentStatuses.size).toBe(sizes.ExternalPaymentTransactionStatus1Code)
    // The sets of reasons share codes.
    expect(externalReasons.size).toBe(333)
  })

  it.skipIf(whyNoSchemas)('are all that were published, and no other', () => {
    for (const [name, size] of Object.entries(sizes)) expect(externalCodes(edition, name), name).toHaveLength(size)
    const sorted = (codes: Iterable<string>) => [...new Set(codes)].toSorted()
    expect(sorted(groupStatuses.keys())).toEqual(sorted(externalCodes(edition, 'ExternalPaymentGroupStatus1Code')))
    expect(sorted(paymentStatuses.keys())).toEqual(
      sorted(externalCodes(edition, 'ExternalPaymentTransactionStatus1Code')),
    )
    expect(sorted(externalReasons.keys())).toEqual(
      sorted(reasonSets.flatMap((name) => [...externalCodes(edition, name)])),
    )
  })

  it('each have words of our own, short enough for a row', () => {
    const all = [...groupStatuses.values(), ...paymentStatuses.values(), ...externalReasons.values()]
    for (const { words } of all) expect(words).toMatch(/^\S.{3,78}[^.\s]$/)
  })
})
