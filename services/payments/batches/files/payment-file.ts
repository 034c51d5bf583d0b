import { LONGEST_NAME, pain001 } from './pain001.ts'
import { cryptoCsv, paypalCsv, plainCsv, wiseCsv } from './payment-csv.ts'
import { type BatchFormat, mostPayments, XLSX_TYPE } from '../batch-vocabulary.ts'
import { type OrderedPayment, type PaymentOrder, unfitFor } from './payment-order.ts'
import { sepaText } from './sepa-text.ts'

const writers: Readonly<Record<BatchFormat, (order: PaymentOrder) => string>> = {
  'pain.001': pain001,
  wise: wiseCsv,
  paypal: paypalCsv,
  crypto: cryptoCsv,
  csv: plainCsv,
}

/**
 * The file of an order. The same order gives the same bytes.
 *
 * @throws {RangeError} for an order that was not checked: empty, too long, a payment that does not fit, a reference
 * that a bank refuses or that comes twice.
 */
export function paymentFile(order: PaymentOrder): string {
  const { id, format, payments, fileVersion } = order
  if (payments.length === 0 || payments.length > mostPayments[format])
    throw new RangeError(`A file has 1 to ${mostPayments[format]} payments, not ${payments.length}`)
  if (!/^[A-Za-z0-9-]{1,35}$/.test(id)) throw new RangeError(`${id} is no id of a batch`)
  for (const payment of payments) {
    const { reference } = payment
    if (!/^[A-Za-z0-9-]{1,30}$/.test(reference)) throw new RangeError(`${reference} is no reference`)
    // Version 1 was checked by the rules of release 0.2.0.
    const problem = fileVersion === 1 ? undefined : unfitFor(order, payment)
    if (problem !== undefined) throw new RangeError(`${reference}: ${problem}`)
  }
  if (new Set(payments.map(({ reference }) => reference)).size < payments.length)
    throw new RangeError('A reference comes twice')
  return writers[format](order)
}

/** Describes what the file of a format says otherwise than the destination does; null where it says the same. */
export function changeInFile(format: BatchFormat, { destination }: Pick<OrderedPayment, 'destination'>): string | null {
  if (format !== 'pain.001' || !destination || !('holder' in destination)) return null
  const name = sepaText(destination.holder, LONGEST_NAME)
  return name === destination.holder ? null : `The bank reads the name of the holder as “${name}”`
}

/** The name under which a file is saved, and its type. */
export function fileName(
  { id, format }: Pick<PaymentOrder, 'id' | 'format'>,
  reader: 'programs' | 'people',
): { name: string; type: string } {
  if (reader === 'people') return { name: `${id}-for-people.xlsx`, type: XLSX_TYPE }
  return format === 'pain.001'
    ? { name: `${id}.xml`, type: 'application/xml' }
    : { name: `${id}-${format}.csv`, type: 'text/csv' }
}
