/** The port to the keys of persons, each wrapped by the caller. Destroying one is for good: it is never made again. */
export interface KeyStore {
  /** What is known of these ids; an id without an entry is missing from the answer. */
  get(ids: readonly string[]): Promise<Map<string, StoredKey>>

  /** Keeps a wrapped key, durably, unless the id has one already or had one once. Answers what is kept now. */
  add(id: string, wrapped: Uint8Array): Promise<StoredKey>

  /**
   * Puts another wrapped key of the same length in the place of one, durably. Answers false, and changes nothing, when what is
   * kept is not `expected`, or is destroyed. Of several who replace the same at once one does.
   */
  replace(id: string, expected: Uint8Array, wrapped: Uint8Array): Promise<boolean>

  /**
   * Destroys a key so that its bytes can't be found again; also when it never was. Doing it twice is fine.
   *
   * @throws {Unavailable} when it may still be found: try again until it is done.
   */
  destroy(id: string): Promise<void>

  /** @throws {Unavailable} */
  ready(): Promise<void>
  close(): Promise<void>
}

export type StoredKey = { readonly wrapped: Uint8Array } | 'destroyed'

/** Who replaces a key by one of another length has made a mistake: only what takes its very place leaves nothing of it behind. */
export function checkReplacement(expected: Uint8Array, wrapped: Uint8Array): void {
  if (expected.length !== wrapped.length) throw new TypeError(`A wrapped key of ${expected.length} bytes can't be replaced by one of ${wrapped.length}`)
}
