import type { Readable } from 'node:stream'

/** The port to files (certificates). Keys are made by the server: lower-case letters, digits, '-', '_', '.' and '/'. */
export interface FileStore {
  /** Keeps a file, whole and durably, or throws {@link Unavailable} and leaves nothing under the key. */
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>

  /** The file's size in bytes and its content, or undefined. The caller reads or destroys the stream. */
  get(key: string): Promise<StoredFile | undefined>

  /** Removes every file whose key starts with a prefix ending in '/'. None is fine. */
  removeAll(prefix: string): Promise<void>

  /** @throws {Unavailable} */
  ready(): Promise<void>
  close(): Promise<void>
}

export interface StoredFile {
  readonly size: number
  readonly content: Readable
}
