import { calendarRoutes, type EntryOutcome } from '#services/trading/calendar/calendar-api.ts'
import { MOST_ENTRIES } from '#services/trading/calendar/calendar-vocabulary.ts'
import { send, sendAndParse } from '@/api/api.ts'
import { counted } from '@/format/counts.ts'
import { staffChange } from '@/features/frame/staff-change.ts'

/** Changes of the calendar of news. */

/** Publishes entries, in as many calls as they need. */
export const publishNews = staffChange({
  send: async (entries: readonly unknown[]): Promise<readonly EntryOutcome[]> => {
    const outcomes: EntryOutcome[] = []
    for (let from = 0; from < entries.length; from += MOST_ENTRIES) {
      const some = entries.slice(from, from + MOST_ENTRIES)
      outcomes.push(...(await sendAndParse(calendarRoutes.publishCalendar, { body: { entries: some } })))
    }
    return outcomes
  },
  done: (_, outcomes) => ['Calendar published', outcomesInWords(outcomes)],
  failed: () => 'The news were not published',
})

/** "3 recorded, 1 refused" */
export function outcomesInWords(outcomes: readonly EntryOutcome[]): string {
  const counts = ['recorded', 'changed', 'duplicate', 'refused'].flatMap((outcome) => {
    const count = outcomes.filter((each) => each.outcome === outcome).length
    return count > 0 ? [`${count} ${outcome === 'duplicate' ? 'known before' : outcome}`] : []
  })
  return counts.length > 0 ? `${counts.join(', ')}.` : `${counted(0, 'entry', 'entries')}.`
}

export const withdrawNews = staffChange({
  send: ({ id }: { readonly id: string; readonly title: string }) =>
    send(calendarRoutes.withdrawCalendarEntry, { params: { id } }),
  done: ({ title }) => ['News withdrawn', `${title} judges no trade from now on.`],
  failed: () => 'The news were not withdrawn',
})
