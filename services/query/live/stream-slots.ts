import { HttpError } from '../../http/http-errors.ts'
import { limits } from '../../http/limits.ts'

/** Who asks for a live stream. */
export interface StreamClient {
  readonly session: string
  /** A user or an access key, by its id. */
  readonly person: string
  readonly isStaff: boolean
  readonly network: string
}

const RETRY_SECONDS = 10

/** The live streams of this process, counted for each session, person and network. The last slots are for staff. */
export function createStreamSlots() {
  const taken = new Map<string, number>()
  const countOf = (key: string) => taken.get(key) ?? 0
  const add = (key: string, by: 1 | -1): void => {
    const count = countOf(key) + by
    if (count > 0) taken.set(key, count)
    else taken.delete(key)
  }

  return {
    /** Takes a slot, and answers what gives it back. @throws {HttpError} 503 when the process has none left, 429 when the client has too many. */
    take({ session, person, isStaff, network }: StreamClient): () => void {
      const { live } = limits
      if (countOf('all') >= (isStaff ? live.most : live.most - live.reservedForStaff))
        throw new HttpError(503, { message: 'Too many pages listen right now' }, RETRY_SECONDS)
      const bounds: readonly (readonly [key: string, most: number])[] = [
        [`session ${session}`, live.perSession],
        [`person ${person}`, isStaff ? live.perAccessKey : live.perTrader],
        // Staff may share a network with a crowd; their access key is counted instead.
        ...(isStaff ? [] : [[`network ${network}`, live.perNetwork] as const]),
      ]
      if (bounds.some(([key, most]) => countOf(key) >= most)) throw new HttpError(429, { message: 'Too many pages of yours listen already' }, RETRY_SECONDS)
      const keys = ['all', ...bounds.map(([key]) => key)]
      for (const key of keys) add(key, 1)
      return () => {
        for (const key of keys) add(key, -1)
      }
    },
  }
}
