import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { aborted, jittered } from '#infra/async.ts'
import { Unavailable } from '#infra/failures.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { BadConfiguration } from '#services/process/config.ts'
import { credentialRefusal } from '#services/process/credential-refusals.ts'

/** Delays in ms between two attempts: twice as long each time, up to the longest. */
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 2_000
/** Log a reminder every so many attempts. */
const ATTEMPTS_PER_LOG_LINE = 30
/** Refusals of our credentials in a row before waiting is given up: a server that starts may not know its users yet. */
const MAX_REFUSALS = 5

/** How long a stop waits for the attempt in progress, in ms. A server that hangs would hold it up for seconds. */
const LAST_ATTEMPT_MS = 300

export type DependencyWait = ReturnType<typeof createDependencyWait>

/** Waits for the servers among the dependencies, so that processes can start in any order. */
export function createDependencyWait({ isServer }: Pick<Dependencies, 'isServer'>, log: Logger) {
  let missing: Unavailable | undefined
  return {
    /** The server that the last attempt missed. */
    get missing(): Unavailable | undefined {
      return missing
    },
    /**
     * Retries as long as a server is missing. Errors of local files are not retried. Resolves with undefined when
     * `signal` aborts; an attempt that does not end soon after is left to itself.
     *
     * @throws {BadConfiguration} when a server keeps refusing our credentials: then waiting does not help.
     */
    async retryUntilAvailable<Result extends object>(
      attempt: () => Promise<Result>,
      signal: AbortSignal,
    ): Promise<Result | undefined> {
      let refusals = 0
      const abandoned = aborted(signal).then(() => delay(LAST_ATTEMPT_MS, undefined))
      for (let tries = 0; !signal.aborted; tries++) {
        try {
          const result = await Promise.race([attempt(), abandoned])
          if (result === undefined) return undefined
          if (missing) log.info('All dependencies are available')
          missing = undefined
          return result
        } catch (error) {
          if (!(error instanceof Unavailable) || !isServer(error.part)) throw error
          const refusal = credentialRefusal(error)
          refusals = refusal === undefined ? 0 : refusals + 1
          if (refusal !== undefined && refusals >= MAX_REFUSALS) throw new BadConfiguration(refusal)
          if (missing?.part !== error.part || tries % ATTEMPTS_PER_LOG_LINE === 0)
            log.warn({ missing: error.part, err: error }, refusal ?? 'Waiting for a dependency')
          missing = error
        }
        await delay(jittered(Math.min(FIRST_DELAY_MS * 2 ** tries, MAX_DELAY_MS)), undefined, { signal }).catch(
          () => {},
        )
      }
      return undefined
    },
  }
}
