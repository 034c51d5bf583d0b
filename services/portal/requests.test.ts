import { UserList } from '#services/trading/traders/trader-api.ts'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Cents } from '#services/rules/money.ts'
import type { z } from 'zod'
import { AccountChanges } from '#services/trading/accounts/account-change-api.ts'
import { CertificateUpload } from '#services/trading/certificates/certificate-api.ts'
import { fieldFailure, validationFailure } from '#services/framework/api/error-schemas.ts'
import { nextCursor } from '#services/framework/api/headers.ts'
import { linkToNext } from '#services/framework/api/pagination-schemas.ts'
import { PayoutList, PayoutRequest, PayoutVerdict } from '#services/payments/payouts/payout-api.ts'
import { Credentials, Registration } from '#services/identity/sign-in/sign-in-api.ts'
import { NewUser, UserChanges, ProfileChanges } from '#services/identity/users/user-api.ts'

const registration = {
  fullName: '  Ada Byron ',
  email: ' Ada@Example.com ',
  password: ' correct horse ',
  privacyPolicyAgreed: true,
  country: ' uk ',
  city: 'London',
  street: "St James's Square",
  houseNumber: '12',
}

describe('a request', () => {
  it('drops unknown fields', () => {
    const more = { banned: true, payoutEnabled: true, role: 'admin', id: '1', createdAt: '2000-01-01' }
    expect(Object.keys(Registration.parse({ ...registration, ...more }))).toEqual(Object.keys(registration))
    expect(ProfileChanges.parse({ ...more, fullName: 'Other', city: 'Paris' })).toEqual({ city: 'Paris' })
    expect(UserChanges.parse({ ...more, password: 'secret!!', fullName: 'Al' })).toEqual({ fullName: 'Al' })
    expect(AccountChanges.parse({ ...more, userId: 'u2', payoutEnabled: false })).toEqual({ payoutEnabled: false })
    expect(
      PayoutRequest.parse({ ...more, amount: '1', paymentMethod: 'bank', status: 'approved', userId: 'u2' }),
    ).toEqual({
      amount: 100,
      paymentMethod: 'bank',
      paymentDetails: '',
    })
  })

  it('is trimmed, except in passwords', () => {
    const { fullName, email, password, country } = Registration.parse(registration)
    expect({ fullName, email, password, country }).toEqual({
      fullName: 'Ada Byron',
      email: 'Ada@Example.com',
      password: ' correct horse ',
      country: 'uk',
    })
    expect(Credentials.parse({ email: 'a@b.co', password: ' x ' }).password).toBe(' x ')
    expect(AccountChanges.parse({ masterPassword: ' x ' })).toEqual({ masterPassword: ' x ' })
  })

  it('that is not an object is refused as a whole', () => {
    for (const body of [undefined, null, 'text', 5, []]) {
      const { error } = Credentials.safeParse(body)
      expect(error && validationFailure(error)).toEqual({ message: 'Invalid input' })
    }
  })

  it('can be refused for one field by a rule of the server', () => {
    expect(fieldFailure('email', 'Taken')).toEqual({ message: 'Taken', errors: { email: 'Taken' } })
  })
})

describe('account changes', () => {
  it('contain only the fields that were sent', () => {
    expect(AccountChanges.parse({})).toEqual({})
    expect(Object.keys(AccountChanges.parse({ status: 'active' }))).toEqual(['status'])
  })

  it('clear a text with null or an empty field', () => {
    expect(
      AccountChanges.parse({
        platform: '',
        login: '',
        server: null,
        phase: '  ',
        profitTarget: '',
        masterPassword: null,
      }),
    ).toEqual({
      platform: null,
      login: null,
      server: null,
      phase: null,
      profitTarget: null,
      masterPassword: null,
    })
  })

  it('keep the profit target as text, even when sent as a number', () => {
    const sent = [5000, '5000', '10% / $500', 0.1, null]
    const kept = ['5000', '5000', '10% / $500', '0.1', null]
    expect(sent.map((profitTarget) => AccountChanges.parse({ profitTarget }).profitTarget)).toEqual(kept)
  })

  it('carry money as cents', () => {
    expect(AccountChanges.parse({ balance: '10000.5', profitLoss: -12.5 })).toEqual({
      balance: 1_000_050,
      profitLoss: -1250,
    })
    expectTypeOf<z.infer<typeof AccountChanges>['balance']>().toEqualTypeOf<Cents | undefined>()
    expectTypeOf<string>().toExtend<z.input<typeof PayoutRequest>['amount']>()
  })
})

describe('other requests', () => {
  it('of a verdict default to empty notes', () => {
    expect(PayoutVerdict.parse({ status: 'approved' })).toEqual({ status: 'approved', adminNotes: '' })
  })

  it('of a new user default to an empty address', () => {
    expect(NewUser.parse({ fullName: 'Al', email: 'al@example.com' })).toEqual({
      fullName: 'Al',
      email: 'al@example.com',
      country: '',
      city: '',
      street: '',
      houseNumber: '',
    })
  })

  it('of a certificate accept a day, a moment, or no date', () => {
    const issuedAt = (value: unknown) => CertificateUpload.parse({ name: 'n', userId: 'u', issuedAt: value }).issuedAt
    const parsed = ['2024-02-29', '2024-05-31T10:00:00.000Z', '2024-05-31T10:00:00+02:00', '', undefined].map(issuedAt)
    expect(parsed).toEqual([
      '2024-02-29',
      '2024-05-31T10:00:00.000Z',
      '2024-05-31T10:00:00+02:00',
      undefined,
      undefined,
    ])
  })
})

describe('a list', () => {
  it('is newest first by default', () => {
    expect(UserList.parse({})).toEqual({ sort: '-createdAt', limit: 1000 })
    expect(PayoutList.parse({})).toEqual({ sort: '-createdAt', limit: 1000 })
  })

  it('treats empty parameters as absent', () => {
    const empty = { search: ' ', status: '', sort: '', limit: '', cursor: '' }
    expect(UserList.parse(empty)).toEqual({ sort: '-createdAt', limit: 1000 })
  })

  it('accepts search, filter, order and limit', () => {
    const query = { search: ' ada ', status: 'banned', sort: '-balance', limit: '25', cursor: 'abc' }
    expect(UserList.parse(query)).toEqual({ ...query, search: 'ada', limit: 25 })
  })

  it('links its next page with a readable cursor', () => {
    const cursor = 'a b&c=d>,"e'
    const link = linkToNext('/api/admin/users?search=ada+b&limit=25&cursor=old', cursor)
    expect(link).toMatch(/^<\/api\/admin\/users\?search=ada\+b&limit=25&cursor=[^<> ]+>; rel="next"$/)
    expect(nextCursor(link)).toBe(cursor)
    expect(nextCursor(linkToNext('/api/admin/users', 'c'))).toBe('c')
    const last = [null, undefined, '', '</x>; rel="next"', '</x?cursor=1>; rel="prev"']
    for (const link of last) expect(nextCursor(link)).toBeUndefined()
  })
})
