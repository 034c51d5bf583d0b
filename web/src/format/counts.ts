/** A whole number with separators: '12,345'. The first call of toLocaleString would take a browser about 20 ms. */
export function formatCount(count: number): string {
  return grouped(String(count))
}

/** The number of an event as it is shown everywhere: '#25376'. Numbers name events, so they have no separators. */
export function eventNumber(number: number): string {
  return `#${number}`
}

/** Separates thousands in a text of digits. */
export function grouped(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/g, ',')
}
