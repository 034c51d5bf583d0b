const words: ReadonlyMap<string, string> = new Map([
  ['first-after-days', 'the days before the first payout'],
  ['every-days', 'the days between two payouts'],
  ['minimum', 'the minimum amount'],
  ['profit', 'profit'],
  ['breached', 'an account that is not breached'],
  ['minimum-days', 'trading days'],
  ['consistency', 'a smaller part of the best day'],
  ['profit-target', 'the profit target'],
])

/** What holds a payout back, in words. */
export function missingInWords(missing: readonly string[]): string {
  return missing.map((one) => words.get(one) ?? one).join(', ')
}
