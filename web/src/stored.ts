/**
 * Texts that the browser keeps, and that all tabs of this site share. Storage may be closed to a page: then it has
 * none, and nothing is kept.
 */

/** All that is ever kept: how pages look, and a firm's public key. */
export type StoredKey = 'theme' | 'time-zone' | 'proofdesk.firm-key'

/** The text of a key; null without one. */
export function readStored(key: StoredKey): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Keeps a text for later pages and other tabs. */
export function writeStored(key: StoredKey, text: string): void {
  try {
    localStorage.setItem(key, text)
  } catch {
    // This page goes on without it.
  }
}
