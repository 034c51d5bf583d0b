import { newBytes } from '#services/identity/authentication/random-id.ts'
import type { Position } from '#infra/event-store/event-store.ts'
import {
  type AccessChange,
  type AdminKey,
  type AdminKeyEvent,
  type AdminRole,
  issueAdminKey,
  type MemberChanges,
  adminKeyStreams,
} from '../access-key.ts'
import { type AdminKeyId, adminKeyId } from '#services/framework/ids.ts'
import { foundInstallation, INSTALLATION_ID, installationStreams } from '#services/framework/streams/installation.ts'
import type { AggregateRepository, Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { type Context, systemContext } from '#services/event-sourcing/codec/metadata.ts'
import type { Secrets } from '#services/process/keys/derived-secrets.ts'
import { causedByDecision, changeMemberAccess, joinIfLasting } from './member-access.ts'

/** The stream that records refusals of keys that were never issued. */
export const UNKNOWN_KEY_ID = adminKeyId.parse('unknown')

/** An access key's id: the beginning of its keyed hash, so that a key finds its own stream. */
export function adminKeyIdOf(keyHash: string): AdminKeyId {
  return adminKeyId.parse(keyHash.slice(0, 32))
}

/**
 * The member whose key this is: of a first key, the key's own id. Whether the key is valid is decided at the sign-in.
 */
export async function memberIdOf(
  keys: Pick<AggregateRepository<AdminKey, AdminKeyEvent>, 'load'>,
  keyHash: string,
): Promise<AdminKeyId> {
  const keyId = adminKeyIdOf(keyHash)
  return (await keys.load(keyId)).state.member ?? keyId
}

interface EndSessions {
  endAll(kind: 'admin', subject: string): Promise<void>
}

export interface IssuedKey {
  /** The member's id. */
  readonly id: AdminKeyId
  readonly position: Position
  /** The key itself: shown once, never stored. */
  readonly accessKey: string
  /** The request was sent again, and its answer with the key was the first. */
  readonly isRepeated: boolean
}

/**
 * Who makes a change: a request of the command line by its id, or a member of staff. Only the command line may take
 * away the last administrator whose key does not expire, because it can always issue another key.
 */
type By = string | Context

/** A new access, and until when it is valid: ms since 1970, null for ever. */
export interface KeyOptions {
  readonly accessKey?: string
  readonly expiresAt?: number | null
}

/** Issues, replaces and revokes the access keys of members of staff. */
export class AccessKeys {
  private readonly adminKeys
  private readonly installations

  constructor(
    private readonly repositories: Repositories,
    private readonly secrets: Secrets,
  ) {
    this.adminKeys = repositories.of(adminKeyStreams)
    this.installations = repositories.of(installationStreams)
  }

  /** Issues the first key of a new member, by default one of 256 random bits. The same key again changes nothing. */
  async issue(
    label: string,
    role: AdminRole,
    by: By,
    { accessKey = newAccessKey(), expiresAt = null }: KeyOptions = {},
  ): Promise<IssuedKey> {
    const keyHash = this.secrets.accessKeyHash(accessKey)
    const id = adminKeyIdOf(keyHash)
    const context = contextOf(by)
    const issued = await this.adminKeys.decide(id, context, (key) =>
      issueAdminKey(key, label, role, keyHash, expiresAt),
    )
    await joinIfLasting(this.repositories, id, issued.state, causedByDecision(issued, context))
    return { id, accessKey, position: issued.position, isRepeated: issued.isRepeated ?? false }
  }

  /**
   * Gives a member a new key: the one before, and its sessions, end at once.
   *
   * @throws {Refused} not-found, conflict
   */
  async replace(
    id: AdminKeyId,
    by: By,
    sessions: EndSessions,
    { accessKey = newAccessKey(), expiresAt = null }: KeyOptions = {},
  ): Promise<IssuedKey> {
    const keyHash = this.secrets.accessKeyHash(accessKey)
    const keyId = adminKeyIdOf(keyHash)
    const isRepeated = typeof by !== 'string' && (await this.adminKeys.isRepeated(id, by))
    const { position } = await this.changeAccess(id, { changes: null, newKey: { keyId, keyHash, expiresAt } }, by)
    if (!isRepeated) await sessions.endAll('admin', id)
    return { id, accessKey, position, isRepeated }
  }

  /**
   * Changes a member's name, role or expiry, and ends the member's sessions.
   *
   * @throws {Refused} not-found, conflict, invalid
   */
  async change(id: AdminKeyId, changes: MemberChanges, by: By, sessions: EndSessions): Promise<Position> {
    const { position, isChanged } = await this.changeAccess(id, { changes, newKey: null }, by)
    if (isChanged) await sessions.endAll('admin', id)
    return position
  }

  /**
   * Revokes a member's access and ends their sessions. After a crash in between, the worker ends them.
   *
   * @throws {Refused} not-found, conflict
   */
  async revoke(id: AdminKeyId, by: By, sessions: EndSessions): Promise<Position> {
    const { position } = await this.changeAccess(id, REVOCATION, by)
    await sessions.endAll('admin', id)
    return position
  }

  /**
   * Ensures that there is a key: issues the configured one, or a new one at the very first start. Of several processes
   * that start together, one creates it. After a failure it may be called again with the same ids.
   *
   * @param start Identifies this start.
   * @returns the key that this start created and must show; undefined when there is none.
   */
  async ensureFirstKey(
    configured: string | undefined,
    start: string,
    accessKey = newAccessKey(),
  ): Promise<string | undefined> {
    if (configured !== undefined) await this.issue('ADMIN_ACCESS_KEY', 'admin', start, { accessKey: configured })
    const founder = await this.foundingStart()
    if (founder === undefined || founder === start) {
      if (configured === undefined) await this.issue('first key', 'admin', start, { accessKey })
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
    for await (const event of this.installations.readEvents(INSTALLATION_ID))
      if (event.type === 'InstallationFounded') return event.metadata.requestId
    return undefined
  }

  /** Another start was faster: the key of this one is never shown. */
  private async withdraw(accessKey: string, start: string): Promise<void> {
    const id = adminKeyIdOf(this.secrets.accessKeyHash(accessKey))
    if ((await this.adminKeys.load(id)).state.issued)
      await changeMemberAccess(this.repositories, id, REVOCATION, systemContext('start', start), false)
  }

  private changeAccess(id: AdminKeyId, change: AccessChange, by: By) {
    return changeMemberAccess(this.repositories, id, change, contextOf(by), typeof by !== 'string')
  }
}

const REVOCATION: AccessChange = { changes: null, newKey: null }

function contextOf(by: By): Context {
  return typeof by === 'string' ? systemContext('command line', by) : by
}

/** A key of 256 random bits; of a request that takes effect once, always the same, so that the same member gets it. */
export function newAccessKey(context: Partial<Context> = {}): string {
  return `pdk_${newBytes(context, 'access key').toString('base64url')}`
}
