import { eventCategories } from '../domain/event-description.ts'
import { eventDescriptions } from '../domain/event-descriptions.ts'

/** What each type of event is called, and the categories that the audit filters by: both from the domain's descriptions. */

export const eventTitles: ReadonlyMap<string, string> = new Map(Object.entries(eventDescriptions).map(([type, { title }]) => [type, title]))

export interface EventFilterOption {
  /** The types of the category, with commas: as the calls of the audit take them. */
  readonly value: string
  readonly label: string
  /** Traders never see such events. */
  readonly staffOnly: boolean
}

export const eventFilterOptions: readonly EventFilterOption[] = Object.entries(eventCategories).map(([category, { label, staffOnly }]) => ({
  value: Object.entries(eventDescriptions)
    .flatMap(([type, description]) => (description.category === category ? [type] : []))
    .join(','),
  label,
  staffOnly,
}))
