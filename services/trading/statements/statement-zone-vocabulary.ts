import { isZone } from '#services/rules/zone.ts'

/** A zone of a file's local times: that of a place, or one that is so many hours ahead of it. */
export interface StatementZone {
  readonly place: string
  readonly hours: number
}

/** As far as any zone is from another. */
const MOST_HOURS = 14

/**
 * The zone that a text names: `UTC`, an IANA name with a slash, or one shifted by whole hours. `America/New_York+7` is the
 * server time of brokers whose day closes at 17:00 in New York, in summer and in winter (statements.md, "Zones").
 *
 * @returns a sentence with what to write instead, for any other text.
 */
export function statementZone(text: string): StatementZone | string {
  if (text === 'UTC') return { place: text, hours: 0 }
  const [, place = '', shift] = /^((?!Etc\/)[A-Za-z_]+\/.*?)([+-]\d{1,2})$/.exec(text) ?? []
  const hours = Number(shift ?? 0)
  if (shift !== undefined && isZone(place) && Math.abs(hours) <= MOST_HOURS) return { place, hours }
  if (text.includes('/') && isZone(text)) return { place: text, hours: 0 }
  return `expected a time zone like ${advice(text)}`
}

function advice(text: string): string {
  if (/^E[SD]T$/i.test(text)) return '"America/New_York"'
  const [, sign, digits] = /^(?:UTC|GMT)?([+-])0?(\d{1,2})(?::?00)?$/i.exec(text) ?? []
  const hours = Number(digits)
  if (digits === undefined || hours > MOST_HOURS)
    return '"Europe/Prague", or "America/New_York+7" for 7 hours ahead of New York'
  if (hours === 0) return '"UTC"'
  // POSIX turns the sign round: tzdata, file etcetera.
  const fixed = `"Etc/GMT${sign === '+' ? '-' : '+'}${hours}"`
  const isServerTime = sign === '+' && (hours === 2 || hours === 3)
  return isServerTime ? `${fixed}, or "America/New_York+7" where the server changes its clock with New York` : fixed
}
