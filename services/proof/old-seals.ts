import type { EventStore } from '../../infra/event-store/event-store.ts'
import type { SealData } from '../domain/seal/seal.ts'
import type { Repositories } from '../event-sourcing/aggregate-repository.ts'
import { readLog } from '../event-sourcing/read-log.ts'
import { seals as sealStreams } from '../domain/streams.ts'
import type { PublishedLeaf, PublishedSeals } from './published-seals.ts'
import { LostSeals, SEALS_ID } from './seal-stream.ts'
import { leafOfEvent } from './stored-event-bytes.ts'

/** The seals of versions up to e747b87. None are made any more; they stay in the log, published and verifiable. */

/** Publishes the old seals whose publication failed. @throws {LostSeals} when the log has fewer than were published. */
export async function publishMissingSeals(
  eventStore: Pick<EventStore, 'subscribe'>,
  repositories: Repositories,
  publishedSeals: PublishedSeals,
): Promise<void> {
  const stream = repositories.of(sealStreams)
  const { oldSeals } = (await stream.load(SEALS_ID)).state
  if (await publishedSeals.seal(oldSeals + 1)) throw new LostSeals(`Seal ${oldSeals + 1}`)
  const missing: number[] = []
  for (let number = oldSeals; number > 0 && !(await publishedSeals.seal(number)); number--) missing.push(number)
  if (missing.length === 0) return
  for await (const { type, data } of stream.readEvents(SEALS_ID))
    if (type === 'FactsSealed' && missing.includes(data.number)) await publishedSeals.publish(data, await readLeaves(eventStore, data))
}

/** The leaves of the events under a seal, read from the log. */
export async function readLeaves(eventStore: Pick<EventStore, 'subscribe'>, { first, last }: Pick<SealData, 'first' | 'last'>): Promise<PublishedLeaf[]> {
  const leaves: PublishedLeaf[] = []
  for await (const { events, position } of readLog(eventStore)) {
    for (const event of events) {
      const number = Number(event.position)
      if (number >= Number(first) && number <= Number(last)) leaves.push({ hash: leafOfEvent(event), id: event.id })
    }
    if (Number(position) >= Number(last)) break
  }
  return leaves
}
