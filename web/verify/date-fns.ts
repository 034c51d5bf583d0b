/**
 * What format/dates.ts takes from date-fns, for the verify page, a tenth in size. The build puts it in its place (vite.config.ts).
 */

/** For days, which are local, and moments with their time zone: the only dates that recorded events hold. */
export function parseISO(text: string): Date {
  return new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text)
}

export function isValid(date: Date): boolean {
  return !Number.isNaN(date.getTime())
}

/** With the letters that our formats have, and text in quotes. */
export function lightFormat(date: Date, format: string): string {
  const values: Readonly<Record<string, number>> = {
    y: date.getFullYear(),
    M: date.getMonth() + 1,
    d: date.getDate(),
    H: date.getHours(),
    m: date.getMinutes(),
    s: date.getSeconds(),
  }
  return format.replace(
    /'([^']*)'|([yMdHms])\2*/g,
    (all, quoted: string | undefined, letter: string) => quoted ?? String(values[letter]).padStart(all.length, '0'),
  )
}
