import { randomBytes } from 'node:crypto'
import type { SessionStore } from '../../infra/session-store/session-store.ts'
import { type AdminRole, issueAdminKey, revokeAdminKey } from '../domain/staff/access-key.ts'
import { type AdminKeyId, adminKeyId } from '../domain/ids.ts'
import { foundInstallation, INSTALLATION_ID } from '../domain/installation/installation.ts'
import type { Repositories } from '../event-sourcing/aggregate-repository.ts'
import { systemContext } from '../event-sourcing/codec/metadata.ts'
import type { Secrets } from '../keys/derived-secrets.ts'
import { adminKeys, installations } from '../domain/streams.ts'

/** The stream that records refusals of keys that were never issued. */
export const UNKNOWN_KEY_ID = adminKeyId.parse('unknown')

/** An access key's id: the beginning of its keyed hash, so that a key finds its own stream. */
export function adminKeyIdOf(keyHash: string): AdminKeyId {
  return adminKeyId.parse(keyHash.slice(0, 32))
}

export interface IssuedKey {
  readonly id: AdminKeyId
  /** The key itself: shown once, never stored. */
  readonly accessKey: string
}

/** Issues and revokes access keys. */
export class AccessKeys {
  private readonly adminKeys
  private readonly installations

  constructor(
    repositories: Repositories,
    private readonly secrets: Secrets,
  ) {
    this.adminKeys = repositories.of(adminKeys)
    this.installations = repositories.of(installations)
  }

  /** Issues a key, by default one of 256 random bits. The same key again changes nothing. */
  async issue(label: string, role: AdminRole, requestId: string, accessKey = newAccessKey()): Promise<IssuedKey> {
    const keyHash = this.secrets.accessKeyHash(accessKey)
    const id = adminKeyIdOf(keyHash)
    await this.adminKeys.decide(id, systemContext('command line', requestId), (key) => issueAdminKey(key, label, role, keyHash))
    return { id, accessKey }
  }

  /**
   * Revokes a key and ends its sessions. After a crash in between, the worker ends them.
   *
   * @throws {Refused} not-found
   */
  async revoke(id: AdminKeyId, requestId: string, sessions: Pick<SessionStore, 'endAll'>): Promise<void> {
    await this.adminKeys.decide(id, systemContext('command line', requestId), revokeAdminKey)
    await sessions.endAll('admin', id)
  }

  /**
   * Ensures that there is a key: issues the configured one, or a new one at the very first start. Of several processes that
   * start together, one creates it. After a failure it may be called again with the same ids.
   *
   * @param start Identifies this start.
   * @returns the key that this start created and must show; undefined when there is none.
   */
  async ensureFirstKey(configured: string | undefined, start: string, accessKey = newAccessKey()): Promise<string | undefined> {
    if (configured !== undefined) await this.issue('ADMIN_ACCESS_KEY', 'admin', start, configured)
    const founder = await this.foundingStart()
    if (founder === undefined || founder === start) {
      if (configured === undefined) await this.issue('first key', 'admin', start, accessKey)
      // After the key: a crash in between shows another key at the next start instead of none.
      await this.installations.decide(INSTALLATION_ID, systemContext('start', start), foundInstallation)
    }
    if (configured !== undefined) return undefined
    if ((await this.foundingStart()) === start) return accessKey
    await this.withdraw(accessKey, start)
    return undefined
  }

  /** The start that founded the installation: of several at once, the log accepted one. */
  private async foundingStart(): Promise<string | undefined> {
    for await (const event of this.installations.readEvents(INSTALLATION_ID)) if (event.type === 'InstallationFounded') return event.metadata.requestId
    return undefined
  }

  /** Another start was faster: the key of this one is never shown. */
  private async withdraw(accessKey: string, start: string): Promise<void> {
    const id = adminKeyIdOf(this.secrets.accessKeyHash(accessKey))
    await this.adminKeys.decide(id, systemContext('start', start), (key) => (key.issued && !key.revoked ? revokeAdminKey(key) : []))
  }
}

/** A key of 256 random bits. */
export function newAccessKey(): string {
  return `pdk_${randomBytes(32).toString('base64url')}`
}
