import { HttpError } from '../../http/http-errors.ts'
import { limits } from '../../http/limits.ts'

/** The client of a live stream. */
export interface StreamClient {
  readonly session: string
  /** The id of a user or an access key. */
  readonly person: string
  readonly isStaff: boolean
  readonly network: string
}

const RETRY_SECONDS = 10

/** The live streams of this process, counted per session, person and network. Some slots are reserved for staff. */
export function createStreamSlots() {
  const taken = new Map<string, number>()
  const countOf = (key: string) => taken.get(key) ?? 0
  const add = (key: string, by: 1 | -1): void => {
    const count = countOf(key) + by
    if (count > 0) taken.set(key, count)
    else taken.delete(key)
  }

  return {
    /** Takes a slot and returns the function that frees it. @throws {HttpError} 503 when the process has no slot left, 429 when the client has too many. */
    take({ session, person, isStaff, network }: StreamClient): () => void {
      const { live } = limits
      if (countOf('all') >= (isStaff ? live.most : live.most - live.reservedForStaff))
        throw new HttpError(503, { message: 'Too many open connections. Please try again in a moment.' }, RETRY_SECONDS)
      const bounds: readonly (readonly [key: string, most: number])[] = [
        [`session ${session}`, live.perSession],
        [`person ${person}`, isStaff ? live.perAccessKey : live.perTrader],
        // Staff may share a crowded network, so their access key is counted instead.
        ...(isStaff ? [] : [[`network ${network}`, live.perNetwork] as const]),
      ]
      if (bounds.some(([key, most]) => countOf(key) >= most))
        throw new HttpError(429, { message: 'You have too many open pages. Please close some of them.' }, RETRY_SECONDS)
      const keys = ['all', ...bounds.map(([key]) => key)]
      for (const key of keys) add(key, 1)
      return () => {
        for (const key of keys) add(key, -1)
      }
    },
  }
}
