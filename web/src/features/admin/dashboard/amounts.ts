/** The exact sum of amounts as the server writes them ('250.00'). */
export function sumOf(amounts: readonly string[]): string {
  const cents = amounts.reduce((sum, amount) => sum + BigInt(amount.replace('.', '')), 0n)
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
