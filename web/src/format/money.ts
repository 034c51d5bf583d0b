const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** US dollars with 2 decimals; what is no number shows $0.00 (specification §1). Exact for decimal strings of any length. */
export function formatMoney(amount: string | number | null | undefined): string {
  if (typeof amount === 'number') return Number.isFinite(amount) ? dollars.format(amount) : '$0.00'
  const text = amount?.trim() ?? ''
  if (!isDecimal(text)) return '$0.00'
  return dollars.format(text)
}

/** The amount with its sign in front when it is above zero: '+$120.00' (specification §4). */
export function formatProfit(amount: string | null | undefined): string {
  return signOf(amount) === 'profit' ? `+${formatMoney(amount)}` : formatMoney(amount)
}

/** Only what is above zero is a profit: zero is shown as a loss, to the letter of the specification (§4). */
export function signOf(amount: string | null | undefined): 'profit' | 'loss' {
  return Number(amount) > 0 ? 'profit' : 'loss'
}

function isDecimal(text: string): text is `${number}` {
  return /^-?\d+(\.\d+)?$/.test(text)
}
