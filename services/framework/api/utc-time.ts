/** The product is in English only. */
export const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** '25 Nov 2026, 19:39:09 UTC', as all pages write a moment in ms. */
export function utcTime(ms: number): string {
  const time = new Date(ms)
  return `${utcDate(time)}, ${time.toISOString().slice(11, 19)} UTC`
}

/** '25 Nov 2026' */
export function utcDate(date: Date): string {
  return `${utcDay(date)} ${date.getUTCFullYear()}`
}

/** '25 Nov' */
export function utcDay(date: Date): string {
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]}`
}
