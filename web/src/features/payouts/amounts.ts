/** The exact sum of amounts as the server writes them ('250.00'). Any other text counts as zero. */
export function sumOf(amounts: readonly string[]): string {
  const cents = amounts.reduce(
    (sum, amount) => sum + (/^-?\d+\.\d{2}$/.test(amount) ? BigInt(amount.replace('.', '')) : 0n),
    0n,
  )
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
