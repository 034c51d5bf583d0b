import { BadConfiguration, type Config } from '#services/process/config.ts'

/**
 * The fewest guesses, as a power of ten, that an attacker who knows how people choose keys must need. An access key can
 * only be tried at the sign-in screen; a master key also against a stolen copy of the key store.
 */
const LEAST = { ADMIN_ACCESS_KEY: 12, MASTER_KEY: 24, NEW_MASTER_KEY: 24 } as const

/**
 * Stops a start with configured keys that are easy to guess. An installation that has such a master key can still
 * rotate it from the command line.
 *
 * @throws {BadConfiguration} naming the variable, never the key.
 */
export async function assertStrongKeys({
  adminAccessKey,
  masterKey,
}: Pick<Config, 'adminAccessKey' | 'masterKey'>): Promise<void> {
  if (adminAccessKey !== undefined) await assertStrongKey('ADMIN_ACCESS_KEY', adminAccessKey)
  if (masterKey !== undefined) await assertStrongKey('MASTER_KEY', masterKey)
}

/** @throws {BadConfiguration} when the key is easy to guess. */
export async function assertStrongKey(name: keyof typeof LEAST, key: string): Promise<void> {
  estimator ??= loadEstimator()
  if ((await estimator).check(key).guessesLog10 >= LEAST[name]) return
  const remedy =
    name === 'MASTER_KEY' ? '; set NEW_MASTER_KEY to a stronger one and run `npx proofdesk master-key rotate`' : ''
  throw new BadConfiguration(`${name}: is too easy to guess; make one with \`openssl rand -base64 32\`${remedy}`)
}

/** It loads slowly, so only where a key is configured. */
let estimator: ReturnType<typeof loadEstimator> | undefined

async function loadEstimator() {
  const [{ ZxcvbnFactory }, { adjacencyGraphs: graphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new ZxcvbnFactory({ dictionary, graphs })
}
