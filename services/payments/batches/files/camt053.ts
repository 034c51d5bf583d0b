import { type BankAnswer, UnreadableFile } from './bank-answer.ts'
import { amountOf, reasonOf, referenceOf } from './iso20022.ts'
import { type Element, messageIn } from './xml-element.ts'

/** A bank's statement, camt.053 of any version: what was booked with our references, and what came back. */

/** @throws {UnreadableFile} */
export function readCamt053(text: string): readonly BankAnswer[] {
  const message = messageIn(text, 'camt.053', /[:/]camt\.053\.\d{3}\.\d{2}/).at('BkToCstmrStmt')
  if (!message) throw new UnreadableFile('The file has no BkToCstmrStmt')
  return message.all('Stmt').flatMap((statement) => statement.all('Ntry').flatMap(answersOf))
}

function answersOf(entry: Element): readonly BankAnswer[] {
  // Later versions wrap the code, whose text is that of the element too.
  if (entry.at('Sts')?.text !== 'BOOK') return []
  const details = entry.all('NtryDtls')
  const payments = details.flatMap((each) => each.all('TxDtls'))
  if (payments.length === 0) return details.flatMap((each) => batchAnswer(entry, each.at('Btch')))
  return payments.flatMap((payment) => {
    const reference = referenceOf(payment.at('Refs', 'EndToEndId'))
    if (reference === undefined) return []
    const amount =
      payment.at('Amt') ??
      payment.at('AmtDtls', 'TxAmt', 'Amt') ??
      payment.at('AmtDtls', 'InstdAmt', 'Amt') ??
      (payments.length === 1 ? entry.at('Amt') : undefined)
    if (!amount) throw new UnreadableFile(`Line ${payment.line}: the payment has no amount`)
    const state = stateOf(payment, entry)
    if (state === undefined) return []
    const reason = state === 'returned' ? reasonOf(payment.all('RtrInf')) : null
    return [{ place: `line ${payment.line}`, about: { reference }, state, ...amountOf(amount), reason }]
  })
}

/** One entry for all payments of a batch. */
function batchAnswer(entry: Element, batch: Element | undefined): readonly BankAnswer[] {
  const id = batch && (referenceOf(batch.at('PmtInfId')) ?? referenceOf(batch.at('MsgId')))
  const amount = batch?.at('TtlAmt') ?? entry.at('Amt')
  const state = batch && stateOf(batch, entry)
  if (id === undefined || state === undefined) return []
  if (!amount) throw new UnreadableFile(`Line ${entry.line}: the entry has no amount`)
  const about = { batch: id, except: new Set<string>() }
  return [{ place: `line ${entry.line}`, about, state, ...amountOf(amount), reason: null }]
}

/** A debit is paid; a credit that the bank marks as a return has come back. Another credit is none of ours. */
function stateOf(payment: Element, entry: Element): 'paid' | 'returned' | undefined {
  const direction = payment.at('CdtDbtInd') ?? entry.at('CdtDbtInd')
  const isReturn =
    payment.at('RtrInf') !== undefined ||
    /^(true|1)$/.test(entry.at('RvslInd')?.text ?? '') ||
    [payment, entry].some((each) => each.at('BkTxCd', 'Domn', 'Fmly', 'SubFmlyCd')?.text === 'RRTN')
  switch (direction?.text) {
    case 'DBIT':
      return isReturn ? undefined : 'paid'
    case 'CRDT':
      return isReturn ? 'returned' : undefined
    default:
      throw new UnreadableFile(`Line ${payment.line}: the entry is neither a debit nor a credit`)
  }
}
