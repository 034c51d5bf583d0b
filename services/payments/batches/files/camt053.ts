import { type Amount, type AnswerFile, type BankAnswer, bankAnswer } from './bank-answer.ts'
import { amountOf, inWords, oursIn, reasonOf } from './iso20022.ts'
import { type Element, messageIn } from './xml-element.ts'

/**
 * A bank's statement, camt.053 of any version: what was booked with our references, and what came back. Most of it is
 * none of ours, and may be of any form. Whatever names something of ours is told.
 */

/** @throws {UnreadableFile} */
export function readCamt053(text: string): AnswerFile {
  const message = messageIn(text, 'camt.053', /[:/]camt\.053\.\d{3}\.\d{2}$/, 'BkToCstmrStmt', 'BkToCstmrStmtV01')
  const entries = message.all('Stmt').flatMap((statement) =>
    statement.all('Ntry').map((entry) => {
      const texts = entry.texts()
      return { entry, namesPayment: oursIn(...texts).length > 0, batches: batchesIn(texts) }
    }),
  )
  return {
    mentioned: new Set(entries.flatMap(({ batches }) => batches)),
    answers: (isBatch) =>
      entries.flatMap(({ entry, namesPayment, batches }) =>
        namesPayment || batches.some(isBatch) ? answersOf(entry, isBatch) : [],
      ),
  }
}

/** What may be ids of batches, as `randomId` makes them. */
function batchesIn(texts: readonly string[]): readonly string[] {
  return texts.flatMap(
    (text) => text.toLowerCase().match(/(?<![a-z0-9])(?=\d*[a-z])[0-9a-hjkmnp-tv-z]{16}(?![a-z0-9])/g) ?? [],
  )
}

/** The payments and batches of ours that a part of an entry names. */
interface Named {
  readonly payments: readonly string[]
  readonly batches: readonly string[]
  /** In a field for references, not in words that people read. */
  readonly isReferred: boolean
}

const referenceFields = ['EndToEndId', 'InstrId', 'PmtInfId', 'MsgId'] as const

function namedIn(
  fields: readonly (Element | undefined)[],
  texts: readonly string[],
  isBatch: (id: string) => boolean,
): Named {
  const read = (from: readonly string[]) => ({
    payments: oursIn(...from),
    batches: [...new Set(batchesIn(from).filter(isBatch))],
  })
  const referred = read(fields.map((field) => field?.text ?? ''))
  const inWords = read(texts)
  return {
    payments: referred.payments.length > 0 ? referred.payments : inWords.payments,
    batches: referred.batches.length > 0 ? referred.batches : inWords.batches,
    isReferred: referred.payments.length + referred.batches.length > 0,
  }
}

function answersOf(entry: Element, isBatch: (id: string) => boolean): readonly BankAnswer[] {
  const parts = entry.all('NtryDtls')
  // The first version has the details in the entry itself, and an entry may have none.
  return (parts.length > 0 ? parts : [entry]).flatMap((part) => answersIn(part, entry, parts.length < 2, isBatch))
}

/** The answers in a part of an entry; `isOnly`: what the entry says of itself is about this part. */
function answersIn(
  part: Element,
  entry: Element,
  isOnly: boolean,
  isBatch: (id: string) => boolean,
): readonly BankAnswer[] {
  const all = part.all('TxDtls').map((payment) => ({
    payment,
    named: namedIn(
      referenceFields.map((name) => payment.first('Refs', name)),
      payment.texts(),
      isBatch,
    ),
  }))
  const around = isOnly && part !== entry ? entry.texts('NtryDtls') : []
  const batch = part.first('Btch')
  const whole = namedIn(
    [batch?.first('PmtInfId'), batch?.first('MsgId')],
    [...part.texts('TxDtls'), ...around],
    isBatch,
  )
  const single = all.filter(({ named }) => named.payments.length > 0)
  const rest = all.filter(({ named }) => named.payments.length === 0)
  const told = new Set(single.flatMap(({ named }) => named.payments))
  // One sum for payments that have no amounts of their own.
  if (
    isOnly &&
    rest.length === 0 &&
    told.size > 1 &&
    single.every(({ payment }) => sumOf([{ payment }], entry).length === 0)
  )
    return [
      answerOf(
        entry,
        entry,
        single.map(({ payment }) => payment),
        { about: { payments: [...told] }, amounts: amountsOf(part, entry, entry), isReferred: true },
      ),
    ]
  const answers = single.map(({ payment, named: { payments, isReferred } }) => {
    const amounts = amountsOf(payment, isOnly && all.length === 1 ? entry : undefined, entry)
    return answerOf(entry, payment, [payment], { about: { payments }, amounts, isReferred })
  })
  if (all.length > 0 && rest.length === 0) return answers

  const wholeAmounts = isOnly && single.length === 0 ? [...amountsOf(part, entry, entry), ...sumOf(rest, entry)] : []
  const more = { elements: rest.map(({ payment }) => payment), from: batch ?? entry }
  const further = whole.isReferred ? [] : whole.payments.filter((reference) => !told.has(reference))
  if (further.length > 0) {
    const about = { payments: further }
    return [...answers, answerOf(entry, more.from, more.elements, { ...whole, about, amounts: wholeAmounts })]
  }
  const batches = [...new Set([...whole.batches, ...rest.flatMap(({ named }) => named.batches)])]
  for (const id of batches) {
    const its = batches.length === 1 ? rest : rest.filter(({ named }) => named.batches.includes(id))
    const amounts = batches.length === 1 && wholeAmounts.length > 0 ? wholeAmounts : sumOf(its, entry)
    const total = amountOf(batch?.first('TtlAmt'))
    answers.push(
      answerOf(entry, more.from, more.elements, {
        about: { batch: id, except: told },
        amounts: total && batches.length === 1 && told.size === 0 ? [total, ...amounts] : amounts,
        isReferred: whole.isReferred || its.some(({ named }) => named.isReferred),
      }),
    )
  }
  return answers
}

interface About extends Pick<BankAnswer, 'about'> {
  readonly amounts: readonly Amount[]
  readonly isReferred: boolean
}

/** What an entry says of payments; `from` and `details` say it before the entry does. */
function answerOf(
  entry: Element,
  from: Element,
  details: readonly Element[],
  { about, amounts, isReferred }: About,
): BankAnswer {
  const answer = bankAnswer({ place: `line ${from.line}`, about, amounts })
  const status = entry.first('Sts')?.text ?? ''
  // Later versions wrap the code, whose text is that of the element too.
  if (status !== 'BOOK') return { ...answer, amounts: null, said: inWords(status, 'not booked', null) }
  const direction = (from.first('CdtDbtInd') ?? entry.first('CdtDbtInd'))?.text
  const { reason, remedy } = reasonOf(details.flatMap((each) => each.all('RtrInf')))
  const code = [...details, entry].map((each) => each.first('BkTxCd', 'Prtry', 'Cd')?.text).find(Boolean)
  const said = inWords(direction === 'CRDT' ? 'credited' : 'debited', code && `code ${code}`, reason)
  const isMarked =
    details.some((each) => each.first('RtrInf')) ||
    /^(true|1)$/.test(entry.first('RvslInd')?.text ?? '') ||
    [...details, entry].some((each) => each.first('BkTxCd', 'Domn', 'Fmly', 'SubFmlyCd')?.text === 'RRTN')
  const refused = (words: string): BankAnswer => ({ ...answer, said, remedy, problem: { outcome: 'refused', words } })
  if (direction === 'DBIT')
    return isMarked ? refused('A debit takes back an earlier entry') : { ...answer, state: 'paid', said }
  if (direction !== 'CRDT') return refused('The entry is neither a debit nor a credit')
  // Our own reference comes back with our money only. In words anybody may write it.
  return isMarked || isReferred
    ? { ...answer, state: 'returned', reason, said, remedy }
    : refused('A credit names it in its text, and is not marked as a return')
}

/**
 * The amounts that may be those of the order. What was instructed is that alone; without it charges may have been added
 * to a debit, or kept from a credit.
 *
 * @param whole The entry, where all of it is about this.
 */
function amountsOf(element: Element, whole: Element | undefined, entry: Element): readonly Amount[] {
  const from = whole && whole !== element ? [element, whole] : [element]
  const instructed = from.map((each) => each.first('AmtDtls', 'InstdAmt', 'Amt')).find(Boolean)
  if (instructed) return [amountOf(instructed) ?? []].flat()
  const booked = from.flatMap((each) => [each.first('AmtDtls', 'TxAmt', 'Amt'), each.first('Amt')])
  const amounts = booked.flatMap((each) => amountOf(each) ?? [])
  const charges = from.map((each) => chargesOf(each)).find((each) => each.length > 0) ?? []
  const sign = (element.first('CdtDbtInd') ?? entry.first('CdtDbtInd'))?.text === 'CRDT' ? 1 : -1
  return [
    ...amounts,
    ...amounts.map(({ amount, currency }) => ({
      amount: amount + sign * charges.reduce((sum, each) => (each.currency === currency ? sum + each.amount : sum), 0),
      currency,
    })),
  ]
}

function chargesOf(element: Element): readonly Amount[] {
  return element.all('Chrgs').flatMap((charges) => {
    const total = charges.first('TtlChrgsAndTaxAmt')
    const single = [...charges.all('Rcrd').map((record) => record.first('Amt')), charges.first('Amt')]
    return (total ? [total] : single).flatMap((each) => amountOf(each) ?? [])
  })
}

/** The sum of payments that are not named; none where an amount is missing or of another currency. */
function sumOf(payments: readonly { readonly payment: Element }[], entry: Element): readonly Amount[] {
  const amounts = payments.flatMap(({ payment }) => amountsOf(payment, undefined, entry)[0] ?? [])
  const [one] = amounts
  if (!one || amounts.length < payments.length || amounts.some(({ currency }) => currency !== one.currency)) return []
  return [{ amount: amounts.reduce((sum, { amount }) => sum + amount, 0), currency: one.currency }]
}
