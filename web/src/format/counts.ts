/** A whole number with separators: '12,345'. The first call of toLocaleString would take a browser about 20 ms. */
export function formatCount(count: number): string {
  return grouped(String(count))
}

/** Separates thousands in a text of digits. */
export function grouped(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/g, ',')
}
