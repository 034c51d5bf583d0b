import { hash } from 'node:crypto'
import { z } from 'zod'
import type { EventStore, EventToAppend } from '#infra/event-store/event-store.ts'
import type { PositionMapping } from '#infra/event-store/renumbered.ts'
import { Unavailable } from '#infra/failures.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/**
 * The positions that events had before a migration. Seals, corrections and exports name events by them. They are kept
 * in a stream of the same store that consumers of events do not see: its first event marks the start of a migration,
 * its last the end.
 */
export const MOVED_POSITIONS_STREAM = 'moved-numbers'
/** The prefix of streams that only migrations write. */
export const MIGRATION_STREAM_PREFIX = 'moved-'

const BEGAN = 'MoveBegan'
const NUMBERED = 'FactsNumbered'
const FINISHED = 'MoveFinished'

/** The most positions in one event. */
const POSITIONS_PER_EVENT = 5_000

/** Each position as the difference to the one before, because most are small. */
const part = z.object({ stands: z.array(z.int()), called: z.array(z.int()) })

/** Whether a migration to this store was ever started. */
export async function isMigrationBegun(store: Pick<EventStore, 'readStream'>): Promise<boolean> {
  return (await readStoredMapping(store)) !== undefined
}

/** Marks the store before the first event is copied, so that no process uses an incomplete log. */
export async function beginMigration(store: EventStore): Promise<void> {
  await appendMissing(store, [eventOf(0, BEGAN, {})])
}

/** Stores the positions and marks the migration as complete. Repeating it changes nothing; new positions are added. */
export async function finishMigration(
  store: EventStore,
  { currentPositions, originalPositions }: PositionMapping,
): Promise<void> {
  const known = await readStoredMapping(store)
  const from = known?.currentPositions.length ?? 0
  if (known?.isFinished && from === currentPositions.length) return
  const events: EventToAppend[] = []
  let revision = known?.events ?? 0
  for (let next = from; next < currentPositions.length; next += POSITIONS_PER_EVENT) {
    const end = Math.min(currentPositions.length, next + POSITIONS_PER_EVENT)
    events.push(
      eventOf(revision++, NUMBERED, {
        stands: differences(currentPositions, next, end),
        called: differences(originalPositions, next, end),
      }),
    )
  }
  events.push(eventOf(revision, FINISHED, { facts: currentPositions.length }))
  await appendMissing(store, events)
}

/**
 * The positions of a migrated log, undefined for a log that was never migrated.
 *
 * @throws {Unavailable} until the migration is complete.
 */
export async function loadPositionMapping(store: Pick<EventStore, 'readStream'>): Promise<PositionMapping | undefined> {
  const known = await readStoredMapping(store)
  if (known && !known.isFinished)
    throw new Unavailable('event store', {
      cause: new Error('A migration to it is not complete: finish it with npx proofdesk migrate'),
    })
  return known
}

interface StoredMapping extends PositionMapping {
  readonly events: number
  readonly isFinished: boolean
}

async function readStoredMapping(store: Pick<EventStore, 'readStream'>): Promise<StoredMapping | undefined> {
  const [stands, called]: [number[], number[]] = [[], []]
  let [events, isFinished] = [0, false]
  for await (const page of store.readStream(MOVED_POSITIONS_STREAM))
    for (const { type, data } of page) {
      events += 1
      isFinished = type === FINISHED
      if (type !== NUMBERED) continue
      const read = part.parse(JSON.parse(data))
      for (const [list, more] of [
        [stands, read.stands],
        [called, read.called],
      ] as const)
        for (const step of more) list.push((list.at(-1) ?? 0) + step)
    }
  return events === 0 ? undefined : { currentPositions: stands, originalPositions: called, events, isFinished }
}

/** Appends those events that are not there yet. Ids are derived from the content, so a repetition finds them. */
async function appendMissing(store: EventStore, events: readonly EventToAppend[]): Promise<void> {
  const existing = new Set<string>()
  let revision = -1
  for await (const page of store.readStream(MOVED_POSITIONS_STREAM))
    for (const event of page) {
      existing.add(event.id)
      revision = event.revision
    }
  for (const event of events) {
    if (existing.has(event.id)) continue
    revision = (await store.append(MOVED_POSITIONS_STREAM, revision < 0 ? 'none' : revision, [event])).revision
  }
}

function eventOf(revision: number, type: string, content: object): EventToAppend {
  const data = JSON.stringify(content)
  const digits = hash('sha256', `${revision} ${type} ${data}`)
  const id = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
  return { id, type, data, metadata: '{}' }
}

function differences(positions: readonly number[], from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, n) => (positions[from + n] ?? 0) - (positions[from + n - 1] ?? 0))
}

/** @throws {Refused} when positions of the migrated events do not increase. */
export function checkIncreasing({ currentPositions, originalPositions }: PositionMapping): void {
  for (const list of [currentPositions, originalPositions])
    for (let n = 1; n < list.length; n++)
      if ((list[n] ?? 0) <= (list[n - 1] ?? 0))
        throw new Refused('conflict', 'The copy is in a different order than the log')
}
