import { parseMoney } from '#services/rules/money.ts'
import { plainText, UnreadableFile } from './bank-answer.ts'
import type { Element } from './xml-element.ts'

/** The common parts of a bank's messages. */

/** An amount with its currency, in cents. @throws {UnreadableFile} for one with a fraction of a cent. */
export function amountOf(element: Element): { readonly amount: number; readonly currency: string } {
  const { text, line } = element
  const [, whole, fraction = ''] = /^\+?(\d{1,15})(?:\.(\d{0,5}))?$/.exec(text) ?? []
  const amount = whole === undefined ? undefined : parseMoney(`${whole}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`)
  if (amount === undefined)
    throw new UnreadableFile(`Line ${line}: ${JSON.stringify(text)} is no amount in whole cents`)
  const currency = element.attribute('Ccy') ?? ''
  if (!/^[A-Z]{3}$/.test(currency)) throw new UnreadableFile(`Line ${line}: the amount has no currency`)
  return { amount, currency }
}

/** The most characters of a reference in ISO 20022. */
const LONGEST_REFERENCE = 35

/** A reference; undefined where there is none or the bank says that none was given. */
export function referenceOf(element: Element | undefined): string | undefined {
  if (!element || element.text === '' || element.text === 'NOTPROVIDED') return undefined
  if (element.text.length > LONGEST_REFERENCE)
    throw new UnreadableFile(`Line ${element.line}: a reference has more than ${LONGEST_REFERENCE} characters`)
  return element.text
}

/** The commonest reasons (ISO 20022 external codes) in words. */
const reasons: Readonly<Record<string, string>> = {
  AC01: 'the account number is wrong',
  AC04: 'the account is closed',
  AC06: 'the account is blocked',
  AG01: 'the account takes no transfers',
  AM05: 'the bank takes it for a duplicate',
  BE01: 'the name does not belong to the account',
  MD07: 'the holder has died',
  MS03: 'the bank states no reason',
  RC01: 'the BIC is wrong',
}

/** The reason in elements such as `RtrInf` or `StsRsnInf`; null where none is given. */
export function reasonOf(elements: readonly Element[]): string | null {
  const texts = elements.flatMap((element) => {
    const code = element.at('Rsn', 'Cd')?.text ?? element.at('Rsn', 'Prtry')?.text ?? ''
    const words = reasons[code]
    const further = element.all('AddtlInf').map(({ text }) => text)
    return [words === undefined ? code : `${code}, ${words}`, ...further]
  })
  return plainText(texts.filter((text) => text !== '').join('; '))
}
