import { type Connection, falseIfDuplicate } from '#infra/mongodb/mongodb-connection.ts'
import type { LeaseStore } from './lease-store.ts'

interface Lease {
  readonly _id: string
  readonly holder: string
  /** Counts up with every renewal. */
  readonly renewals: number
  readonly ms: number
}

/**
 * Works without comparing clocks of different machines. An owner increments a number. Another that wants the lease
 * watches it, and takes over when by its own clock the number has not changed for the lease's duration. The server
 * takes over and renews only what is unchanged since, so one of several applicants gets it.
 */
export function createMongodbLeaseStore({ database, run }: Connection): LeaseStore {
  const leases = database.collection<Lease>('leases')
  /** The observed leases of others, each with the time of its last change in ms. */
  const watched = new Map<string, { readonly lease: Lease; readonly since: number }>()

  /** Whether a lease was not renewed for its time. */
  const isOver = (lease: Lease): boolean => {
    const before = watched.get(lease._id)
    const isAsBefore = before?.lease.holder === lease.holder && before.lease.renewals === lease.renewals
    if (!isAsBefore) watched.set(lease._id, { lease, since: performance.now() })
    return isAsBefore && performance.now() - before.since >= lease.ms
  }

  return {
    async acquire(_id, owner, ms) {
      const renewed = await run(() => leases.updateOne({ _id, holder: owner }, { $set: { ms }, $inc: { renewals: 1 } }))
      if (renewed.matchedCount > 0) return true
      const other = await run(() => leases.findOne({ _id }))
      if (!other)
        return run(() => leases.insertOne({ _id, holder: owner, renewals: 0, ms }).then(() => true, falseIfDuplicate))
      if (!isOver(other)) return false
      const seen = { _id, holder: other.holder, renewals: other.renewals }
      const taken = await run(() => leases.updateOne(seen, { $set: { holder: owner, ms }, $inc: { renewals: 1 } }))
      return taken.matchedCount > 0
    },

    async release(_id, owner) {
      await run(() => leases.deleteOne({ _id, holder: owner }))
    },
  }
}
