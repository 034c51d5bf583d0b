import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { Unavailable } from '#infra/failures.ts'
import { limits } from '#services/framework/http/limits.ts'

/** How much work a hash is. */
export interface HashCost {
  /** In KiB. */
  readonly memoryCost: number
  /** Passes over the memory. */
  readonly timeCost: number
  /** Lanes. */
  readonly parallelism: number
}

/**
 * Argon2id as the security checklist asks (ASVS 11.4.2): 19 MiB, two passes, one lane; about 20 ms. Argon2id is the
 * library's default.
 */
const checklistCost: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export type PasswordHashing = ReturnType<typeof createPasswordHashing>

/**
 * Hashes and checks passwords, a few at a time.
 *
 * @param cost Only tests pass one: no configuration can weaken the hashes of an installation.
 */
export function createPasswordHashing(cost: HashCost = checklistCost) {
  const inTurn = createTurns()
  /**
   * Hashes a password in PHC format, without trimming or truncating it. Keyboards write ä as one character or as two, so it
   * is composed first (Unicode's form NFC).
   *
   * @throws {Unavailable} when too many passwords wait to be checked.
   */
  const hashInTurn = (password: string): Promise<string> => inTurn(() => hash(password.normalize('NFC'), cost))
  /** The hash of a random password, so that an unknown email takes as long as a wrong password. */
  const dummyHash = hashInTurn(randomBytes(32).toString('base64'))
  return {
    hash: hashInTurn,
    /**
     * Verifies a password. Without a hash it fails, and takes the same time.
     *
     * @throws {Unavailable} when too many passwords wait to be checked.
     */
    async verify(password: string, passwordHash: string | null): Promise<boolean> {
      const known = passwordHash ?? (await dummyHash)
      // A hash of 0.2.0 is of what was typed then.
      const forms = new Set([password.normalize('NFC'), password, password.normalize('NFD')])
      for (const form of forms) if (await inTurn(() => verify(known, form))) return passwordHash !== null
      return false
    },
    /** Whether a hash cost less than today's, and should be made again at the next sign-in. */
    isOutdated(passwordHash: string): boolean {
      const [, memory, time, lanes] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(passwordHash) ?? []
      return Number(memory ?? 0) < cost.memoryCost || Number(time) < cost.timeCost || Number(lanes) < cost.parallelism
    },
  }
}

/**
 * Runs work in its turn. It throws {@link Unavailable} when too much waits already: strangers can ask for any number of
 * hashes.
 */
function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  /** One processor core stays free for everyone who is not signing in. */
  const mostAtOnce = Math.max(1, availableParallelism() - 1)
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running < mostAtOnce) running++
    else {
      if (waiting.length >= limits.passwords.waiting) throw new Unavailable('password check')
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
