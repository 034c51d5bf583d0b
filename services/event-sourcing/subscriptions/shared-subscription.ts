import { setTimeout as delay } from 'node:timers/promises'
import { type Checkpoint, comparePositions, type EventBatch, type EventStore, type Position } from '../../../infra/event-store/event-store.ts'
import type { PersonKeys } from '../crypto-shredding/person-keys.ts'
import { type EventRegistry, hasPersonalFields } from '../event-registry.ts'
import { type BatchEvent, batchEventOf } from '../projections/apply-batch.ts'

/**
 * Readers of the log that share subscriptions. Readers that stand at the same place form a lane: it reads and decodes
 * each event once for all of them. Who is behind has a lane of its own and moves over as soon as the other lane still
 * remembers all that is missing. Whose work fails leaves, and begins again where it says that it stands, while the
 * others go on.
 */
export interface Lanes {
  /** Gives a reader every event from where it stands, in order, until `signal` aborts. Failures are tried again for ever. */
  attend(reader: LogReader, signal: AbortSignal): Promise<void>

  /**
   * Does some work while the reader's lane rests between two batches, so that all its readers stand at the same
   * position. False, and nothing done, when the reader is in no lane just now.
   */
  between(reader: LogReader, work: (lane: Resting) => Promise<void>): Promise<boolean>

  /** Whether the last that was heard of a reader is that it failed. */
  isFailing(reader: LogReader): boolean
}

export interface Resting {
  has(reader: LogReader): boolean
  /** The log had no more when the lane looked last. */
  readonly caughtUp: boolean
}

export interface LogReader {
  readonly name: string
  /** Where it goes on: asked at first, and after each failure. `fail` may be called later, for work that goes on by itself. */
  start(fail: (error: unknown) => void): Promise<Place>
  /** Takes what comes next; never called twice at the same time. */
  take(batch: Batch): Promise<void>
  /** Taking would wait. Where others would have to wait too it loses its seat, and begins again. */
  readonly busy?: boolean
  /** It gets nothing more until it is started again. Resolves when all work has ended. */
  stop?(): Promise<void>
}

export interface Place {
  /** Undefined for the beginning of the log. */
  readonly checkpoint: Checkpoint | undefined
  /** The same place as a position, where it is known. */
  readonly position: Position | undefined
}

export interface Batch {
  readonly entries: readonly BatchEvent[]
  readonly checkpoint: Checkpoint
  readonly position: Position
  readonly caughtUp: boolean
}

export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
  /** For who follows one request through the services; costs nothing where it is not asked for. */
  readonly debug?: (about: object, text: string) => void
  readonly isLevelEnabled?: (level: string) => boolean
}

export interface LanesOptions {
  readonly registry: EventRegistry
  readonly eventStore: EventStore
  readonly personKeys: Pick<PersonKeys, 'get'>
  readonly batchSize: number
  /** What a reader that failed waits at first, in ms; then twice as long each time. */
  readonly retryAfter: number
  readonly log: Log
}

/**
 * What a lane remembers for readers that come close: events, as a multiple of the size of a batch, and batches. While it
 * reads what has long been in the log nobody comes close, except right after the start, when all set out together; and
 * what is remembered outlives the young generation of the garbage collector, which would cost a tenth of the time.
 */
const REMEMBERED_SIZES = 2
const REMEMBERED_BATCHES = 256
const SETTING_OUT = 3
const LONGEST_WAIT = 5_000

/** A reader's place in a lane. */
interface Seat {
  readonly reader: LogReader
  /** All up to here was taken; undefined when that is not known yet. */
  position: Position | undefined
  lane: Lane | undefined
  /** A batch that is being taken. */
  taking: Promise<void> | undefined
  /** Gives up the seat, with an error or because it is not wanted any more. */
  leave(error?: unknown): void
  readonly left: boolean
  /** Settles when the seat was given up, as it was. */
  readonly done: Promise<void>
  /** Something was taken well. */
  taken(): void
}

interface Lane {
  /** Whether a reader who has taken all up to a position could come in without missing anything. */
  covers(position: Position | undefined): boolean
  isAheadOf(other: Lane): boolean
  readonly position: Position | undefined
  readonly age: number
  /** Gives the seat in this lane, after bringing its reader to where the lane is. False when the lane has moved on meanwhile. */
  admit(seat: Seat): Promise<boolean>
  remove(seat: Seat): void
  /** Moves its readers over into a lane that is ahead and remembers what they miss, if there is one. */
  comeOver(): Promise<void>
  rest(seat: Seat, work: (lane: Resting) => Promise<void>): Promise<boolean>
}

export function openLanes({ registry, eventStore, personKeys, batchSize, retryAfter, log }: LanesOptions): Lanes {
  const lanes = new Set<Lane>()
  const seats = new Map<LogReader, Seat>()
  const failures = new Map<LogReader, number>()
  // Readers that fail together come back together, and share a lane again. The chance is between processes.
  const jitter = 0.75 + Math.random() / 2
  let opened = 0

  const openLane = (place: Place, first: Seat): void => {
    const members = new Set<Seat>([first])
    const inTurn = oneAfterTheOther()
    const abort = new AbortController()
    const age = opened++
    let closed = false
    let position = place.position
    let caughtUp = false
    /** The newest batches, and the position before the oldest of them. */
    const recent: Batch[] = []
    let remembered = 0
    let handedOut = 0
    let from = place.position

    const lane: Lane = {
      age,
      get position() {
        return position
      },
      covers(wanted) {
        if (closed || wanted === undefined || from === undefined || position === undefined) return false
        return comparePositions(from, wanted) <= 0 && comparePositions(wanted, position) <= 0
      },
      isAheadOf(other) {
        if (position === undefined || other.position === undefined) return false
        const ahead = comparePositions(position, other.position)
        return ahead > 0 || (ahead === 0 && age < other.age)
      },
      async admit(seat) {
        // The others need not wait while the newcomer takes what is remembered, only for what comes meanwhile.
        while (lane.covers(seat.position) && seat.position !== position && !seat.left) await deliverMissing(seat)
        return inTurn(async () => {
          if (!lane.covers(seat.position)) return false
          await deliverMissing(seat)
          if (seat.left) return true
          seat.lane = lane
          members.add(seat)
          return true
        })
      },
      remove(seat) {
        members.delete(seat)
        if (members.size === 0) close()
      },
      // In turn, so that no batch is handed out meanwhile. Lanes wait only for lanes that are ahead, so never in a circle.
      comeOver: () => inTurn(async () => (closed ? undefined : merge())),
      rest: (seat, work) =>
        inTurn(async () => {
          if (!members.has(seat)) return false
          await work({ has: (reader) => [...members].some((member) => member.reader === reader), caughtUp })
          return true
        }),
    }

    const deliverMissing = async (seat: Seat) => {
      for (const batch of [...recent]) await deliver(seat, batch)
    }

    const close = () => {
      closed = true
      lanes.delete(lane)
      abort.abort()
    }

    const remember = (batch: Batch) => {
      handedOut++
      if (batch.caughtUp || handedOut <= SETTING_OUT) {
        recent.push(batch)
        remembered += batch.entries.length
      }
      const isForgetful = !batch.caughtUp && handedOut > SETTING_OUT
      while (isForgetful || remembered > REMEMBERED_SIZES * batchSize || recent.length > REMEMBERED_BATCHES) {
        const oldest = recent.shift()
        if (!oldest) break
        from = oldest.position
        remembered -= oldest.entries.length
      }
      // Where the lane began may not be known as a position, and a batch may not be remembered: then it begins here.
      if (recent.length === 0 || from === undefined) from = batch.position
      position = batch.position
      caughtUp = batch.caughtUp
    }

    const handOut = async (batch: Batch) => {
      await Promise.all([...members].map((seat) => (seat.reader.busy && members.size > 1 ? seat.leave() : deliver(seat, batch))))
      remember(batch)
    }

    const merge = async () => {
      for (const other of [...lanes]) {
        if (other === lane || !other.isAheadOf(lane) || !other.covers(position)) continue
        for (const seat of [...members]) {
          if (seat.reader.busy) continue
          if (await other.admit(seat)) members.delete(seat)
        }
        if (members.size === 0) return close()
      }
    }

    const run = async () => {
      try {
        for await (const read of eventStore.subscribe(place.checkpoint, { signal: abort.signal, batchSize })) {
          const batch = await decoded(read)
          await inTurn(() => handOut(batch))
          if (!closed) await lane.comeOver()
          if (closed) return
          // Who rests at the end of the log looks around only when asked: no batch may come for long.
          if (caughtUp) for (const other of [...lanes]) if (other !== lane && lane.isAheadOf(other)) void other.comeOver()
        }
        if (!closed) throw new Error('The subscription ended by itself')
      } catch (error) {
        for (const seat of [...members]) seat.leave(error)
      } finally {
        close()
      }
    }

    lanes.add(lane)
    first.lane = lane
    void run()
  }

  const deliver = async (seat: Seat, batch: Batch): Promise<void> => {
    const { position } = seat
    if (seat.left || (position !== undefined && comparePositions(batch.position, position) <= 0)) return
    const entries = position === undefined ? batch.entries : entriesAfter(batch.entries, position)
    try {
      seat.taking = seat.reader.take({ ...batch, entries })
      await seat.taking
      seat.position = batch.position
      seat.taken()
    } catch (error) {
      seat.leave(error)
    } finally {
      seat.taking = undefined
    }
  }

  const decoded = async ({ events, checkpoint, position, caughtUp }: EventBatch): Promise<Batch> => {
    const persons = new Set<string>()
    for (const { type, stream } of events) {
      const person = hasPersonalFields(registry, type) ? registry.personIdOf(stream) : undefined
      if (person !== undefined) persons.add(person)
    }
    const keys = persons.size > 0 ? await personKeys.get(persons) : undefined
    const entries = events.map((event) => batchEventOf(registry, event, keys?.get(registry.personIdOf(event.stream) ?? '')))
    return { entries, checkpoint, position, caughtUp }
  }

  /** Reads until the seat is given up; throws what it was given up for. */
  const read = async (reader: LogReader, signal: AbortSignal): Promise<void> => {
    let seat: Seat | undefined
    const giveUp = () => seat?.leave()
    try {
      let failure: unknown
      const place = await reader.start((error) => {
        failure = error
        seat?.leave(error)
      })
      if (failure !== undefined) throw failure
      if (signal.aborted) return
      seat = seatFor(reader, place, () => failures.delete(reader))
      seats.set(reader, seat)
      signal.addEventListener('abort', giveUp)
      if (!(await joined(seat)) && !seat.left) openLane(place, seat)
      await seat.done
    } finally {
      signal.removeEventListener('abort', giveUp)
      seats.delete(reader)
      // What it was given last may still be under way when it leaves because it is not wanted any more.
      await seat?.taking?.catch(() => {})
      await reader.stop?.()
    }
  }

  const joined = async (seat: Seat): Promise<boolean> => {
    for (const lane of [...lanes]) if (lane.covers(seat.position) && (await lane.admit(seat))) return true
    return false
  }

  return {
    async attend(reader, signal) {
      while (!signal.aborted) {
        try {
          await read(reader, signal)
        } catch (error) {
          if (signal.aborted) return
          const failed = (failures.get(reader) ?? 0) + 1
          failures.set(reader, failed)
          const wait = Math.min(retryAfter * 2 ** (failed - 1), LONGEST_WAIT) * jitter
          log.warn({ reader: reader.name, err: error, failed, wait: Math.round(wait) }, 'A reader of the log failed and will begin again')
          await pause(wait, signal)
        }
      }
      failures.delete(reader)
    },
    async between(reader, work) {
      const seat = seats.get(reader)
      return (await seat?.lane?.rest(seat, work)) ?? false
    },
    isFailing: (reader) => failures.has(reader),
  }
}

function seatFor(reader: LogReader, { position }: Place, taken: () => void): Seat {
  let left = false
  let settle: (error: unknown) => void = () => {}
  const done = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error))
  })
  // It may fail before anybody waits for it; whoever waits later still hears of it.
  done.catch(() => {})
  const seat: Seat = {
    reader,
    position,
    lane: undefined,
    taking: undefined,
    get left() {
      return left
    },
    done,
    leave(error) {
      if (left) return
      left = true
      seat.lane?.remove(seat)
      settle(error)
    },
    taken,
  }
  return seat
}

function entriesAfter(entries: readonly BatchEvent[], position: Position): readonly BatchEvent[] {
  const first = entries.findIndex(({ stored }) => comparePositions(stored.position, position) > 0)
  return first === 0 ? entries : first < 0 ? [] : entries.slice(first)
}

function oneAfterTheOther() {
  let last: Promise<unknown> = Promise.resolve()
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(work, work)
    last = mine
    return mine
  }
}

/** Waits, but no longer than until `signal` aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
}
