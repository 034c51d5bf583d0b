import { plainCharacters } from '#services/framework/api/plain-characters.ts'
import { formatMoney } from '@/format/money.ts'

/**
 * Amounts as people type and paste them. Half of the world writes 1.000,50 for what the other half writes as 1,000.50,
 * so that a text is read only where everybody reads the same in it (CLDR lists the separators of each country).
 */

export type TypedAmount =
  /** What the text says, as calls take it: '1000.50', '-25'. */
  | { readonly amount: string }
  /** What the text can be: '1.000' is one dollar or a thousand. */
  | { readonly readings: readonly [string, string] }
  /** The text is no amount. */
  | undefined

/** A dollar sign or the code of the currency, as copied from a page. */
const currency = /^(?:US)?\$|^USD(?=[\s\d.,-])|USD$/i
/** Blanks, no-break and thin ones too, the apostrophes of Switzerland, and the separator of Arabic. */
const between = /[\p{Zs}'’٬]/gu
/** Groups of three digits; those of India have two before the last three. */
const groups = /^\d{1,3}(?:,\d{3})+$|^\d{1,2}(?:,\d{2})+,\d{3}$/

/** Reads an amount; a decimal comma, separated thousands, a dollar sign and the digits of all scripts are known. */
export function readTypedAmount(typed: string): TypedAmount {
  const plain = plainCharacters(typed).replaceAll('٫', '.').trim()
  const [, minus = '', rest = ''] = /^([-−]?)(.*)$/su.exec(plain) ?? []
  const [, innerMinus = '', body = ''] = /^([-−]?)(.*)$/su.exec(rest.trim().replace(currency, '').trim()) ?? []
  if (minus && innerMinus) return undefined
  const sign = minus || innerMinus ? '-' : ''
  const [, whole = '', mark = '', fraction = ''] = /^(\d[\d.,\p{Zs}'’٬]*?)(?:([.,])(\d*))?$/u.exec(body) ?? []
  const separators = new Set(whole.match(/[.,\p{Zs}'’٬]/gu)?.map((one) => one.replace(between, "'")))
  if (whole === '' || separators.size > 1) return undefined
  const digits = wholeOf(whole)
  if (separators.has(mark)) {
    // One mark alone, more than once: each of them separates thousands.
    const all = wholeOf(`${whole}${mark}${fraction}`)
    return all === undefined ? undefined : { amount: sign + all }
  }
  if (digits === undefined || (mark !== '' && fraction === '')) return undefined
  const asFraction = `${sign}${digits}${mark && `.${fraction}`}`
  const mayBeThousands = separators.size === 0 && /^[1-9]\d{0,2}$/.test(whole) && fraction.length === 3
  return mayBeThousands ? { readings: [asFraction, `${sign}${whole}${fraction}`] } : { amount: asFraction }
}

/** The digits of a whole number; undefined where its groups are no groups of thousands. */
function wholeOf(text: string): string | undefined {
  const unified = text.replace(between, ',').replaceAll('.', ',')
  return /^\d+$/.test(unified) || groups.test(unified) ? unified.replaceAll(',', '') : undefined
}

/** Both readings of a text that two people could read differently, and what to type; undefined for any other text. */
export function ambiguityOf(typed: string): string | undefined {
  const read = readTypedAmount(typed)
  if (!read || !('readings' in read)) return undefined
  const [exact, whole] = read.readings
  // A third place is shown: it is the reason to ask.
  const fraction = exact.replace(/^(-?)(.*?)0?$/, '$1$$$2')
  return `“${typed.trim()}” can mean ${fraction} or ${formatMoney(whole)}. Please type it with two decimal places`
}

/** A limit of a list as its call takes it; undefined for a text that is none, of which {@link problemOfLimit} says why. */
export function limitOf(typed: string | undefined): string | undefined {
  const read = readTypedAmount(typed ?? '')
  return read && 'amount' in read && /^\d{1,9}(?:\.\d{1,2})?$/.test(read.amount) ? read.amount : undefined
}

/** Why a text is no limit of a list; undefined for one that is, and for none. */
export function problemOfLimit(typed: string): string | undefined {
  if (typed === '' || limitOf(typed) !== undefined) return undefined
  return ambiguityOf(typed) ?? 'Not an amount, so it does not filter'
}
