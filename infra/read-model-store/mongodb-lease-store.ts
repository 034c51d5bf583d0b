import { type Connection, falseIfDuplicate } from '../mongodb/mongodb-connection.ts'

/** Leases: a name that one holder has for a time. */
export interface Leases {
  take(name: string, holder: string, ms: number): Promise<boolean>
  release(name: string, holder: string): Promise<void>
}

interface Lease {
  readonly _id: string
  readonly holder: string
  /** Counts up with every renewal. */
  readonly renewals: number
  readonly ms: number
}

/**
 * No two machines' clocks are compared. A holder counts up a number; who wants the lease watches it, and takes over when by
 * its own clock the number has stood still for as long as the lease was given. The server takes over and renews only what
 * still is as it was seen, so of a holder and others that ask at the same time one has it.
 */
export function openLeases({ database, run }: Connection): Leases {
  const leases = database.collection<Lease>('leases')
  /** What was seen of others' leases, and when first, in ms. */
  const watched = new Map<string, { readonly lease: Lease; readonly since: number }>()

  /** Whether a lease has stood still for its time. */
  const isOver = (lease: Lease): boolean => {
    const before = watched.get(lease._id)
    const isAsBefore = before?.lease.holder === lease.holder && before.lease.renewals === lease.renewals
    if (!isAsBefore) watched.set(lease._id, { lease, since: performance.now() })
    return isAsBefore && performance.now() - before.since >= lease.ms
  }

  return {
    async take(_id, holder, ms) {
      const renewed = await run(() => leases.updateOne({ _id, holder }, { $set: { ms }, $inc: { renewals: 1 } }))
      if (renewed.matchedCount > 0) return true
      const other = await run(() => leases.findOne({ _id }))
      if (!other) return run(() => leases.insertOne({ _id, holder, renewals: 0, ms }).then(() => true, falseIfDuplicate))
      if (!isOver(other)) return false
      const seen = { _id, holder: other.holder, renewals: other.renewals }
      const taken = await run(() => leases.updateOne(seen, { $set: { holder, ms }, $inc: { renewals: 1 } }))
      return taken.matchedCount > 0
    },

    async release(_id, holder) {
      await run(() => leases.deleteOne({ _id, holder }))
    },
  }
}
