import { type BankAnswer, bankAnswer, UnreadableFile } from './bank-answer.ts'
import { externalCodeSets, groupStatuses, paymentStatuses, type StatusMeaning } from './external-codes.ts'
import { amountOf, inWords, reasonOf, referenceOf } from './iso20022.ts'
import { type Element, messageIn } from './xml-element.ts'

/** A bank's report on the status of an order, pain.002 of any version: on the message, on its instruction, on payments. */

/** A status that the file gives, with its meaning where that is known. */
interface Status {
  readonly code: string
  readonly meaning: StatusMeaning | undefined
}

/** @throws {UnreadableFile} */
export function readPain002(text: string): readonly BankAnswer[] {
  const report = messageIn(text, 'pain.002', /[:/$]pain\.002\.\d{3}\.\d{2}$/, 'CstmrPmtStsRpt', 'pain.002.001.02')
  const group = report.at('OrgnlGrpInfAndSts')
  if (!group) throw new UnreadableFile('The file has no OrgnlGrpInfAndSts, which names the order')
  const ofGroup = statusOf(group.at('GrpSts'), groupStatuses)
  const instructions = report.all('OrgnlPmtInfAndSts')
  const answered = instructions.flatMap((instruction) => {
    const ofInstruction = statusOf(instruction.at('PmtInfSts'), groupStatuses)
    const payments = instruction.all('TxInfAndSts').map((payment) => answerOf(payment, ofInstruction ?? ofGroup))
    return ofInstruction
      ? [...payments, ...batchAnswer(instruction, 'OrgnlPmtInfId', ofInstruction, payments)]
      : payments
  })
  // The second version has no instructions.
  answered.push(...report.all('TxInfAndSts').map((payment) => answerOf(payment, ofGroup)))
  const isSaidBelow = instructions.some((instruction) => instruction.at('PmtInfSts'))
  return ofGroup && !isSaidBelow ? [...answered, ...batchAnswer(group, 'OrgnlMsgId', ofGroup, answered)] : answered
}

function answerOf(payment: Element, inherited: Status | undefined): BankAnswer {
  const reference = referenceOf(payment.at('OrgnlEndToEndId'))
  const status = statusOf(payment.at('TxSts'), paymentStatuses) ?? inherited
  const amount = payment.at('OrgnlTxRef', 'Amt', 'InstdAmt')
  const answer = answerWith(payment, { payments: reference === undefined ? [] : [reference] }, status)
  if (reference === undefined)
    return { ...answer, problem: { outcome: 'unknown', words: 'The bank does not say which payment it means' } }
  return amount ? { ...answer, amounts: [amountOf(amount) ?? []].flat() } : answer
}

/** The answer on a whole order or instruction, where its status says more than those of its payments. */
function batchAnswer(
  element: Element,
  name: string,
  status: Status,
  payments: readonly BankAnswer[],
): readonly BankAnswer[] {
  if (status.meaning?.isMixed && payments.length > 0) return []
  const batch = referenceOf(element.at(name))
  if (batch === undefined)
    return [
      {
        ...answerWith(element, { payments: [] }, status),
        problem: { outcome: 'unknown', words: 'The bank does not say which order it means' },
      },
    ]
  const except = new Set(payments.flatMap(({ about }) => ('payments' in about ? about.payments : [])))
  return [answerWith(element, { batch, except }, status)]
}

function answerWith(element: Element, about: BankAnswer['about'], status: Status | undefined): BankAnswer {
  const { reason, remedy, ...given } = reasonOf(element.all('StsRsnInf'))
  const place = `line ${element.line}`
  if (!status || (status.meaning?.isMixed && 'payments' in about))
    return bankAnswer({
      place,
      about,
      said: reason,
      problem: { outcome: 'unknown', words: 'The bank gives no status' },
    })
  const { code, meaning } = status
  const said = inWords(code, meaning?.words, reason)
  if (!meaning) return bankAnswer({ place, about, said, problem: { outcome: 'unknown', words: noCode(code) } })
  const { state, payee = given.payee } = meaning
  return bankAnswer({ place, about, state, payee, reason, said, remedy: remedy ?? meaning.remedy ?? null })
}

function noCode(code: string): string {
  return `“${code.slice(0, 35)}” is no status of ISO 20022 (${externalCodeSets.edition})`
}

function statusOf(element: Element | undefined, known: ReadonlyMap<string, StatusMeaning>): Status | undefined {
  return element && { code: element.text, meaning: known.get(element.text) }
}
