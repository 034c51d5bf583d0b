/** Most entries of the calendar that are still to come: about twenty years of all that a public one has. */
export const MOST_ENTRIES_AHEAD = 100_000
/** Most entries in a call. "At most 1,000." (behaviour.md) */
export const MOST_ENTRIES = 1_000
/** Most entries that a call answers with. */
export const MOST_SHOWN_ENTRIES = 20_000
export const LARGEST_CALENDAR_BODY = 1024 * 1024
