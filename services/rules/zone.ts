/** The zones that were looked up: it takes a millisecond, and terms are read many times. */
const known = new Map<string, boolean>()
const MOST_KNOWN = 1_000

/** Whether this is the name of a time zone, which an offset like +01:00 is not. A file of its own, since it is light. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  const before = known.get(name)
  if (before !== undefined) return before
  if (known.size >= MOST_KNOWN) known.clear()
  const found = isKnownZone(name)
  known.set(name, found)
  return found
}

function isKnownZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
