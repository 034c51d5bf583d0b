import { createStoredChoice } from './store.ts'

export type TimeZone = 'utc' | 'local'

/** The zone of all shown times: UTC, in which all readers see the same day, or local time. */
export const timeZone = createStoredChoice<TimeZone>('time-zone', ['utc', 'local'])
