import { randomBytes } from 'node:crypto'
import { type AdminRole, issueAdminKey, revokeAdminKey } from '../domain/admin-key.ts'
import { type AdminKeyId, adminKeyId } from '../domain/ids.ts'
import { foundInstallation } from '../domain/installation.ts'
import type { Journal } from '../journal/journal.ts'
import { systemContext } from '../journal/metadata.ts'
import type { Secrets } from '../journal/secrets.ts'
import { adminKeys, installations } from '../journal/streams.ts'

/** Where refusals of keys that nobody issued are recorded. */
export const UNKNOWN_KEY = adminKeyId.parse('unknown')

/** There is one installation a log. */
export const THIS = 'this'

/** An access key's id: the beginning of its keyed hash, so that a key finds its own stream. */
export function adminKeyIdOf(keyHash: string): AdminKeyId {
  return adminKeyId.parse(keyHash.slice(0, 32))
}

export interface IssuedKey {
  readonly id: AdminKeyId
  /** The key itself: shown once, kept nowhere. */
  readonly accessKey: string
}

/** Issues and revokes access keys. */
export class AdminKeys {
  private readonly streams
  private readonly installation

  constructor(
    journal: Journal,
    private readonly secrets: Secrets,
  ) {
    this.streams = journal.of(adminKeys)
    this.installation = journal.of(installations)
  }

  /** Issues a key; without one given, makes one of 256 random bits. The same key again changes nothing. */
  async issue(label: string, role: AdminRole, requestId: string, accessKey = newAccessKey()): Promise<IssuedKey> {
    const keyHash = this.secrets.accessKeyHash(accessKey)
    const id = adminKeyIdOf(keyHash)
    await this.streams.change(id, systemContext('command line', requestId), (key) => issueAdminKey(key, label, role, keyHash))
    return { id, accessKey }
  }

  /** @throws {Refused} not-found */
  async revoke(id: AdminKeyId, requestId: string): Promise<void> {
    await this.streams.change(id, systemContext('command line', requestId), revokeAdminKey)
  }

  /**
   * Makes sure that somebody can get in: issues the configured key, or at the very first start one made for it.
   *
   * @returns the key that was made now and must be shown, undefined when there is nothing to show.
   */
  async ensureFirst(configured: string | undefined, requestId: string): Promise<string | undefined> {
    const { founded } = (await this.installation.load(THIS)).state
    if (configured !== undefined) await this.issue('ADMIN_ACCESS_KEY', 'admin', requestId, configured)
    if (founded) return undefined
    const made = configured === undefined ? (await this.issue('first key', 'admin', requestId)).accessKey : undefined
    // After the key, so that a crash between shows another key at the next start instead of none.
    await this.installation.change(THIS, systemContext('start', requestId), foundInstallation)
    return made
  }
}

function newAccessKey(): string {
  return `pdk_${randomBytes(32).toString('base64url')}`
}
