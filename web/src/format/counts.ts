import { grouped } from '#services/rules/money.ts'

/** A whole number with separators: '12,345'. */
export function formatCount(count: number): string {
  return grouped(String(count))
}

/** '1 row', '2,000 rows'. @param plural If it is more than the word and an 's'. */
export function counted(count: number, one: string, plural = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : plural}`
}

/** The number of an event as it is shown everywhere: '#25376'. Numbers name events, so they have no separators. */
export function eventNumber(number: number): string {
  return `#${number}`
}
