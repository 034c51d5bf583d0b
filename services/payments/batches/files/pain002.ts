import { type AnsweredState, type BankAnswer, UnreadableFile } from './bank-answer.ts'
import { amountOf, reasonOf, referenceOf } from './iso20022.ts'
import { type Element, messageIn } from './xml-element.ts'

/** A bank's report on the status of an order, pain.002 of any version: on the message, on its instruction, on payments. */

/** Null says nothing of its own: the parts differ. */
const states: Readonly<Record<string, AnsweredState | null>> = {
  RJCT: 'failed',
  CANC: 'failed',
  ACSC: 'paid',
  ACCC: 'paid',
  ACTC: 'sent',
  ACCP: 'sent',
  ACFC: 'sent',
  ACSP: 'sent',
  ACWC: 'sent',
  ACWP: 'sent',
  PATC: 'sent',
  PDNG: 'sent',
  RCVD: 'sent',
  PART: null,
}

/** @throws {UnreadableFile} */
export function readPain002(text: string): readonly BankAnswer[] {
  const report = messageIn(text, 'pain.002', /[:/]pain\.002\.\d{3}\.\d{2}/).at('CstmrPmtStsRpt')
  const group = report?.at('OrgnlGrpInfAndSts')
  if (!report || !group) throw new UnreadableFile('The file has no OrgnlGrpInfAndSts, which names the order')
  const ofGroup = statusOf(group.at('GrpSts'))
  const instructions = report.all('OrgnlPmtInfAndSts')
  const answered = instructions.flatMap((instruction) => {
    const ofInstruction = statusOf(instruction.at('PmtInfSts'))
    const payments = instruction
      .all('TxInfAndSts')
      .map((payment) => answerOf(payment, ofInstruction ?? ofGroup ?? undefined))
    const except = new Set(payments.map(({ about }) => about.reference))
    const whole = ofInstruction && batchAnswer(instruction, 'OrgnlPmtInfId', ofInstruction, except)
    return whole ? [...payments, whole] : payments
  })
  const isSaidBelow = instructions.some((instruction) => instruction.at('PmtInfSts'))
  if (!ofGroup || isSaidBelow) return answered
  const except = new Set(answered.flatMap(({ about }) => ('reference' in about ? [about.reference] : [])))
  return [...answered, batchAnswer(group, 'OrgnlMsgId', ofGroup, except)]
}

function answerOf(payment: Element, inherited: AnsweredState | undefined) {
  const reference = referenceOf(payment.at('OrgnlEndToEndId'))
  if (reference === undefined) throw new UnreadableFile(`Line ${payment.line}: a payment has no OrgnlEndToEndId`)
  const state = statusOf(payment.at('TxSts')) ?? inherited
  if (!state) throw new UnreadableFile(`Line ${payment.line}: a payment has no status`)
  const amount = payment.at('OrgnlTxRef', 'Amt', 'InstdAmt')
  return {
    place: `line ${payment.line}`,
    about: { reference },
    state,
    ...(amount ? amountOf(amount) : { amount: null, currency: null }),
    reason: reasonOf(payment.all('StsRsnInf')),
  }
}

function batchAnswer(element: Element, name: string, state: AnsweredState, except: ReadonlySet<string>): BankAnswer {
  const batch = referenceOf(element.at(name))
  if (batch === undefined) throw new UnreadableFile(`Line ${element.line}: there is no ${name}`)
  return {
    place: `line ${element.line}`,
    about: { batch, except },
    state,
    amount: null,
    currency: null,
    reason: reasonOf(element.all('StsRsnInf')),
  }
}

/** Undefined without an element, null for one that says nothing of its own. */
function statusOf(element: Element | undefined): AnsweredState | null | undefined {
  if (!element) return undefined
  const state = states[element.text]
  if (state === undefined)
    throw new UnreadableFile(`Line ${element.line}: ${JSON.stringify(element.text)} is no status`)
  return state
}
