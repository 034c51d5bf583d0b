/**
 * Texts that the browser keeps, and that all tabs of this site share. Storage may be closed to a page: then it has
 * none, and nothing is kept.
 */

/** All that is kept for long: how pages look, and a firm’s public key. */
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

/** Text that is typed and not sent: kept for this tab alone, until it closes. */
const DRAFTS = 'drafts'

/** The text that this tab keeps; null without one. */
export function readOfTab(): string | null {
  try {
    return sessionStorage.getItem(DRAFTS)
  } catch {
    return null
  }
}

/** Keeps a text for this tab, or no longer. */
export function writeOfTab(text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(DRAFTS)
    else sessionStorage.setItem(DRAFTS, text)
  } catch {
    // It is kept until the page ends.
  }
}
