import { toDecimal } from '#services/rules/money.ts'
import { codesOf } from '../coin-code-vocabulary.ts'
import { coinPaid, type OrderedPayment, type PaymentOrder } from './payment-order.ts'

/**
 * Files of payments as CSV (RFC 4180). The programs that read them take each cell as it is: no byte order mark, and no
 * mark against formulas. `unfitFor` refuses texts that a spreadsheet would evaluate.
 */

/** Wise's template for bank accounts with an IBAN, in euro. `amountCurrency` says which side the amount is of. */
export function wiseCsv({ currency, payments }: PaymentOrder): string {
  const header = [
    'name',
    'recipientEmail',
    'paymentReference',
    'referenceNumber',
    'receiverType',
    'amountCurrency',
    'amount',
    'sourceCurrency',
    'targetCurrency',
    'IBAN',
  ]
  const side = currency === 'EUR' ? 'target' : 'source'
  const row = ({ reference, amount, destination }: OrderedPayment) => {
    if (!destination || !('iban' in destination)) throw new RangeError(`${reference} has no IBAN`)
    const { holder, iban } = destination
    return [holder, '', reference, reference, 'PERSON', side, toDecimal(amount), 'USD', 'EUR', iban]
  }
  return table([header, ...payments.map(row)])
}

/** PayPal Payouts Web: no header; recipient, amount, currency, customer id, note, wallet. */
export function paypalCsv({ currency, payments }: PaymentOrder): string {
  const row = ({ reference, amount, destination }: OrderedPayment) => {
    if (!destination || !('email' in destination)) throw new RangeError(`${reference} has no address`)
    return [destination.email, toDecimal(amount), currency, reference, `Payout ${reference}`, 'PAYPAL']
  }
  return table(payments.map(row))
}

/**
 * A file of transfers to wallets, `Address,Tag,Currency,Amount,Note,Network`. The currency is the coin that is sent, one
 * for a dollar or a euro; it and the network stand there by the codes of the firm's provider. In version 1 the network
 * stands in the note.
 */
export function cryptoCsv({ currency, payments, fileVersion, codes }: PaymentOrder): string {
  const header = ['Address', 'Tag', 'Currency', 'Amount', 'Note']
  const row = ({ reference, amount, destination }: OrderedPayment) => {
    if (!destination || !('network' in destination)) throw new RangeError(`${reference} has no wallet`)
    const { address, network } = destination
    const coin = coinPaid(currency, destination)
    if (fileVersion === 1) return [address, '', coin, toDecimal(amount), `${reference} ${network}`]
    const code = codesOf(codes, coin, network)
    return [address, '', code.currency, toDecimal(amount), reference, code.network]
  }
  return table([fileVersion === 1 ? header : [...header, 'Network'], ...payments.map(row)])
}

/** Everything about each payment, for a program of the firm. */
export function plainCsv({ currency, payments, fileVersion }: PaymentOrder): string {
  const columns = [
    ...['holder', 'iban', 'accountNumber', 'bic', 'bankName', 'email', 'network'],
    ...(fileVersion === 1 ? [] : ['coin']),
    'address',
  ]
  const row = ({ reference, amount, method, destination, details }: OrderedPayment) => {
    const fields: Readonly<Record<string, string | undefined>> = { ...destination }
    return [reference, toDecimal(amount), currency, method, ...columns.map((column) => fields[column] ?? ''), details]
  }
  return table([['reference', 'amount', 'currency', 'method', ...columns, 'details'], ...payments.map(row)])
}

function table(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('')
}

function cell(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
