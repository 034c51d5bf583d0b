import { toDecimal } from '#services/rules/money.ts'
import type { FirmAccount } from '../firm-account.ts'
import type { OrderedPayment, PaymentOrder } from './payment-order.ts'
import { sepaText } from './sepa-text.ts'

/**
 * A SEPA credit transfer, pain.001.001.09: one debtor, one day of execution, no postal addresses (since November 2026
 * banks refuse unstructured ones, and the schema demands none).
 */

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09'

/** The most characters of a name in SEPA. */
export const LONGEST_NAME = 70

/** @throws {RangeError} for an order without an account that pays, or in another currency. */
export function pain001(order: PaymentOrder): string {
  const { id, at, payments, payer } = order
  if (!payer) throw new RangeError('A SEPA file names the account that pays')
  if (order.currency !== 'EUR') throw new RangeError('A SEPA file is in euro')
  const moment = new Date(at).toISOString()
  const name = element('Nm', sepaText(payer.name, LONGEST_NAME))
  const totals = [
    element('NbOfTxs', String(payments.length)),
    element('CtrlSum', toDecimal(payments.reduce((sum, { amount }) => sum + amount, 0))),
  ]
  const header = parent(
    'GrpHdr',
    element('MsgId', id),
    element('CreDtTm', `${moment.slice(0, 19)}Z`),
    ...totals,
    parent('InitgPty', name),
  )
  const instruction = parent(
    'PmtInf',
    element('PmtInfId', id),
    element('PmtMtd', 'TRF'),
    ...totals,
    parent('PmtTpInf', parent('SvcLvl', element('Cd', 'SEPA'))),
    parent('ReqdExctnDt', element('Dt', moment.slice(0, 10))),
    parent('Dbtr', name),
    account('DbtrAcct', payer),
    agent('DbtrAgt', payer.bic),
    element('ChrgBr', 'SLEV'),
    ...payments.map(transfer),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}">${parent('CstmrCdtTrfInitn', header, instruction)}</Document>\n`
}

function transfer({ reference, amount, destination }: OrderedPayment): string {
  if (!destination || !('iban' in destination)) throw new RangeError(`${reference} has no IBAN`)
  const { holder, iban, bic } = destination
  return `\n${parent(
    'CdtTrfTxInf',
    parent('PmtId', element('EndToEndId', reference)),
    parent('Amt', `<InstdAmt Ccy="EUR">${toDecimal(amount)}</InstdAmt>`),
    ...(bic === undefined ? [] : [agent('CdtrAgt', bic)]),
    parent('Cdtr', element('Nm', sepaText(holder, LONGEST_NAME))),
    account('CdtrAcct', { iban }),
    parent('RmtInf', element('Ustrd', `Payout ${reference}`)),
  )}`
}

function account(name: string, { iban }: Pick<FirmAccount, 'iban'>): string {
  return parent(name, parent('Id', element('IBAN', iban)))
}

function agent(name: string, bic: string): string {
  return parent(name, parent('FinInstnId', element('BICFI', bic)))
}

function parent(name: string, ...children: readonly string[]): string {
  return `<${name}>${children.join('')}</${name}>`
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function element(name: string, text: string): string {
  return parent(
    name,
    text.replaceAll(/[&<>]/g, (sign) => escapes[sign] ?? sign),
  )
}
