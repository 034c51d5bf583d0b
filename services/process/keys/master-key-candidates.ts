import type { KeyStore } from '#infra/key-store/key-store.ts'
import { type UnwrappedRoot, unwrapRootSecret } from './root-secret.ts'

/** Where an installation gets its master key. */
export interface MasterKeySource {
  /** The keys that may be valid, the likeliest first; more than one only during a rotation. */
  candidates(): readonly string[]
  /**
   * The key that replaces `current`, stored first so that it is among the candidates after any crash.
   *
   * @throws {Refused} when there is no other key.
   */
  next(current: string): Promise<string>
  /** Makes this the only candidate from now on. */
  confirm(masterKey: string): Promise<void>
}

/** Unwraps the root secret with one of the candidates. Returns undefined when none is valid. */
export async function unwrapRootFrom(store: KeyStore, source: MasterKeySource): Promise<UnwrappedRoot | undefined> {
  let tried: readonly string[] = []
  for (;;) {
    const candidates = source.candidates()
    const root = await unwrapRootSecret(store, candidates)
    if (root) {
      await source.confirm(root.masterKey)
      return root
    }
    // The key may have been rotated between reading the candidates and reading the store.
    if (candidates.every((key) => tried.includes(key))) return undefined
    tried = candidates
  }
}
