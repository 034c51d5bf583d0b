import { eventCategories } from '#services/modules/event-description.ts'
import { eventDescriptions } from '#services/domain/all-event-descriptions.ts'

/** The titles of event types, and the categories the audit filters by: both from the domain's descriptions. */

export const eventTitles: ReadonlyMap<string, string> = new Map(Object.entries(eventDescriptions).map(([type, { title }]) => [type, title]))

/** The titles that traders see, where they are other ones. */
export const traderTitles: ReadonlyMap<string, string> = new Map(
  Object.entries(eventDescriptions).flatMap(([type, description]) => ('traderTitle' in description ? [[type, description.traderTitle]] : [])),
)

export interface EventFilterOption {
  /** The types of a category, comma-separated, as the audit's calls take them. */
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

/** The types of the events that decide something: neither balances nor sign-ins nor technical records. Comma-separated. */
export const decisionTypes: string = Object.entries(eventDescriptions)
  .flatMap(([type, { category }]) => (eventCategories[category].isDecision ? [type] : []))
  .join(',')
