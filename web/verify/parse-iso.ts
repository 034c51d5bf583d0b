/**
 * `parseISO` of date-fns for the verify page, a fraction in size: for days, which are local, and moments with their time zone, the
 * only dates that recorded events hold. The build puts this in its place (vite.config.ts).
 */
export function parseISO(text: string): Date {
  return new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text)
}
