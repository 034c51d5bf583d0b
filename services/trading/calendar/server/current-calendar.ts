import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Calendar } from '#services/rules/calendar.ts'
import { CALENDAR_ID, calendarStreams } from '../calendar.ts'

/** The calendar as the log has it now. @throws {Unavailable} while the log is away */
export async function currentCalendar(repositories: Repositories): Promise<Calendar> {
  return (await repositories.of(calendarStreams).load(CALENDAR_ID)).state.calendar
}
