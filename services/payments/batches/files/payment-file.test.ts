import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { faultsBySchema, whyNoSchemas } from '#test-support/iso20022/iso20022-schemas.ts'
import { changeInFile, paymentFile } from './payment-file.ts'
import { type OrderedPayment, type PaymentOrder, unfitFor } from './payment-order.ts'
import { sepaText } from './sepa-text.ts'
import { messageIn } from './xml-element.ts'

const IBAN = 'DE89370400440532013000'

const bank: OrderedPayment = {
  reference: 'trader01-a1-p1-1',
  amount: 2_944_00,
  method: 'bank',
  destination: { holder: 'Ada Lovelace', iban: IBAN, bic: 'COBADEFFXXX' },
  details: '',
}
const paypal: OrderedPayment = { ...bank, method: 'paypal', destination: { email: 'ada@example.com' } }
const wallet: OrderedPayment = {
  ...bank,
  method: 'crypto',
  destination: { network: 'TRC20', address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
}
const swift: OrderedPayment = {
  ...bank,
  destination: { holder: 'Ada Lovelace', accountNumber: '000123456', bic: 'CHASUS33', bankName: 'Chase, New York' },
}

const order = (payments: readonly OrderedPayment[], change: Partial<PaymentOrder> = {}): PaymentOrder => ({
  id: 'b7k2m9',
  format: 'pain.001',
  currency: 'EUR',
  at: Date.UTC(2026, 10, 25, 22, 15, 13, 999),
  payer: { name: 'Proof & Partners GmbH', iban: 'NL91ABNA0417164300', bic: 'ABNANL2A' },
  fileVersion: 2,
  codes: {},
  payments,
  ...change,
})

const named = (holder: string): OrderedPayment => ({ ...bank, destination: { holder, iban: IBAN } })

describe('text for SEPA', () => {
  it.each([
    ['Straßer & Söhne', 'Strasser + Sohne'],
    ['Łukasz Żółć', 'Lukasz Zolc'],
    ['Cafe\u0301', 'Cafe'],
    ['Ελένη', 'Eleni'],
    ['Иван', 'Ivan'],
    ['<b>“Ada”</b>', ".b.'Ada'./b."],
    ['//Ada//Lovelace//', 'Ada/Lovelace'],
    ['A\u202eda\u0000', 'Ada.'],
    ['  ', ''],
  ])('writes %j as %j', (text, written) => {
    expect(sepaText(text, 70)).toBe(written)
  })

  it('has only the allowed signs and at most the length, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 1, max: 140 }), (text, longest) => {
        const written = sepaText(text, longest)
        expect(written).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]*$/)
        expect(written).not.toMatch(/^[ /]|[ /]$|\/\//)
        expect(written.length).toBeLessThanOrEqual(longest)
        expect(sepaText(written, longest)).toBe(written)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a SEPA file', () => {
  it('has the same bytes each time, byte for byte as ever', () => {
    const second = { ...named('Grace Höpper'), reference: 'trader02-a1-p3-2', amount: 1 }
    const file = paymentFile(order([bank, second]))
    expect(paymentFile(structuredClone(order([bank, second])))).toBe(file)
    expect(createHash('sha256').update(file).digest('hex')).toBe(
      '8cf2aca8cd12d4ce8ea993f851ecdceb819037debe362ac6a5ceafc88aa90726',
    )
  })

  it('names count, sum, payer and each payment', () => {
    const file = paymentFile(order([bank, { ...named('Grace'), reference: 'trader02-a1-p3-2', amount: 1 }]))
    const message = messageIn(file, 'pain.001', /pain\.001\.001\.09$/, 'CstmrCdtTrfInitn')
    for (const part of ['GrpHdr', 'PmtInf']) {
      expect(message.at(part, 'NbOfTxs')?.text).toBe('2')
      expect(message.at(part, 'CtrlSum')?.text).toBe('2944.01')
    }
    expect(message.at('GrpHdr', 'CreDtTm')?.text).toBe('2026-11-25T22:15:13Z')
    expect(message.at('PmtInf', 'ReqdExctnDt', 'Dt')?.text).toBe('2026-11-25')
    expect(message.at('PmtInf', 'Dbtr', 'Nm')?.text).toBe('Proof + Partners GmbH')
    const payments = message.at('PmtInf')?.all('CdtTrfTxInf') ?? []
    expect(payments.map((each) => each.at('PmtId', 'EndToEndId')?.text)).toEqual([
      'trader01-a1-p1-1',
      'trader02-a1-p3-2',
    ])
    expect(payments.map((each) => each.at('Amt', 'InstdAmt')?.text)).toEqual(['2944.00', '0.01'])
    expect(payments.map((each) => each.at('CdtrAgt', 'FinInstnId', 'BICFI')?.text)).toEqual(['COBADEFFXXX', undefined])
    expect(file).not.toMatch(/PstlAdr|AdrLine/)
  })

  it('cuts a name of 71 letters, and says so', () => {
    expect(changeInFile('pain.001', named('x'.repeat(70)))).toBeNull()
    expect(changeInFile('pain.001', named('x'.repeat(71)))).toBe(
      `The bank reads the name of the holder as “${'x'.repeat(70)}”`,
    )
    expect(paymentFile(order([named('x'.repeat(71))]))).toContain(`<Nm>${'x'.repeat(70)}</Nm>`)
  })

  it.skipIf(whyNoSchemas)('is valid by the schema of ISO 20022, with any names, amounts and numbers', async () => {
    const anyPayment = fc.record({
      holder: fc.string({ unit: 'binary', maxLength: 120 }).map((text) => `A${text}`),
      amount: fc.integer({ min: 1, max: 99_999_999_999 }),
      bic: fc.constantFrom(undefined, 'COBADEFFXXX', 'ABNANL2A'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(anyPayment, { minLength: 1, maxLength: 20 }), async (drawn) => {
        const payments = drawn.map(({ holder, amount, bic }, index) => ({
          ...bank,
          reference: `trader01-a1-p${index + 1}-1`,
          amount,
          destination: { holder, iban: IBAN, ...(bic && { bic }) },
        }))
        expect(await faultsBySchema('pain.001.001.09', paymentFile(order(payments)))).toEqual([])
      }),
      { numRuns: 25 },
    )
  })

  it.skipIf(whyNoSchemas)('is checked by a schema that finds a reference of 36 characters', async () => {
    const file = paymentFile(order([bank])).replace('trader01-a1-p1-1</EndToEndId>', `${'r'.repeat(36)}</EndToEndId>`)
    expect((await faultsBySchema('pain.001.001.09', file)).join()).toMatch(/EndToEndId/)
  })

  it('refuses an order in dollars or without a payer', () => {
    expect(() => paymentFile(order([bank], { currency: 'USD' }))).toThrow('A SEPA file is in euro')
    expect(() => paymentFile(order([bank], { payer: null }))).toThrow('names the account that pays')
  })
})

describe('an order', () => {
  it.each([
    ['nothing', [], /1 to 5000 payments, not 0/],
    ['a reference twice', [bank, bank], /A reference comes twice/],
    ['a reference with a slash', [{ ...bank, reference: 'a/b' }], /a\/b is no reference/],
    ['a reference of 31 characters', [{ ...bank, reference: 'r'.repeat(31) }], /is no reference/],
    ['nothing to pay', [{ ...bank, amount: 0 }], /Nothing is left/],
    ['half a cent', [{ ...bank, amount: 0.5 }], /Not a whole number of cents/],
    ['a wallet', [wallet], /It has no IBAN that was checked/],
  ])('is refused with %s', (_what, payments, message) => {
    expect(() => paymentFile(order(payments))).toThrow(message)
  })

  it('is refused with more payments than the reader of its format takes', () => {
    const many = Array.from({ length: 501 }, (_, index) => ({ ...wallet, reference: `r${index}` }))
    expect(() => paymentFile(order(many, { format: 'crypto', currency: 'USD' }))).toThrow(
      'A file has 1 to 500 payments, not 501',
    )
    expect(paymentFile(order(many.slice(1), { format: 'crypto', currency: 'USD' })).split('\r\n')).toHaveLength(502)
  })

  it('of 1,000 payments is written in a fraction of a second', () => {
    const many = Array.from({ length: 1000 }, (_, index) => ({ ...bank, reference: `r${index}` }))
    const file = paymentFile(order(many))
    expect(file).toContain('<NbOfTxs>1000</NbOfTxs><CtrlSum>2944000.00</CtrlSum>')
  })
})

describe('a payment', () => {
  const swissHolder = { holder: 'Ada', iban: 'AE070331234567890123456' }
  it.each([
    ['pain.001', { ...bank, amount: 99_999_999_999 }, undefined],
    ['pain.001', { ...bank, amount: 100_000_000_000 }, 'A SEPA transfer is at most 999,999,999.99'],
    ['pain.001', { ...bank, destination: { holder: 'Ada', iban: 'RS35260005601001611379' } }, undefined],
    ['pain.001', { ...bank, destination: swissHolder }, 'Its IBAN belongs to a country outside SEPA'],
    ['pain.001', named('\u202e '), 'The name of the holder has no letter that a bank can read'],
    ['pain.001', swift, 'It has no IBAN that was checked'],
    [
      'pain.001',
      { ...bank, destination: null, details: `IBAN ${IBAN}` },
      'It has no IBAN that was checked. Choose “New Destination” in its row, or ask its trader to give one',
    ],
    [
      'csv',
      { ...bank, destination: null, details: ' ' },
      'Nothing says where the money goes. Choose “New Destination” in its row, or ask its trader to give one',
    ],
    ['wise', bank, undefined],
    ['wise', named('=1+1'), 'The name of the holder begins with "=", which a spreadsheet would evaluate'],
    ['wise', paypal, 'It has no IBAN that was checked'],
    ['paypal', paypal, undefined],
    ['paypal', { ...paypal, method: 'skrill' }, 'It has no PayPal address that was checked'],
    ['paypal', wallet, 'It has no PayPal address that was checked'],
    [
      'paypal',
      { ...paypal, destination: { email: '+a@example.com' } },
      'The address begins with "+", which a spreadsheet would evaluate',
    ],
    ['crypto', wallet, undefined],
    ['crypto', paypal, 'It has no wallet address that was checked'],
    ['csv', swift, undefined],
    ['csv', { ...bank, destination: null, details: 'To my uncle' }, undefined],
    [
      'csv',
      { ...bank, destination: null, details: '@SUM(A1)' },
      'The destination begins with "@", which a spreadsheet would evaluate',
    ],
  ] as const)('fits into %s or says why not (%#)', (format, payment, reason) => {
    const currency = format === 'pain.001' || format === 'wise' ? 'EUR' : 'USD'
    expect(unfitFor({ format, currency }, payment)).toBe(reason)
  })
})

describe('a payment to a wallet', () => {
  const evm = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  const to = (destination: { network: 'ERC20' | 'TRC20' | 'BEP20' | 'POLYGON'; coin?: 'USDC' | 'USDT' | 'EURC' }) => ({
    ...wallet,
    destination: { ...destination, address: evm },
  })

  it.each([
    ['crypto', 'EUR', { network: 'ERC20' }, undefined],
    ['crypto', 'EUR', { network: 'ERC20', coin: 'EURC' }, undefined],
    ['crypto', 'EUR', { network: 'TRC20' }, 'There is no EURC on TRON (TRC20): pay it in a batch in dollars'],
    [
      'crypto',
      'EUR',
      { network: 'BEP20' },
      'There is no EURC on BNB Smart Chain (BEP20): pay it in a batch in dollars',
    ],
    ['crypto', 'EUR', { network: 'POLYGON' }, 'There is no EURC on Polygon: pay it in a batch in dollars'],
    ['crypto', 'EUR', { network: 'ERC20', coin: 'USDT' }, 'Its wallet takes USDT: pay it in a batch in dollars'],
    ['crypto', 'USD', { network: 'ERC20', coin: 'USDT' }, undefined],
    ['crypto', 'USD', { network: 'ERC20', coin: 'EURC' }, 'Its wallet takes EURC: pay it in a batch in euro'],
    ['csv', 'USD', { network: 'ERC20', coin: 'EURC' }, 'Its wallet takes EURC: pay it in a batch in euro'],
    ['csv', 'EUR', { network: 'TRC20' }, undefined],
  ] as const)('by %s in %s is made in a coin that it takes (%#)', (format, currency, destination, reason) => {
    expect(unfitFor({ format, currency }, to(destination))).toBe(reason)
  })

  const wallets = [
    to({ network: 'ERC20' }),
    { ...to({ network: 'BEP20', coin: 'USDT' }), reference: 'trader01-a1-p2-1' },
    { ...to({ network: 'POLYGON', coin: 'USDC' }), reference: 'trader01-a1-p3-1' },
    { ...wallet, reference: 'trader01-a1-p4-1' },
  ]
  const linesOf = (change: Partial<PaymentOrder>) =>
    paymentFile(order(wallets, { format: 'crypto', currency: 'USD', ...change })).split('\r\n')

  it('has its network in a column of its own', () => {
    expect(linesOf({})).toEqual([
      'Address,Tag,Currency,Amount,Note,Network',
      `${evm},,USDC,2944.00,trader01-a1-p1-1,ERC20`,
      `${evm},,USDT,2944.00,trader01-a1-p2-1,BEP20`,
      `${evm},,USDC,2944.00,trader01-a1-p3-1,POLYGON`,
      'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8,,USDT,2944.00,trader01-a1-p4-1,TRC20',
      '',
    ])
  })

  it('is named by the codes of the provider', () => {
    const codes = {
      USDC_ERC20: 'USDC',
      USDT_BEP20: 'usdtbsc',
      POLYGON: 'MATIC',
      TRC20: 'TRX',
      USDT_TRC20: 'USDT.TRC20',
    }
    const lines = linesOf({ codes }).slice(1, -1)
    expect(lines.map((line) => line.split(',')).map(([, , currency, , , network]) => [currency, network])).toEqual([
      ['USDC', 'ERC20'],
      ['usdtbsc', 'BEP20'],
      ['USDC', 'MATIC'],
      ['USDT.TRC20', 'TRX'],
    ])
  })

  it('keeps the bytes that release 0.2.0 wrote, also where it was less strict', () => {
    const first = { fileVersion: 1, codes: { USDC_ERC20: 'X', POLYGON: 'Y' } } as const
    expect(linesOf(first)).toEqual([
      'Address,Tag,Currency,Amount,Note',
      `${evm},,USDC,2944.00,trader01-a1-p1-1 ERC20`,
      `${evm},,USDT,2944.00,trader01-a1-p2-1 BEP20`,
      `${evm},,USDC,2944.00,trader01-a1-p3-1 POLYGON`,
      'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8,,USDT,2944.00,trader01-a1-p4-1 TRC20',
      '',
    ])
    expect(paymentFile(order([wallet], { ...first, format: 'crypto' }))).toContain(
      ',EURC,2944.00,trader01-a1-p1-1 TRC20',
    )
    expect(paymentFile(order([wallet], { ...first, format: 'csv' })).split('\r\n')[0]).toBe(
      'reference,amount,currency,method,holder,iban,accountNumber,bic,bankName,email,network,address,details',
    )
  })
})

describe('a table of payments', () => {
  const rowsOf = (file: string): string[][] => parse(file, { relax_column_count: false })

  it('is what Wise imports, in the currency that the amount is of', () => {
    expect(rowsOf(paymentFile(order([named('O’Brien, "Ada"')], { format: 'wise' })))).toEqual([
      'name,recipientEmail,paymentReference,referenceNumber,receiverType,amountCurrency,amount,sourceCurrency,targetCurrency,IBAN'.split(
        ',',
      ),
      ['O’Brien, "Ada"', '', bank.reference, bank.reference, 'PERSON', 'target', '2944.00', 'USD', 'EUR', IBAN],
    ])
    expect(paymentFile(order([bank], { format: 'wise', currency: 'USD' }))).toContain(',source,2944.00,USD,EUR,')
  })

  it('is what PayPal imports, without a header', () => {
    expect(paymentFile(order([paypal], { format: 'paypal', currency: 'USD' }))).toBe(
      'ada@example.com,2944.00,USD,trader01-a1-p1-1,Payout trader01-a1-p1-1,PAYPAL\r\n',
    )
  })

  it('has all that is known for the rest', () => {
    const words = { ...bank, reference: 'trader02-a1-p1-1', destination: null, details: 'Cash,\nto my "uncle"' }
    expect(rowsOf(paymentFile(order([swift, words], { format: 'csv', currency: 'USD' })))).toEqual([
      'reference,amount,currency,method,holder,iban,accountNumber,bic,bankName,email,network,coin,address,details'.split(
        ',',
      ),
      [
        ...['trader01-a1-p1-1', '2944.00', 'USD', 'bank', 'Ada Lovelace', '', '000123456', 'CHASUS33'],
        ...['Chase, New York', '', '', '', '', ''],
      ],
      [...['trader02-a1-p1-1', '2944.00', 'USD', 'bank', '', '', '', '', '', '', '', '', ''], 'Cash,\nto my "uncle"'],
    ])
  })

  it('gives every text back that it was made from', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), (holder) => {
        const payment = { ...swift, destination: { holder, accountNumber: '1', bic: 'CHASUS33', bankName: holder } }
        fc.pre(unfitFor({ format: 'csv', currency: 'USD' }, payment) === undefined)
        const [, row] = rowsOf(paymentFile(order([payment], { format: 'csv', currency: 'USD' })))
        expect([row?.[4], row?.[8]]).toEqual([holder, holder])
      }),
      { numRuns: 1000 },
    )
  })
})
