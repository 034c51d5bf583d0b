import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { Unavailable } from '../../infra/failures.ts'
import { limits } from '../http/limits.ts'

/** Argon2id as the security checklist asks (ASVS 11.4.2): 19 MiB, two passes, one lane; about 20 ms. Argon2id is the library's default. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Whether a hash was made with weaker parameters than today's, and should be made again at the next sign-in. */
export function isOutdated(passwordHash: string): boolean {
  const [, memory, time, lanes] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(passwordHash) ?? []
  const { memoryCost, timeCost, parallelism } = parameters
  return Number(memory ?? 0) < memoryCost || Number(time) < timeCost || Number(lanes) < parallelism
}

/** One processor core stays free for everyone who is not signing in. */
const mostAtOnce = Math.max(1, availableParallelism() - 1)
let running = 0
const waiting: (() => void)[] = []

/** Runs `work` in its turn. @throws {Unavailable} when too many wait already: strangers can ask for any number of hashes. */
async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
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

/**
 * Hashes a password in PHC format, without trimming or truncating it.
 *
 * @throws {Unavailable} when too many passwords wait to be checked.
 */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, parameters))
}

/** The hash of a random password, so that an unknown email takes as long as a wrong password. */
const dummyHash = hashPassword(randomBytes(32).toString('base64'))

/**
 * Verifies a password. Without a hash it fails, and takes the same time.
 *
 * @throws {Unavailable} when too many passwords wait to be checked.
 */
export async function isPassword(password: string, passwordHash: string | null): Promise<boolean> {
  const known = passwordHash ?? (await dummyHash)
  const matches = await inTurn(() => verify(known, password))
  return passwordHash !== null && matches
}
