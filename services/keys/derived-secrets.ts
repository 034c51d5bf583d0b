import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'
import { Unavailable } from '../../infra/failures.ts'

/** Keys and hashes derived from the root secret of an installation, with a separate key for each purpose. */
export interface Secrets {
  /** Wraps the keys of persons. 32 bytes. */
  readonly wrappingKey: Uint8Array
  /** Authenticates events. 32 bytes. */
  readonly eventKey: Uint8Array
  /** Authenticates backups. 32 bytes. */
  readonly backupKey: Uint8Array
  /** Keyed hash of an email as a claim stream's id, hex; letter case and surrounding blanks do not count. */
  emailHash(email: string): string
  /** Keyed hash of an admin's access key, hex; its first 32 digits are the key's id. */
  accessKeyHash(accessKey: string): string
  /** Keyed digest of a request's content, hex: distinguishes requests without revealing their content. */
  requestDigest(content: string): string
  /** Keyed hash of the code of a shared certificate's link, hex. */
  shareCodeHash(code: string): string
  /** Keyed hash of a member of staff as one person's history names them, hex: the same for the same two, unlike for any other person. */
  staffHash(personId: string, staffId: string): string
  /** The mark a browser keeps to show that this subject has signed in with it before, base64url. */
  deviceMark(subject: string): string
  /** Keyed hash, base64url: signs short-lived tokens, and hides recovery codes. Contents begin with their purpose. */
  tokenMac(content: string): string
}

export function deriveSecrets(root: Uint8Array | string): Secrets {
  const derive = (purpose: string) => new Uint8Array(hkdfSync('sha256', root, 'proofdesk', purpose, 32))
  const emailKey = derive('email claims')
  const accessKeyKey = derive('admin access keys')
  const digestKey = derive('request digests')
  const deviceKey = derive('known devices')
  const shareKey = derive('codes of shared certificates')
  const staffKey = derive('staff in a history')
  const tokenKey = derive('signed tokens')
  return {
    wrappingKey: derive('wrapping of personal keys'),
    eventKey: derive('authentication of events'),
    backupKey: derive('authentication of backups'),
    emailHash: (email) => createHmac('sha256', emailKey).update(email.trim().toLowerCase()).digest('hex'),
    accessKeyHash: (accessKey) => createHmac('sha256', accessKeyKey).update(accessKey).digest('hex'),
    requestDigest: (content) => createHmac('sha256', digestKey).update(content).digest('hex'),
    shareCodeHash: (code) => createHmac('sha256', shareKey).update(code).digest('hex'),
    staffHash: (personId, staffId) =>
      createHmac('sha256', staffKey)
        .update(JSON.stringify([personId, staffId]))
        .digest('hex')
        .slice(0, 32),
    deviceMark: (subject) => createHmac('sha256', deviceKey).update(subject).digest('base64url'),
    tokenMac: (content) => createHmac('sha256', tokenKey).update(content).digest('base64url'),
  }
}

/** The secrets of an installation. Until the root secret is unwrapped, each use fails as if the key store were unavailable. */
export class InstallationSecrets implements Secrets {
  #derived: Secrets | undefined
  #rotations = 0

  unlock({ secret, rotations }: { readonly secret: Uint8Array; readonly rotations: number }): void {
    this.#derived = deriveSecrets(secret)
    this.#rotations = rotations
  }

  /** How often the master key had been rotated when the root secret was unwrapped. */
  get rotations(): number {
    return this.#rotations
  }

  get isUnlocked(): boolean {
    return this.#derived !== undefined
  }

  get wrappingKey(): Uint8Array {
    return this.#unlocked.wrappingKey
  }

  get eventKey(): Uint8Array {
    return this.#unlocked.eventKey
  }

  get backupKey(): Uint8Array {
    return this.#unlocked.backupKey
  }

  emailHash(email: string): string {
    return this.#unlocked.emailHash(email)
  }

  accessKeyHash(accessKey: string): string {
    return this.#unlocked.accessKeyHash(accessKey)
  }

  requestDigest(content: string): string {
    return this.#unlocked.requestDigest(content)
  }

  shareCodeHash(code: string): string {
    return this.#unlocked.shareCodeHash(code)
  }

  staffHash(personId: string, staffId: string): string {
    return this.#unlocked.staffHash(personId, staffId)
  }

  deviceMark(subject: string): string {
    return this.#unlocked.deviceMark(subject)
  }

  tokenMac(content: string): string {
    return this.#unlocked.tokenMac(content)
  }

  get #unlocked(): Secrets {
    if (!this.#derived) throw new Unavailable('key store', { cause: new Error('Its root secret is not unwrapped yet') })
    return this.#derived
  }
}

/** For random tokens of 128 bits or more, which need no salt: hex. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}

/** Compares two secrets' hashes in constant time. */
export function hashesEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
