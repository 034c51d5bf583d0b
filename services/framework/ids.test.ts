import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accountIdOf, accountOf, adminKeyId, certificateId, ownerOf, payoutId, userId } from './ids.ts'

const anyOwner = fc.stringMatching(/^[a-z0-9]{8,40}$/).map((id) => userId.parse(id))
const anyAccountNumber = fc.integer({ min: 1, max: 9_999 })
const anyNumber = fc.integer({ min: 1, max: 999_999 })

describe('ids', () => {
  it("name the owner in an account's id, and the account in a payout's and a certificate's", () => {
    fc.assert(
      fc.property(anyOwner, anyAccountNumber, anyNumber, (owner, account, number) => {
        const id = accountIdOf(owner, account)
        expect(ownerOf(id)).toBe(owner)
        expect(accountOf(payoutId.parse(`${id}-p${number}`))).toBe(id)
        expect(accountOf(certificateId.parse(`${id}-c${number}`))).toBe(id)
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
    'trader01-a1-p0',
    'trader01-a1-p01',
    'trader01-p',
    'trader01-a1-p1000000',
    'trader01-a1-c1',
    'trader01-a1-p1-p2',
    'trader01-a1-p1\n',
    '-p1',
    'trader01p1',
  ])('take no %j for a payout, so that each payout has one name', (id) => {
    expect(payoutId.safeParse(id).success).toBe(false)
  })

  it.each(['trader01-a1-c0', 'trader01-a1-c01', 'trader01-a1-p1', 'trader01-c'])(
    'take no %j for a certificate',
    (id) => {
      expect(certificateId.safeParse(id).success).toBe(false)
    },
  )

  it.each(['', 'unknown-key', 'ABC', 'a'.repeat(65)])('take no %j for an admin key', (id) => {
    expect(adminKeyId.safeParse(id).success).toBe(false)
  })

  it('take the id of the stream that holds refusals of unknown keys', () =>
    expect(adminKeyId.parse('unknown')).toBe('unknown'))
})
