import type { Finding } from './finding.ts'
import type { ObservationEvent } from './observation-events.ts'
import type { HandKind } from './observation-vocabulary.ts'

/** That a person typed, imported or corrected an observation. */
export interface Hand<Person> {
  readonly how: HandKind
  /** Its number in the account. */
  readonly observation: number
  /** The earliest moment that it was said to be of, ms since 1970. */
  readonly at: number
  /** The number of the event. */
  readonly event: number
  readonly by: Person
}

/** The hands of an event. `by` is who typed the rows, confirmed their import, or corrected. */
export function handsIn<Person>({ type, data }: ObservationEvent, event: number, by: Person): readonly Hand<Person>[] {
  if (type === 'ObservationCorrected') {
    if (data.source === 'feed') return []
    const at = Math.min(...[data.from, data.to].flatMap((said) => said?.at.ms ?? []))
    const how = data.source === 'import' ? 'imported' : 'corrected'
    return [{ how, observation: data.observation, at, event, by }]
  }
  if (type === 'LedgerRowsMatched') return []
  const { source, first, observations } = data
  if (source === 'feed') return []
  const how = source === 'staff' ? 'typed' : 'imported'
  return observations.map((row, index) => ({ how, observation: first + index, at: row.at.ms, event, by }))
}

/** The hands that a finding rests on: all up to where it was found, since what was observed before moves what follows. */
export function handsBehind<Person>(
  hands: readonly Hand<Person>[],
  { evidence, hit }: Pick<Finding, 'evidence' | 'hit'>,
): readonly Hand<Person>[] {
  return hands.filter(({ observation, at }) => at <= hit.at || evidence.includes(observation))
}
