import { inDollars } from '#services/rules/money.ts'
import { utcTime } from '#services/framework/api/utc-time.ts'
import { type Observation, type Trade, writtenObservation } from '#services/rules/observation.ts'
import { change, type EventDescriptions } from '#services/framework/event-description.ts'
import type { Subject } from '#services/framework/subject.ts'
import type { ObservationEvent } from './observation-events.ts'
import { observationSourceLabels } from './observation-vocabulary.ts'

/** How many observations of an event are shown: it may hold 500. */
const MOST_SHOWN = 20

export const observationDescriptions = {
  ObservationsRecorded: {
    title: 'Observations recorded',
    category: 'observations',
    ofDay: 'Trading of the day',
    changes: ({ data: { source, observations } }) => [
      change('observation.source', null, source),
      change('observation.count', null, observations.length),
    ],
    content: ({ observations }) => ({
      rows: observations.slice(0, MOST_SHOWN).map(observationText),
      more: Math.max(0, observations.length - MOST_SHOWN),
    }),
  },
  LedgerRowsMatched: {
    title: 'Ledger rows of a statement recognised',
    category: 'observations',
    changes: ({ data: { rows } }) =>
      rows.map(({ observation, payout }) =>
        change('observation.ledgerRow', null, `${observationText(observation)}: ${payout ?? 'the opening deposit'}`),
      ),
  },
  ObservationCorrected: {
    title: 'Observation corrected',
    category: 'corrections',
    changes: ({ data: { observation, from, to, source } }) => [
      ...(source === undefined ? [] : [change('observation.source', null, source)]),
      change('observation.number', null, observation),
      change('observation.content', from && correctedText(from, to), to && correctedText(to, from)),
    ],
    reason: ({ reason }) => reason,
  },
} as const satisfies EventDescriptions<ObservationEvent>

/** The fields that these events name. */
export const observationShown = {
  observation: {
    fields: {
      source: { label: 'Source', kind: 'choice', words: observationSourceLabels, ofAction: true },
      count: { label: 'Observations', kind: 'text', ofAction: true },
      ledgerRow: { label: 'Ledger row', kind: 'text', ofAction: true },
      number: { label: 'Number of the observation', kind: 'text', ofAction: true },
      content: { label: 'Observed', kind: 'text', unset: 'taken away' },
    },
  },
} as const satisfies Subject['shown']

/** An observation in a line: "Trade T1 closed 2026-11-02T09:30:00Z, profit -$3,500.00". */
export function observationText(observed: Observation): string {
  const { what, figures } = observationInWords(observed)
  const at = observed.kind === 'day' ? observed.date : observed.at.text
  return figures === null ? at : `${what} ${at}, ${figures}`
}

/** Fields that the line about an observation leaves out, with their words. */
const unsaid: Readonly<Partial<Record<Observation['kind'], Readonly<Record<string, string>>>>> = {
  trade: { volume: 'volume', openedAt: 'opened' },
  day: { trades: 'trades' },
  state: { open: 'open positions' },
  transfer: { id: 'number', why: 'why' },
}

/** One side of a correction. What differs is said, also where the line about an observation leaves it out. */
function correctedText(observed: Observation, other: Observation | null): string {
  const line = observationText(observed)
  if (other?.kind !== observed.kind || (observed.kind === 'trade' && isNamed(observed))) return line
  const [own, others] = [writtenObservation(observed), writtenObservation(other)]
  const more = Object.entries(unsaid[observed.kind] ?? {}).flatMap(([field, word]) =>
    own[field] === undefined || own[field] === others[field]
      ? []
      : [`${word} ${field === 'openedAt' ? utcTime(Date.parse(String(own[field]))) : own[field]}`],
  )
  return [line, ...more].join(', ')
}

/** Such a trade is described with its volume and its opening. */
function isNamed({ symbol, side }: Trade): boolean {
  return symbol !== undefined || side !== undefined
}

/** Returns the words before the time of an observation, "Trade T1 closed", and after it, "profit -$3,500.00". */
export function observationInWords(observed: Observation): { readonly what: string; readonly figures: string | null } {
  switch (observed.kind) {
    case 'trade':
      return {
        what: `Trade ${observed.id} closed`,
        figures: [...tradeFacts(observed), `profit ${inDollars(observed.profit)}`].join(', '),
      }
    case 'day':
      return {
        what: 'Day',
        figures: `balance ${inDollars(observed.balance)}, equity ${inDollars(observed.equity)} (${inDollars(observed.lowestEquity)} to ${inDollars(observed.highestEquity)})`,
      }
    case 'state':
      return {
        what: 'State',
        figures: `balance ${inDollars(observed.balance)}, equity ${inDollars(observed.equity)}`,
      }
    case 'transfer':
      return { what: 'Transfer', figures: `amount ${inDollars(observed.amount)}` }
    case 'payout':
      return { what: observed.forfeited ? 'Forfeit' : 'Payout', figures: `amount ${inDollars(observed.amount)}` }
    case 'clock':
      return { what: 'Clock', figures: null }
  }
}

/** The known facts of a trade: ["EURUSD buy 1.00", "1.08410 to 1.08535", "opened 2 Nov 2026, 09:10:00 UTC"]. */
function tradeFacts(trade: Trade): string[] {
  const { symbol, side, volume, openPrice, closePrice, openedAt } = trade
  const prices =
    openPrice !== undefined && closePrice !== undefined
      ? `${openPrice} to ${closePrice}`
      : closePrice === undefined
        ? openPrice && `opened at ${openPrice}`
        : `closed at ${closePrice}`
  const what = isNamed(trade) ? [symbol, side, volume].filter((fact) => fact !== undefined) : []
  return [
    ...(what.length > 0 ? [what.join(' ')] : []),
    ...(prices === undefined ? [] : [prices]),
    ...(openedAt && what.length > 0 ? [`opened ${utcTime(openedAt.ms)}`] : []),
  ]
}
