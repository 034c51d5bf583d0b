import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Unavailable } from '../infra/failures.ts'
import type { Dependencies } from './composition-root.ts'

/** Waits in ms between two tries: twice as long each time, up to the longest. */
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 2_000
/** Who looks into the log sees again and again that it waits: every so many tries. */
const ATTEMPTS_PER_LOG_LINE = 30

/** Waiting for servers that are not there yet. */
export interface DependencyWait {
  /** What is missing, as far as is known. */
  readonly missing: Unavailable | undefined
  /**
   * Tries until it succeeds, as long as it is a server that is missing: what is wrong with our own folder nobody mends
   * by waiting. Answers undefined when `signal` aborts.
   */
  retryUntilAvailable<Result>(attempt: () => Promise<Result>, signal: AbortSignal): Promise<Result | undefined>
}

/** Waits for the servers among these parts, so that processes can be started in any order. */
export function createDependencyWait({ isServer }: Pick<Dependencies, 'isServer'>, log: Logger): DependencyWait {
  let missing: Unavailable | undefined
  return {
    get missing() {
      return missing
    },
    async retryUntilAvailable(attempt, signal) {
      for (let tries = 0; !signal.aborted; tries++) {
        try {
          const result = await attempt()
          if (missing) log.info('Everything is there now')
          missing = undefined
          return result
        } catch (error) {
          if (!(error instanceof Unavailable) || !isServer(error.part)) throw error
          if (missing?.part !== error.part || tries % ATTEMPTS_PER_LOG_LINE === 0) log.warn({ missing: error.part, err: error }, 'Waiting for what is missing')
          missing = error
        }
        // Those who were started together do not come back together.
        const wait = Math.min(FIRST_DELAY_MS * 2 ** tries, MAX_DELAY_MS) * (0.5 + Math.random() / 2)
        await delay(wait, undefined, { signal }).catch(() => {})
      }
      return undefined
    },
  }
}
