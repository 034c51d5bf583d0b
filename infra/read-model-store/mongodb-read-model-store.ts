import { z } from 'zod'
import { type Connection, connect, falseIfDuplicate } from '#infra/mongodb/mongodb-connection.ts'
import { comparePositions } from '#infra/event-store/event-store.ts'
import type {
  DeadLetter,
  DeadLetterStore,
  ExpectedState,
  LeaseStore,
  ProjectionState,
  ProjectionStore,
  ReadModelStore,
} from './read-model-store.ts'
import { createMongodbCheckpointStore } from './mongodb-checkpoint-store.ts'
import { createMongodbDocumentStore } from './mongodb-document-store.ts'

/**
 * Opens the read models in MongoDB, or what speaks its protocol: a standalone server is enough, since nothing needs a
 * transaction. Documents are written first, each where it is still at the position that was read, then the checkpoint.
 * A worker that is killed in between applies the same events again and skips what is there already.
 */
export function openMongodbReadModelStore(url: string): ReadModelStore {
  const connection = connect(url, 'view store')
  const checkpoints = createMongodbCheckpointStore(connection, url)
  return {
    documents: createMongodbDocumentStore(connection, checkpoints),
    checkpoints,
    projections: createMongodbProjectionStore(connection),
    deadLetters: createMongodbDeadLetterStore(connection),
    leases: createMongodbLeaseStore(connection),
    ready: connection.ready,
    async close() {
      checkpoints.close()
      await connection.close()
    },
  }
}

interface StoredProjection extends Omit<ProjectionState, 'projection'> {
  readonly _id: string
}

function createMongodbProjectionStore({ database, run }: Connection): ProjectionStore {
  const states = database.collection<StoredProjection>('projections')

  const insert = async ({ projection, ...fields }: ProjectionState): Promise<void> => {
    await run(() => states.insertOne({ _id: projection, ...fields }).then(() => true, falseIfDuplicate))
  }

  const load = async (projection: string): Promise<ProjectionState | undefined> => {
    const stored = await run(() => states.findOne({ _id: projection }))
    return stored ? toState(stored) : undefined
  }

  return {
    load,
    async loadAll() {
      return new Map((await run(() => states.find().toArray())).map((stored) => [stored._id, toState(stored)]))
    },
    async create(state) {
      await insert(state)
      return (await load(state.projection)) ?? state
    },
    async update(projection, change, expected: ExpectedState = {}) {
      const { matchedCount } = await run(() =>
        states.updateOne({ _id: projection, ...expected }, { $set: { _id: projection, ...change } }),
      )
      return matchedCount > 0
    },
  }
}

function toState({ _id, ...fields }: StoredProjection): ProjectionState {
  return { projection: _id, ...fields }
}

interface StoredLetter extends Omit<DeadLetter, 'consumer'> {
  readonly _id: string
  readonly reader: string
}

function createMongodbDeadLetterStore({ database, run }: Connection): DeadLetterStore {
  const letters = database.collection<StoredLetter>('poison')
  const idOf = (consumer: string, { stream, revision }: Pick<DeadLetter, 'stream' | 'revision'>): string =>
    JSON.stringify([consumer, stream, revision])

  return {
    async add({ consumer, ...letter }) {
      await run(() =>
        letters.replaceOne({ _id: idOf(consumer, letter) }, { reader: consumer, ...letter }, { upsert: true }),
      )
    },
    async list(consumer) {
      const found = await run(() =>
        letters.find(consumer === undefined ? {} : { reader: consumer }, { projection: { _id: 0 } }).toArray(),
      )
      return found
        .map(({ reader, ...letter }) => ({ consumer: reader, ...letter }))
        .sort(
          (one, other) => comparePositions(one.position, other.position) || (one.consumer < other.consumer ? -1 : 1),
        )
    },
    async delete(consumer, event) {
      await run(() => letters.deleteMany(event ? { _id: idOf(consumer, event) } : { reader: consumer }))
    },
  }
}

const storedLease = z.object({
  _id: z.string(),
  holder: z.string(),
  /** Another with every renewal. */
  renewals: z.number(),
  ms: z.number(),
})
type Lease = z.infer<typeof storedLease>

/**
 * Works without comparing clocks of different machines. An owner changes a number. Another that wants the lease
 * watches it, and takes over when by its own clock the number has not changed for the lease's duration. The server
 * takes over and renews only what is unchanged since, so one of several applicants gets it.
 */
function createMongodbLeaseStore({ database, run }: Connection): LeaseStore {
  const leases = database.collection<Lease>('leases')
  /** The observed leases of others, each with the time of its last change in ms. */
  const watched = new Map<string, { readonly lease: Lease; readonly since: number }>()
  /** Set, not counted by the server: there it fails for ever once someone has made it no number. */
  let renewals = 0

  /** Whether a lease was not renewed for its time. One much longer than ours is someone else's, and is over before. */
  const isOver = (lease: Lease, ms: number): boolean => {
    const before = watched.get(lease._id)
    const isAsBefore = before?.lease.holder === lease.holder && before.lease.renewals === lease.renewals
    if (!isAsBefore) watched.set(lease._id, { lease, since: performance.now() })
    return isAsBefore && performance.now() - before.since >= Math.min(lease.ms, 2 * ms)
  }

  return {
    async acquire(_id, owner, ms) {
      renewals += 1
      const renewed = await run(() => leases.updateOne({ _id, holder: owner }, { $set: { ms, renewals } }))
      if (renewed.matchedCount > 0) return true
      const other = await run(() => leases.findOne({ _id }))
      if (!other)
        return run(() => leases.insertOne({ _id, holder: owner, renewals, ms }).then(() => true, falseIfDuplicate))
      const seen = { _id, holder: other.holder, renewals: other.renewals }
      if (!storedLease.safeParse(other).success) {
        // Someone else wrote it: its number may never stay the same, nor its time ever be over.
        await run(() => leases.deleteOne(seen))
        return false
      }
      if (!isOver(other, ms)) return false
      const taken = await run(() => leases.updateOne(seen, { $set: { holder: owner, ms, renewals } }))
      return taken.matchedCount > 0
    },

    async release(_id, owner) {
      await run(() => leases.deleteOne({ _id, holder: owner }))
    },
  }
}
