/**
 * Room left until the limits, and progress to the profit target: pure functions of the server's answers, in whole
 * cents.
 */

export interface Room {
  readonly limit: number
  readonly lost: number
  readonly left: number
  /** Of the limit, from 0 to 100. */
  readonly percentLost: number
}

export interface Progress {
  readonly target: number
  /** From 0 to 100. */
  readonly percent: number
  readonly remaining: number
}

const amountPattern = /\$\s*(\d{1,3}(?:,\d{3})+|\d+)(\.\d{1,2})?(?![\d,.]*\d)/g
const percentPattern = /(?<![\d.,])(\d{1,3}(?:\.\d+)?)\s*%/g
/** Characters between an amount and a percentage that have no meaning. */
const separators = /^[\s/|()·-]*$/

/** Whether a text is an amount, so that figures may be derived from it. */
export function isAmount(text: string | null | undefined): text is string {
  return text !== null && text !== undefined && /^-?\d+(\.\d+)?$/.test(text)
}

/** Whole cents of a decimal text; 0 for anything else. */
export function centsOf(amount: string | null | undefined): number {
  const cents = Math.round(Number(amount) * 100)
  return Number.isFinite(cents) ? cents : 0
}

/**
 * The amount of a limit such as '5% / $500', '$500' or '5%', in cents. An amount takes precedence over a percentage,
 * which refers to the starting balance. Undefined for any other text.
 */
export function limitOf(text: string, startingBalance: number | undefined): number | undefined {
  const amounts = [...text.matchAll(amountPattern)]
  const percentages = [...text.matchAll(percentPattern)]
  const rest = text.replace(amountPattern, '').replace(percentPattern, '')
  if (!separators.test(rest) || amounts.length > 1 || percentages.length > 1) return undefined
  const [amount] = amounts
  if (amount) return positive(centsOf(`${(amount[1] ?? '').replaceAll(',', '')}${amount[2] ?? ''}`))
  const [percentage] = percentages
  if (!percentage || startingBalance === undefined) return undefined
  return positive(Math.round((startingBalance * Number(percentage[1])) / 100))
}

/** The room left after a loss; a gain uses none. */
export function roomLeft(limit: number, loss: number): Room {
  const lost = Math.max(0, loss)
  const left = Math.max(0, limit - lost)
  return { limit, lost, left, percentLost: 100 - (left / limit) * 100 }
}

/** A day in ms. */
export const DAY = 86_400_000

/** Midnight UTC before a moment. */
export function beginningOfDay(now: number): number {
  return Math.floor(now / DAY) * DAY
}

/** Midnight UTC after a moment, when the daily limit resets. */
export function endOfDay(now: number): number {
  return beginningOfDay(now) + DAY
}

/**
 * Progress to the profit target (specification §4): a percentage from 0 to 100, 0 without a target; remaining is never
 * negative. The target is text: a number, or written like a limit. Undefined for any other text.
 */
export function profitProgress(
  profitLoss: string,
  target: string | null,
  startsWith: number | undefined,
): Progress | undefined {
  const text = target?.trim() ?? ''
  const plain = text === '' ? 0 : isAmount(text) ? centsOf(text) : limitOf(text, startsWith)
  if (plain === undefined) return undefined
  const profit = centsOf(profitLoss)
  const percent = plain > 0 ? Math.min(100, Math.max(0, (profit / plain) * 100)) : 0
  return { target: plain, percent, remaining: Math.max(0, plain - profit) }
}

/** A limit of zero has no room to show. */
function positive(cents: number): number | undefined {
  return cents > 0 ? cents : undefined
}
