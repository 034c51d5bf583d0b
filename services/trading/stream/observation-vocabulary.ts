import type { Labels } from '#services/framework/api/options.ts'

/** The kinds that are observed. Payouts and the passing of time are the portal's own. */
export const observedKinds = ['trade', 'day', 'state', 'transfer'] as const
export type ObservedKind = (typeof observedKinds)[number]

export const observedKindLabels: Labels<typeof observedKinds> = {
  trade: 'Trade',
  day: 'Day',
  state: 'State',
  transfer: 'Transfer',
}

/** How much later than now an observation may be, in ms: clocks differ. */
export const MOST_AHEAD = 5 * 60_000

/** Where observations come from: a balance that staff typed, the file of an import, or a program. */
export const observationSources = ['staff', 'import', 'feed'] as const
export type ObservationSource = (typeof observationSources)[number]

export const observationSourceLabels: Labels<typeof observationSources> = {
  staff: 'Typed by staff',
  import: 'Imported from a statement',
  feed: 'Sent by a program',
}

/** A row that is sent or imported has one of these outcomes. */
export const rowOutcomes = ['recorded', 'duplicate', 'refused', 'conflict'] as const
export type RowOutcome = (typeof rowOutcomes)[number]

/** How a person made an observation what it is. A program that sends rows is no person. */
export const handKinds = ['typed', 'imported', 'corrected'] as const
export type HandKind = (typeof handKinds)[number]
