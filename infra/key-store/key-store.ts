/**
 * The port to the keys of persons, each wrapped by the caller. A destroyed key is never created again: a tombstone, which
 * the caller authenticates, stays in its place.
 */
export interface KeyStore {
  /** The entries of these ids, without those that have none. */
  get(ids: readonly string[]): Promise<Map<string, StoredKey>>

  /** Stores a wrapped key durably, unless the id has or had one. Returns the stored entry. */
  add(id: string, wrapped: Uint8Array): Promise<StoredKey>

  /**
   * Replaces a wrapped key durably by one of the same length. Returns false, and changes nothing, when the stored key
   * is not `expected` or is destroyed. Of concurrent replacements only one succeeds.
   */
  replace(id: string, expected: Uint8Array, wrapped: Uint8Array): Promise<boolean>

  /**
   * Destroys a key so that its bytes can't be recovered, and prevents one for an id that had none. It may be repeated.
   *
   * @param tombstone As long as the key, which it overwrites in place.
   * @throws {Unavailable} when its bytes may still exist: retry until it succeeds.
   */
  destroy(id: string, tombstone: Uint8Array): Promise<void>

  /** @throws {Unavailable} */
  ready(): Promise<void>
  close(): Promise<void>
}

export interface StoredKey {
  /** The wrapped key, or the tombstone of a destroyed one. */
  readonly wrapped: Uint8Array
  readonly isDestroyed: boolean
}

/** Requires equal lengths: only then do the new bytes overwrite the old ones in place. @throws {TypeError} */
export function checkReplacement(expected: Uint8Array, wrapped: Uint8Array): void {
  if (expected.length !== wrapped.length)
    throw new TypeError(`A wrapped key of ${expected.length} bytes can't be replaced by one of ${wrapped.length}`)
}
