import { randomUUID } from 'node:crypto'
import type { KeyStore } from '../../infra/key-store/key-store.ts'
import { recordRotation } from '../domain/installation/installation.ts'
import { Refused } from '../event-sourcing/refusal.ts'
import type { Journal } from '../event-sourcing/aggregate-repository.ts'
import { type Context, systemContext } from '../event-sourcing/codec/metadata.ts'
import { type OpenedRoot, openRoot, sealAnew } from './root-secret.ts'
import { installations } from '../domain/streams.ts'
import { THIS } from '../use-cases/access-keys.ts'

/** Where an installation has its master key from. */
export interface MasterKeyPlace {
  /** The keys that may be it, the likeliest first; more than one only while it is being exchanged. */
  candidates(): readonly string[]
  /**
   * The key to exchange `current` for, kept so that it is found among the candidates after any crash.
   *
   * @throws {Refused} when there is none to exchange it for.
   */
  next(current: string): Promise<string>
  /** This is the one from now on. */
  settle(masterKey: string): Promise<void>
}

/** Opens the root secret with the key that is there. Answers undefined when none of those that may be it does. */
export async function openRootAt(store: KeyStore, place: MasterKeyPlace): Promise<OpenedRoot | undefined> {
  let tried: readonly string[] = []
  for (;;) {
    const candidates = place.candidates()
    const root = await openRoot(store, candidates)
    if (root) {
      await place.settle(root.masterKey)
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
  journal,
  masterKey,
}: {
  readonly keyStore: KeyStore
  readonly journal: Journal
  readonly masterKey: MasterKeyPlace
}): Promise<boolean> {
  const root = (await openRootAt(keyStore, masterKey)) ?? exchangedByOthers()
  const next = await masterKey.next(root.masterKey)
  if (next === root.masterKey) return false
  if (!(await sealAnew(keyStore, root, next))) exchangedByOthers()
  // Nothing is left of the old key before the new one was seen to open what is kept.
  const kept = (await openRoot(keyStore, [next])) ?? exchangedByOthers()
  await masterKey.settle(next)
  await recordRotations(journal, kept, systemContext('command line', randomUUID()))
  return true
}

/** Sees to it that each exchange of the master key is in the log, also one that was cut off before it was recorded. */
export async function recordRotations(journal: Journal, { rotations }: Pick<OpenedRoot, 'rotations'>, context: Context): Promise<void> {
  if (rotations === 0) return
  const installation = journal.of(installations)
  if ((await installation.load(THIS)).state.rotations < rotations) await installation.change(THIS, context, (state) => recordRotation(state, rotations))
}

function exchangedByOthers(): never {
  throw new Refused(
    'conflict',
    'Somebody else exchanged the master key at the same time. Find out which one opens the installation now, and run this again if you have to',
  )
}
