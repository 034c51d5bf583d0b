import { describe, expect, it } from 'vitest'
import { accountFieldNames } from '#services/trading/accounts/account-fields.ts'
import { accountChangeOf, accountValuesOf, changedOf } from './account-values.ts'

describe('what is sent of an account', () => {
  it('says with a boolean whether payouts are enabled', () => {
    expect(accountChangeOf({ payoutEnabled: 'true' })).toEqual({ payoutEnabled: true })
    expect(accountChangeOf({ payoutEnabled: 'false' })).toEqual({ payoutEnabled: false })
  })

  it('needs no field: an empty amount is left out, an empty text is taken away', () => {
    expect(accountChangeOf({ balance: '', profitLoss: ' ', login: '', phase: 'Funded' })).toEqual({
      login: '',
      phase: 'Funded',
    })
  })

  it('has, for a new user, the ten fields of the call and the phase', () => {
    expect(accountChangeOf(accountValuesOf(null))).toEqual({
      balance: '0.00',
      profitLoss: '0.00',
      status: 'pending',
      payoutEnabled: false,
      login: '',
      masterPassword: '',
      server: '',
      phase: '',
      dailyDrawdownLimit: '',
      overallLossLimit: '',
      profitTarget: '',
    })
  })

  it('has the platform only where it was chosen or taken away', () => {
    expect(accountChangeOf({ platform: 'mt5' })).toEqual({ platform: 'mt5' })
    expect(accountChangeOf({ platform: 'mt5', phase: 'Funded' }, { platform: 'mt5' })).toEqual({ phase: 'Funded' })
    expect(accountChangeOf({ platform: '' }, { platform: 'mt5' })).toEqual({ platform: null })
  })

  it('is only what was changed in the form', () => {
    const before = accountValuesOf(null)
    expect(
      accountChangeOf(changedOf(accountFieldNames, { ...before, balance: '100.00', status: 'active' }, before)),
    ).toEqual({
      balance: '100.00',
      status: 'active',
    })
    expect(accountChangeOf(changedOf(accountFieldNames, before, before))).toEqual({})
  })
})
