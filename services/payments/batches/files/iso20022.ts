import { parseMoney } from '#services/rules/money.ts'
import { payoutId } from '#services/framework/ids.ts'
import type { PayeeCheck } from '#services/trading/stream/payout-vocabulary.ts'
import { type Amount, type BankAnswer, plainText, UnreadableFile } from './bank-answer.ts'
import { externalReasons, payeeOfReason, type RemedyOfReason } from './external-reasons.ts'
import type { Element } from './xml-element.ts'

/** The common parts of a bank's messages. */

/** An amount in whole cents with its currency; undefined for any other, which is that of no order. */
export function amountOf(element: Element | undefined): Amount | undefined {
  const [, whole, fraction = ''] = /^\+?(\d{1,15})(?:\.(\d{0,5}))?$/.exec(element?.text ?? '') ?? []
  const amount = whole === undefined ? undefined : parseMoney(`${whole}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`)
  const currency = element?.attribute('Ccy') ?? ''
  return amount === undefined || !/^[A-Z]{3}$/.test(currency) ? undefined : { amount, currency }
}

/** The most characters of a reference in ISO 20022. */
const LONGEST_REFERENCE = 35

/** A reference; undefined where there is none or the bank says that none was given. */
export function referenceOf(element: Element | undefined): string | undefined {
  if (!element || element.text === '' || element.text === 'NOTPROVIDED') return undefined
  if (element.text.length > LONGEST_REFERENCE)
    throw new UnreadableFile(`Line ${element.line}: a reference has more than ${LONGEST_REFERENCE} characters`)
  return oursIn(element.text)[0] ?? element.text
}

/** References of ours in texts of a bank: some banks write them in capital letters, or break the line after a hyphen. */
export function oursIn(...texts: readonly string[]): readonly string[] {
  const found = texts.flatMap((text) => {
    const pieces =
      text
        .toLowerCase()
        .replaceAll(/\s*-\s*/g, '-')
        .match(/[a-z0-9]+-a\d+-p\d+-\d+/g) ?? []
    return pieces.filter((each) => payoutOf(each) !== undefined)
  })
  return [...new Set(found)]
}

/** The payout that a reference of ours names: '<payout id>-<attempt>'. */
export function payoutOf(reference: string) {
  const [, id] = /^(.+)-[1-9]\d{0,3}$/.exec(reference) ?? []
  return payoutId.safeParse(id).data
}

/** The reason in elements such as `RtrInf` or `StsRsnInf`, in words; null where none is given. */
export function reasonOf(elements: readonly Element[]): Pick<BankAnswer, 'reason' | 'remedy' | 'payee'> {
  let remedy: RemedyOfReason | null = null
  let payee: PayeeCheck | null = null
  const texts = elements.flatMap((element) => {
    // Its second version calls it StsRsn.
    const reason = element.first('Rsn') ?? element.first('StsRsn')
    const code = reason?.first('Cd')?.text ?? reason?.first('Prtry')?.text ?? ''
    const known = externalReasons.get(code)
    remedy ??= known?.remedy ?? null
    payee ??= payeeOfReason.get(code) ?? null
    const further = element.all('AddtlInf').map(({ text }) => text)
    return [known ? `${code}, ${known.words}` : code, ...further]
  })
  return { reason: plainText(texts.filter((text) => text !== '').join('; ')), remedy, payee }
}

/** A code of a bank with its meaning and reason, as people read it: 'RJCT, rejected: AC04, the account is closed'. */
export function inWords(code: string, words: string | undefined, reason: string | null): string {
  const said = words === undefined ? code : `${code}, ${words}`
  return plainText(reason === null ? said : `${said}: ${reason}`) ?? ''
}
