import { createHash } from 'node:crypto'
import { parseXml, XmlElement } from '@rgrove/parse-xml'
import fc from 'fast-check'
import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import type { OrderedPayment, PaymentOrder } from './payment-order.ts'
import { peopleFile } from './people-file.ts'

const payment: OrderedPayment = {
  reference: 'trader01-a1-p1-1',
  amount: 2_944_00,
  method: 'bank',
  destination: { holder: 'Ada Lovelace', accountNumber: '000123456789', bic: 'CHASUS33', bankName: 'Chase' },
  details: '',
}
const order = (payments: readonly OrderedPayment[], change: Partial<PaymentOrder> = {}): PaymentOrder => ({
  ...{ id: 'b7k2m9', format: 'csv', currency: 'USD', at: 0, payer: null, fileVersion: 2, codes: {} },
  payments,
  ...change,
})
const inWords = (details: string): OrderedPayment => ({ ...payment, destination: null, details })

const elements = (element: XmlElement, name: string): XmlElement[] =>
  element.children.flatMap((child) =>
    child instanceof XmlElement ? (child.name === name ? [child] : elements(child, name)) : [],
  )

/** The cells of a sheet by their places, read as spreadsheets read it: each has to be a text in a cell for texts. */
function cellsOf(file: Uint8Array): ReadonlyMap<string, string> {
  const parts = unzipSync(file)
  const partOf = (name: string) => {
    const { root } = parseXml(strFromU8(parts[name] ?? new Uint8Array()))
    if (!root) throw new Error(`${name} is empty`)
    return root
  }
  const formats = elements(partOf('xl/styles.xml'), 'cellXfs').flatMap((all) => elements(all, 'xf'))
  return new Map(
    elements(partOf('xl/worksheets/sheet1.xml'), 'c').map((cell) => {
      const { r: place = '', s: style, t: type } = cell.attributes
      expect([type, formats[Number(style)]?.attributes['numFmtId']]).toEqual(['inlineStr', '49'])
      const text = cell.text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
        String.fromCharCode(parseInt(code, 16)),
      )
      return [place, text]
    }),
  )
}

describe('the file for people', () => {
  it('has every field of a payment under its heading', () => {
    const wallet = { network: 'POLYGON', coin: 'USDT', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' } as const
    const cells = cellsOf(
      peopleFile(order([payment, { ...payment, reference: 'r2', method: 'crypto', destination: wallet }])),
    )
    const row = (number: number) => 'ABCDEFGHIJKLMN'.split('').map((column) => cells.get(`${column}${number}`) ?? '')
    expect(row(1)).toEqual([
      ...['Reference', 'Amount', 'Currency', 'Method', 'Account holder', 'IBAN', 'Account number', 'BIC', 'Bank'],
      ...['Email', 'Network', 'Coin', 'Wallet address', "In the trader's words"],
    ])
    expect(row(2)).toEqual([
      ...['trader01-a1-p1-1', '2944.00', 'USD', 'Bank transfer', 'Ada Lovelace', '', '000123456789', 'CHASUS33'],
      ...['Chase', '', '', '', '', ''],
    ])
    expect(row(3).slice(10, 13)).toEqual(['POLYGON', 'USDT', wallet.address])
    expect(cells.get('A4')).toBeUndefined()
  })

  it('names the coin that a file for wallets sends', () => {
    const wallet = { network: 'TRC20', address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' } as const
    const paid = { ...payment, method: 'crypto', destination: wallet } as const
    expect(cellsOf(peopleFile(order([paid], { format: 'crypto' }))).get('L2')).toBe('USDT')
    expect(cellsOf(peopleFile(order([paid]))).get('L2')).toBeUndefined()
  })

  it.each([
    '000123456789',
    '1-2-2024',
    '12345678901234567890',
    '1E5',
    'TRUE',
    '=HYPERLINK("http://x","y")',
    ' two  blanks ',
    'Two\nlines\tand\r\nmore',
    '<&>"\']]>',
    '_x0041_ and _x005F_',
    'Łukasz 王 😀 \u202eevil',
    '\u0001\u001f\ufffe',
  ])('keeps every character of %j', (text) => {
    expect(cellsOf(peopleFile(order([inWords(text)]))).get('N2')).toBe(text)
  })

  it('keeps any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 100 }), (text) => {
        expect(cellsOf(peopleFile(order([inWords(text)]))).get('N2')).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  it('has the same bytes each time, byte for byte as ever', () => {
    const file = peopleFile(order([payment, inWords('Cash')]))
    expect(peopleFile(structuredClone(order([payment, inWords('Cash')])))).toEqual(file)
    expect(createHash('sha256').update(file).digest('hex')).toBe(
      '4f1e486571b878f5889e57970c583e93619baea6121d2d698005513199bba0c9',
    )
  })
})
