import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adminKeyId, certificateId, ownerOf, payoutId, userId } from './ids.ts'

const anyOwner = fc.stringMatching(/^[a-z0-9]{8,40}$/)
const anyNumber = fc.integer({ min: 1, max: 999_999 })

describe('ids', () => {
  it("name the owner in a payout's and a certificate's id", () => {
    fc.assert(
      fc.property(anyOwner, anyNumber, (owner, number) => {
        expect(ownerOf(payoutId.parse(`${owner}-p${number}`))).toBe(owner)
        expect(ownerOf(certificateId.parse(`${owner}-c${number}`))).toBe(owner)
      }),
    )
  })

  it.each(['trader1', 'Trader01', 'trader-01', 'trader01\n', 'trädér01', '', 'a'.repeat(41)])(
    'take no %j for a user',
    (id) => {
      expect(userId.safeParse(id).success).toBe(false)
    },
  )

  it.each([
    'trader01-p0',
    'trader01-p01',
    'trader01-p',
    'trader01-p1000000',
    'trader01-c1',
    'trader01-p1-p2',
    'trader01-p1\n',
    '-p1',
    'trader01p1',
  ])('take no %j for a payout, so that each payout has one name', (id) => {
    expect(payoutId.safeParse(id).success).toBe(false)
  })

  it.each(['trader01-c0', 'trader01-c01', 'trader01-p1', 'trader01-c'])('take no %j for a certificate', (id) => {
    expect(certificateId.safeParse(id).success).toBe(false)
  })

  it.each(['', 'unknown-key', 'ABC', 'a'.repeat(65)])('take no %j for an admin key', (id) => {
    expect(adminKeyId.safeParse(id).success).toBe(false)
  })

  it('take the id of the stream that holds refusals of unknown keys', () =>
    expect(adminKeyId.parse('unknown')).toBe('unknown'))
})
