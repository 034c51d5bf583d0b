import { describe, expect, it } from 'vitest'
import { emptyDestination, IN_WORDS, sentDestination, valuesOf } from './destination-values.ts'

const typed = (destination: object, account = 'iban', paymentDetails = '') => ({
  paymentDetails,
  account,
  destination: { ...emptyDestination.destination, ...destination },
})

describe('a destination', () => {
  it.each([
    ['bank', typed({ holder: 'Ada', iban: 'DE89', bic: ' ' }, 'iban'), { holder: 'Ada', iban: 'DE89' }],
    [
      'bank',
      typed({ holder: 'Ada', accountNumber: '12', bic: 'X', bankName: 'B', iban: 'DE89' }, 'number'),
      { holder: 'Ada', accountNumber: '12', bic: 'X', bankName: 'B' },
    ],
    ['paypal', typed({ email: 'ada@example.com' }), { email: 'ada@example.com' }],
    ['crypto', typed({ network: 'ERC20', address: '0x1' }), { network: 'ERC20', address: '0x1' }],
    [
      'crypto',
      typed({ network: 'ERC20', coin: 'EURC', address: '0x1' }),
      { network: 'ERC20', coin: 'EURC', address: '0x1' },
    ],
    // There is none on this network.
    ['crypto', typed({ network: 'TRC20', coin: 'USDC', address: 'T1' }), { network: 'TRC20', address: 'T1' }],
  ] as const)('by %s is sent with the fields of its method', (method, values, sent) => {
    expect(sentDestination(method, values)).toEqual({ paymentDetails: '', destination: sent })
  })

  it.each(['bank', 'crypto'] as const)('by %s may be in words', (method) => {
    expect(sentDestination(method, typed({ network: IN_WORDS }, IN_WORDS, 'My words'))).toEqual({
      paymentDetails: 'My words',
      destination: null,
    })
  })

  it.each(['bank', 'crypto', 'skrill'] as const)('by %s may be left out', (method) =>
    expect(sentDestination(method, emptyDestination)).toEqual({ paymentDetails: '', destination: null }),
  )

  it('is sent as far as it was typed, so that the server says what is missing', () =>
    expect(sentDestination('crypto', typed({ address: '0x1' })).destination).toEqual({ address: '0x1' }))

  it.each([
    ['bank', { holder: 'Ada', iban: 'DE89' }],
    ['bank', { holder: 'Ada', accountNumber: '12', bic: 'X', bankName: 'B' }],
    ['paypal', { email: 'ada@example.com' }],
    ['crypto', { network: 'TRC20', address: 'T1' }],
    ['crypto', { network: 'TRC20', coin: 'USDT', address: 'T1' }],
  ] as const)('that was used before by %s fills the form', (method, before) => {
    expect(sentDestination(method, valuesOf(before)).destination).toEqual(before)
  })
})
