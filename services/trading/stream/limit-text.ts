import { type Cents, parseMoney, toDecimal } from '#services/rules/money.ts'

/**
 * The grammar of limits and targets, which staff type as text (specification §3); docs/rules.md describes it for them.
 *
 *     limit   = part [separators part]      at most one amount and one percentage, in any order
 *     part    = amount | percentage
 *     amount  = "$" digits ["." cents]      '$500', '$ 1,000.50'
 *     percent = digits ["." digits] "%"     '5%', '2.5 %'
 *
 * Spaces and / | ( ) · - may stand around the parts and mean nothing.
 */

/** A limit in a text is an amount, a percentage of the account size, or both. One of them is not null. */
export interface LimitText {
  readonly amount: Cents | null
  /** As the rules write it: '2.5'. */
  readonly percent: string | null
}

const amountPattern = /\$\s*(\d{1,3}(?:,\d{3}){1,3}|\d{1,10})(\.\d{1,2})?(?![\d,.]*\d)/g
const percentPattern = /(?<![\d.,])(\d{1,3}(?:\.\d{1,8})?)\s*%/g
const separators = /^[\s/|()·-]*$/
const bareAmount = /^\d{1,10}(\.\d{1,2})?$/

/** The limit that a text sets; null for none, for a limit of zero, and for a text that is not understood. */
export function parseLimit(text: string | null): LimitText | null {
  const limit = partsOf(text?.trim() ?? '')
  return limit && !isZero(limit) ? limit : null
}

/**
 * The profit target that a text sets: written like a limit, or a bare number of dollars ('1000'). No text and zero mean
 * that there is no target: an amount of zero. Null for a text that is not understood.
 */
export function parseTarget(text: string | null): LimitText | null {
  const trimmed = text?.trim() ?? ''
  if (trimmed === '') return noTarget
  const target = bareAmount.test(trimmed) ? amountOnly(trimmed) : partsOf(trimmed)
  return target && isZero(target) ? noTarget : target
}

/** The amount in the words of a rule. Where a text has both parts, its amount counts. */
export function ruleAmountOf({ amount, percent }: LimitText) {
  return amount === null ? ({ percent: percent ?? '0', of: 'account-size' } as const) : { amount: toDecimal(amount) }
}

function partsOf(text: string): LimitText | null {
  const amounts = [...text.matchAll(amountPattern)]
  const percentages = [...text.matchAll(percentPattern)]
  const rest = text.replace(amountPattern, '').replace(percentPattern, '')
  if (!separators.test(rest) || amounts.length > 1 || percentages.length > 1) return null
  const [[, dollars = '', fraction = ''] = []] = amounts
  const [[, percent] = []] = percentages
  if (dollars === '' && percent === undefined) return null
  return {
    amount: dollars === '' ? null : (parseMoney(dollars.replaceAll(',', '') + fraction) ?? null),
    // Without leading zeros.
    percent: percent?.replace(/^0+(?=\d)/, '') ?? null,
  }
}

function amountOnly(text: string): LimitText | null {
  const amount = parseMoney(text)
  return amount === undefined ? null : { amount, percent: null }
}

const noTarget = amountOnly('0')

function isZero({ amount, percent }: LimitText): boolean {
  return amount === null ? Number(percent) === 0 : amount === 0
}
