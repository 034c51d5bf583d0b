import { grouped } from '#services/api/money.ts'

/** A whole number with separators: '12,345'. */
export function formatCount(count: number): string {
  return grouped(String(count))
}

/** The number of an event as it is shown everywhere: '#25376'. Numbers name events, so they have no separators. */
export function eventNumber(number: number): string {
  return `#${number}`
}
