import { randomUUID } from 'node:crypto'
import type { KeyStore } from '../../infra/key-store/key-store.ts'
import { INSTALLATION_ID, recordRotation } from '../domain/installation/installation.ts'
import { Refused } from '../event-sourcing/refusal.ts'
import type { Repositories } from '../event-sourcing/aggregate-repository.ts'
import { type Context, systemContext } from '../event-sourcing/codec/metadata.ts'
import { type UnwrappedRoot, unwrapRootSecret, rewrapRootSecret } from './root-secret.ts'
import { installations } from '../domain/streams.ts'

/** Where an installation has its master key from. */
export interface MasterKeySource {
  /** The keys that may be it, the likeliest first; more than one only while it is being exchanged. */
  candidates(): readonly string[]
  /**
   * The key to exchange `current` for, kept so that it is found among the candidates after any crash.
   *
   * @throws {Refused} when there is none to exchange it for.
   */
  next(current: string): Promise<string>
  /** This is the one from now on. */
  confirm(masterKey: string): Promise<void>
}

/** Opens the root secret with the key that is there. Answers undefined when none of those that may be it does. */
export async function unwrapRootFrom(store: KeyStore, place: MasterKeySource): Promise<UnwrappedRoot | undefined> {
  let tried: readonly string[] = []
  for (;;) {
    const candidates = place.candidates()
    const root = await unwrapRootSecret(store, candidates)
    if (root) {
      await place.confirm(root.masterKey)
      return root
    }
    // The key may have been exchanged between the look at the candidates and the look into the store.
    if (candidates.every((one) => tried.includes(one))) return undefined
    tried = candidates
  }
}

/**
 * Exchanges the master key: the same root secret is sealed by another key, in one step. Whoever has opened it goes on; whoever
 * opens it from now on needs the new key. Cut off anywhere it is done or not, and may be asked for again.
 *
 * @returns false when the root was sealed by the new key already.
 * @throws {Refused} when there is no other key, or somebody else exchanged it at the same time.
 */
export async function rotateMasterKey({
  keyStore,
  repositories,
  masterKey,
}: {
  readonly keyStore: KeyStore
  readonly repositories: Repositories
  readonly masterKey: MasterKeySource
}): Promise<boolean> {
  const root = (await unwrapRootFrom(keyStore, masterKey)) ?? throwRotatedByOthers()
  const next = await masterKey.next(root.masterKey)
  if (next === root.masterKey) return false
  if (!(await rewrapRootSecret(keyStore, root, next))) throwRotatedByOthers()
  // Nothing is left of the old key before the new one was seen to open what is kept.
  const kept = (await unwrapRootSecret(keyStore, [next])) ?? throwRotatedByOthers()
  await masterKey.confirm(next)
  await recordRotations(repositories, kept, systemContext('command line', randomUUID()))
  return true
}

/** Sees to it that each exchange of the master key is in the log, also one that was cut off before it was recorded. */
export async function recordRotations(repositories: Repositories, { rotations }: Pick<UnwrappedRoot, 'rotations'>, context: Context): Promise<void> {
  if (rotations === 0) return
  const installation = repositories.of(installations)
  if ((await installation.load(INSTALLATION_ID)).state.rotations < rotations)
    await installation.decide(INSTALLATION_ID, context, (state) => recordRotation(state, rotations))
}

function throwRotatedByOthers(): never {
  throw new Refused(
    'conflict',
    'Somebody else exchanged the master key at the same time. Find out which one opens the installation now, and run this again if you have to',
  )
}
