import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

/** Argon2id as the security checklist asks (ASVS 11.4.2): 19 MiB, two passes, one lane; about 20 ms. Argon2id is the library's default. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Whether a hash was made with weaker parameters than today's, and should be made again at the next sign-in. */
export function isOutdated(passwordHash: string): boolean {
  const [, memory, time, lanes] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(passwordHash) ?? []
  const { memoryCost, timeCost, parallelism } = parameters
  return Number(memory ?? 0) < memoryCost || Number(time) < timeCost || Number(lanes) < parallelism
}

/** Hashes a password in PHC format, without trimming or truncating it. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, parameters)
}

/** The hash of a random password, so that an unknown email takes as long as a wrong password. */
const dummyHash = hashPassword(randomBytes(32).toString('base64'))

/** Verifies a password. Without a hash it fails, and takes the same time. */
export async function isPassword(password: string, passwordHash: string | null): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await dummyHash), password)
  return passwordHash !== null && matches
}
