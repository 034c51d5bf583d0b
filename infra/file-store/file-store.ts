import type { Readable } from 'node:stream'

/**
 * The port to files (certificates). The server chooses the keys: lower-case letters, digits, '-', '_', '.' and '/',
 * checked by {@link checkKey}. No key is the folder of another ('a' and 'a/b').
 *
 * Every function throws {@link Unavailable} when the store can't be reached, and a TypeError for a key or prefix that
 * can't be one.
 */
export interface FileStore {
  /**
   * Stores a file completely and durably, or throws {@link Unavailable} and changes nothing under the key. Repeated
   * with the same key, it replaces the file.
   */
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>

  /** The file's size in bytes and its content, or undefined. The caller reads or destroys the stream. */
  get(key: string): Promise<StoredFile | undefined>

  /** Removes every file whose key starts with a prefix ending in '/'; there may be none. */
  removeAll(prefix: string): Promise<void>

  /** @throws {Unavailable} */
  ready(): Promise<void>
  close(): Promise<void>
}

/**
 * The content of a file is not what was stored. Stores that check it end the stream with {@link Unavailable}, and this
 * as its cause.
 */
export class AlteredContent extends Error {
  override readonly name = 'AlteredContent'
}

export interface StoredFile {
  readonly size: number
  readonly content: Readable
}

const KEY = /^[a-z0-9_-][a-z0-9_.-]{0,199}(\/[a-z0-9_-][a-z0-9_.-]{0,199})*$/
const LONGEST_KEY = 800

/**
 * A key is one or more names joined by '/'; a name doesn't begin with a dot. So a key never leaves its folder.
 *
 * @throws {TypeError}
 */
export function checkKey(key: string): void {
  if (key.length > LONGEST_KEY || !KEY.test(key)) throw new TypeError(`Not a key of a file: ${JSON.stringify(key)}`)
}

/** A prefix is a key with a '/' after it. @throws {TypeError} */
export function checkPrefix(prefix: string): void {
  if (!prefix.endsWith('/')) throw new TypeError(`Not a prefix of keys: ${JSON.stringify(prefix)}`)
  checkKey(prefix.slice(0, -1))
}
