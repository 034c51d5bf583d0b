import { eventNumber } from '#services/event-sourcing/codec/event-decoding.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import type { AccountState, AccountStreamEvent } from '#services/trading/stream/account-aggregate.ts'
import type { EventReference } from '#services/trading/stream/decision-reason.ts'
import { type AccountId, observationIdOf } from '#services/framework/ids.ts'
import { type EvidenceItem, numberOf, unknownEvidence } from '#services/trading/stream/rejection.ts'
import type { NamedEvidence } from '../payout-api.ts'

/**
 * Finds the entries of an account that the evidence of a rejection names: those that raised the findings, and those that
 * last recorded or corrected the observations.
 *
 * @throws {Refused} invalid, by the path of what the account does not have.
 */
export async function evidenceEntries(
  account: AccountId,
  events: AsyncIterable<RecordedEvent<AccountStreamEvent>>,
  named: readonly NamedEvidence[],
): Promise<EvidenceItem[]> {
  const entries = new Map<string, EventReference>()
  const wanted = new Set<string | undefined>(named.map(({ finding, observation }) => finding ?? observation))
  const note = (id: string, event: RecordedEvent) => {
    if (wanted.has(id)) entries.set(id, { revision: event.revision, number: eventNumber(event) })
  }
  for await (const event of events) {
    if (event.type === 'RuleFindingRaised') note(event.data.finding, event)
    if (event.type === 'ObservationCorrected') note(observationIdOf(account, event.data.observation), event)
    if (event.type !== 'ObservationsRecorded') continue
    const { first, observations } = event.data
    for (const index of observations.keys()) note(observationIdOf(account, first + index), event)
  }
  return named.map(({ finding, observation }, index): EvidenceItem => {
    const event = entries.get(finding ?? observation ?? '')
    if (event && finding) return { finding, event }
    if (event && observation) return { observation, event }
    throw finding
      ? unknownEvidence('finding', finding, index)
      : unknownEvidence('observation', observation ?? '', index)
  })
}

/** Changes with each correction of an observation that evidence names. */
export function evidenceVersion({ stage }: Pick<AccountState, 'stage'>, evidence: readonly EvidenceItem[]): string {
  return evidence
    .map((item) => {
      const known = 'observation' in item ? stage?.known.list.get(numberOf(item.observation) - 1) : undefined
      return known ? `${known.before.length}${known.now ? '+' : '-'}` : ''
    })
    .join()
}

/** What a rejection names was corrected since it was looked up. */
export function correctedMeanwhile(): Refused {
  return new Refused('conflict', 'An observation that you name was corrected meanwhile. Look at it again.')
}
