import { hash } from 'node:crypto'
import { z } from 'zod'
import type { EventStore, EventToAppend } from '../../../infra/event-store/event-store.ts'
import type { PositionMapping } from '../../../infra/event-store/renumbered.ts'
import { Unavailable } from '../../../infra/failures.ts'
import { Refused } from '../../event-sourcing/refusal.ts'

/**
 * The numbers that facts had before they were moved, kept beside them in a stream that no reader of facts is shown: seals,
 * corrections and exports name facts by these numbers. Its first event says that a move began, its last that it is done.
 */
export const MOVED_POSITIONS_STREAM = 'moved-numbers'
/** How the names of streams begin that only moving writes. */
export const MIGRATION_STREAM_PREFIX = 'moved-'

const BEGAN = 'MoveBegan'
const NUMBERED = 'FactsNumbered'
const FINISHED = 'MoveFinished'

/** Numbers an event holds. */
const POSITIONS_PER_EVENT = 5_000

/** Differences, each to the one before: most are small. */
const part = z.object({ stands: z.array(z.int()), called: z.array(z.int()) })

/** Whether a move to this store was ever begun. */
export async function isMigrationBegun(store: Pick<EventStore, 'readStream'>): Promise<boolean> {
  return (await readStoredMapping(store)) !== undefined
}

/** Kept before the first fact is moved, so that nobody works with half a log. */
export async function beginMigration(store: EventStore): Promise<void> {
  await appendMissing(store, [eventOf(0, BEGAN, {})])
}

/** Keeps the numbers of what was moved, and that it is all there. The same again changes nothing; more is added. */
export async function finishMigration(store: EventStore, { currentPositions, originalPositions }: PositionMapping): Promise<void> {
  const known = await readStoredMapping(store)
  const from = known?.currentPositions.length ?? 0
  if (known?.isFinished && from === currentPositions.length) return
  const events: EventToAppend[] = []
  let revision = known?.events ?? 0
  for (let next = from; next < currentPositions.length; next += POSITIONS_PER_EVENT) {
    const end = Math.min(currentPositions.length, next + POSITIONS_PER_EVENT)
    events.push(eventOf(revision++, NUMBERED, { stands: differences(currentPositions, next, end), called: differences(originalPositions, next, end) }))
  }
  events.push(eventOf(revision, FINISHED, { facts: currentPositions.length }))
  await appendMissing(store, events)
}

/**
 * The numbers of what was moved, undefined where nothing was.
 *
 * @throws {Unavailable} while a move is not finished: half a log must not be worked with.
 */
export async function loadPositionMapping(store: Pick<EventStore, 'readStream'>): Promise<PositionMapping | undefined> {
  const known = await readStoredMapping(store)
  if (known && !known.isFinished)
    throw new Unavailable('event store', { cause: new Error('A log is being moved there and is not complete: finish it with npx proofdesk migrate') })
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

/** Whatever of it is there already is left: its ids are made of what it says. */
async function appendMissing(store: EventStore, events: readonly EventToAppend[]): Promise<void> {
  const there = new Map<string, number>()
  let revision = -1
  for await (const page of store.readStream(MOVED_POSITIONS_STREAM))
    for (const event of page) {
      there.set(event.id, event.revision)
      revision = event.revision
    }
  for (const event of events) {
    if (there.has(event.id)) continue
    revision = (await store.append(MOVED_POSITIONS_STREAM, revision < 0 ? 'none' : revision, [event])).revision
  }
}

function eventOf(revision: number, type: string, content: object): EventToAppend {
  const data = JSON.stringify(content)
  const digits = hash('sha256', `${revision} ${type} ${data}`)
  const id = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
  return { id, type, data, metadata: '{}' }
}

function differences(numbers: readonly number[], from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, n) => (numbers[from + n] ?? 0) - (numbers[from + n - 1] ?? 0))
}

/** @throws {Refused} when numbers of the moved facts and of those that follow would not grow. */
export function checkIncreasing({ currentPositions, originalPositions }: PositionMapping): void {
  for (const list of [currentPositions, originalPositions])
    for (let n = 1; n < list.length; n++)
      if ((list[n] ?? 0) <= (list[n - 1] ?? 0)) throw new Refused('conflict', 'The copy stands in another order than the log')
}
